"""What was said, for a look back: read from the event files, under the rules of recall.

A turn is told only where nothing that rested on it was taken back, and where it says nothing
again that was removed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcli.engine.looking_back.present import Present
from memcli.engine.recalling import turns
from memcli.memory import backing
from memcli.memory.schema import Status
from memcli.memory.tokens import stems
from memcli.store import events
from memcli.store.event import Event
from memcli.store.event import said as text_of

if TYPE_CHECKING:
    from memcli.engine.recalling.turns import Turn


@dataclass(frozen=True, slots=True)
class Said:
    """One turn, and when it was said (else received), in seconds since 1970."""

    at: int
    path: str
    event: Event


def about(now: Present, asked: frozenset[str]) -> list[Said]:
    """The turns that hold all the stems `asked` (none: every turn), in the order in which they were said."""
    dead = _dead(now)
    found = [one for one in _turns(now, asked) if one.event.id not in dead]
    told = [_said(one) for one in _told(now, found)]
    return sorted(told, key=lambda one: (one.at, one.event.id))


def _turns(now: Present, asked: frozenset[str]) -> "Iterator[Turn]":
    place = now.opened.place
    for one in turns.news(place, {}, events.sizes(place)).turns:
        if (now.scopes is None or one.event.scope in now.scopes) and asked <= set(stems(text_of(one.event))):
            yield one


def _dead(now: Present) -> frozenset[str]:
    """The events that only memories cite which no longer count, of those that the one who asks may see."""
    citing = [(row.schema, row.effective) for row in now.rows if now.sees(row.schema)]
    return backing.dead(citing, now.opened.now)


def _told(now: Present, found: "list[Turn]") -> "list[Turn]":
    """Without those that say again what was removed."""
    if not found or not now.removed.found:
        return found
    from memcli.engine.recalling import listening

    rows, _ = listening.Judge(now.opened, now.removed, now.confirmed).rows(found)
    return [
        one
        for one, row in zip(found, rows, strict=True)
        if row.effective is Status.ACTIVE and not now.hides(row)
    ]


def _said(one: "Turn") -> Said:
    return Said(one.event.happened, one.path, one.event)
