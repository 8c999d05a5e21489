"""Index: the derived tables of one store, opened for reading or writing.

The danger here is an index that answers wrongly without saying so: made by another layout
or encoder, damaged, or half rebuilt. Such an index is not opened at all (`open` gives
None), and one that fails while it is read raises Damaged; both mean rebuild.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from memcli.index import filter as sql
from memcli.index import generations, layout, search
from memcli.index.generations import About
from memcli.index.lance import Damaged, Table, create_table, open_table
from memcli.index.port import Kind, Merge, Query
from memcli.index.rows import IndexRow
from memcli.memory.pool import Candidate, Near, WordHits
from memcli.memory.schema import fold_concept
from memcli.memory.scope import Scope
from memcli.memory.visibility import Viewer

Vectors = Sequence["np.ndarray | None"]


class Index:
    """One generation of the index. Dimensions 0 is an index of words alone."""

    def __init__(self, generation: Path, about: About, table: Table) -> None:
        self.generation = generation
        self.about = about
        self._table = table

    @classmethod
    def open(cls, folder: Path, *, dimensions: int, fingerprint: str, writable: bool) -> Self | None:
        """The index in use, or None where it is missing, damaged, or made for something else."""
        generation = generations.current(folder)
        wanted = About(dimensions, fingerprint)
        if generation is None or generations.about(generation) != wanted:
            return None
        try:
            return cls(generation, wanted, open_table(str(generation / generations.TABLES), layout.TABLE))
        except Damaged:
            return None

    @classmethod
    def rebuild(
        cls,
        folder: Path,
        *,
        dimensions: int,
        fingerprint: str,
        batches: Iterable[tuple[Sequence[IndexRow], Vectors]] = (),
    ) -> Self:
        """A new index of `batches`, in use when this returns; until then the old one serves."""
        about = About(dimensions, fingerprint)
        generation = generations.begin(folder, about)
        table = create_table(str(generation / generations.TABLES), layout.TABLE, layout.layout(dimensions))
        for rows, vectors in batches:
            if rows:
                table.append(layout.batch(rows, vectors, dimensions))
        table.index("stems", Kind.LABELS)
        table.index("scope", Kind.VALUES)
        generations.use(generation)
        generations.sweep(folder)
        return cls(generation, about, table)

    def upsert(self, rows: Sequence[IndexRow], vectors: Vectors) -> None:
        """Add or replace these schemas; `vectors` gives float32 [pieces, dimensions] for each."""
        if rows:
            batch = layout.batch(rows, vectors, self.about.dimensions)
            gone = sql.where_paths({row.path for row in rows})
            self._table.merge(Merge(batch, layout.KEY, gone))

    def drop(self, paths: Iterable[str]) -> None:
        """Take out the schemas of these files."""
        gone = sorted(set(paths))
        if gone:
            self._table.delete(sql.where_paths(gone))

    def refresh(self) -> None:
        """See what other processes have written since."""
        self._table.refresh()

    def words(self, viewer: Viewer, stems: Sequence[str]) -> WordHits:
        """All visible rows that hold one of `stems`, with the statistics of the visible rows."""
        return search.words(self._table, viewer, stems)

    def nearest(self, viewer: Viewer, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
        """The visible schemas nearest to the unit `vector` [dimensions], at most `limit`."""
        return search.nearest(self._table, sql.where(viewer), vector, limit)

    def take(
        self, paths: Iterable[str], stems: Iterable[str] = (), *, vectors: bool = True
    ) -> tuple[Candidate, ...]:
        """The schemas of these files, by path; `counts` covers the stems given."""
        wanted = set(paths)
        if not wanted:
            return ()
        return search.rows(self._table, sql.where_paths(wanted), stems, vectors=vectors and self._embedded)

    def by_id(self, prefix: str, viewer: Viewer | None = None) -> tuple[Candidate, ...]:
        """The schemas whose id begins with `prefix`: of the scopes that `viewer` reads, or of all."""
        reach = "" if viewer is None else sql.where_scopes(viewer)
        return search.rows(self._table, sql.both(sql.where_id(prefix), reach))

    def same_concept(self, scope: Scope, concept: str) -> tuple[Candidate, ...]:
        """The schemas of that very scope and concept, whatever their status."""
        return search.rows(self._table, sql.where_concept(str(scope), fold_concept(concept)))

    def held(
        self, viewer: Viewer, stems: Sequence[str], vector: "np.ndarray | None", limit: int
    ) -> tuple[Candidate, ...]:
        """Rows in reach that match but are withheld (by status, validity, type, tag), by path."""
        condition = sql.where_held(viewer)
        found: set[str] = set()
        if stems:
            matching = sql.both(condition, sql.CLAIM, sql.where_any_stem(dict.fromkeys(stems)))
            found |= set(self._table.search(Query(("path",), matching)).column("path").to_pylist())
        if vector is not None and self._embedded:
            found |= {near.path for near in search.nearest(self._table, condition, vector, limit)}
        return self.take(found, stems)

    def all_rows(self, columns: Sequence[str], viewer: Viewer | None = None) -> list[dict[str, Any]]:
        """These columns of every schema (that `viewer` gets), in no order."""
        admitted = "" if viewer is None else sql.where(viewer)
        return self._table.search(Query(columns, sql.both(sql.CLAIM, admitted))).to_pylist()  # type: ignore[no-any-return]

    def counts(self) -> dict[str, int]:
        """How many schemas the index holds of each status."""
        statuses = [row["status"] for row in self.all_rows(("status",))]
        return {status: statuses.count(status) for status in sorted(set(statuses))}

    def tidy(self, *, force: bool = False) -> None:
        """Compact."""
        self._table.tidy(0)

    def verify(self) -> list[str]:
        """What is wrong."""
        try:
            self._table.search(Query(tuple(layout.layout(self.about.dimensions).names)))
        except Damaged as error:
            return [error.message]
        return []

    def size(self) -> int:
        """Bytes on disk."""
        return sum(
            os.lstat(Path(folder) / name).st_size
            for folder, _, names in os.walk(self.generation)
            for name in names
        )

    @property
    def _embedded(self) -> bool:
        return self.about.dimensions > 0
