"""What was taken out and must not return although its file is gone.

The guard compares with these lines, so one that cannot be read is a hole in it: it is
reported, never passed over in silence.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memcli.memory.scope import Scope, parse
from memcli.store import lines
from memcli.store.lines import Addition
from memcli.store.place import Place
from memcli.store.problem import Problem

PATH: Final = "tombstones.jsonl"
ACTS: Final = ("forgotten", "retracted", "rejected", "purged")


@dataclass(frozen=True, slots=True)
class Tombstone:
    """One removed schema (FORMAT section 1).

    `digest` is that of its normalised claim, `events` what it rested on, `act` one of ACTS;
    `claim` is empty after a purge.
    """

    id: str
    scope: Scope
    digest: str
    act: str
    events: tuple[str, ...] = ()
    claim: str = ""


@dataclass(frozen=True, slots=True)
class Loaded:
    """All tombstones, each once, and what could not be read."""

    tombstones: tuple[Tombstone, ...]
    problems: tuple[Problem, ...]


def plan(place: Place, tombstones: Sequence[Tombstone]) -> Addition:
    """How `tombstones` would be appended; `lines.add` does it."""
    return lines.plan(place, _path(place), [as_object(one) for one in tombstones])


def append(place: Place, tombstones: Sequence[Tombstone]) -> str:
    """Append, synced to the disk; returns the path. Raises as `lines.add`."""
    addition = plan(place, tombstones)
    lines.add(place, addition)
    return addition.path


def load(place: Place) -> Loaded:
    """Every tombstone of the store. Raises BadFile where the file is none of its own."""
    return _loaded(_path(place), lines.read(place, _path(place)))


def of_bytes(raw: bytes) -> tuple[Tombstone, ...]:
    """The tombstones in the bytes `raw`, as a commit has them; what cannot be read is passed over."""
    return _loaded(PATH, lines.of_bytes(PATH, raw)).tombstones


def _loaded(path: str, found: lines.Lines) -> Loaded:
    tombstones: dict[Tombstone, None] = {}
    problems = list(found.problems)
    for line in found.found:
        try:
            tombstones[of_object(line.value)] = None
        except (TypeError, ValueError) as error:
            what = f"the line is no tombstone and guards nothing: {error}"
            problems.append(Problem(path, line.number, "", what))
    return Loaded(tuple(tombstones), tuple(problems))


def line(one: Tombstone) -> bytes:
    """The line that says it."""
    return lines.encoded(as_object(one))


def _path(place: Place) -> str:
    return place.tombstones.relative_to(place.root).as_posix()


def as_object(one: Tombstone) -> dict[str, object]:
    """The tombstone as its line has it."""
    said = {
        "id": one.id,
        "scope": str(one.scope),
        "digest": one.digest,
        "events": list(one.events),
        "act": one.act,
        "claim": one.claim,
    }
    return {key: value for key, value in said.items() if value}


def of_object(value: Mapping[str, Any]) -> Tombstone:
    """The tombstone that a line says. Raises ValueError, TypeError."""
    texts = {key: _text(value.get(key, ""), key) for key in ("id", "digest", "act", "claim")}
    if texts["act"] not in ACTS:
        raise ValueError(f"its act is not one of {', '.join(ACTS)}")
    if not texts["id"] or not texts["digest"]:
        raise ValueError("it has no id or no digest")
    events = value.get("events", [])
    return Tombstone(
        **texts,
        scope=parse(_text(value.get("scope", ""), "scope")),
        events=tuple(_each(events)),
    )


def _each(events: object) -> Iterable[str]:
    if not isinstance(events, list):
        raise TypeError("its events are no list")
    return (_text(event, "event") for event in events)


def _text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"its {key} is no text")
    return value
