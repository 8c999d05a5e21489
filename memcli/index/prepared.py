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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memcli.errors import UNREADABLE
from memcli.index import folders, ledger
from memcli.index.runtime import SAVED_WEIGHTS, NoEncoder

LAYOUT: Final = 1  # of a preparation; another number is made anew
PLAIN: Final = "plain.onnx"
PLAIN_WEIGHTS: Final = SAVED_WEIGHTS
PANELS: Final = "panels.onnx"
PANEL_WEIGHTS: Final = "panels.bin"
MANIFEST: Final = "manifest.json"
_LOCK: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW

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
    ready = found(workspace / key)
    if ready is not None:
        return ready
    try:
        with _alone(workspace):
            return found(workspace / key) or _make(workspace, key, model, probes())
    except (OSError, NoEncoder):
        return NOTHING


def found(folder: Path) -> Prepared | None:
    """The preparation in this folder, None unless it is whole, of this layout and ours."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        signatures = manifest["signatures"]
        mine = folder.stat().st_uid == os.geteuid()
        whole = all(ledger.signature(folder / name) == seen for name, seen in signatures.items())
    except UNREADABLE:
        return None
    if not mine or not whole or manifest.get("layout") != LAYOUT:
        return None
    return Prepared(*(folder / name if name in signatures else None for name in (PANELS, PLAIN)))


def _make(workspace: Path, key: str, model: Path, probes: Sequence[Rows]) -> Prepared:
    from memcli.index import preparing

    preparing.make(workspace, key, model, probes)
    return found(workspace / key) or NOTHING


@contextmanager
def _alone(workspace: Path) -> Iterator[None]:
    """Never waits: who comes second does without. Raises OSError."""
    import fcntl

    folders.make(workspace)
    descriptor = folders.opened(workspace / "lock", _LOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
