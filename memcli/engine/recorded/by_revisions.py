"""A point of the record as the index of revisions has it, under the paths that the files had then."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.engine.recorded import blobs
from memcli.index import filter as sql
from memcli.index.tables import Index
from memcli.memory import backing
from memcli.memory.pool import Candidate, Near, WordHits
from memcli.memory.schema import Schema, fold_concept
from memcli.memory.scope import Scope
from memcli.memory.visibility import Viewer

if TYPE_CHECKING:
    import numpy as np

    from memcli.memory.confidence import Retracted


class ByRevisions:
    """What the record held at one position."""

    def __init__(self, opened: Opened, index: Index, position: int) -> None:
        self._opened = opened
        self._index = index
        self._reading = index.reading.at(position)
        self._rows: dict[str, str] = {}  # path -> its name in the index, of all that was told

    def travels(self) -> bool:
        """Whether any schema may be seen beyond its scope."""
        return self._index.travels()

    def retractions(self) -> "tuple[Retracted, ...]":
        """What retracted schemas said of their retraction, by id."""
        return self._reading.retractions() if self._index.casts_doubt() else ()

    def words(self, viewer: Viewer, stems: Sequence[str]) -> WordHits:
        """All visible rows that hold one of `stems`, with the statistics of the visible rows."""
        found = self._reading.words(viewer, stems)
        return replace(found, paths=[self._then(path) for path in found.paths])

    def nearest(self, viewer: Viewer, vector: "np.ndarray", limit: int) -> tuple[Near, ...]:
        """The visible schemas nearest to the unit `vector` [d], at most `limit`, nearest first."""
        found = self._reading.nearest_for(viewer, vector, limit)
        return tuple(Near(self._then(near.path), near.cosine) for near in found)

    def take(
        self, paths: Iterable[str], stems: Sequence[str] = (), *, vectors: bool = True
    ) -> tuple[Candidate, ...]:
        """The schemas of these files, by path, of those that were told."""
        wanted = {self._rows[path] for path in paths if path in self._rows}
        return self._told(self._reading.take(wanted, stems, vectors=vectors))

    def held(
        self, viewer: Viewer, stems: Sequence[str], vector: "np.ndarray | None", limit: int
    ) -> tuple[Candidate, ...]:
        """Rows in reach that match but are withheld, by path."""
        return self._told(self._reading.held(viewer, stems, vector, limit))

    def by_id(self, prefix: str, viewer: Viewer | None = None) -> tuple[Candidate, ...]:
        """The schemas whose id begins with `prefix`: in the scopes that `viewer` reads, or in all."""
        reach = "" if viewer is None else sql.where_scopes(viewer)
        return self._told(self._reading.rows(sql.both(sql.where_id(prefix), reach)))

    def with_ids(self, ids: Iterable[str]) -> tuple[Candidate, ...]:
        """The schemas with exactly these ids, whatever their status."""
        return self._told(self._reading.rows(sql.among("id", set(ids))))

    def same_concept(self, scope: Scope, concept: str) -> tuple[Candidate, ...]:
        """The schemas of that very scope and concept, whatever their status."""
        return self._told(self._reading.rows(sql.where_concept(str(scope), fold_concept(concept))))

    def dead(self, viewer: Viewer) -> frozenset[str]:
        """The events that only claims cite which no longer counted then, among the scopes that are seen."""
        here = sql.where_any_scope(viewer.scopes)
        return backing.dead_among(
            self._standing(sql.both(sql.where_unsettled(viewer.as_of), here)),
            lambda cited: self._standing(sql.both(here, sql.where_citing(cited))),
            viewer.as_of,
        )

    def _standing(self, condition: str) -> list[backing.Standing]:
        return [(one.schema, one.row.status) for one in self._reading.rows(condition)]

    def believed(self, viewer: Viewer) -> tuple[Candidate, ...]:
        """All that `viewer` gets, by path."""
        return self._told(self._reading.rows(sql.where(viewer)))

    def told(self, candidate: Candidate) -> Schema | None:
        """The schema whole, as it was recorded."""
        raw = blobs.content(self._opened, candidate.digest)
        return filing.understand(self._opened, candidate.path, raw).schema

    def _then(self, row: str) -> str:
        path = row.rpartition("#")[0]
        self._rows[path] = row
        return path

    def _told(self, found: Iterable[Candidate]) -> tuple[Candidate, ...]:
        told = [replace(one, path=self._then(one.path)) for one in found]
        return tuple(sorted(told, key=lambda one: one.path))
