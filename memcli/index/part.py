"""Rows as they were read, and every question about them answered from memory.

They never change; what is written over them is masked by whoever asks (`alive`). What a
question had to work out of them is kept for the next.
"""

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Final

import numpy as np
import pyarrow as pa

from memcli.index.arrow import matrix, numbers
from memcli.index.candidates import candidates
from memcli.index.postings import Counted, Postings
from memcli.memory.pool import Candidate

_ERROR: Final = 1e-5  # more than a float32 product of unit vectors is off
KEPT: Final = 10_000  # asserted: candidates kept made, 3 KB each


class Part:
    """The rows `found`, further pieces included, with the columns READ, WORDS and perhaps `vector`."""

    def __init__(self, found: pa.Table) -> None:
        found = found.combine_chunks()
        self.found = found
        self.claims = numbers(found.column("piece")) == 0
        self.lengths = numbers(found.column("length"))
        self.many = found.num_rows
        self.paths: list[str] = found.column("path").to_pylist()
        self._made: dict[int, Candidate] = {}

    def counted(self, asked: tuple[str, ...]) -> Counted:
        """The rows that hold one of the stems."""
        return self._postings.counted(asked)

    def places(self, paths: Collection[str]) -> dict[str, int]:
        """Where the claims of those of `paths` stand that are here."""
        if len(paths) > self.many:
            return {path: row for path, row in self._place.items() if path in paths}
        return {path: self._place[path] for path in paths if path in self._place}

    def among(self, paths: Collection[str]) -> np.ndarray:
        """Which rows are of these paths, bool [rows]."""
        rows = list(self.places(paths).values())
        here = np.zeros(self.many, bool)
        here[rows] = True
        if self._pieced:
            here |= np.isin(self._claim_of, rows)
        return here

    def near(self, vector: np.ndarray, limit: int, alive: np.ndarray | None) -> np.ndarray:
        """The rows that may be among the best of the `limit` nearest schemas, by a quick product."""
        roughly = self.vectors @ np.asarray(vector, np.float32)
        blank = np.flatnonzero(roughly == 0)
        roughly[blank[~self.vectors[blank].any(axis=1)]] = -np.inf
        if alive is not None:
            roughly[~alive] = -np.inf
        schemas = len(self._place)
        if limit >= schemas:
            return np.flatnonzero(roughly > -np.inf)
        edge = self._edge(roughly, limit, schemas)
        return np.flatnonzero((roughly >= edge - _ERROR) & (roughly > -np.inf))

    def _edge(self, roughly: np.ndarray, limit: int, schemas: int) -> float:
        """How near the last of the `limit` nearest schemas is."""
        if not self._pieced:
            return float(np.partition(roughly, -limit)[-limit])
        # However many of the best rows are further pieces, so many rows hold `limit` schemas.
        many = limit + self.many - schemas
        best = np.argpartition(-roughly, many - 1)[:many]
        order = best[np.argsort(-roughly[best])]
        _, firsts = np.unique(self._claim_of[order], return_index=True)  # each schema by its best row
        return float(roughly[order[np.partition(firsts, limit - 1)[limit - 1]]])

    def take(self, places: Collection[int]) -> list[Candidate]:
        """The schemas whose claims stand there, without what a question counts in them."""
        missing = [row for row in places if row not in self._made]
        if missing:
            if len(self._made) + len(missing) > KEPT:
                self._made.clear()
                missing = list(places)
            rows = [piece for row in missing for piece in self._rows_of(row)]
            made = {one.path: one for one in candidates(self.found, (), rows)}
            self._made.update((row, made[self.paths[row]]) for row in missing)
        return [self._made[row] for row in places]

    def _rows_of(self, claim: int) -> Sequence[int]:
        """The rows of the schema whose claim stands there."""
        rows: list[int] = np.flatnonzero(self._claim_of == claim).tolist() if self._pieced else [claim]
        return rows

    @cached_property
    def _pieced(self) -> bool:
        return not bool(self.claims.all())

    @cached_property
    def _postings(self) -> Postings:
        return Postings(self.found)

    @cached_property
    def _place(self) -> dict[str, int]:
        """Where the claim of each path stands."""
        rows = np.flatnonzero(self.claims).tolist()
        if len(rows) == self.many:
            return dict(zip(self.paths, rows, strict=True))
        return {self.paths[row]: row for row in rows}

    @cached_property
    def _claim_of(self) -> np.ndarray:
        """Where the claim of each row stands, int64 [rows]."""
        stands = np.arange(self.many)
        pieces = np.flatnonzero(~self.claims).tolist()
        stands[pieces] = [self._place.get(self.paths[row], -1) for row in pieces]
        return stands

    @cached_property
    def vectors(self) -> np.ndarray:
        """The unit vectors, float32 [rows, dimensions]."""
        return matrix(self.found.column("vector"))
