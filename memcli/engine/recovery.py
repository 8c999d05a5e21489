"""Recovery: what a crash left half done is ended or taken back before anybody looks.

Writers and readers both come here first, since a half written operation (one of two files
of a supersession) is an answer that nobody ever gave.
"""

from memcli.engine.opened import Opened
from memcli.errors import Unavailable
from memcli.journal import history
from memcli.store import intent


def recover(opened: Opened) -> None:
    """End or take back the operation that a crash left; the caller holds the lock."""
    left = intent.pending(opened.place)
    if left is None:
        return
    if history.landed(opened.journal, left.tx) is None:
        _undo(opened, left)
    intent.end(opened.place)


def take_back(opened: Opened) -> None:
    """Take back the operation of this process whose commit failed; the caller holds the lock.

    A history that cannot be read took no commit either.
    """
    try:
        recover(opened)
    except Unavailable:
        left = intent.pending(opened.place)
        if left is not None:
            _undo(opened, left)


def _undo(opened: Opened, left: intent.Intent) -> None:
    kept = intent.undo(opened.place, left)
    opened.notices += [f"{path} was edited since a crash and is left as it is." for path in kept]
