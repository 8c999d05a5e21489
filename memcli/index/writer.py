"""Changing a generation: rows in and out, and keeping its files few.

The danger is growth that nobody asked for: LanceDB adds three files a write and keeps every
version. Its own way to tidy up takes ten times as long as copying the rows into a fresh
generation (measured: 1.6 CPU seconds against 0.16 at 10,000 rows), and removes files that
a reader may be about to read. So tidying is copying: readers go on in the old generation
until they look again, and a kill leaves it in use.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from memcli.errors import TryAgain
from memcli.index import filter as sql
from memcli.index import generations, layout, rest, seal, turns
from memcli.index.arrow import numbers
from memcli.index.generations import TABLES, About
from memcli.index.lance import Damaged, Table, create_table
from memcli.index.port import BATCH_ROWS, Kind, Merge, Query
from memcli.index.rows import IndexRow
from memcli.index.search import EXACT_ROWS
from memcli.index.turns import Presence
from memcli.index.views import Written

LONG: Final = "long"  # a file that says that some schema has further pieces
TRAVELS: Final = "travels"  # a file that says that some schema may be seen beyond its scope
DOUBTS: Final = "doubts"  # a file that says that some schema casts doubt on others

Vectors = Sequence["np.ndarray | None"]
Batch = tuple[Sequence[IndexRow], Vectors]

# Writes after which a generation is copied. Measured: fifty single ones take a search from 2 to 8 ms.
WRITES: Final = 50
ROWS_A_WRITE: Final = 1000  # asserted: a table so much larger bears one more, for it takes longer to copy


class Moved(TryAgain):
    """Another generation came into use meanwhile: what was to be written belongs there."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A generation with its table, and our presence in it."""

    generation: Path
    table: Table
    presence: Presence


class Writing:
    """The writing half of one generation."""

    def __init__(self, opened: Opened, about: About) -> None:
        self._generation = opened.generation
        self._table = opened.table
        self._about = about

    def upsert(self, rows: Sequence[IndexRow], vectors: Vectors) -> Written:
        """Add or replace these schemas, in one version of the table."""
        with self._turn() as before:
            gone = self._pieces_of(rows)
            batch = _batch(rows, vectors, self._about.dimensions)
            _note(self._generation, batch)
            self._table.merge(Merge(batch, layout.KEY, gone))
            seal.renew(self._generation)
        return Written(before, frozenset(row.path for row in rows), pa.Table.from_batches([batch]))

    def _pieces_of(self, rows: Sequence[IndexRow]) -> str:
        """The further pieces of the old rows, which go; "" where there are none, which is much faster."""
        if not (self._generation / LONG).exists():
            return ""
        pieces = sql.both(sql.PIECE, sql.among("path", {row.path for row in rows}))
        return pieces if self._table.count(pieces) else ""

    def drop(self, paths: Iterable[str]) -> Written:
        """Take out the schemas of these files."""
        gone = frozenset(paths)
        with self._turn() as before:
            self._table.delete(sql.among("path", gone))
            seal.renew(self._generation)
        none = layout.layout(self._about.dimensions).empty_table()
        return Written(before, gone, none)

    def due(self, patience: int = 1) -> bool:
        """Whether there were so many writes, or `patience` times as many, that copying is worth its time."""
        made = generations.about(self._generation) or self._about
        writes = generations.versions(self._generation) - made.versions
        return writes > patience * (WRITES + self._table.count() // ROWS_A_WRITE)

    def copy(self) -> tuple[Opened, int]:
        """The same rows in a fresh generation, in use when this returns; the version that was copied."""
        with self._turn() as copied:
            return _put_in_use(self._generation.parent, self._about, self._everything()), copied

    def _everything(self) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in self._table.batches(Query(layout.layout(self._about.dimensions).names)):
            rows += batch.num_rows
            yield batch
        if rows != self._table.count():
            raise Damaged(f"the index in {self._generation} does not give all of its rows")

    @contextmanager
    def _turn(self) -> Iterator[int]:
        """Be the only writer of the generation in use, from its newest version on. Raises Moved."""
        with said(self._generation), turns.writing(self._generation):
            if generations.current(self._generation.parent) != self._generation:
                raise Moved(f"the index in {self._generation} was made anew")
            yield self._table.refresh()


@contextmanager
def said(folder: Path) -> Iterator[None]:
    """Say in a sentence what the file system refuses."""
    try:
        yield
    except OSError as error:
        raise turns.NotWritable(folder, error) from error


def build(folder: Path, about: About, batches: Iterable[Batch]) -> Opened:
    """A generation of these rows, in use when this returns. Raises NotWritable, Damaged."""
    made = (_batch(rows, vectors, about.dimensions) for rows, vectors in batches if rows)
    with said(folder):
        return _put_in_use(folder, about, made)


def _batch(rows: Sequence[IndexRow], vectors: Vectors, dimensions: int) -> pa.RecordBatch:
    """The rows as the table takes them; of two for one file the last."""
    given = {row.path: (row, vector) for row, vector in zip(rows, vectors, strict=True)}
    rows, vectors = zip(*given.values(), strict=True)
    return layout.batch(rows, vectors, dimensions)


def _note(generation: Path, batch: pa.RecordBatch) -> None:
    """Say what the generation is about to hold: further pieces, schemas that travel or cast doubt."""
    if rest.casts_doubt(batch.column("rest").to_pylist()):
        (generation / DOUBTS).touch()
    for name, column in ((LONG, "piece"), (TRAVELS, "stage")):
        if (numbers(pa.chunked_array([batch.column(column)])) > 0).any():
            (generation / name).touch()


def _put_in_use(folder: Path, about: About, batches: Iterable[pa.RecordBatch]) -> Opened:
    """A fresh generation of these rows, in use; nothing is left of one that fails."""
    generation, presence = generations.begin(folder)
    try:
        table = _filled(generation, about, batches)
        seal.renew(generation)
        generations.use(generation, about)
    except BaseException:
        generations.abandon(generation, presence)
        raise
    generations.sweep(folder)
    return Opened(generation, table, presence)


def _filled(generation: Path, about: About, batches: Iterable[pa.RecordBatch]) -> Table:
    table = create_table(str(generation / TABLES), layout.TABLE, layout.layout(about.dimensions))
    rows = 0
    for batch in _joined(batches):
        _note(generation, batch)
        table.append(batch)
        rows += batch.num_rows
    if table.count() != rows:
        raise Damaged(f"the index in {generation} holds {table.count()} rows instead of {rows}")
    table.index("stems", Kind.LABELS)
    table.index("scope", Kind.VALUES)
    if about.dimensions and table.count() > EXACT_ROWS:
        table.index("vector", Kind.VECTORS)
    return table


def _joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of BATCH_ROWS and more: each becomes a file."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= BATCH_ROWS:
            yield _one(waiting)
            waiting = []
    if waiting:
        yield _one(waiting)


def _one(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]
