"""Rows that were read whole, and every question about them answered from memory.

Most scopes hold a few hundred memories. Reading those once costs less than two searches of
the whole table, and their cosines are then exact, all of them. A resident asks the same
rows again and again, so what a question had to work out of them is kept for the next. What
is written meanwhile lies beside them in a part of its own: a save of one file costs its own rows.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Self

import numpy as np
import pyarrow as pa

from memcli.index.arrow import mask
from memcli.index.part import Part
from memcli.index.paths import Paths
from memcli.memory import pool
from memcli.memory.pool import Candidate, Near, WordHits

FRESH: Final = 256  # asserted: rows written since, which lie apart until they are read as one with the others


class View:
    """The rows of one filter, further pieces included: those read first, less what went, and those since."""

    def __init__(self, *layers: "_Layer") -> None:
        self._layers = layers

    @classmethod
    def of(cls, found: pa.Table) -> Self:
        """The rows `found`, with the columns READ, WORDS and perhaps `vector`."""
        return cls(_Layer(Part(found), None))

    def patched(self, paths: AbstractSet[str], found: pa.Table) -> "View":
        """The same with the rows `found` in place of those of these paths."""
        first, *since = (layer.without(paths) for layer in self._layers)
        found = found.select(first.columns)
        fresh = pa.concat_tables([*(layer.living() for layer in since), found])
        if fresh.num_rows > FRESH:
            return View.of(pa.concat_tables([first.living(), fresh]))
        return View(first, _Layer(Part(fresh), None))

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(layer.rows for layer in self._layers)

    def words(self, asked: tuple[str, ...]) -> WordHits:
        """The rows that hold one of the stems, with the statistics of all."""
        found = [layer.words(asked) for layer in self._layers]
        counts = [counts for _, counts, _ in found]
        paths, *more = (paths for paths, _, _ in found)
        return WordHits(
            paths=paths.and_those(*more),
            stems=asked,
            counts=np.concatenate(counts) if more else counts[0],
            lengths=np.concatenate([lengths for _, _, lengths in found]),
            document_counts=np.array([(one > 0).sum(axis=0) for one in counts], np.int64).sum(axis=0),
            visible=sum(layer.visible for layer in self._layers),
            total_length=sum(layer.total for layer in self._layers),
        )

    def nearest(self, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
        """The `limit` schemas whose nearest piece is nearest."""
        found = [layer.near(vector, limit) for layer in self._layers]
        paths = [path for one, _ in found for path in one]
        return nearest(paths, np.concatenate([vectors for _, vectors in found]), vector)[:limit]

    def take(self, wanted: AbstractSet[str], asked: Sequence[str], *, vectors: bool) -> tuple[Candidate, ...]:
        """The schemas of these files, as far as they are among the rows."""
        stems = tuple(asked)
        return tuple(one for layer in self._layers for one in layer.take(wanted, stems, vectors=vectors))


class _Layer:
    """A part, and which of its rows still stand: `alive` bool [rows], None is all."""

    def __init__(self, part: Part, alive: np.ndarray | None) -> None:
        self._part = part
        self._alive = alive
        living = slice(None) if alive is None else alive
        self.rows = part.many if alive is None else int(alive.sum())
        self.visible = int(part.claims[living].sum())
        self.total = int(part.lengths[living].sum(dtype=np.int64))

    def without(self, paths: AbstractSet[str]) -> "_Layer":
        """The same less the rows of these paths."""
        gone = self._part.among(paths)
        if not gone.any():
            return self
        return _Layer(self._part, ~gone if self._alive is None else self._alive & ~gone)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that were read."""
        names: list[str] = self._part.found.column_names
        return names

    def living(self) -> pa.Table:
        """The rows that still stand."""
        found = self._part.found
        return found if self._alive is None else found.filter(mask(self._alive))

    def words(self, asked: tuple[str, ...]) -> tuple[Paths, np.ndarray, np.ndarray]:
        """The rows that hold one of the stems: their paths, counts [rows, stems] and lengths."""
        found = self._part.counted(asked)
        rows, counts = found.rows, found.counts
        if self._alive is not None:
            standing = self._alive[rows]
            rows, counts = rows[standing], counts[standing]
        return Paths((self._part.paths, rows)), counts, self._part.lengths[rows]

    def near(self, vector: np.ndarray, limit: int) -> tuple[Sequence[str], np.ndarray]:
        """The paths and vectors of the rows that may be among the nearest."""
        rows = self._part.near(vector, limit, self._alive)
        return Paths((self._part.paths, rows)), self._part.vectors[rows]

    def take(self, wanted: AbstractSet[str], stems: tuple[str, ...], *, vectors: bool) -> Iterator[Candidate]:
        places = list(self._part.places(wanted).values())
        if self._alive is not None:
            places = [row for row in places if self._alive[row]]
        if not places:
            return
        held = [{}] * len(places) if not stems else self._often(stems, places)
        for one, counts in zip(self._part.take(places), held, strict=True):
            yield one.asked(counts, vectors=vectors)

    def _often(self, stems: tuple[str, ...], places: Sequence[int]) -> list[dict[str, int]]:
        """How often each of these rows holds each stem that it holds."""
        counts = self._part.counted(stems).of(np.array(places, np.int64)).tolist()
        return [{stem: count for stem, count in zip(stems, row, strict=True) if count} for row in counts]


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
