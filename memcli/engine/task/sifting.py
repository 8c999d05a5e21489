"""Sifting: turns become events in the order in which they were said, and a repeated one none at all."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from os import urandom
from typing import Final

from memcli.engine import drafting
from memcli.engine.opened import Opened
from memcli.errors import MemError, Refused, Usage
from memcli.memory.scope import Scope
from memcli.memory.turn import Turn
from memcli.store import event, events
from memcli.store.events import Event, Kind

STDIN: Final = "stdin"


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose turns they are, and where they come from; `keyed_files` are where a key may stand (None: all).

    `nth` of several sessions that are taken in at once: their events sort in that order.
    """

    session: str
    scope: Scope
    source: str
    keyed_files: tuple[str, ...] | None = None
    nth: int = 0


@dataclass
class Sifted:
    """The turns as events, those that are new among them, and what was refused."""

    ids: list[str] = field(default_factory=list)
    fresh: list[Event] = field(default_factory=list)
    refused: list[MemError] = field(default_factory=list)


def sift(opened: Opened, whose: Whose, turns: Iterable[Turn | Usage]) -> Sifted:
    """Tell the turns that are new from those that were said before; the caller holds the lock."""
    told = list(turns)
    out = Sifted()
    keys = {one.key for one in told if isinstance(one, Turn) and one.key}
    known = _known(opened, whose, keys) if keys else {}
    made = _Maker(opened, whose)
    for one in told:
        if isinstance(one, Usage):
            out.refused.append(one)
            continue
        fresh = made.event(one)
        earlier = known.get(one.key) if one.key else None
        if earlier is None:
            out.ids.append(fresh.id)
            out.fresh.append(fresh)
            known |= {one.key: fresh} if one.key else {}
        elif whose.source != STDIN or _same(earlier, fresh):
            out.ids.append(earlier.id)
        else:
            out.refused.append(_used(one.key, earlier))
    return out


def _known(opened: Opened, whose: Whose, keys: set[str]) -> dict[str, Event]:
    """The first event of the scope under each key."""
    found: dict[str, Event] = {}
    for one in events.all_keyed(opened.place, whose.keyed_files):
        if one.key in keys and one.scope == whose.scope:
            found.setdefault(one.key, one)
    return found


def _same(earlier: Event, fresh: Event) -> bool:
    """Whether both say the same; the session, the actor and when it was received may differ."""
    said = [(one.kind, one.text, one.occurred_at, dict(one.data)) for one in (earlier, fresh)]
    return said[0] == said[1]


def _used(key: str, earlier: Event) -> Refused:
    return Refused(
        f"The key {key!r} was used before for something else ({earlier.id}); that turn was not kept.",
        "Give another key, or repeat the first turn exactly.",
    )


class _Maker:
    """Makes events whose ids sort in the order in which they were said, behind those of the session."""

    def __init__(self, opened: Opened, whose: Whose) -> None:
        self._opened = opened
        self._whose = whose
        self._entropy = urandom(10)
        self._count = 0
        self._now_ms = opened.now_ms + whose.nth
        if whose.session:
            first = self._made("", Kind.TURN, Turn(""))
            last = events.last_id(opened.place, events.path_of(opened.place, first))
            self._now_ms = max(self._now_ms, event.moment_of(last) + 1)

    def event(self, turn: Turn) -> Event:
        """The event of `turn`."""
        id_ = events.new_id(self._now_ms, self._entropy, self._count)
        self._count += 1
        return self._made(id_, Kind.CLAIM if turn.claim else Kind.TURN, turn)

    def _made(self, id_: str, kind: Kind, turn: Turn) -> Event:
        return Event(
            id=id_ or events.new_id(self._now_ms, self._entropy),
            at=self._opened.now,
            scope=self._whose.scope,
            actor=str(self._opened.actor),
            kind=kind,
            logic=drafting.LOGIC,
            text=turn.text,
            occurred_at=turn.said_at,
            session=self._whose.session,
            key=turn.key,
            data=_about(turn, self._whose.source),
        )


def _about(turn: Turn, source: str) -> dict[str, object]:
    about: dict[str, object] = {"role": turn.role.value, "subject": turn.subject, "source": source}
    if turn.claim:
        about |= {"observed": True, "type": turn.type, "concept": turn.concept, "tags": list(turn.tags)}
        about |= {"valid_from": turn.valid_from, "valid_to": turn.valid_to}
    return {key: value for key, value in about.items() if value not in ("", [])}
