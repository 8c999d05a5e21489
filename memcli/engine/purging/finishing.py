"""The steps of a purge, each of which may be repeated: so whoever comes after a crash can end it."""

from memcli.engine.opened import Opened
from memcli.engine.purging import cleaning
from memcli.errors import Unavailable
from memcli.journal import discarding, locks, seen
from memcli.journal.staging import Staging
from memcli.store import format, private, purging
from memcli.store.purging import Note


def end_pending(opened: Opened) -> None:
    """End the purge that a crash left half done; the caller holds the lock. Raises TryAgain, Unavailable."""
    note = purging.pending(opened.place)
    if note is None:
        if private.exists(opened.place, opened.place.purge_file):
            opened.notices.append("A purge was cut off, and what it noted cannot be read: purge again.")
            purging.end(opened.place)
        return
    locks.let_go_moving(opened.journal, note.moves)
    try:
        finish(opened, note)
    except discarding.Moved:
        purging.end(opened.place)
        opened.notices.append(
            f"A purge of {', '.join(note.ids)} was cut off before history was rewritten, and a branch has "
            "moved since: the memory is still there. Purge again."
        )
        return
    opened.notices.append(f"The purge of {', '.join(note.ids)}, which was cut off, has been ended.")


def finish(opened: Opened, note: Note) -> None:
    """Do every step that is not done yet. The caller holds the lock.

    Raises TryAgain where nothing was done since a ref has moved or is locked, Unavailable.
    """
    journal = opened.journal
    discarding.move(journal, note.moves)
    seen.accept(journal)
    for path, (digest, raw) in note.files.items():
        _put(opened, path, digest, raw)
    store = [path for path in note.files if not path.startswith(".mem/")]
    Staging(journal, journal.object_format()).as_at_head(journal.prefix + path for path in store)
    discarding.write_logs(journal, note.logs, note.commits)
    cleaning.clear(opened.place)
    discarding.let_go(journal)
    left = discarding.there(journal, tuple(note.commits))
    if left:
        raise Unavailable(
            f"The branches name the new history, but {len(left)} old commits are still there.",
            "Something else names them: git for-each-ref, git worktree list, git stash list.",
        )
    purging.end(opened.place)


def _put(opened: Opened, path: str, digest: str, raw: bytes | None) -> None:
    """Let a file hold what it is to hold, unless somebody has written another one there since."""
    place = opened.place
    now = private.read(place, place.at(path)) or b""
    if format.digest(now) != digest:
        return
    if raw is None:
        private.remove(place, place.at(path))
    else:
        private.write(place, place.at(path), raw)
