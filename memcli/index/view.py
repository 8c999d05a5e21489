"""Rows that were read whole, and every question about them answered from memory.

Most scopes hold a few hundred memories. Reading those once costs less than two searches of
the whole table, and their cosines are then exact, all of them. A resident asks the same
rows again and again, so what a question had to work out of them is kept for the next.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final

import numpy as np
import pyarrow as pa

from memcli.index.arrow import lists, mask, matrix, numbers
from memcli.index.candidates import WORDS, candidates, occurrences
from memcli.index.rows import number
from memcli.memory import pool
from memcli.memory.pool import Candidate, Near, WordHits

_ERROR = 1e-5  # more than a float32 product of unit vectors is off
FEW_QUESTIONS: Final = 3  # asserted: so many are counted row by row before sorting the words has paid


class View:
    """The rows of one filter, further pieces included, with the columns READ, WORDS and perhaps `vector`."""

    def __init__(self, found: pa.Table) -> None:
        self._found = found.combine_chunks()
        self.paths: list[str] = found.column("path").to_pylist()
        self._claims = numbers(found.column("piece")) == 0
        self._lengths = numbers(found.column("length"))
        self._total = int(self._lengths.sum(dtype=np.int64))
        self._visible = int(self._claims.sum())
        self._made: dict[str, Candidate] = {}
        self._questions = 0
        self._counted: tuple[tuple[str, ...], np.ndarray] = ((), np.zeros((0, 0), np.int32))

    def patched(self, paths: AbstractSet[str], found: pa.Table) -> "View":
        """The same with the rows `found` in place of those of these paths."""
        kept = np.array([path not in paths for path in self.paths], bool)
        fresh = View(pa.concat_tables([self._found.filter(mask(kept)), found]))
        fresh._questions = self._questions
        fresh._made = {path: one for path, one in self._made.items() if path not in paths}
        return fresh

    def words(self, asked: tuple[str, ...]) -> WordHits:
        """The rows that hold one of the stems, with the statistics of all."""
        counts = self._counts(asked)
        rows = np.flatnonzero((counts > 0).any(axis=1))
        return WordHits(
            paths=[self.paths[row] for row in rows.tolist()],
            stems=asked,
            counts=counts[rows],
            lengths=self._lengths[rows],
            document_counts=(counts > 0).sum(axis=0, dtype=np.int64),
            visible=self._visible,
            total_length=self._total,
        )

    def nearest(self, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
        """The `limit` schemas whose nearest piece is nearest."""
        rows = self._near(vector, limit)
        return nearest([self.paths[row] for row in rows.tolist()], self._vectors[rows], vector)[:limit]

    def _near(self, vector: np.ndarray, limit: int) -> np.ndarray:
        """The rows that may be among the best of the `limit` nearest schemas, by a quick product."""
        roughly = self._vectors @ np.asarray(vector, np.float32)
        blank = np.flatnonzero(roughly == 0)
        roughly[blank[~self._vectors[blank].any(axis=1)]] = -np.inf
        schemas = len(self._rows)
        if limit >= schemas:
            return np.arange(len(roughly))
        # However many of the best rows are further pieces, so many rows hold `limit` schemas.
        best = np.argpartition(-roughly, limit + len(roughly) - schemas - 1)[: limit + len(roughly) - schemas]
        order = best[np.argsort(-roughly[best])]
        _, firsts = np.unique(self._schemas[order], return_index=True)  # each schema by its best row
        edge = roughly[order[np.partition(firsts, limit - 1)[limit - 1]]]
        return np.flatnonzero(roughly >= edge - _ERROR)

    def take(self, wanted: AbstractSet[str], asked: Sequence[str], *, vectors: bool) -> tuple[Candidate, ...]:
        """The schemas of these files, as far as they are among the rows."""
        here = wanted & self._rows.keys()
        if not here:
            return ()
        self._make(sorted(here - self._made.keys()))
        stems = tuple(asked)
        counts = self._counts(stems)
        taken = (self._made[path] for path in here & self._made.keys())
        return tuple(
            one.asked(self._often(one.path, stems, counts) if stems else {}, vectors=vectors) for one in taken
        )

    def _make(self, paths: Sequence[str]) -> None:
        """Make the candidates of these paths, once, without what a question counts in them."""
        if not paths:
            return
        rows = [row for path in paths for row in self._rows[path]]
        self._made.update((one.path, one) for one in candidates(self._found, (), rows))

    def _often(self, path: str, stems: tuple[str, ...], counts: np.ndarray) -> dict[str, int]:
        row = next(row for row in self._rows[path] if self._claims[row])
        return {stem: count for stem, count in zip(stems, counts[row].tolist(), strict=True) if count}

    def _counts(self, asked: tuple[str, ...]) -> np.ndarray:
        """How often each row holds each stem: int32 [rows, stems]."""
        if self._counted[0] != asked or not asked:
            self._questions += 1
            few = self._questions <= FEW_QUESTIONS
            self._counted = asked, occurrences(self._found, asked) if few else self._looked_up(asked)
        return self._counted[1]

    def _looked_up(self, asked: tuple[str, ...]) -> np.ndarray:
        stems, rows, times = self._index
        counts = np.zeros((len(self.paths), len(asked)), np.int32)
        for column, stem in enumerate(asked):
            first, last = np.searchsorted(stems, (number(stem), number(stem) + 1))
            counts[rows[first:last], column] = times[first:last]
        return counts

    @cached_property
    def _index(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Every stem in order, the row that holds it, and how often."""
        (stems, lengths), (times, _) = (lists(self._found.column(name)) for name in WORDS)
        rows = np.repeat(np.arange(len(lengths)), lengths)
        order = np.argsort(stems, kind="stable")
        return stems[order], rows[order], times[order]

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        """Where the rows of each path stand."""
        found: dict[str, list[int]] = {}
        for row, path in enumerate(self.paths):
            found.setdefault(path, []).append(row)
        return found

    @cached_property
    def _schemas(self) -> np.ndarray:
        """The schema of each row, by a number."""
        numbered = {path: number for number, path in enumerate(self._rows)}
        return np.fromiter((numbered[path] for path in self.paths), np.int64, len(self.paths))

    @cached_property
    def _vectors(self) -> np.ndarray:
        return matrix(self._found.column("vector"))


def nearest(paths: Sequence[str], vectors: np.ndarray, vector: np.ndarray) -> tuple[Near, ...]:
    """Each path once, by its best vector, nearest first, then by path; null vectors are near to nothing."""
    exact = pool.cosines(vectors, vector)
    meant = np.abs(vectors).max(axis=1, initial=0) > 0
    best: dict[str, float] = {}
    for path, cosine, meaning in zip(paths, exact.tolist(), meant.tolist(), strict=True):
        if meaning:
            best[path] = max(cosine, best.get(path, cosine))
    return tuple(Near(*one) for one in sorted(best.items(), key=_nearest_first))


def _nearest_first(one: tuple[str, float]) -> tuple[float, str]:
    return -one[1], one[0]
