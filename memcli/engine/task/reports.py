"""The feedback of one session, as its events have it."""

from collections.abc import Iterable

from memcli.memory.reporting import Spoken
from memcli.store.event import Event, Kind


def spoken(events: Iterable[Event]) -> tuple[Spoken, ...]:
    """Each feedback among `events`; one that was written by hand may say anything, and says less."""
    return tuple(_spoken(one) for one in events if one.kind is Kind.FEEDBACK)


def _spoken(one: Event) -> Spoken:
    said = one.data
    stale = [each.get("id") for each in _list(said.get("stale")) if isinstance(each, dict)]
    named = [*_list(said.get("used")), *_list(said.get("irrelevant")), *stale]
    return Spoken(
        id=one.id,
        receipt=str(said.get("receipt", "")),
        named=frozenset(id_ for id_ in named if isinstance(id_, str)),
        coverage=str(said.get("coverage", "")),
        refines=str(said.get("refines", "")),
        shadow=said.get("shadow") is True,
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
