"""A merge carried out as any operation: noted first, then all of its files and HEAD, or none of them."""

from collections.abc import Callable
from dataclasses import replace

from memcli.engine.opened import Opened
from memcli.engine.recovery import take_back
from memcli.engine.writer import FileChange, new_tx, put
from memcli.errors import BadFile, Refused, TryAgain
from memcli.journal import commit as commits
from memcli.journal.foreseen import Foreseen
from memcli.journal.message import Message
from memcli.store import atomic, format, intent


def land(opened: Opened, merge: Foreseen, other: str, said: Callable[[], Message]) -> bool:
    """Put `merge` of the commit `other` in place. False, and nothing changed, where files are in the way."""
    changes = [FileChange(path, _digest(one.before), one.after) for path, one in merge.changes.items()]
    if not all(_ready(opened, one) for one in changes):
        return False
    tx = new_tx(opened)
    before = {path: one.before for path, one in merge.changes.items()}
    after = {path: _digest(one.after) for path, one in merge.changes.items()}
    intent.begin(opened.place, intent.Intent(tx, before, after, goes_to=other if merge.forward else ""))
    try:
        for change in changes:
            put(opened, change)
        paths, name = tuple(before), opened.actor.name
        if merge.forward:
            commits.forwarded(opened.journal, paths, other, actor_name=name)
        else:
            commits.joined(opened.journal, paths, replace(said(), tx=tx), other, actor_name=name)
    except BadFile:  # a name that this disk takes for another file's, a link
        take_back(opened)
        return False
    except BaseException:
        take_back(opened)
        raise
    intent.end(opened.place)
    return True


def _ready(opened: Opened, change: FileChange) -> bool:
    """Whether the disk holds the file as HEAD does, and an operation may change it."""
    try:
        intent.allowed(change.path)
        return format.digest(atomic.read(opened.place, change.path)) == change.expected
    except TryAgain:
        return change.expected is None
    except (BadFile, Refused):
        return False


def _digest(raw: bytes | None) -> str | None:
    return None if raw is None else format.digest(raw)
