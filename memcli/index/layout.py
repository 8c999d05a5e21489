"""The layout of the one table, and schemas as rows of it.

A schema is one row (`piece` 0) that carries everything, and one more row for each further
piece of a long text, so that the best piece counts in a vector search; a filter column is
never null, because SQL's third truth value would make a row neither in nor out.
A change of this file that readers could notice raises LAYOUT: the index is then rebuilt.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from memcli.index import rest
from memcli.index.arrow import array, vector
from memcli.index.rows import IndexRow, number, words
from memcli.memory import subject
from memcli.memory.schema import fold_concept

LAYOUT: Final = 7
TABLE: Final = "schemas"
KEY: Final = ("path", "piece")
BEGINNING: Final = -(2**63)  # valid_from of an unbounded window
END: Final = 2**63 - 1  # valid_to of an unbounded window

_TEXT: Final = pa.string()
_TEXTS: Final = pa.list_(pa.field("item", pa.string(), nullable=False))
_STEMS: Final = pa.list_(pa.field("item", pa.int64(), nullable=False))
_COUNTS: Final = pa.list_(pa.field("item", pa.int32(), nullable=False))

# The columns of a schema: their type, and their value for a row.
_COLUMNS: Final[Mapping[str, tuple[pa.DataType, Callable[[IndexRow], Any]]]] = {
    "path": (_TEXT, lambda row: row.path),
    "id": (_TEXT, lambda row: row.schema.id),
    "digest": (_TEXT, lambda row: row.digest),
    "scope": (_TEXT, lambda row: str(row.schema.scope)),
    "status": (_TEXT, lambda row: row.effective.value),
    "stated": (_TEXT, lambda row: row.schema.status.value),
    "stale_reason": (_TEXT, lambda row: row.schema.stale_reason or ""),
    "valid_from": (pa.int64(), lambda row: _or(row.schema.validity.start, BEGINNING)),
    "valid_to": (pa.int64(), lambda row: _or(row.schema.validity.end, END)),
    "type": (_TEXT, lambda row: row.schema.type.value),
    "stage": (pa.int8(), lambda row: row.schema.stage.value),
    "tags": (_TEXTS, lambda row: list(row.schema.tags)),
    "hidden": (pa.bool_(), lambda row: bool(row.hidden_in)),
    "hidden_in": (_TEXTS, lambda row: list(row.hidden_in)),
    "concept": (_TEXT, lambda row: row.schema.concept),
    "folded": (_TEXT, lambda row: fold_concept(row.schema.concept)),
    "subjects": (_TEXTS, lambda row: list(subject.subjects(row.schema))),
    "asks": (pa.bool_(), lambda row: subject.asks(row.schema.claim)),
    "day": (pa.int64(), lambda row: _or(row.day, BEGINNING)),
    "superseded_by": (_TEXT, lambda row: row.schema.superseded_by),
    "cites": (_STEMS, lambda row: [number(one.event) for one in row.schema.evidence]),
    "known_from": (pa.int64(), lambda row: row.known_from),
    "known_until": (pa.int64(), lambda row: _or(row.known_until, END)),
    "rest": (_TEXT, lambda row: rest.pack(row.schema)),
}
_WORDS: Final = {"stems": _STEMS, "counts": _COUNTS, "length": pa.int32()}
_PLACE: Final = {"piece": pa.int32(), "pieces": pa.int32()}
KEYS: Final = tuple(_COLUMNS)


def layout(dimensions: int) -> pa.Schema:
    """The table's columns; without a vector where `dimensions` is 0."""
    types = _PLACE | {name: kind for name, (kind, _) in _COLUMNS.items()} | _WORDS
    if dimensions:
        types["vector"] = pa.list_(pa.float32(), dimensions)
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in types.items()])


def batch(
    rows: Sequence[IndexRow], vectors: Sequence["np.ndarray | None"], dimensions: int
) -> pa.RecordBatch:
    """The rows as LanceDB takes them; `vectors` gives float32 [pieces, dimensions] for each."""
    pieces = [_pieces(given, dimensions) for given in vectors]
    spread = [(row, piece) for row, given in zip(rows, pieces, strict=True) for piece in range(len(given))]
    columns = {
        "piece": array([piece for _, piece in spread], pa.int32()),
        "pieces": array([len(given) for given in pieces for _ in given], pa.int32()),
    }
    for name, (kind, value) in _COLUMNS.items():
        said = [value(row) for row in rows]  # not once a piece: reading a long text 64 times takes minutes
        columns[name] = array([one for one, given in zip(said, pieces, strict=True) for _ in given], kind)
    columns |= _word_columns(spread)
    if dimensions:
        flat = vector(np.concatenate(pieces))
        columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, dimensions)
    return pa.record_batch(list(columns.values()), schema=layout(dimensions))


def _pieces(given: "np.ndarray | None", dimensions: int) -> np.ndarray:
    """At least one piece; the null vector is near to nothing."""
    if given is None or not len(given) or not dimensions:
        return np.zeros((1, dimensions), np.float32)
    return given


def _word_columns(spread: Sequence[tuple[IndexRow, int]]) -> dict[str, pa.Array]:
    found = [words(row) if piece == 0 else {} for row, piece in spread]
    return {
        "stems": array([[number(stem) for stem in one] for one in found], _STEMS),
        "counts": array([list(one.values()) for one in found], _COUNTS),
        "length": array([sum(one.values()) for one in found], pa.int32()),
    }


def _or(moment: int | None, unbounded: int) -> int:
    return unbounded if moment is None else moment
