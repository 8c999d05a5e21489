"""The same network with its weights laid out in panels, so that one query need not pack them.

onnxruntime copies every weight matrix into its own order when it opens a model: 40 of the
50 ms that a session costs, for a process that asks one question. Told not to, it packs
column blocks on the fly, in another summing order and so with other bits, and vectors of
two processes would differ. Its kernel (MLAS, `MlasSgemmOperation`) sums 256 products at a
time over packed weights, and over unpacked ones as soon as a matrix has at most 64
columns. So each [rows, columns] matrix becomes [columns / 64, rows, 64]: nothing to pack,
and the same bits, which `prepared` tests with every model before it trusts them.

Source: ONNX 1.16, onnx.proto3, for the field numbers.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memcli.index.protobuf import Field, field, fields, integers, texts

WIDTH: Final = 64
ALIGNMENT: Final = 4096  # a page, so that every panel can be mapped where it lies

MODEL_GRAPH: Final = 7
GRAPH_NODE: Final = 1
GRAPH_TENSOR: Final = 5
NODE_INPUT, NODE_OUTPUT, NODE_NAME, NODE_OPERATION, NODE_ATTRIBUTE = 1, 2, 3, 4, 5
ATTRIBUTE_NAME, ATTRIBUTE_INTS, ATTRIBUTE_TYPE = 1, 8, 20
TENSOR_DIMENSIONS, TENSOR_KIND, TENSOR_NAME, TENSOR_RAW, TENSOR_EXTERNAL, TENSOR_LOCATION = 1, 2, 8, 9, 13, 14
ENTRY_KEY, ENTRY_TEXT = 1, 2
FLOAT, INT64 = 1, 7  # TensorProto.DataType
INTS: Final = 7  # AttributeProto.AttributeType
EXTERNAL: Final = 1  # TensorProto.DataLocation

_AXIS: Final = "memcli/axis"

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Node:
    """One operation of a graph."""

    operation: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    raw: bytes


@dataclass(frozen=True, slots=True)
class Tensor:
    """A constant of a graph; its numbers lie in `file` from `offset` on, or in `raw` itself."""

    name: str
    kind: int
    dimensions: tuple[int, ...]
    file: str
    offset: int
    raw: bytes

    @property
    def panels(self) -> bool:
        """Whether it is a weight matrix that divides into panels."""
        matrix = self.kind == FLOAT and self.file and len(self.dimensions) == 2  # noqa: PLR2004 - rows, columns
        return bool(matrix) and self.dimensions[1] % WIDTH == 0


def in_panels(model: bytes, file: str, weights: Callable[[Tensor], Matrix]) -> tuple[bytes, list[Matrix]]:
    """The model with its weights in panels, and the panels: [columns / 64, rows, 64] each.

    They belong into `file`, in this order, each at the next multiple of ALIGNMENT.
    `weights` reads the matrix of a tensor. Raises NotProtobuf.
    """
    panels: list[Matrix] = []
    parts = []
    for part in fields(model):
        if part.number == MODEL_GRAPH:
            graph, panels = _graph(list(fields(part.octets)), file, weights)
            parts.append(field(MODEL_GRAPH, graph))
        else:
            parts.append(part.raw)
    return b"".join(parts), panels


def aligned(offset: int) -> int:
    """The first place at or after `offset` where a panel may begin."""
    return -(-offset // ALIGNMENT) * ALIGNMENT


def _graph(
    parts: Sequence[Field], file: str, weights: Callable[[Tensor], Matrix]
) -> tuple[bytes, list[Matrix]]:
    nodes = [_node(part) for part in parts if part.number == GRAPH_NODE]
    tensors = {tensor.name: tensor for tensor in map(_tensor, parts) if tensor}
    chosen = _only_multiplied(nodes, {name: tensor for name, tensor in tensors.items() if tensor.panels})
    panels = [_cut(weights(tensor)) for tensor in chosen.values()]
    others = [part.raw for part in parts if part.number not in (GRAPH_NODE, GRAPH_TENSOR)]
    kept = [tensor.raw for name, tensor in tensors.items() if name not in chosen]
    placed = list(_placed(chosen.values(), file))
    shapes = [
        _integers(_shape(columns), (0, 0, columns))
        for columns in sorted({one.dimensions[1] for one in chosen.values()})
    ]
    made = [field(GRAPH_TENSOR, tensor) for tensor in (*placed, *shapes, _integers(_AXIS, (1,)))]
    operations = [part for node in nodes for part in _multiplied(node, chosen)]
    return b"".join((*operations, *others, *kept, *made)), panels


def _only_multiplied(nodes: Sequence[Node], weights: dict[str, Tensor]) -> dict[str, Tensor]:
    used = Counter(name for node in nodes for name in node.inputs)
    multiplied = Counter(node.inputs[1] for node in nodes if node.operation == "MatMul")
    return {
        name: tensor
        for name, tensor in weights.items()
        if multiplied[name] and multiplied[name] == used[name]
    }


def _multiplied(node: Node, chosen: dict[str, Tensor]) -> Iterator[bytes]:
    """`[a, b, rows] · [rows, columns]` as one product a panel, put side by side again."""
    if node.operation != "MatMul" or node.inputs[1] not in chosen:
        yield node.raw
        return
    (left, weight), (result,) = node.inputs, node.outputs
    columns = chosen[weight].dimensions[1]
    yield _operation("Unsqueeze", (left, _AXIS), f"{result}/one")
    yield _operation("MatMul", (f"{result}/one", weight), f"{result}/panels")
    yield _operation("Transpose", (f"{result}/panels",), f"{result}/turned", (0, 2, 1, 3))
    yield _operation("Reshape", (f"{result}/turned", _shape(columns)), result)


def _cut(matrix: Matrix) -> Matrix:
    rows, columns = matrix.shape
    return np.ascontiguousarray(matrix.reshape(rows, columns // WIDTH, WIDTH).transpose(1, 0, 2))


def _placed(tensors: Iterable[Tensor], file: str) -> Iterator[bytes]:
    offset = 0
    for tensor in tensors:
        rows, columns = tensor.dimensions
        offset = aligned(offset)
        yield _external(replace(tensor, dimensions=(columns // WIDTH, rows, WIDTH), file=file, offset=offset))
        offset += rows * columns * 4


def _shape(columns: int) -> str:
    return f"memcli/columns/{columns}"


def _node(part: Field) -> Node:
    found = list(fields(part.octets))
    operation = "".join(texts(found, NODE_OPERATION))
    return Node(operation, texts(found, NODE_INPUT), texts(found, NODE_OUTPUT), part.raw)


def _operation(operation: str, inputs: Sequence[str], output: str, permutation: Sequence[int] = ()) -> bytes:
    message = b"".join(field(NODE_INPUT, name) for name in inputs)
    message += field(NODE_OUTPUT, output) + field(NODE_NAME, output) + field(NODE_OPERATION, operation)
    if permutation:
        axes = b"".join(field(ATTRIBUTE_INTS, axis) for axis in permutation)
        message += field(NODE_ATTRIBUTE, field(ATTRIBUTE_NAME, "perm") + field(ATTRIBUTE_TYPE, INTS) + axes)
    return field(GRAPH_NODE, message)


def _tensor(part: Field) -> Tensor | None:
    if part.number != GRAPH_TENSOR:
        return None
    found = list(fields(part.octets))
    entries = [list(fields(one.octets)) for one in found if one.number == TENSOR_EXTERNAL]
    external = {"".join(texts(entry, ENTRY_KEY)): "".join(texts(entry, ENTRY_TEXT)) for entry in entries}
    return Tensor(
        "".join(texts(found, TENSOR_NAME)),
        sum(integers(found, TENSOR_KIND)),
        integers(found, TENSOR_DIMENSIONS),
        external.get("location", ""),
        int(external.get("offset", "0")),
        part.raw,
    )


def _external(tensor: Tensor) -> bytes:
    size = 4 * int(np.prod(tensor.dimensions))
    entries = {"location": tensor.file, "offset": str(tensor.offset), "length": str(size)}
    message = b"".join(field(TENSOR_DIMENSIONS, size) for size in tensor.dimensions)
    message += field(TENSOR_KIND, tensor.kind) + field(TENSOR_NAME, tensor.name)
    for key, text in entries.items():
        message += field(TENSOR_EXTERNAL, field(ENTRY_KEY, key) + field(ENTRY_TEXT, text))
    return message + field(TENSOR_LOCATION, EXTERNAL)


def _integers(name: str, numbers: Sequence[int]) -> bytes:
    raw = b"".join(number.to_bytes(8, "little", signed=True) for number in numbers)
    message = field(TENSOR_DIMENSIONS, len(numbers)) + field(TENSOR_KIND, INT64)
    return message + field(TENSOR_NAME, name) + field(TENSOR_RAW, raw)
