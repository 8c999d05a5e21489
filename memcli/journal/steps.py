"""History along the branch's own line: which commit did what to which file, and for whom.

What a merge brought is one step of that line, since before it nobody here knew of it; whose
word it was, the merged commits say.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memcli.journal.history import FORM, KEPT, Entry, as_entry, record_times
from memcli.journal.log import Touched, walk
from memcli.journal.repository import Journal

_REGULAR: Final = "100"  # how the mode of a file begins that is neither a link nor a repository


@dataclass(frozen=True, slots=True)
class Step:
    """One commit of the line, and what it changed below a folder against its first parent.

    Nothing where a shallow clone was cut: git would say that all was new.
    """

    entry: Entry
    touched: tuple[Touched, ...]


def along(
    journal: Journal, tip: str, *, after: str | None = None, below: str = "schemas"
) -> tuple[Step, ...]:
    """What happened below a folder on the first-parent chain of `tip` (a full id), the oldest first.

    Without what `after` (a full id) reaches. What a merge brought is one step, of the merge:
    before it nobody here knew of it. Paths are the store's own.
    """
    times = record_times(journal, tip)
    boundary = journal.boundary()
    chain = ("--first-parent", "-m", "--raw", "--no-renames", "--full-history", "--reverse")
    known = (f"^{after}",) if after else ()
    found = walk(journal.git, FORM, *chain, "--end-of-options", tip, *known, "--", below)
    return tuple(
        Step(entry, () if entry.commit in boundary else _inside(journal, logged.touched))
        for logged in found
        if (entry := as_entry(journal, logged, times, boundary)) is not None
    )


def merged(journal: Journal, merge: Entry) -> dict[str, Entry]:
    """Path → the last operation on it among the commits that a merge brought to its first parent's line."""
    first, *others = merge.parents
    times = record_times(journal, merge.commit)
    found: dict[str, Entry] = {}
    words = ("--raw", "--no-renames", "-c", "--topo-order", "--full-history")
    for logged in walk(journal.git, FORM, *words, "--end-of-options", *others, f"^{first}", "--", *KEPT):
        one = as_entry(journal, logged, times, journal.boundary())
        if one is not None:
            found = dict.fromkeys(one.paths, one) | found
    return found


def _inside(journal: Journal, touched: tuple[Touched, ...]) -> tuple[Touched, ...]:
    """What lies in the store, by the store's own paths; a link or a repository counts as nothing there."""
    return tuple(
        Touched(
            one.blob if one.mode.startswith(_REGULAR) else "",
            one.path.removeprefix(journal.prefix),
            one.before if one.mode_before.startswith(_REGULAR) else "",
            one.mode,
            one.mode_before,
        )
        for one in touched
        if one.path.startswith(journal.prefix)
    )


def named(journal: Journal, commits: Sequence[str]) -> dict[str, Entry]:
    """Commit → its operation, for each of `commits` (full ids) that touches the store; by one process."""
    head = journal.head()
    if not commits or head is None:
        return {}
    times = record_times(journal, head)
    words = ("--full-history", "--raw", "--no-renames", "-c", "--no-walk=unsorted", "--stdin")
    found = walk(journal.git, FORM, *words, given="\n".join(commits).encode())
    told = (as_entry(journal, logged, times, journal.boundary()) for logged in found)
    return {one.commit: one for one in told if one is not None}
