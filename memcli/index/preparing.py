"""Making a prepared model: written aside, tested for equal bits, then renamed into its place."""

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from memcli.index import ledger, panels
from memcli.index.panels import Matrix, Tensor
from memcli.index.prepared import LAYOUT, MANIFEST, PANEL_WEIGHTS, PANELS, PLAIN, PLAIN_WEIGHTS, Rows
from memcli.index.protobuf import NotProtobuf
from memcli.index.runtime import Network, NoEncoder, Optimisation, open_network

KEPT: Final = 2  # preparations in a workspace: this one and the one before, 140 MB each
_FRESH: Final = ".preparing-"


def make(workspace: Path, key: str, model: Path, probes: Sequence[Rows]) -> None:
    """Put the preparation `key` of a model into a workspace that nobody else prepares in.

    Raises OSError where it cannot be written, NoEncoder where the model cannot be opened or run.
    """
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


def _fill(folder: Path, model: Path, probes: Sequence[Rows]) -> None:
    expected = _bits(open_network(model, Optimisation.BASIC, save=folder / PLAIN), probes)
    graphs = [graph for graph in (PLAIN, PANELS) if _equal(folder, graph, probes, expected)]
    files = _files(graphs)
    for file in set(folder.iterdir()) - {folder / name for name in files}:
        file.unlink()
    signatures = {name: _settled(folder / name) for name in files}
    ledger.write(folder / MANIFEST, {"layout": LAYOUT, "signatures": signatures})


def _files(graphs: Sequence[str]) -> list[str]:
    weights = [PLAIN_WEIGHTS] if graphs else []
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
