"""Index: the derived tables of one store, opened for reading or writing.

The danger here is an index that answers wrongly without saying so: made by another layout
or encoder, damaged, or half rebuilt. Such an index is not opened at all (`open` gives
None), and one that fails while it is read raises Damaged; both mean rebuild.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from memcli.errors import TryAgain, Unavailable
from memcli.index import filter as sql
from memcli.index import generations, layout, seal, writer
from memcli.index.generations import TABLES, About
from memcli.index.lance import Damaged, forked, open_table
from memcli.index.rows import IndexRow
from memcli.index.search import Reading
from memcli.index.views import Written
from memcli.index.writer import Batch, Moved, Opened, Vectors, Writing
from memcli.memory.pool import Candidate, Near, WordHits
from memcli.memory.schema import fold_concept
from memcli.memory.scope import Scope
from memcli.memory.visibility import Viewer

if TYPE_CHECKING:
    from memcli.memory.confidence import Retracted


class Index:
    """One generation of the index; with dimensions 0 it holds words alone.

    It shows the table as it stood at `open` or at the last `refresh` or write of its own.
    While it is open nothing that it may read is removed: `close` it. Reads and writes raise
    Damaged where LanceDB fails both ways; writes raise TryAgain while another process writes.
    One thread at a time, and none that runs an event loop of its own.
    """

    def __init__(self, opened: Opened, about: About, *, writable: bool) -> None:
        self.about = about
        self.writable = writable
        self.patience = 1  # how many times as many writes as are due a write puts up with before it tidies up
        self._stand(opened)

    def _stand(self, opened: Opened) -> None:
        self.generation = opened.generation
        self._born = generations.born(opened.generation)
        self.reading = Reading(opened.table, embedded=self.about.dimensions > 0)
        self._writing = Writing(opened, self.about)
        self._presence = opened.presence

    @classmethod
    def open(cls, folder: Path, *, dimensions: int, fingerprint: str, writable: bool) -> Self | None:
        """The index in use, or None where it is missing, damaged, or made for something else.

        `folder` holds the generations; `fingerprint` is the encoder's. With `writable` False
        nothing is written, so that a folder without the right to write can be read.
        """
        about = About(dimensions, fingerprint)
        opened = None if forked() else _opened(folder, about)
        return None if opened is None else cls(opened, about, writable=writable)

    @classmethod
    def rebuild(
        cls,
        folder: Path,
        *,
        dimensions: int,
        fingerprint: str,
        batches: Iterable[Batch] = (),
    ) -> Self:
        """A new index of `batches`, in use when this returns; until then the old one serves.

        Killed at any moment it leaves the old one. In order of path, rows of a scope lie together
        and are read faster. Raises Unavailable where the folder cannot be written.
        """
        if forked():
            raise Unavailable(
                "This process was forked from one that had the index open, and cannot use it.",
                "Start it anew: multiprocessing with `spawn`, or fork before the first call.",
            )
        about = About(dimensions, fingerprint)
        return cls(writer.build(folder, about, batches), about, writable=True)

    def close(self) -> None:
        """Be present no more: what this index read may be removed."""
        self._presence.leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def refresh(self) -> bool:
        """See what others have written since; False where nothing fit to read is there: rebuild."""
        folder = self.generation.parent
        if generations.current(folder) == self.generation and generations.born(self.generation) == self._born:
            if seal.broken(self.generation):
                return False
            self.reading.refresh()
            return True
        opened = _opened(folder, self.about)
        if opened is not None:
            self._presence.leave()
            self._stand(opened)
        return opened is not None

    def upsert(self, rows: Sequence[IndexRow], vectors: Vectors) -> None:
        """Add or replace these schemas; `vectors` gives unit vectors float32 [pieces, dimensions] for each.

        The first of them stands for the claim; None is a row without meaning, found by words.
        """
        if rows:
            self._write(lambda writing: writing.upsert(rows, vectors))

    def drop(self, paths: Iterable[str]) -> None:
        """Take out the schemas of these files."""
        gone = set(paths)
        if gone:
            self._write(lambda writing: writing.drop(gone))

    def _write(self, act: Callable[[Writing], Written]) -> None:
        self._may_write()
        try:
            written = act(self._writing)
        except Moved:  # somebody tidied up: once more, where it counts now
            if not self.refresh():
                raise
            written = act(self._writing)
        self.reading.wrote(written)
        if self._writing.due(self.patience):
            with suppress(Unavailable, TryAgain):  # what was asked for is done; tidying can wait
                self.tidy(force=True)

    def _may_write(self) -> None:
        if not self.writable:
            raise Unavailable(f"the index in {self.generation} was opened for reading")

    def tidy(self, *, force: bool = False) -> None:
        """Make few files of many, if there were many writes or with `force`."""
        self._may_write()
        if force or self.due():
            old, reading = self._presence, self.reading
            opened, version = self._writing.copy()
            self._stand(opened)
            self.reading = reading.copied(opened.table, version)
            old.leave()
            generations.sweep(self.generation.parent)

    def due(self) -> bool:
        """Whether there were so many writes that `tidy` makes few files of many."""
        return self._writing.due()

    def verify(self) -> list[str]:
        """What is wrong with the index, found by reading all of it; nothing if it is whole."""
        wrong = seal.broken(self.generation, thorough=True)
        try:
            wrong += self.reading.twice(layout.layout(self.about.dimensions).names)
        except Damaged as error:
            wrong += [error.message, *error.details]
        return wrong

    def size(self) -> tuple[int, int]:
        """Files of this generation, and their bytes together."""
        sizes = list(generations.sizes(self.generation))
        return len(sizes), sum(sizes)

    def pieces(self) -> int:
        """Rows in all: one for each schema, and one for each further piece of a long text."""
        return self.reading.pieces()

    def schemas(self) -> int:
        """How many schemas it holds."""
        return self.reading.count(sql.CLAIM)

    def travels(self) -> bool:
        """Whether any schema may be seen beyond its scope; none in most stores, which then pay a stat."""
        return (self.generation / writer.TRAVELS).exists()

    def casts_doubt(self) -> bool:
        """Whether any schema is retracted and says of which others that casts doubt; few stores hold one."""
        return (self.generation / writer.DOUBTS).exists()

    def retractions(self) -> "tuple[Retracted, ...]":
        """What retracted schemas say of their retraction, by id; most stores pay a stat."""
        if not self.casts_doubt():
            return ()
        return self.reading.retractions()

    def words(self, viewer: Viewer, stems: Sequence[str]) -> WordHits:
        """All visible rows that hold one of `stems`, and the statistics of the visible rows."""
        return self.reading.words(viewer, stems)

    def nearest(self, viewer: Viewer, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
        """The visible schemas nearest to the unit `vector` [dimensions], at most `limit`, nearest first."""
        return self.reading.nearest_for(viewer, vector, limit)

    def take(
        self, paths: Iterable[str], stems: Sequence[str] = (), *, vectors: bool = True
    ) -> tuple[Candidate, ...]:
        """The schemas of these files, by path; `counts` covers the stems given."""
        return self.reading.take(paths, stems, vectors=vectors)

    def held(
        self,
        viewer: Viewer,
        stems: Sequence[str],
        vector: "np.ndarray | None",
        limit: int,
    ) -> tuple[Candidate, ...]:
        """What is in reach but withheld (by status, validity, type or tag), and holds a stem or is near."""
        return self.reading.held(viewer, stems, vector, limit)

    def admitted(self, viewer: Viewer, stems: Sequence[str]) -> tuple[Candidate, ...]:
        """All rows that `viewer` gets, by path, with their vectors; `counts` covers the stems given."""
        return self.reading.rows(sql.where(viewer), stems, vectors=True)

    def by_id(self, prefix: str, viewer: Viewer | None = None) -> tuple[Candidate, ...]:
        """The schemas whose id begins with `prefix`: in the scopes that `viewer` reads, or in all."""
        reach = "" if viewer is None else sql.where_scopes(viewer)
        return self.reading.rows(sql.both(sql.where_id(prefix), reach))

    def with_ids(self, ids: Iterable[str]) -> tuple[Candidate, ...]:
        """The schemas with exactly these ids."""
        return self.reading.rows(sql.among("id", set(ids)))

    def citing(self, scopes: Iterable[Scope] | None, events: Iterable[str]) -> tuple[Candidate, ...]:
        """The schemas of these scopes (None: of all) that rest on one of the events, of any status."""
        return self.reading.rows(sql.both(sql.where_any_scope(scopes), sql.where_citing(events)))

    def same_concept(self, scope: Scope, concept: str) -> tuple[Candidate, ...]:
        """The schemas of that very scope and concept, whatever their status."""
        return self.reading.rows(sql.where_concept(str(scope), fold_concept(concept)))

    def all_rows(self, columns: Sequence[str], viewer: Viewer | None = None) -> list[dict[str, Any]]:
        """These columns of every schema (or of those that `viewer` gets), in no order."""
        found = self.reading.columns(columns, "" if viewer is None else sql.where(viewer))
        return [dict(zip(columns, row, strict=True)) for row in zip(*found, strict=True)]

    def counts(self) -> dict[str, int]:
        """How many schemas the index holds of each status."""
        (statuses,) = self.reading.columns(("status",), "")
        return dict(sorted(Counter(statuses).items()))


def _opened(folder: Path, about: About) -> Opened | None:
    """The generation in use, if it was made for that and its files are as they were written."""
    entered = generations.enter(folder)
    if entered is None:
        return None
    generation, presence = entered
    if generations.about(generation) == about and not seal.broken(generation):
        with suppress(Damaged):
            return Opened(generation, open_table(str(generation / TABLES), layout.TABLE), presence)
    presence.leave()
    return None
