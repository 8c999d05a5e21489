"""Rows that were read whole, and every question about them answered from memory.

Most scopes hold a few hundred memories. Reading those once costs less than two searches of
the whole table, and their cosines are then exact, all of them.
"""

from collections.abc import Container, Sequence

import numpy as np
import pyarrow as pa

from memcli.index.arrow import matrix, numbers
from memcli.index.candidates import candidates, occurrences
from memcli.memory import pool
from memcli.memory.pool import Candidate, Near, WordHits

_ERROR = 1e-5  # more than a float32 product of unit vectors is off


class View:
    """The rows of one filter, further pieces included, with the columns READ, WORDS and perhaps `vector`."""

    def __init__(self, found: pa.Table) -> None:
        self._found = found.combine_chunks()
        self.paths: list[str] = found.column("path").to_pylist()
        self._claims = numbers(found.column("piece")) == 0

    def words(self, asked: tuple[str, ...]) -> WordHits:
        """The rows that hold one of the stems, with the statistics of all."""
        counts = occurrences(self._found, asked)
        lengths = numbers(self._found.column("length"))
        rows = np.flatnonzero((counts > 0).any(axis=1))
        return WordHits(
            paths=[self.paths[row] for row in rows.tolist()],
            stems=asked,
            counts=counts[rows],
            lengths=lengths[rows],
            document_counts=(counts > 0).sum(axis=0, dtype=np.int64),
            visible=int(self._claims.sum()),
            total_length=int(lengths.sum(dtype=np.int64)),
        )

    def nearest(self, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
        """The `limit` schemas whose nearest piece is nearest."""
        vectors = matrix(self._found.column("vector"))
        rows = np.arange(len(vectors))
        if limit < len(rows) and self._claims.all():
            roughly = vectors @ np.asarray(vector, np.float32)
            blank = np.flatnonzero(roughly == 0)
            roughly[blank[~vectors[blank].any(axis=1)]] = -np.inf
            edge = np.partition(roughly, -limit)[-limit]
            rows = np.flatnonzero(roughly >= edge - _ERROR)
        return nearest([self.paths[row] for row in rows.tolist()], vectors[rows], vector)[:limit]

    def take(self, wanted: Container[str], asked: Sequence[str], *, vectors: bool) -> tuple[Candidate, ...]:
        """The schemas of these files, as far as they are among the rows."""
        rows = [row for row, path in enumerate(self.paths) if path in wanted]
        return candidates(self._found, asked, rows, vectors=vectors)


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
