"""Recovery: what a crash left half done is ended or taken back before anybody looks.

Writers and readers both come here first, since a half written operation (one of two files
of a supersession) is an answer that nobody ever gave.
"""

from contextlib import suppress
from dataclasses import replace
from typing import Final

from memcli.engine.opened import Opened
from memcli.errors import MemError, Unavailable
from memcli.journal import history
from memcli.journal.repository import Journal
from memcli.store import intent, private

WAIT_S: Final = 1.0  # asserted: what a reader may be held up where git itself is busy


def recover(opened: Opened) -> None:
    """End or take back the operation that a crash left; the caller holds the lock."""
    if private.exists(opened.place, opened.place.purge_file):
        from memcli.engine.purging import finishing

        finishing.end_pending(opened)
    _follow_purge(opened)
    left = intent.pending(opened.place)
    if left is None:
        return
    if not _landed(opened.journal, left):
        _undo(opened, left)
    intent.end(opened.place)


def _landed(journal: Journal, left: intent.Intent) -> bool:
    """Whether HEAD's history has what the operation was to come to."""
    head = journal.head()
    if left.goes_to:
        return head is not None and history.descends(journal, head, left.goes_to)
    return history.landed(journal, left.tx) is not None


def _follow_purge(opened: Opened) -> None:
    """Clear what this machine made of the old history, where another clone's purge has replaced it."""
    from memcli.engine import standing

    known, head = standing.load(opened), opened.journal.head()
    if known is None or not known.head or not head or history.descends(opened.journal, head, known.head):
        return
    from memcli.engine.purging import cleaning
    from memcli.journal import discarding, purges, seen

    there = bool(discarding.there(opened.journal, (known.head,)))
    if purges.between(opened.journal, known.head if there else None, head):
        if there and seen.last(opened.journal) is None:
            seen.hold(opened.journal, known.head)  # a person is to accept that history is another one
        cleaning.clear(opened.place, vectors=True)


def unmerge(opened: Opened) -> None:
    """Take back a merge that a killed sync left; for writers alone, since git then runs what it is told to.

    The caller holds the lock. A merge that a person began is left alone.
    """
    mark = opened.place.merging_file
    if not private.exists(opened.place, mark):
        return
    from memcli.journal import joins, remotes

    begun = opened.journal.found.git_dir / "MERGE_HEAD"
    ours = (private.read(opened.place, mark) or b"").strip()
    if begun.exists() and begun.read_bytes().strip() == ours:
        remotes.refuse_strange(opened.journal)
        joins.abort(opened.journal)
        opened.notices.append("A merge that was cut short was taken back.")
    private.remove(opened.place, mark)


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
    with suppress(MemError):  # a person's next commit might take it along, but nobody is held up for that
        _unstage(opened.journal, left)


def _unstage(journal: Journal, left: intent.Intent) -> None:
    from memcli.journal.staging import Staging

    patient = replace(journal, wait_s=WAIT_S)
    Staging(patient, journal.object_format()).as_at_head(journal.prefix + path for path in left.before)
