"""Event lines that lie on the disk and in no commit yet: observed, and left for later.

A line is never taken out. So a file of events whose committed lines are not all there is not
saved as it is: that would make history of a loss.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcli.engine.opened import Opened
from memcli.store import private

if TYPE_CHECKING:
    from memcli.journal.tree import Uncommitted

FOLDER = "events"


@dataclass(frozen=True, slots=True)
class SaidLines:
    """One file of events that HEAD holds otherwise: lines `added`, and committed ones `lost`."""

    path: str
    added: int
    lost: int


def unsaved(opened: Opened) -> tuple[SaidLines, ...]:
    """The files of events with lines that no commit holds, or that lost some; in order of path."""
    return tuple(_told(opened, one) for one in _changed(opened))


def paths(opened: Opened) -> tuple[str, ...]:
    """The paths of those files alone."""
    return tuple(one.path for one in _changed(opened))


def marked(opened: Opened) -> bool:
    """Whether lines may lie there, as whoever appended them noted; one look at a file."""
    return opened.place.unsaved_file.exists()


def settled(opened: Opened) -> None:
    """Note that no line lies there any more. Only under the store's lock."""
    if marked(opened):
        private.remove(opened.place, opened.place.unsaved_file)


def _changed(opened: Opened) -> "tuple[Uncommitted, ...]":
    from memcli.journal import tree

    if not opened.place.events.is_dir() and opened.journal.head() is None:
        return ()
    return tuple(one for one in tree.uncommitted(opened.journal, (FOLDER,)) if one.path.endswith(".jsonl"))


def _told(opened: Opened, one: "Uncommitted") -> SaidLines:
    from memcli.journal import tree
    from memcli.store import lines

    head = opened.journal.head()
    committed = tree.read(opened.journal, head, (one.path,))[one.path] if head else None
    now = set((lines.after(opened.place, one.path, 0) or b"").splitlines())
    before = set((committed or b"").splitlines())
    return SaidLines(one.path, len(now - before), len(before - now))
