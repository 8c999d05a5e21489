"""Models other than ours for a store to use: another one, one without meaning, and broken ones."""

from functools import cache

import numpy as np

from memcli.index import model
from memcli.index.panels import GRAPH_TENSOR, MODEL_GRAPH, TENSOR_RAW
from memcli.index.protobuf import fields
from memcli.index.wordpiece import VOCABULARY, library_wordpiece

NEAR = "near"  # one row of the word embeddings is another: as good, and not the same
NOISE = "noise"  # all of them are noise: vectors without any meaning


@cache
def _bytes(kind):
    raw = model.find(None).model.read_bytes()
    graph = next(part.octets for part in fields(raw) if part.number == MODEL_GRAPH)
    tensors = [list(fields(part.octets)) for part in fields(graph) if part.number == GRAPH_TENSOR]
    weights = bytes(
        max((part.octets for tensor in tensors for part in tensor if part.number == TENSOR_RAW), key=len)
    )
    other = np.random.default_rng(3).bytes(len(weights)) if kind == NOISE else weights[:-384] + bytes(384)
    return raw.replace(weights, other)


def model_in(folder, kind):
    """A folder with a model of that kind, as `[encoder] path` names one."""
    made = folder / f"model-{kind}"
    made.mkdir()
    library_wordpiece(VOCABULARY, 101, 102).save(str(made / "tokenizer.json"))
    if kind != "absent":
        raw = _bytes(kind if kind == NOISE else NEAR)
        raw = {"cut": raw[: len(raw) // 2], "empty": b""}.get(kind, raw)
        (made / "model.onnx").write_bytes(raw)
    return made


def use(trial, folder):
    """Have the store use the model in `folder`; None is the one that comes with mem."""
    file = trial.root / "mem.toml"
    plain = file.read_text().partition("\n[encoder]\npath = ")[0]
    file.write_text(plain if folder is None else f'{plain}\n[encoder]\npath = "{folder}"\n')
    trial.git("update-index", "--assume-unchanged", "mem.toml")
