"""What recall asks of the store, whoever answers: the index, or the files themselves."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from memcli.memory.pool import Candidate, Near, WordHits
from memcli.memory.scope import Scope
from memcli.memory.visibility import Viewer

if TYPE_CHECKING:
    import numpy as np

    from memcli.memory.confidence import Retracted


class Source(Protocol):
    """One state of the store. Both who answer it give equal values for equal files."""

    def travels(self) -> bool:
        """Whether any schema may be seen beyond its scope."""

    def retractions(self) -> "tuple[Retracted, ...]":
        """What retracted schemas say of their retraction, by id."""

    def words(self, viewer: Viewer, stems: Sequence[str]) -> WordHits:
        """All visible rows that hold one of `stems`, with the statistics of the visible rows."""

    def nearest(self, viewer: Viewer, vector: "np.ndarray", limit: int) -> tuple[Near, ...]:
        """The visible schemas nearest to the unit `vector` [d], at most `limit`, nearest first."""

    def take(
        self, paths: Iterable[str], stems: Sequence[str] = (), *, vectors: bool = True
    ) -> tuple[Candidate, ...]:
        """The schemas of these files, by path."""

    def held(
        self, viewer: Viewer, stems: Sequence[str], vector: "np.ndarray | None", limit: int
    ) -> tuple[Candidate, ...]:
        """Rows in reach that match but are withheld, by path."""

    def by_id(self, prefix: str, viewer: Viewer | None = None) -> tuple[Candidate, ...]:
        """The schemas whose id begins with `prefix`: in the scopes that `viewer` reads, or in all."""

    def with_ids(self, ids: Iterable[str]) -> tuple[Candidate, ...]:
        """The schemas with exactly these ids, whatever their status."""

    def same_concept(self, scope: Scope, concept: str) -> tuple[Candidate, ...]:
        """The schemas of that very scope and concept, whatever their status."""
