"""Changing a generation: rows in and out, and keeping its files few.

The danger is growth that nobody asked for: LanceDB adds three files a write and keeps every
version. So writes count their versions and tidy up by themselves. A version goes only when
no reader can need it: at once where nobody else is present, else after SAFE_AGE_MS.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from memcli.errors import Unavailable
from memcli.index import filter as sql
from memcli.index import generations, layout, seal, turns
from memcli.index.generations import TABLES, About
from memcli.index.lance import Table, create_table
from memcli.index.port import Kind, Merge
from memcli.index.rows import IndexRow
from memcli.index.search import EXACT_ROWS
from memcli.index.turns import Presence

LONG: Final = "long"  # a file that says that some schema has further pieces

Vectors = Sequence["np.ndarray | None"]
Batch = tuple[Sequence[IndexRow], Vectors]

# Measured: fifty single writes take a search from 2 to 8 ms; tidying takes 0.3 s, at 100,000 rows 1.5.
VERSIONS: Final = 50
SAFE_AGE_MS: Final = 600_000  # asserted: no reading takes ten minutes
_JOININGS: Final = 3  # what was just indexed is joined with the rest only the second time


class Writing:
    """The writing half of one generation."""

    def __init__(self, generation: Path, about: About, table: Table) -> None:
        self._generation = generation
        self._about = about
        self._table = table

    def upsert(self, rows: Sequence[IndexRow], vectors: Vectors) -> None:
        """Add or replace these schemas, in one version of the table."""
        with self._turn():
            gone = self._pieces_of(rows)
            self._table.merge(Merge(self.batch(rows, vectors), layout.KEY, gone))

    def batch(self, rows: Sequence[IndexRow], vectors: Vectors) -> pa.RecordBatch:
        """The rows as the table takes them, the last of each path; notes beforehand that it holds pieces."""
        given = {row.path: (row, vector) for row, vector in zip(rows, vectors, strict=True)}
        rows, vectors = zip(*given.values(), strict=True)
        made = layout.batch(rows, vectors, self._about.dimensions)
        if made.num_rows > len(rows):
            (self._generation / LONG).touch()
        return made

    def _pieces_of(self, rows: Sequence[IndexRow]) -> str:
        """The further pieces of the old rows, which go; "" where there are none, which is much faster."""
        if not (self._generation / LONG).exists():
            return ""
        pieces = sql.both(sql.PIECE, sql.among("path", {row.path for row in rows}))
        return pieces if self._table.count(pieces) else ""

    def drop(self, paths: Iterable[str]) -> None:
        """Take out the schemas of these files."""
        with self._turn():
            self._table.delete(sql.among("path", set(paths)))

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Be the only writer, from the newest version on; seal what was written."""
        with turns.writing(self._generation), said(self._generation):
            self._table.refresh()
            yield
            seal.renew(self._generation)

    def due(self) -> bool:
        """Whether there are so many versions that tidying is worth its time."""
        folder = self._generation / TABLES / f"{layout.TABLE}.lance" / "_versions"
        return sum(1 for _ in folder.iterdir()) > VERSIONS

    def tidy(self, presence: Presence) -> None:
        """Join small files, and remove the old versions that no reader needs."""
        with self._turn():
            seal.lift(self._generation)
            for _ in range(_JOININGS):
                if not self._table.tidy(SAFE_AGE_MS):
                    break
            with presence.alone() as alone:
                if alone:
                    self._table.tidy(0)
            self.index_vectors()
        generations.sweep(self._generation.parent)

    def index_vectors(self) -> None:
        """Give the vectors an approximate index once they are too many to look at each."""
        if (
            self._about.dimensions
            and self._table.count() > EXACT_ROWS
            and "vector" not in self._table.indexed()
        ):
            self._table.index("vector", Kind.VECTORS)


@contextmanager
def said(folder: Path) -> Iterator[None]:
    """Say in a sentence what the file system refuses."""
    try:
        yield
    except OSError as error:
        raise Unavailable(f"the index in {folder} cannot be written: {error.strerror}") from error


def build(folder: Path, about: About, batches: Iterable[Batch]) -> tuple[Path, Presence, Table]:
    """A fresh generation, filled, indexed and sealed, but not in use. Raises OSError, Damaged."""
    generation, presence = generations.begin(folder, about)
    try:
        table = create_table(str(generation / TABLES), layout.TABLE, layout.layout(about.dimensions))
        writing = Writing(generation, about, table)
        for rows, vectors in batches:
            if rows:
                table.append(writing.batch(rows, vectors))
        table.index("stems", Kind.LABELS)
        table.index("scope", Kind.VALUES)
        writing.index_vectors()
        seal.renew(generation)
    except BaseException:
        generations.abandon(generation, presence)
        raise
    return generation, presence, table
