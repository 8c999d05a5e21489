"""The lineage of HEAD, kept beside the index: ten thousand commits are not read for each question."""

from contextlib import suppress

from memcli.engine.opened import Opened
from memcli.journal import lineage
from memcli.journal.lineage import Lineage
from memcli.store import private

_FORMAT = "lineage/1"


def current(opened: Opened) -> Lineage | None:
    """The lineage of HEAD, None before the first commit; what is kept of it is brought along."""
    journal = opened.journal
    head = journal.head()
    if head is None:
        return None
    kept = _load(opened)
    if kept is not None and kept.tip == head:
        return kept
    found = (lineage.grown(journal, kept, head) if kept else None) or lineage.read(journal, head)
    _save(opened, found)
    return found


def _load(opened: Opened) -> Lineage | None:
    try:
        raw = private.read(opened.place, opened.place.lineage_file) or b""
        head, *words = raw.decode("ascii").split()
        commits, moments = tuple(words[::2]), tuple(map(int, words[1::2]))
    except (OSError, ValueError):
        return None
    whole = head == _FORMAT and commits and len(commits) == len(moments)
    return Lineage(commits, moments) if whole else None


def _save(opened: Opened, found: Lineage) -> None:
    """Keep it. Not fsynced, and never needed: what is torn is read from git again."""
    pairs = zip(found.commits, found.moments, strict=True)
    lines = "".join(f"{commit} {moment}\n" for commit, moment in pairs)
    with suppress(OSError):
        private.put(opened.place.lineage_file, f"{_FORMAT}\n{lines}".encode())
