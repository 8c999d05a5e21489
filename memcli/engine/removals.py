"""What was taken out: every forgotten or retracted claim, from files, index and tombstones.

A claim that is merely withheld because it says again what was removed is not among them:
else the removed one, brought back, would be held down by its own echo.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from memcli.engine import counting
from memcli.engine.opened import Opened
from memcli.engine.standing import LEAVES_A_TOMBSTONE, Confirmed
from memcli.errors import TryAgain
from memcli.memory import guard, pool
from memcli.memory.guard import Neighbour
from memcli.memory.ladder import may_reach
from memcli.memory.schema import Schema, Stage, Status
from memcli.memory.scope import GLOBAL, USER, Scope
from memcli.memory.tokens import stems
from memcli.store import atomic, format, tombstones
from memcli.store.tombstones import Tombstone

if TYPE_CHECKING:
    import numpy as np

    from memcli.index.around import Sought
    from memcli.index.rows import IndexRow
    from memcli.index.tables import Index

# Asserted, well below every layer of the guard: what shares less is not looked at closely.
WORDS_SHARED: Final = 0.4
COSINE: Final = 0.5
REMEMBERED: Final = 20_000  # asserted: vectors of texts that one command remembers, 1.5 KB each


@dataclass(frozen=True, slots=True)
class Removed:
    """One removed claim with its vector float32 [d] and its words; `path` is empty for a tombstone.

    `mark` changes with everything that a judgement by it depends on.
    """

    neighbour: Neighbour
    scope: Scope
    path: str
    mark: str
    vector: "np.ndarray | None"
    stems: frozenset[str]

    @property
    def id(self) -> str:
        """The id of the removed schema."""
        return self.neighbour.schema.id

    def reaches(self, scope: Scope, stage: Stage) -> bool:
        """Whether it must not be said again in `scope`, or not where what lies there is seen from its own.

        `stage` is how far that may travel.
        """
        return self.scope in scope.seen or scope in (GLOBAL, USER) or may_reach(stage, scope, self.scope)

    @property
    def buried(self) -> bool:
        """Whether it has no file any more."""
        return not self.path

    @property
    def events(self) -> frozenset[str]:
        """The events that it rested on."""
        return frozenset(one.event for one in self.neighbour.schema.evidence)


@dataclass(frozen=True)
class Removals:
    """All of them, and which could be said again by a text."""

    found: tuple[Removed, ...]

    @property
    def marks(self) -> frozenset[str]:
        """What stands for the whole set: equal marks, equal judgements."""
        return frozenset(one.mark for one in self.found)

    def near(self, row: "IndexRow", vectors: "np.ndarray | None") -> list[Removed]:
        """Those that `row` can come near by its words, its meaning, its events or a digest.

        `vectors` are those of the row's pieces, float32 [n, d].
        """
        said = frozenset(stems(row.schema.claim))
        shared: defaultdict[int, int] = defaultdict(int)
        for stem in said:
            for at in self._by_stem.get(stem, ()):
                shared[at] += 1
        found = {at for at, many in shared.items() if many / len(self.found[at].stems) >= WORDS_SHARED}
        found.update(at for one in row.schema.evidence for at in self._by_event.get(one.event, ()))
        found.update(self._by_meaning(vectors))
        found.update(at for at, one in enumerate(self.found) if not one.stems)
        return [self.found[at] for at in sorted(found)]

    def _by_meaning(self, vectors: "np.ndarray | None") -> Iterator[int]:
        if vectors is None:
            return
        held, matrix = self._matrix
        for piece in vectors if held else ():
            cosines = pool.cosines(matrix, piece).tolist()
            yield from (at for at, cosine in zip(held, cosines, strict=True) if cosine >= COSINE)

    @cached_property
    def _matrix(self) -> "tuple[list[int], np.ndarray]":
        import numpy as np

        held = [(at, one.vector) for at, one in enumerate(self.found) if one.vector is not None]
        matrix = np.stack([vector for _, vector in held]) if held else np.zeros((0, 0), np.float32)
        return [at for at, _ in held], matrix

    @cached_property
    def _by_stem(self) -> dict[str, list[int]]:
        return _places((at, stem) for at, one in enumerate(self.found) for stem in one.stems)

    @cached_property
    def _by_event(self) -> dict[str, list[int]]:
        return _places((at, event) for at, one in enumerate(self.found) for event in one.events)


def _places(pairs: Iterator[tuple[int, str]]) -> dict[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for at, key in pairs:
        found[key].append(at)
    return found


@dataclass(frozen=True, slots=True)
class _Taken:
    """A removed claim as it was found, before its vector is known."""

    neighbour: Neighbour
    scope: Scope
    path: str
    mark: str


def all_of(  # noqa: PLR0913, PLR0917 - where removed claims are found
    opened: Opened,
    rows: "Sequence[IndexRow]",
    confirmed: Confirmed,
    index: "Index | None" = None,
    gone: Collection[str] = (),
    graves: Sequence[Tombstone] | None = None,
) -> Removals:
    """The removed claims of `rows`, of the index beside them less the files `gone`, and of the tombstones.

    `graves` are those of another time than now.
    """
    here = {*gone, *(row.path for row in rows)}
    found = [
        _taken(row.schema, row.effective, row.path, row.digest, confirmed)
        for row in rows
        if row.effective in LEAVES_A_TOMBSTONE
    ]
    if index is not None:
        found += _indexed(opened, index, here, confirmed)
    found += _graves(tombstones.load(opened.place).tombstones if graves is None else graves, confirmed)
    return Removals(_with_meaning(opened, found))


def of_graves(opened: Opened, graves: Sequence[Tombstone], confirmed: Confirmed) -> Removals:
    """The removed claims that `graves`, which this store need not hold, would keep out."""
    return Removals(_with_meaning(opened, tuple(_graves(graves, confirmed))))


def _taken(schema: Schema, status: Status, path: str, digest: str, confirmed: Confirmed) -> _Taken:
    removal = confirmed.removed.get(schema.id)
    by = removal.commit if removal else "uncommitted" if path in confirmed.dirty else ""
    near = Neighbour(replace(schema, status=status), path)
    return _Taken(near, schema.scope, path, f"{schema.id} {status.value} {digest} {by}")


def _indexed(opened: Opened, index: "Index", here: Collection[str], confirmed: Confirmed) -> Iterator[_Taken]:
    """The removed schemas of files that are not looked at now, with their claims."""
    from memcli.index import around

    listed = [one for one in around.removed(index) if one.path not in here]
    committed = counting.committed(opened, confirmed, [one.path for one in listed])
    for one in listed:
        own = counting.effective(one.schema.id, one.schema.status, confirmed, committed.get(one.path))
        if own not in LEAVES_A_TOMBSTONE:
            continue
        try:
            claim = format.claim_of(atomic.read(opened.place, one.path))
        except TryAgain:
            continue
        yield _taken(replace(one.schema, claim=claim), own, one.path, one.digest, confirmed)


def _graves(graves: Sequence[Tombstone], confirmed: Confirmed) -> Iterator[_Taken]:
    for grave in graves:
        if grave.id in confirmed.returned:
            continue
        schema = guard.buried(grave.id, grave.scope, grave.act, grave.events, grave.claim)
        if schema.status in LEAVES_A_TOMBSTONE:
            removal = confirmed.removed.get(grave.id)
            mark = f"{grave.id} {grave.act} {grave.digest} {removal.commit if removal else 'buried'}"
            yield _Taken(Neighbour(schema, digest=grave.digest), grave.scope, "", mark)


def _with_meaning(opened: Opened, found: Sequence[_Taken]) -> tuple[Removed, ...]:
    said = [claim for one in found if (claim := one.neighbour.schema.claim)]
    vectors = meanings(opened, said) if said else None  # without a claim no model is loaded
    rest = iter(()) if vectors is None else iter(vectors)
    return tuple(
        Removed(
            one.neighbour,
            one.scope,
            one.path,
            one.mark,
            next(rest, None) if one.neighbour.schema.claim else None,
            frozenset(stems(one.neighbour.schema.claim)),
        )
        for one in found
    )


def sought(one: Removed) -> "Sought":
    """What the index is asked for, to find at least every row that `Removals.near` would name."""
    from memcli.index.around import Sought

    return Sought(one.stems, WORDS_SHARED, one.vector, COSINE, one.events)


def meanings(opened: Opened, texts: Sequence[str]) -> "np.ndarray | None":
    """The unit vectors of `texts`, float32 [n, d]; None without an encoder.

    Remembered for one command: a claim that comes near many removed ones is looked up once.
    """
    encoder = opened.encoder
    if encoder is None:
        return None
    import numpy as np

    from memcli.index.cache import VectorCache

    full = len(opened.meant) >= REMEMBERED
    known = {} if full else opened.meant  # begun anew: no call needs more than its own
    missing = [text for text in dict.fromkeys(texts) if text not in known]
    if missing:
        found = VectorCache(opened.place.vectors_folder).vectors(encoder, missing)
        known.update(zip(missing, found, strict=True))
    opened.meant = known
    every = [known[text] for text in texts]
    return np.stack(every) if every else np.zeros((0, encoder.dimensions), np.float32)
