"""Continuity: how the sessions of one longer effort ended, so that the next can go on from there."""

from dataclasses import dataclass

from memcli.store import events
from memcli.store.event import Event, Kind
from memcli.store.place import Place


@dataclass(frozen=True, slots=True)
class Ended:
    """How a session ended; `at` in seconds since 1970."""

    session: str
    task: str
    goal: str
    outcome: str
    verification: str
    at: int


def ended(place: Place, continuity: str) -> Ended | None:
    """How the last session of `continuity` ended; None where none did."""
    last: Event | None = None
    for one in events.holding(place, continuity):
        mine = one.kind is Kind.OUTCOME and one.data.get("continuity") == continuity
        if mine and (last is None or one.id > last.id):
            last = one
    return None if last is None else _of(last)


def _of(one: Event) -> Ended:
    said = {key: str(one.data.get(key, "")) for key in ("goal", "outcome", "verification")}
    return Ended(session=one.session, task=one.text, at=one.at, **said)
