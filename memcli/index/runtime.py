"""onnxruntime and nothing else: one model file in memory, run the same way everywhere.

The danger is a vector that depends on how it was computed. Every session has one
thread, stops at onnxruntime's basic graph optimisation, and never pads its results
into each other; measured, its bits do not change with the batch, the padding or the
number of sessions. They do change with onnxruntime's version and with the family of
CPU kernels that it picks, so both are part of a fingerprint.

The other danger is onnxruntime itself: from 1.29 on, importing it starts two threads that
report the process and its models to the maker, and leaves an identifier in the home
folder. It is told not to before its only import (https://github.com/microsoft/onnxruntime/pull/27379).
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from memcli.errors import Unavailable

FATAL: Final = 4  # onnxruntime's log severity: it writes to stderr below our error boundary
SAVED_WEIGHTS: Final = "weights.bin"

# Names under which numpy releases list the wide registers that choose the kernels.
WIDEST: Final = (("avx512", ("AVX512", "X86_V4")), ("avx2", ("AVX2", "X86_V3")))

Hidden = NDArray[np.float32]


class NoEncoder(Unavailable):
    """The encoder is absent, damaged, or cannot run here; words still find memories."""


class Optimisation(Enum):
    """What onnxruntime may do to the graph when it opens it."""

    BASIC = "ORT_ENABLE_BASIC"  # folds the int8 weights; 1.1 times as fast as the default level
    NONE = "ORT_DISABLE_ALL"  # the file was saved after BASIC


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What beside the model decides the bits of a vector: onnxruntime's version and its kernels.

    `features` are all that numpy knows of this CPU: two CPUs may share a family of kernels.
    """

    version: str
    kernels: str
    features: str


def arithmetic() -> Arithmetic:
    """The arithmetic of this process; imports onnxruntime. Raises NoEncoder."""
    version = _onnxruntime().__version__
    shown: Any = np.show_config(mode="dicts")
    extensions = shown.get("SIMD Extensions", {})
    names = [*extensions.get("baseline", ()), *extensions.get("found", ())]
    machine = os.uname().machine
    family = next(
        (family for family, heads in WIDEST if any(name.startswith(heads) for name in names)), machine
    )
    return Arithmetic(version, family, " ".join([machine, *names]))


class Named(Protocol):
    """An input or output of a model."""

    name: str
    shape: list[int | str | None]


class Session(Protocol):
    """What is used of onnxruntime's InferenceSession."""

    def get_inputs(self) -> list[Named]:
        """The inputs that the model takes."""
        ...

    def get_outputs(self) -> list[Named]:
        """The outputs that the model gives."""
        ...

    def run(self, outputs: list[str], feed: dict[str, NDArray[np.int64]]) -> list[Hidden]:
        """The outputs of these names."""
        ...


class Network:
    """A model file in memory; safe to run from several threads at once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._inputs = frozenset(taken.name for taken in session.get_inputs())
        output = session.get_outputs()[0]
        self._output = output.name
        size = output.shape[-1]
        self.dimensions = size if isinstance(size, int) else self.run([[1, 1]]).shape[-1]

    def run(self, rows: Sequence[Sequence[int]]) -> Hidden:
        """What the model makes of rows of token ids, padded to the longest.

        float32 [rows, tokens, dimensions], or [rows, dimensions] from a model that
        pools by itself. Raises NoEncoder when the model cannot run.
        """
        try:
            hidden: Hidden = self._session.run([self._output], self._feed(rows))[0]
        except Exception as failure:
            raise NoEncoder(
                "The encoder's model cannot be run.", details=(_first_line(failure),)
            ) from failure
        return hidden

    def _feed(self, rows: Sequence[Sequence[int]]) -> dict[str, NDArray[np.int64]]:
        ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
        mask = np.zeros_like(ids)
        for row, found in enumerate(rows):
            ids[row, : len(found)] = found
            mask[row, : len(found)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        return {name: array for name, array in feed.items() if name in self._inputs}


def open_network(model: Path, optimisation: Optimisation, save: Path | None = None) -> Network:
    """The model file in memory; `save` also writes the optimised graph there.

    Beside the saved graph lies SAVED_WEIGHTS, which later sessions map into memory
    instead of reading it. Raises NoEncoder when the file is not a model that runs here.
    """
    runtime = _onnxruntime()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = FATAL
    options.graph_optimization_level = getattr(runtime.GraphOptimizationLevel, optimisation.value)
    for key, chosen in _settings(save).items():
        options.add_session_config_entry(key, chosen)
    if save is not None:
        options.optimized_model_filepath = str(save)
    try:
        return Network(runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"]))
    except Exception as failure:
        raise NoEncoder(
            f"{model} is not a model that onnxruntime {runtime.__version__} can open.",
            details=(_first_line(failure),),
        ) from failure


def _settings(save: Path | None) -> dict[str, str]:
    settings = {"session.intra_op.allow_spinning": "0"}  # spinning costs 25 % on a busy machine
    if save is not None:
        settings["session.optimized_model_external_initializers_file_name"] = SAVED_WEIGHTS
        settings["session.optimized_model_external_initializers_min_size_in_bytes"] = "1024"
    return settings


def _onnxruntime() -> ModuleType:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # there is no other way: the import itself reports
    try:
        import onnxruntime
    except ImportError as failure:
        raise NoEncoder(
            "The package onnxruntime cannot be imported.",
            "Reinstall memcli: pip install --force-reinstall memcli",
            (_first_line(failure),),
        ) from failure
    module: ModuleType = onnxruntime
    return module


def _first_line(failure: Exception) -> str:
    return (str(failure).splitlines() or [type(failure).__name__])[0][:200]
