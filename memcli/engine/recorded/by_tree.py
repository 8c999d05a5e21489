"""A commit's tree asked like an index: slower, and the measure of the index of revisions."""

from typing import TYPE_CHECKING

from memcli.engine import counting, removals
from memcli.engine.opened import Opened
from memcli.engine.recalling.by_files import ByFiles, seen
from memcli.engine.recorded import committed, gone
from memcli.engine.recorded.gone import Taken
from memcli.engine.removals import Removals
from memcli.memory import backing
from memcli.memory.pool import Candidate
from memcli.memory.schema import Schema
from memcli.memory.visibility import Verdict, Viewer, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.index.rows import IndexRow


class ByTree(ByFiles):
    """All schemas of a commit in memory."""

    def __init__(self, opened: Opened, rows: "Sequence[IndexRow]") -> None:
        super().__init__(opened, rows)
        self._all = rows

    @property
    def rows(self) -> "Sequence[IndexRow]":
        """Every schema with the status that counts in an answer about that commit."""
        return self._all

    def dead(self, viewer: Viewer) -> frozenset[str]:
        """The events that only claims cite which no longer counted then, among the scopes that are seen."""
        scopes = viewer.scopes
        here = [row for row in self._all if scopes is None or row.schema.scope in scopes]
        return backing.dead([(row.schema, row.effective) for row in here], viewer.as_of)

    def told(self, candidate: Candidate) -> Schema | None:
        """The schema whole, as it was recorded."""
        return candidate.schema

    def believed(self, viewer: Viewer) -> tuple[Candidate, ...]:
        """All that `viewer` gets, by path."""
        got = [row.path for row in self._all if verdict(viewer, seen(row)) is Verdict.ADMITTED]
        return self.take(got, vectors=False)


def read(opened: Opened, commit: str, forgotten: Taken) -> ByTree:
    """Everything that the tree of `commit` (a full id) holds; what is `forgotten` now counts at no time."""
    filed = committed.filed_at(opened, commit)
    confirmed = committed.standings_at(opened, commit)
    rows = counting.rows_of(opened, filed.values(), confirmed)
    graves = committed.tombstones_at(opened, commit)
    removed = removals.all_of(opened, rows, confirmed, graves=graves).found
    taken = Taken(Removals(gone.besides(removed, forgotten)), confirmed)
    return ByTree(opened, gone.judged(opened, rows, taken, forgotten))
