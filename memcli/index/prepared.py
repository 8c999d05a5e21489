"""The model's graph, optimised once and laid out so that a process can map it into memory.

Opening the shipped model costs 200 ms and 270 MB, most of it to turn int8 weights into
floats; a prepared one costs 11 ms and mostly shared memory for a process that asks once
(`panels`), 50 ms for one that goes on asking (`plain`).

The danger is a prepared file that is not the model: half written, of another version, cut
short, or left there by somebody else. A preparation is bound to the model's digest,
onnxruntime's version and the CPU, becomes visible whole by one rename, is tested for
equal bits before that, and is used only while its files are, by stat, the very ones that
this machine wrote. Anything else is made again; where it can't be, the model itself
serves, slower and with the same vectors.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from memcli.index import ledger, panels
from memcli.index.panels import Matrix, Tensor
from memcli.index.protobuf import NotProtobuf
from memcli.index.runtime import Network, NoEncoder, Optimisation, open_network

LAYOUT: Final = 1  # of a preparation; another number is made anew
PLAIN: Final = "plain.onnx"
PANELS: Final = "panels.onnx"
PANEL_WEIGHTS: Final = "panels.bin"
MANIFEST: Final = "manifest.json"
KEPT: Final = 2  # preparations in a workspace: this one and the one before, 140 MB each
_FRESH: Final = ".preparing-"

Rows = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A preparation that gives the model's own bits; either graph is None where it does not."""

    quick: Path | None
    lasting: Path | None


NOTHING: Final = Prepared(None, None)


def prepared(workspace: Path, key: str, model: Path, probes: Callable[[], Sequence[Rows]]) -> Prepared:
    """The preparation `key` of a workspace, made now if it is not there.

    `probes` are the inputs on which all graphs must give the same bits. Gives NOTHING where
    it cannot be made: a read-only folder, a full disk, another process that is at it.
    """
    found = _found(workspace / key)
    if found is not None:
        return found
    try:
        with _alone(workspace):
            return _found(workspace / key) or _make(workspace, key, model, probes())
    except (OSError, NoEncoder):
        return NOTHING


def _found(folder: Path) -> Prepared | None:
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        signatures = manifest["signatures"]
        mine = folder.stat().st_uid == os.geteuid()
        whole = all(ledger.signature(folder / name) == seen for name, seen in signatures.items())
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
    if not mine or not whole or manifest.get("layout") != LAYOUT:
        return None
    return Prepared(*(folder / name if name in signatures else None for name in (PANELS, PLAIN)))


@contextmanager
def _alone(workspace: Path) -> Iterator[None]:
    """Never waits: who comes second does without. Raises OSError."""
    import fcntl

    workspace.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(workspace / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _make(workspace: Path, key: str, model: Path, probes: Sequence[Rows]) -> Prepared:
    for left in workspace.glob(f"{_FRESH}*"):  # of a process that was killed
        shutil.rmtree(left, ignore_errors=True)
    fresh = Path(tempfile.mkdtemp(prefix=_FRESH, dir=workspace))
    try:
        _fill(fresh, model, probes)
        shutil.rmtree(workspace / key, ignore_errors=True)
        fresh.rename(workspace / key)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    _tidy(workspace, key)
    return _found(workspace / key) or NOTHING


def _fill(folder: Path, model: Path, probes: Sequence[Rows]) -> None:
    expected = _bits(open_network(model, Optimisation.BASIC, save=folder / PLAIN), probes)
    graphs = [graph for graph in (PLAIN, PANELS) if _equal(folder, graph, probes, expected)]
    files = _files(graphs)
    for file in set(folder.iterdir()) - {folder / name for name in files}:
        file.unlink()
    signatures = {name: _settled(folder / name) for name in files}
    ledger.write(folder / MANIFEST, {"layout": LAYOUT, "signatures": signatures})


def _files(graphs: Sequence[str]) -> list[str]:
    weights = ["weights.bin"] if graphs else []
    return [*graphs, *weights, *([PANEL_WEIGHTS] if PANELS in graphs else [])]


def _equal(folder: Path, graph: str, probes: Sequence[Rows], expected: list[bytes]) -> bool:
    """Whether this graph gives the model's own bits."""
    try:
        if graph == PANELS:
            _write_panels(folder)
        return _bits(open_network(folder / graph, Optimisation.NONE), probes) == expected
    except (NoEncoder, NotProtobuf, ValueError):
        return False


def _bits(network: Network, probes: Sequence[Rows]) -> list[bytes]:
    return [network.run(rows).tobytes() for rows in probes]


def _write_panels(folder: Path) -> None:
    def weights(tensor: Tensor) -> Matrix:
        count = int(np.prod(tensor.dimensions))
        return np.fromfile(folder / tensor.file, np.float32, count, offset=tensor.offset).reshape(
            tensor.dimensions
        )

    graph, cut = panels.in_panels((folder / PLAIN).read_bytes(), PANEL_WEIGHTS, weights)
    (folder / PANELS).write_bytes(graph)
    with (folder / PANEL_WEIGHTS).open("wb") as stream:
        for panel in cut:
            stream.seek(panels.aligned(stream.tell()))
            stream.write(panel.data)


def _settled(file: Path) -> str:
    """The file's signature once its bytes are on the disk: a power cut must not leave zeros behind it."""
    with file.open("rb") as stream:
        os.fsync(stream.fileno())
    return ledger.signature(file)


def _tidy(workspace: Path, key: str) -> None:
    others = [manifest.parent for manifest in workspace.glob(f"*/{MANIFEST}") if manifest.parent.name != key]
    newest_first = sorted(others, key=lambda folder: (folder.stat().st_mtime_ns, folder.name), reverse=True)
    for folder in newest_first[KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)
