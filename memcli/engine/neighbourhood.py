"""Everything that a new claim must be compared with, fetched from the index and kept for a batch.

The rules (memory.admission) are pure; here their inputs are gathered: who is near, who was
taken out, what was said a line earlier in the same batch.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from memcli.engine.batchmates import NEAREST, Batchmates, Taken
from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.errors import TryAgain
from memcli.index import around
from memcli.memory import guard, pool
from memcli.memory.admission import Known
from memcli.memory.guard import Neighbour, Reach
from memcli.memory.pool import Candidate
from memcli.memory.rarity import rarity
from memcli.memory.schema import ArchiveReason, Schema, Status
from memcli.memory.scope import GLOBAL, USER, Scope
from memcli.memory.tokens import stems
from memcli.memory.visibility import Viewer
from memcli.store import atomic, event, format, tombstones
from memcli.store.place import Place

if TYPE_CHECKING:
    from memcli.index.tables import Index

PAUSES_S: Final = (0.01, 0.03, 0.1)  # asserted: between two looks at a file that somebody is saving

DUPLICATE_OF = "duplicate_of"  # the link from an archived duplicate to what it repeats
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
    _named: dict[str, Candidate | None] = field(default_factory=dict)
    _times: dict[str, int] | None = None

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
        if self.view.index is None:
            raise AssertionError("a writer's view always has an index")
        return self.view.index

    def _removed_in(self, scope: Scope) -> list[tuple[Candidate | None, Neighbour]]:
        if scope not in self._removed:
            found = around.unsettled(self._index, reach_of(scope), self.opened.now)
            near = self._neighbours([one for one in found if not self._is_echo(one)], scope)
            self._removed[scope] = [*near, *((None, one) for one in self._graves(scope))]
        return self._removed[scope]

    def _graves(self, scope: Scope) -> Iterator[Neighbour]:
        """The tombstones that bear on `scope`, less those of what a person brought back."""
        wanted = reach_of(scope)
        for one in tombstones.load(self.opened.place).tombstones:
            if (wanted is None or one.scope in wanted) and one.id not in self.view.confirmed.returned:
                schema = guard.buried(one.id, one.scope, one.act, one.events, one.claim)
                yield Neighbour(schema, reach=_reach(scope, one.scope), digest=one.digest)

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
        return [self._compared(one, vectors) for one in self._neighbours(found, scope)]

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
        return [near for _, near in self._neighbours(found, scope)]

    def _by_id(self, id_: str, scope: Scope) -> list[Neighbour]:
        if not id_ or self.taken.path_of(id_):
            return []
        found = [one for one in self._index.by_id(id_) if one.schema.id == id_]
        return [near for _, near in self._neighbours(found, scope)]

    def _earlier(
        self, text: str, scope: Scope, concept: str, vectors: "np.ndarray | None", needed: str
    ) -> list[Neighbour]:
        """What this batch took in before, as far as it comes near."""
        return [
            Neighbour(one.schema, one.path, cosines, Reach.OWN, None, _order(one.schema))
            for one, cosines in self.taken.near(scope, text, concept, vectors, needed)
        ]

    def _neighbours(
        self, found: Sequence[Candidate], scope: Scope
    ) -> list[tuple[Candidate | None, Neighbour]]:
        """The rows with what the guard sees of them, those left out that are gone by now."""
        self._look_up(found)
        near = [(one, self._neighbour(one, scope)) for one in found]
        return [(one, neighbour) for one, neighbour in near if neighbour is not None]

    def _look_up(self, found: Sequence[Candidate]) -> None:
        """Fetch at once what stands behind each of `found`: a search for each would take seconds."""
        asked = {id_ for one in found for id_ in _behind(one.schema)} - self._named.keys()
        if asked:
            self._named |= dict.fromkeys(asked)
            self._named |= {one.schema.id: one for one in reversed(self._index.with_ids(asked))}

    def _neighbour(self, one: Candidate, scope: Scope) -> Neighbour | None:
        """The row as the guard sees it, its claim read from the file."""
        try:
            claim = format.claim_of(_at_rest(self.opened.place, one.path, one.digest))
        except TryAgain:
            return None
        schema = replace(one.schema, status=one.row.status, claim=claim)
        return Neighbour(
            schema,
            one.path,
            None,
            _reach(scope, schema.scope),
            self._since(schema),
            _order(schema),
            self._canonical(schema),
        )

    def _canonical(self, schema: Schema) -> str:
        """The live schema that an archived duplicate stands behind, if it names one."""
        found = [one for id_ in _repeated(schema) if (one := self._named.get(id_)) is not None]
        return next((one.schema.id for one in found if one.row.status is Status.ACTIVE), "")

    def _since(self, schema: Schema) -> int | None:
        """The moment that newer evidence must be later than."""
        if schema.status is Status.SUPERSEDED and schema.superseded_by:
            successor = self._named.get(schema.superseded_by)
            return None if successor is None else _latest(successor.schema)
        if schema.status is Status.STALE:
            return schema.validity.end
        removal = self.view.confirmed.removed.get(schema.id)
        return self._recorded(removal.commit) if schema.status is Status.RETRACTED and removal else None

    def _recorded(self, commit: str) -> int:
        """The record time of a commit; one pass through history tells those of all."""
        from memcli.journal import history

        journal = self.opened.journal
        if self._times is None:
            head = journal.head()
            self._times = history.record_times(journal, head) if head else {}
        known = self._times.get(commit)
        return history.record_time(journal, commit) if known is None else known

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


def _behind(schema: Schema) -> tuple[str, ...]:
    """The ids of what stands for it now: its successor, what it repeats."""
    return (*filter(None, (schema.superseded_by,)), *_repeated(schema))


def _repeated(schema: Schema) -> tuple[str, ...]:
    """The ids that an archived duplicate says it repeats."""
    if schema.archive_reason is not ArchiveReason.DUPLICATE:
        return ()
    return tuple(link.to for link in schema.links if link.rel == DUPLICATE_OF)


def _comes_near(one: Neighbour) -> bool:
    return one.cosines is None or max(one.cosines, default=0.0) >= 0.3  # noqa: PLR2004 - well below every layer


def reach_of(scope: Scope) -> tuple[Scope, ...] | None:
    """The scopes whose removed schemas bear on `scope`; None is every scope, since all see this one."""
    return None if scope in (GLOBAL, USER) else scope.seen


def _at_rest(place: Place, path: str, digest: str) -> bytes:
    """The bytes of a file; of one that is another than was indexed, once two looks at it agree.

    An editor that saves in place empties the file first, and a claim that is half there would be
    compared as if it were whole. Raises TryAgain where the file is gone.
    """
    raw = atomic.read(place, path)
    for pause_s in PAUSES_S:
        if format.digest(raw) == digest:
            break
        time.sleep(pause_s)
        before, raw = raw, atomic.read(place, path)
        if raw == before:
            break
    return raw


def _reach(scope: Scope, other: Scope) -> Reach:
    if scope == other:
        return Reach.OWN
    return Reach.SEEN if other in (GLOBAL, USER) else Reach.NARROWER


def _order(schema: Schema) -> int:
    """A number that grows with record time: the moment in the founding event's id, 0 for a file by hand."""
    return event.moment_of(schema.evidence[0].event) if schema.evidence else 0


def _latest(schema: Schema) -> int | None:
    moments = [event.moment_of(one.event) for one in schema.evidence]
    return max(moments) // 1000 if moments else None
