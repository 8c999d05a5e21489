"""What the doctor may put right by itself, and only when asked to: nothing here touches a memory's text.

Each act is one that another command would do on its way, under the same lock.
"""

from collections.abc import Callable, Sequence
from typing import Final

from memcli.engine import indexed, recovery
from memcli.engine.health.examining import Finding, Level, ok, refused
from memcli.engine.opened import Opened
from memcli.errors import Unavailable
from memcli.memory.numerals import counted
from memcli.store import atomic, intent, lock, private, scan

Mend = tuple[str, Callable[[Opened], str]]
"""The name of a finding, and what to do about it; says what was done, empty for nothing."""


def mend(opened: Opened, findings: Sequence[Finding], further: Sequence[Mend] = ()) -> tuple[Finding, ...]:
    """Mend what `findings` names, in the order in which one act serves the next. Never raises."""
    sick = {one.name for one in findings if one.level is not Level.OK}
    sick |= {cure for name, cure in _SAME.items() if name in sick}
    done: list[Finding] = []
    for name, act in (*MENDS, *further):
        if name not in sick:
            continue
        try:
            said = act(opened)
        except Exception as error:  # noqa: BLE001 - what cannot be mended must not keep the rest from it
            done.append(refused(name, error))
        else:
            done += [ok(name, said)] if said else []
    return tuple(done)


def _take_back(opened: Opened) -> str:
    """End or take back what a crash left half done."""
    with lock.hold(opened.place, wait_s=opened.settings.lock_wait_s, holder="doctor --fix"):
        if intent.pending(opened.place) is None:
            return ""
        recovery.recover(opened)
    kept = "".join(f" {notice}" for notice in opened.notices)
    opened.notices.clear()
    return f"Ended or took back the operation that a crash left.{kept}"


def _sweep(opened: Opened) -> str:
    """Remove temporary files: under the lock nobody is writing one."""
    with lock.hold(opened.place, wait_s=opened.settings.lock_wait_s, holder="doctor --fix"):
        left, own = scan.scan(opened.place).leftovers, private.leftovers(opened.place)
        atomic.sweep(opened.place, left)
        for path in own:
            private.remove(opened.place, opened.place.at(path))
    return f"Removed {counted(len(left) + len(own), 'temporary file')}."


def _rebuild(opened: Opened) -> str:
    """Make the index anew, unless all files are gone at once: that is no deletion."""
    from memcli.engine import indexing
    from memcli.store import known

    seen, kept = scan.scan(opened.place), known.load(opened.place.known_file) or {}
    if known.difference(seen, kept).emptied:
        raise Unavailable("All memories are gone at once, so the index was left as it is.", "mem status")
    state = indexing.rebuild(opened)
    return f"Rebuilt the index of {counted(state.rows, 'memory', 'memories')}."


def _compact(opened: Opened) -> str:
    """Make few files of many."""
    with lock.hold(opened.place, wait_s=opened.settings.lock_wait_s, holder="doctor --fix"):
        index = indexed.open_index(opened, writable=True)
        if index is None:
            return ""
        before, _ = index.size()
        index.tidy(force=True)
        after, _ = index.size()
        index.close()
    return f"Made {after} files of the {before} that the index lay in."


_SAME: Final = {"index, whole": "index"}  # findings that the cure of another helps
# While one of the first fails, the index would be made otherwise than the store wants it.
FIRST: Final = frozenset({"settings", "model"})
AFTER: Final = frozenset({"index", "index, whole", "fragments"})
MENDS: Final[tuple[Mend, ...]] = (
    ("crash", _take_back),
    ("left over", _sweep),
    ("index", _rebuild),
    ("fragments", _compact),
)
