"""Latent: the prototypes of each scope, kept between two consolidations and made again when they are lost.

A function of the events alone, in order of their ids. What is kept only spares the reading of
all of them; a turn that arrives out of order (a merge, a session digested later than a
younger one) makes the prototypes of its scope be made again from the beginning.
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memcli.engine.opened import Opened
from memcli.errors import MemError
from memcli.memory import sieve
from memcli.memory.episodes import Episode
from memcli.memory.proposals import Member, Proposal
from memcli.memory.prototypes import Prototype, Prototypes, Turn
from memcli.store import digested, event, events, private
from memcli.store.event import Event, Kind

if TYPE_CHECKING:
    from memcli.index.encoder import Encoder

CHUNK: Final = 256  # turns whose vectors are held at a time
LONGEST: Final = 4000  # characters of a turn that are looked at for a sentence; asserted
_HEAD: Final = b"mem latent 2 "
Progress = Callable[[int, int], None]


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
    scopes: dict[str, Prototypes] = field(default_factory=dict)

    def fold(
        self,
        turns: Sequence[Event],
        telling: Collection[str],
        progress: Progress | None = None,
    ) -> list[Proposed]:
        """Take in `turns` (which `learns` let through); what those in `telling` let prototypes propose."""
        found: list[Proposed] = []
        ordered = self._with_older(sorted(turns, key=lambda one: one.id))
        for start in range(0, len(ordered), CHUNK):
            part = ordered[start : start + CHUNK]
            for one, vector in zip(part, self.vectors(part), strict=True):
                proposal = self._of(one).take(_turn(one), vector, self._encoded, self._rules)
                if proposal is not None and one.id in telling:
                    found.append(Proposed(one, proposal))
            if progress:
                progress(start + len(part), len(ordered))
        return found

    def vectors(self, turns: Sequence[Event]) -> np.ndarray:
        """The unit vectors of what was said, float32 [turns, d]."""
        return self._encoded([event.said(one) for one in turns])

    def _encoded(self, texts: Sequence[str]) -> np.ndarray:
        from memcli.index.cache import VectorCache

        return VectorCache(self.opened.place.vectors_folder).vectors(self.encoder, texts)

    def save(self) -> None:
        """Keep what was brought up to date. Raises OSError."""
        folder = self.opened.place.latent_folder
        folder.mkdir(mode=0o700, exist_ok=True)
        for scope, made in self.scopes.items():
            private.put(folder / _name(scope), _packed(self._kind(scope), made))

    @property
    def _rules(self) -> Any:  # noqa: ANN401 - the constants in force
        return self.opened.settings.constants

    def _of(self, one: Event) -> Prototypes:
        scope = str(one.scope)
        if scope not in self.scopes:
            self.scopes[scope] = self._loaded(scope) or Prototypes(self.encoder.dimensions)
        return self.scopes[scope]

    def _with_older(self, turns: Sequence[Event]) -> list[Event]:
        """The turns, and of scopes in which one is out of order all that were digested before."""
        first: dict[str, Event] = {}
        for one in turns:
            first.setdefault(str(one.scope), one)
        late = {scope for scope, one in first.items() if one.id <= self._of(one).last}
        if not late:
            return list(turns)
        for scope in late:
            self.scopes[scope] = Prototypes(self.encoder.dimensions)
        again = {one.id: one for one in digested_turns(self.opened) if str(one.scope) in late}
        return sorted({**again, **{one.id: one for one in turns}}.values(), key=lambda one: one.id)

    def _kind(self, scope: str) -> str:
        rules = [
            f"{one.key}={one.value}"
            for one in self._rules
            if one.key.startswith(("prototypes.", "episodes."))
        ]
        return f"{self.kind} {scope} {' '.join(rules)}"

    def _loaded(self, scope: str) -> Prototypes | None:
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, MemError):
            raw = private.read(self.opened.place, self.opened.place.latent_folder / _name(scope))
            return _unpacked(self._kind(scope), raw or b"", self.encoder.dimensions)
        return None


def learns(one: Event, echoes: Collection[str] = ()) -> bool:
    """Whether an event may teach something: a turn that is not sifted out, and no echo."""
    if one.kind is not Kind.TURN or one.id in echoes:
        return False
    return sieve.caught(one.text, str(one.data.get("role", ""))) is None


def digested_turns(opened: Opened) -> Iterator[Event]:
    """Every turn of the store that was digested and taught something; reads all files of events."""
    for path in events.files(opened.place):
        with suppress(MemError, OSError):
            found = digested.digested(events.read(opened.place, path).events)
            yield from (one for one in found.events if one.id in found.passed and learns(one, found.echoes))


def said_at(one: Event) -> int:
    """When it was said, as far as anybody knows; seconds since 1970."""
    return one.at if one.occurred_at is None else one.occurred_at


def _turn(one: Event) -> Turn:
    subject = one.data.get("subject")
    named = subject if isinstance(subject, str) else ""
    return Turn(one.id, session_of(one), one.text[:LONGEST], said_at(one), named)


def session_of(one: Event) -> str:
    """The session of an event; outside any, all that was said on one day is one."""
    from memcli.memory import staging

    return staging.session_of(one.session, one.at * 1000)


def _name(scope: str) -> str:
    return hashlib.sha256(scope.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _packed(kind: str, made: Prototypes) -> bytes:
    open_ = [[name, one.first, one.last_at, one.turns] for name, one in made.open.items()]
    head = {
        "kind": kind,
        "last": made.last,
        "turns": made.turns,
        "episodes": made.episodes,
        "open": open_,
        "all": [_spelled(one) for one in made.all],
    }
    line = json.dumps(head, separators=(",", ":")).encode("utf-8", "surrogateescape")
    totals = b"".join(one.total.tobytes() for one in made.open.values())
    body = line + b"\n" + made.sums[: len(made.all)].tobytes() + totals
    return _HEAD + b"%08x\n" % zlib.crc32(body) + body


def _spelled(one: Prototype) -> list[Any]:
    members = [[each.event, each.session, each.text, each.episode, each.subject] for each in one.members]
    return [one.founder, one.touched, one.sessions, members, one.turns, one.tries, one.done]


def _unpacked(kind: str, raw: bytes, dimensions: int) -> Prototypes | None:
    """The prototypes that `raw` holds, None where it is torn or of another kind. Raises as `_loaded` says."""
    first, _, body = raw.partition(b"\n")
    if not first.startswith(_HEAD) or int(first[len(_HEAD) :], 16) != zlib.crc32(body):
        return None
    line, _, floats = body.partition(b"\n")
    head = json.loads(line.decode("utf-8", "surrogateescape"))
    if head["kind"] != kind:
        return None
    found = [_prototype(one) for one in head["all"]]
    rows = np.frombuffer(floats, np.float64).reshape(len(found) + len(head["open"]), dimensions).copy()
    sums, totals = rows[: len(found)], rows[len(found) :]
    going_on = {
        name: Episode(event_, last_at, total, turns)
        for (name, event_, last_at, turns), total in zip(head["open"], totals, strict=True)
    }
    return Prototypes(dimensions, head["last"], found, sums, going_on, head["episodes"], head["turns"])


def _prototype(kept: list[Any]) -> Prototype:
    founder, touched, sessions, members, turns, tries, done = kept
    return Prototype(founder, touched, sessions, [Member(*one) for one in members], turns, tries, done)
