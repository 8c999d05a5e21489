"""Which events of a file a consolidation has passed, and by which rules, as its own lines say.

A `consolidated` line speaks of the events before it in its file up to the one that it
names, which must be among them. Nothing else tells it: no state beside the events, so that a
clone, a merge and a deleted `.mem/` come to the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memcli.store.event import Event, Kind

ECHOES = "echoes"  # ids of events that were found to repeat what their session had been shown


@dataclass(frozen=True, slots=True)
class Digested:
    """The events of a file, or of a stretch of it, in its order, consolidations left out.

    `passed` maps the id of each one that was digested to the rules (`logic`) that did it last;
    `echoes` are the ids of those that taught nothing because they were echoes.
    """

    events: tuple[Event, ...]
    passed: Mapping[str, str]
    echoes: frozenset[str]

    @property
    def pending(self) -> tuple[Event, ...]:
        """Those that no consolidation has passed."""
        return tuple(one for one in self.events if one.id not in self.passed)

    def older(self, logic: str) -> tuple[Event, ...]:
        """Those that were digested by older rules than `logic`."""
        now = rank(logic)
        return tuple(one for one in self.events if one.id in self.passed and rank(self.passed[one.id]) < now)


def digested(events: Sequence[Event]) -> Digested:
    """What the consolidated lines among `events` (in the order of the file) say of the others."""
    through: dict[str, str] = {}  # rules -> the furthest that a line after here reaches
    passed: dict[str, str] = {}
    said = _good(events)
    for one in reversed(events):
        if one.kind is Kind.CONSOLIDATED:
            logic, to = str(one.data.get("logic", one.logic)), said.get(one.id, "")
            through[logic] = max(through.get(logic, ""), to)
            continue
        by = [logic for logic, to in through.items() if one.id <= to]
        if by:
            passed[one.id] = max(by, key=rank)
    return Digested(
        tuple(one for one in events if one.kind is not Kind.CONSOLIDATED), passed, _echoes(events)
    )


def _good(events: Sequence[Event]) -> dict[str, str]:
    """Id of each consolidated line → how far it reaches; not of one that names no event before it."""
    before: set[str] = set()
    found: dict[str, str] = {}
    for one in events:
        to = one.data.get("through")
        if one.kind is not Kind.CONSOLIDATED:
            before.add(one.id)
        elif isinstance(to, str) and to in before:
            found[one.id] = to
    return found


def _echoes(events: Sequence[Event]) -> frozenset[str]:
    lines = [one.data.get(ECHOES) for one in events if one.kind is Kind.CONSOLIDATED]
    return frozenset(str(id_) for found in lines if isinstance(found, list) for id_ in found)


def rank(logic: str) -> tuple[int, str]:
    """By which versions of the rules are ordered: 9 before 10, and words last."""
    return (int(logic), "") if logic.isascii() and logic.isdigit() else (1 << 31, logic)
