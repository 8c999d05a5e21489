"""What one operation has taken in so far, and which of it a further claim must be compared with.

The danger is on both sides: a batch of ten thousand claims that compares all with all never
ends, and one that compares too few takes the same claim twice. So of what is believed the
nearest are compared, as of the index, with all that say the same word for word or speak of
the same concept; and whatever does not count but is near.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from memcli.memory import pool
from memcli.memory.schema import Schema, fold_concept
from memcli.memory.scope import Scope
from memcli.memory.wording import normalise

NEAREST: Final = 8  # asserted: live claims compared with; the one to reinforce is the nearest of all
FAR: Final = 0.45  # asserted: a cosine well below every layer of the guard
_ROOM: Final = 64


@dataclass(frozen=True, slots=True)
class Taken:
    """A claim that this batch has already taken in, with the vector of the whole, float32 [1, d]."""

    schema: Schema
    path: str
    vectors: "np.ndarray | None"


@dataclass
class _Rows:
    """Those of one scope, with their vectors float32 [room, d]; one without meaning has the null vector."""

    taken: list[Taken] = field(default_factory=list)
    vectors: "np.ndarray | None" = None

    def put(self, at: int, one: Taken) -> None:
        if at == len(self.taken):
            self.taken.append(one)
        self.taken[at] = one
        if one.vectors is not None:
            self._room(at, one.vectors.shape[1])[at] = one.vectors[0]
        elif self.vectors is not None and at < len(self.vectors):
            self.vectors[at] = 0

    def matrix(self, dimensions: int) -> np.ndarray:
        """One row for each, float32 [taken, d]."""
        return self._room(len(self.taken) - 1, dimensions)[: len(self.taken)]

    def _room(self, at: int, dimensions: int) -> np.ndarray:
        if self.vectors is None:
            self.vectors = np.zeros((max(_ROOM, at + 1), dimensions), np.float32)
        elif at >= len(self.vectors):
            more = np.zeros((max(at + 1, 2 * len(self.vectors)) - len(self.vectors), dimensions), np.float32)
            self.vectors = np.concatenate([self.vectors, more])
        return self.vectors


@dataclass
class Batchmates:
    """All of them, found by file, by id, by their words, by concept and by meaning."""

    _at: dict[str, tuple[Scope, int]] = field(default_factory=dict)
    _rows: dict[Scope, _Rows] = field(default_factory=dict)
    _by_id: dict[str, str] = field(default_factory=dict)
    _alike: dict[tuple[Scope, str], set[int]] = field(default_factory=dict)

    def __contains__(self, path: str) -> bool:
        return path in self._at

    def add(self, taken: Taken) -> None:
        """Remember what was taken in; of one file the last state counts."""
        scope = taken.schema.scope
        rows = self._rows.setdefault(scope, _Rows())
        _, at = self._at.setdefault(taken.path, (scope, len(rows.taken)))
        rows.put(at, taken)
        self._by_id[taken.schema.id] = taken.path
        for key in _keys(taken.schema.claim, taken.schema.concept):
            self._alike.setdefault((scope, key), set()).add(at)

    def path_of(self, id_: str) -> str | None:
        """The file of a claim that was taken in."""
        return self._by_id.get(id_)

    def near(
        self, scope: Scope, text: str, concept: str, vectors: "np.ndarray | None", needed: str = ""
    ) -> Iterator[tuple[Taken, tuple[float, ...] | None]]:
        """Those of `scope` that a claim must be compared with, and their cosines with its pieces [m, d].

        Without vectors all are. `needed` is the id of one that must be among them.
        """
        rows = self._rows.get(scope)
        if rows is None:
            return
        if vectors is None:
            yield from ((one, None) for one in rows.taken)
            return
        named = {at for key in _keys(text, concept) for at in self._alike.get((scope, key), ())}
        named |= {self._at[path][1] for path in [self._by_id.get(needed)] if path is not None}
        chosen = sorted(named | self._by_meaning(rows, vectors))
        if chosen:
            whole = rows.matrix(vectors.shape[1])[chosen]
            cosines = zip(*(pool.cosines(whole, piece).tolist() for piece in vectors), strict=True)
            yield from zip((rows.taken[at] for at in chosen), cosines, strict=True)

    def _by_meaning(self, rows: _Rows, vectors: np.ndarray) -> set[int]:
        """The nearest that are believed, and of what is not everything near, or without meaning."""
        matrix = rows.matrix(vectors.shape[1])
        rough = matrix @ vectors.T
        live = np.array([one.schema.live for one in rows.taken])
        near = ~live & ((rough.max(axis=1) >= FAR) | ~matrix.any(axis=1))
        nearest = np.argsort(-np.where(live, rough[:, 0], -2.0), kind="stable")[:NEAREST]
        return {*np.flatnonzero(near).tolist(), *nearest[live[nearest]].tolist()}


def _keys(text: str, concept: str) -> Sequence[str]:
    """What claims that must be compared have in common besides their meaning."""
    folded = fold_concept(concept)
    return [f"text {normalise(text)}", *([f"concept {folded}"] if folded else [])]
