"""The same questions answered from files alone, where the index is missing, busy or broken.

Slower, and the measure of the index: over the same files both give the same values, so
that an answer never depends on which of them was at hand.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memcli.engine import arrivals, counting, filing, removals
from memcli.engine.opened import Opened
from memcli.index import rows as wording
from memcli.index.rows import IndexRow
from memcli.memory import confidence, subject
from memcli.memory.confidence import Retracted
from memcli.memory.pool import Candidate, Near, WordHits, cosine
from memcli.memory.schema import Stage, fold_concept
from memcli.memory.scope import Scope
from memcli.memory.visibility import Row, Verdict, Viewer, verdict

if TYPE_CHECKING:
    from memcli.engine.standing import Confirmed


class ByFiles:
    """All schemas of a store in memory, asked like an index."""

    def __init__(self, opened: Opened, rows: Iterable[IndexRow]) -> None:
        self._opened = opened
        self._rows = {row.path: row for row in rows}

    @cached_property
    def _words(self) -> dict[str, Counter[str]]:
        return {path: wording.words(row) for path, row in self._rows.items()}

    @cached_property
    def _vectors(self) -> "dict[str, np.ndarray | None]":
        rows = list(self._rows.values())
        found = filing.vectors(self._opened, rows)
        return {row.path: vectors for row, vectors in zip(rows, found, strict=True)}

    def _visible(self, viewer: Viewer) -> list[str]:
        return [path for path, row in self._rows.items() if verdict(viewer, seen(row)) is Verdict.ADMITTED]

    def travels(self) -> bool:
        """Whether any schema may be seen beyond its scope."""
        return any(row.schema.stage > Stage.SCOPED for row in self._rows.values())

    def retractions(self) -> tuple[Retracted, ...]:
        """What retracted schemas say of their retraction, by id."""
        return confidence.of_schemas((row.schema, row.effective) for row in self._rows.values())

    def words(self, viewer: Viewer, stems: Sequence[str]) -> WordHits:
        """All visible rows that hold one of `stems`, with the statistics of the visible rows."""
        asked = tuple(dict.fromkeys(stems))
        visible = self._visible(viewer)
        paths = [path for path in visible if any(stem in self._words[path] for stem in asked)]
        counts = np.array([[self._words[path][stem] for stem in asked] for path in paths], np.int32)
        counts = counts.reshape(len(paths), len(asked))
        lengths = {path: self._words[path].total() for path in visible}
        return WordHits(
            paths=paths,
            stems=asked,
            counts=counts,
            lengths=np.array([lengths[path] for path in paths], np.int32),
            document_counts=(counts > 0).sum(axis=0, dtype=np.int64),
            visible=len(visible),
            total_length=sum(lengths.values()),
        )

    def nearest(self, viewer: Viewer, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
        """The visible schemas nearest to the unit `vector`, at most `limit`."""
        near = [Near(path, cosine(self._vectors[path], vector)) for path in self._visible(viewer)]
        return tuple(sorted(near, key=lambda one: (-one.cosine, one.path))[:limit])

    def take(
        self, paths: Iterable[str], stems: Sequence[str] = (), *, vectors: bool = True
    ) -> tuple[Candidate, ...]:
        """The schemas of these files, by path."""
        asked = frozenset(stems)
        return tuple(
            self._candidate(path, asked, vectors=vectors) for path in sorted(set(paths)) if path in self._rows
        )

    def _candidate(self, path: str, asked: frozenset[str], *, vectors: bool) -> Candidate:
        row, said = self._rows[path], self._words[path]
        return Candidate(
            path=path,
            digest=row.digest,
            row=seen(row),
            schema=row.schema,
            counts={stem: count for stem, count in said.items() if stem in asked},
            length=said.total(),
            vectors=self._vectors[path] if vectors else None,
            subjects=subject.subjects(row.schema),
            asks=subject.asks(row.schema.claim),
            day=row.day,
        )

    def held(
        self, viewer: Viewer, stems: Sequence[str], vector: "np.ndarray | None", limit: int
    ) -> tuple[Candidate, ...]:
        """Rows in reach that match but are withheld, by path."""
        beyond = (Verdict.ADMITTED, Verdict.INVISIBLE)
        kept = [path for path, row in self._rows.items() if verdict(viewer, seen(row)) not in beyond]
        found = {path for path in kept if any(stem in self._words[path] for stem in stems)}
        if vector is not None:
            near = sorted(kept, key=lambda path: (-cosine(self._vectors[path], vector), path))
            found |= set(near[:limit])
        return self.take(found, stems)

    def by_id(self, prefix: str, viewer: Viewer | None = None) -> tuple[Candidate, ...]:
        """The schemas whose id begins with `prefix`."""
        scopes = None if viewer is None else viewer.scopes
        found = [
            path
            for path, row in self._rows.items()
            if row.schema.id.startswith(prefix) and (scopes is None or row.schema.scope in scopes)
        ]
        return self.take(found, vectors=False)

    def with_ids(self, ids: Iterable[str]) -> tuple[Candidate, ...]:
        """The schemas with exactly these ids."""
        wanted = set(ids)
        return self.take([path for path, row in self._rows.items() if row.schema.id in wanted], vectors=False)

    def same_concept(self, scope: Scope, concept: str) -> tuple[Candidate, ...]:
        """The schemas of that very scope and concept, whatever their status."""
        folded = fold_concept(concept)
        found = [
            path
            for path, row in self._rows.items()
            if row.schema.scope == scope and fold_concept(row.schema.concept) == folded
        ]
        return self.take(found, vectors=False)


def seen(row: IndexRow) -> Row:
    """What visibility looks at, of a row that is about to be indexed."""
    schema = row.schema
    return Row(
        schema.scope,
        row.effective,
        schema.stale_reason,
        schema.validity,
        schema.type,
        schema.tags,
        row.hidden_in,
        schema.stage,
    )


def read(opened: Opened, confirmed: "Confirmed") -> ByFiles:
    """Everything that stands in the files now."""
    rows = counting.rows_of(opened, filing.every(opened), confirmed)
    removed = removals.all_of(opened, rows, confirmed)
    return ByFiles(opened, arrivals.withheld(opened, rows, filing.vectors(opened, rows), removed, confirmed))
