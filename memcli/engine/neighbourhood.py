"""Everything that a new claim must be compared with, fetched from the index and kept for a batch.

The rules (memory.admission) are pure; here their inputs are gathered: who is near, who was
taken out, what was said a line earlier in the same batch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from memcli.engine.batchmates import NEAREST, Batchmates, Taken
from memcli.engine.opened import Opened
from memcli.engine.rows_for_guard import RowsForGuard, order, reach
from memcli.engine.view import View
from memcli.index import around
from memcli.memory import guard, pool
from memcli.memory.admission import Known
from memcli.memory.guard import Neighbour, Reach
from memcli.memory.pool import Candidate
from memcli.memory.rarity import rarity
from memcli.memory.schema import Status
from memcli.memory.scope import GLOBAL, USER, Scope
from memcli.memory.tokens import stems
from memcli.memory.visibility import Viewer
from memcli.store import tombstones

if TYPE_CHECKING:
    from memcli.index.tables import Index

_HELD_AGAINST = frozenset({Status.FORGOTTEN, Status.RETRACTED})


@dataclass
class Neighbourhood:
    """The store around the claims of one operation."""

    opened: Opened
    view: View
    taken: Batchmates = field(default_factory=Batchmates)
    _removed: dict[Scope, list[tuple[Candidate | None, Neighbour]]] = field(default_factory=dict)
    _live: "dict[Scope, tuple[list[str], np.ndarray]]" = field(default_factory=dict)
    _chain: dict[str, str] | None = None
    _rows: RowsForGuard = field(init=False)

    def __post_init__(self) -> None:
        self._rows = RowsForGuard(self.opened, self.view)

    def around(  # noqa: PLR0913 - what a claim is compared by
        self,
        text: str,
        scope: Scope,
        concept: str,
        vectors: "np.ndarray | None",
        *,
        many: bool,
        needed: str = "",
    ) -> Known:
        """What `admission.decide` needs to know for `text`, whose pieces have `vectors` (None: no encoder).

        `many` is a batch: the vectors of the scope are read once instead of asking for each line.
        `needed` is the id of a schema that must be among the neighbours.
        """
        removed = [self._compared(one, vectors) for one in self._removed_in(scope)]
        named = self._same_concept(scope, concept) + self._by_id(needed, scope)
        live = self._live_near(text, scope, vectors, many=many)
        # The later of two entries for one file counts: those that were compared come after those only named.
        by_path = {
            one.path or f"{one.schema.id} {one.digest}": one  # a purge leaves a tombstone for each wording
            for one in [*named, *removed, *live, *self._earlier(text, scope, concept, vectors, needed)]
        }
        neighbours = tuple(by_path.values())
        return Known(neighbours, self.chain(), self._idf(text, scope, neighbours))

    def add(self, taken: Taken) -> None:
        """Remember what this batch took in, so that a later line finds it."""
        self.taken.add(taken)

    def chain(self) -> dict[str, str]:
        """Id → successor of every superseded schema of the store."""
        if self._chain is None:
            rows = self._index.all_rows(("id", "superseded_by"))
            self._chain = {row["id"]: row["superseded_by"] for row in rows if row["superseded_by"]}
        return self._chain

    @property
    def _index(self) -> "Index":
        return self._rows.index

    def _removed_in(self, scope: Scope) -> list[tuple[Candidate | None, Neighbour]]:
        if scope not in self._removed:
            found = around.unsettled(self._index, reach_of(scope), self.opened.now)
            near = self._rows.neighbours([one for one in found if not self._is_echo(one)], scope)
            self._removed[scope] = [*near, *((None, one) for one in self._graves(scope))]
        return self._removed[scope]

    def _graves(self, scope: Scope) -> Iterator[Neighbour]:
        """The tombstones that bear on `scope`, less those of what a person brought back."""
        wanted = reach_of(scope)
        for one in tombstones.load(self.opened.place).tombstones:
            if (wanted is None or one.scope in wanted) and one.id not in self.view.confirmed.returned:
                schema = guard.buried(one.id, one.scope, one.act, one.events, one.claim)
                yield Neighbour(schema, reach=reach(scope, one.scope), digest=one.digest)

    def _is_echo(self, one: Candidate) -> bool:
        """Whether it is itself withheld for what it says again: only the removed one is to be named."""
        confirmed = self.view.confirmed
        own = one.path in confirmed.dirty or confirmed.status_of(one.schema.id) is one.row.status
        return one.row.status is not one.schema.status and not own

    def _compared(self, one: tuple[Candidate | None, Neighbour], vectors: "np.ndarray | None") -> Neighbour:
        candidate, neighbour = one
        if vectors is None:
            return neighbour
        if candidate is None:
            return replace(neighbour, cosines=self._cosines_of_grave(neighbour, vectors))
        return replace(neighbour, cosines=tuple(pool.cosine(candidate.vectors, piece) for piece in vectors))

    def _cosines_of_grave(self, neighbour: Neighbour, vectors: np.ndarray) -> tuple[float, ...]:
        encoder = self.opened.encoder
        if encoder is None or not neighbour.schema.claim:
            return tuple(0.0 for _ in vectors)
        from memcli.index.cache import VectorCache

        own = VectorCache(self.opened.place.vectors_folder).vectors(encoder, [neighbour.schema.claim])
        return tuple(pool.cosine(own, piece) for piece in vectors)

    def _live_near(
        self, text: str, scope: Scope, vectors: "np.ndarray | None", *, many: bool
    ) -> list[Neighbour]:
        viewer = Viewer((scope,), self.opened.now)
        if vectors is None:
            paths = self._by_words(text, viewer)
        elif many:
            paths = self._by_matrix(viewer, vectors[0])
        else:
            paths = [near.path for near in self._index.nearest(viewer, vectors[0], NEAREST)]
        found = self._index.take([path for path in paths if path not in self.taken])
        return [self._compared(one, vectors) for one in self._rows.neighbours(found, scope)]

    def _by_words(self, text: str, viewer: Viewer) -> list[str]:
        asked = tuple(dict.fromkeys(stems(text)))
        hits = self._index.words(viewer, asked)
        full = np.asarray((hits.counts > 0).all(axis=1))
        return [path for path, whole in zip(hits.paths, full.tolist(), strict=True) if whole]

    def _by_matrix(self, viewer: Viewer, vector: np.ndarray) -> list[str]:
        scope = (viewer.scopes or (GLOBAL,))[0]
        if scope not in self._live:
            self._live[scope] = around.live_vectors(self._index, viewer)
        paths, matrix = self._live[scope]
        if not paths:
            return []
        near = matrix @ vector
        return [paths[at] for at in np.argsort(-near, kind="stable")[:NEAREST]]

    def _same_concept(self, scope: Scope, concept: str) -> list[Neighbour]:
        if not concept.strip():
            return []
        found = [one for one in self._index.same_concept(scope, concept) if one.path not in self.taken]
        return [near for _, near in self._rows.neighbours(found, scope)]

    def _by_id(self, id_: str, scope: Scope) -> list[Neighbour]:
        if not id_ or self.taken.path_of(id_):
            return []
        found = [one for one in self._index.by_id(id_) if one.schema.id == id_]
        return [near for _, near in self._rows.neighbours(found, scope)]

    def _earlier(
        self, text: str, scope: Scope, concept: str, vectors: "np.ndarray | None", needed: str
    ) -> list[Neighbour]:
        """What this batch took in before, as far as it comes near."""
        return [
            Neighbour(one.schema, one.path, cosines, Reach.OWN, None, order(one.schema))
            for one, cosines in self.taken.near(scope, text, concept, vectors, needed)
        ]

    def _idf(self, text: str, scope: Scope, neighbours: Sequence[Neighbour]) -> dict[str, float]:
        """Weights of the words of this claim and of the removed ones that come near it."""
        near = [one for one in neighbours if one.schema.status in _HELD_AGAINST and _comes_near(one)]
        if not near:
            return {}
        asked = dict.fromkeys(
            stem for said in [text, *(one.schema.claim for one in near)] for stem in stems(said)
        )
        hits = self._index.words(Viewer(scope.seen, self.opened.now), tuple(asked))
        return {
            stem: rarity(int(count), hits.visible)
            for stem, count in zip(hits.stems, hits.document_counts, strict=True)
        }


def _comes_near(one: Neighbour) -> bool:
    return one.cosines is None or max(one.cosines, default=0.0) >= 0.3  # noqa: PLR2004 - well below every layer


def reach_of(scope: Scope) -> tuple[Scope, ...] | None:
    """The scopes whose removed schemas bear on `scope`; None is every scope, since all see this one."""
    return None if scope in (GLOBAL, USER) else scope.seen
