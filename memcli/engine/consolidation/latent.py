"""Latent: the prototypes of each scope, kept between two consolidations and made again when they are lost.

A function of the events alone, in order of their ids. What is kept only spares the reading of
all of them. A turn that arrives out of order (another session was digested first, a merge)
makes the last turns be taken in again from where they stood some time before; only one
that is older than that makes the prototypes of its scope be made from the beginning.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from memcli.engine.consolidation import settling
from memcli.engine.consolidation.settling import Settled
from memcli.engine.opened import Opened
from memcli.errors import MemError
from memcli.memory import sieve, staging
from memcli.memory.proposals import Proposal
from memcli.memory.prototypes import Prototypes, Turn
from memcli.store import digested, event, events
from memcli.store.event import Event, Kind

if TYPE_CHECKING:
    from memcli.index.encoder import Encoder

CHUNK: Final = 256  # turns whose vectors are held at a time
TAIL: Final = (
    256  # turns at least, and twice as many at most, that may still be joined out of order; asserted
)
Progress = Callable[[int, int], None]


class Told(NamedTuple):
    """A turn that was digested or is about to be, and the file that it stands in."""

    event: Event
    path: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a prototype proposed when this event joined it."""

    event: Event
    proposal: Proposal


@dataclass
class Latent:
    """The prototypes of the scopes that were asked for; `kind` says what they are good for."""

    opened: Opened
    encoder: "Encoder"
    kind: str
    scopes: dict[str, Settled] = field(default_factory=dict)

    def fold(
        self, turns: Sequence[Told], telling: Collection[str], progress: Progress | None = None
    ) -> list[Proposed]:
        """Take in `turns`, which `learns` let through; what is proposed from the first of `telling` on.

        Later turns of theirs may have been taken in before: what they propose now may have
        been proposed already.
        """
        by_scope: dict[str, list[Told]] = {}
        for one in sorted(turns, key=_id):
            by_scope.setdefault(str(one.event.scope), []).append(one)
        found: list[Proposed] = []
        for scope, own in by_scope.items():
            first = min((one.event.id for one in own if one.event.id in telling), default=None)
            found += [one for one in self._folded(scope, own, progress) if first and one.event.id >= first]
        return sorted(found, key=lambda one: one.event.id)

    def vectors(self, turns: Sequence[Event]) -> np.ndarray:
        """The unit vectors of what was said, float32 [turns, d]."""
        return self._encoded([event.said(one) for one in turns])

    def save(self) -> None:
        """Keep what was brought up to date. Raises OSError."""
        for scope, made in self.scopes.items():
            settling.save(self.opened.place, scope, self._kind(scope), made)

    def _folded(self, scope: str, own: Sequence[Told], progress: Progress | None) -> list[Proposed]:
        """Take in the turns of one scope, in order; every proposal that this leads to."""
        settled = self._of(scope)
        ordered = list(own)
        if own[0].event.id <= settled.now.last:
            settled, ordered = self._again(scope, settled, own)
        self.scopes[scope] = settled
        found = self._taken(settled, ordered, progress)
        if len(settled.tail) > 2 * TAIL:
            self._settle(settled)
        return found

    def _taken(self, settled: Settled, turns: Sequence[Told], progress: Progress | None) -> list[Proposed]:
        """Take in `turns`, all later than those before; where they are many, what is settled moves along."""
        found: list[Proposed] = []
        for start in range(0, len(turns), CHUNK):
            part = turns[start : start + CHUNK]
            if len(turns) - start <= TAIL < len(turns) - start + CHUNK and start:
                settled.base, settled.tail = settled.now.copied(), []
            found += self._joined(settled.now, part)
            settled.tail += [(one.event.id, one.path) for one in part]
            if progress:
                progress(start + len(part), len(turns))
        return found

    def _joined(self, now: Prototypes, part: Sequence[Told]) -> Iterator[Proposed]:
        for one, vector in zip(part, self.vectors([each.event for each in part]), strict=True):
            proposal = now.take(_turn(one), vector, self._encoded, self._rules)
            if proposal is not None:
                yield Proposed(one.event, proposal)

    def _again(self, scope: str, settled: Settled, own: Sequence[Told]) -> tuple[Settled, list[Told]]:
        """Where to begin anew, and what to take in from there, `own` being out of order."""
        tail = self._tail(settled) if own[0].event.id > settled.base.last else None
        if tail is None:
            tail = [one for one in digested_turns(self.opened) if str(one.event.scope) == scope]
            settled = Settled.empty(self.encoder.dimensions)
        merged = {one.event.id: one for one in (*tail, *own)}
        begun = Settled(settled.base.copied(), settled.base, [])
        return begun, sorted(merged.values(), key=_id)

    def _tail(self, settled: Settled) -> list[Told] | None:
        """The turns since what is settled; None where one is not to be found any more."""
        wanted, found = dict(settled.tail), []
        for path in dict.fromkeys(wanted.values()):
            with suppress(MemError, OSError):
                told = events.read(self.opened.place, path).events
                found += [Told(one, path) for one in told if wanted.get(one.id) == path]
        return found if len(found) == len(wanted) else None

    def _settle(self, settled: Settled) -> None:
        """Move what is settled along by half of the turns since; by all, where one of them is gone."""
        tail = self._tail(settled)
        if tail is None:
            settled.base, settled.tail = settled.now.copied(), []
            return
        base = settled.base.copied()
        for _ in self._joined(base, sorted(tail, key=_id)[:TAIL]):
            pass  # proposed when it came
        settled.base, settled.tail = base, settled.tail[TAIL:]

    @property
    def _rules(self) -> Any:  # noqa: ANN401 - the constants in force
        return self.opened.settings.constants

    def _of(self, scope: str) -> Settled:
        if scope not in self.scopes:
            found = settling.load(self.opened.place, scope, self._kind(scope), self.encoder.dimensions)
            self.scopes[scope] = found or Settled.empty(self.encoder.dimensions)
        return self.scopes[scope]

    def _kind(self, scope: str) -> str:
        groups = ("prototypes.", "episodes.")
        rules = [f"{one.key}={one.value}" for one in self._rules if one.key.startswith(groups)]
        return f"{self.kind} {scope} {' '.join(rules)}"

    def _encoded(self, texts: Sequence[str]) -> np.ndarray:
        from memcli.index.cache import VectorCache

        return VectorCache(self.opened.place.vectors_folder).vectors(self.encoder, texts)


def _id(one: Told) -> str:
    return one.event.id


def learns(one: Event, echoes: Collection[str] = ()) -> bool:
    """Whether an event may teach something: a turn that is not sifted out, and no echo."""
    if one.kind is not Kind.TURN or one.id in echoes:
        return False
    return sieve.caught(one.text, str(one.data.get("role", ""))) is None


def digested_turns(opened: Opened) -> Iterator[Told]:
    """Every turn of the store that was digested and taught something; reads all files of events."""
    for path in events.files(opened.place):
        with suppress(MemError, OSError):
            found = digested.digested(events.read(opened.place, path).events)
            passed = [one for one in found.events if one.id in found.passed]
            yield from (Told(one, path) for one in passed if learns(one, found.echoes))


def _turn(told: Told) -> Turn:
    one = told.event
    subject = one.data.get("subject")
    named = subject if isinstance(subject, str) else ""
    return Turn(one.id, session_of(one), one.text[: sieve.LONGEST], one.happened, named, told.path)


def session_of(one: Event) -> str:
    """The session of an event; outside any, all that was said on one day is one."""
    return staging.session_of(one.session, one.at * 1000)
