"""Gold sets asked of this store, by the very path that answers a person."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from memcli.engine.evaluating import labelled
from memcli.engine.opened import Opened
from memcli.engine.recalling import recall
from memcli.engine.recalling.answer import Answer, Item
from memcli.engine.recalling.asking import Request
from memcli.errors import Usage
from memcli.memory import requirement
from memcli.memory.requirement import Shown
from memcli.memory.visibility import Mode
from memcli.store import gold
from memcli.store.gold import Case

FOLDER: Final = "gold"
_ALL: Final = 200  # asserted: entries that are looked through for what did not come
_ROOM: Final = 1_000_000  # tokens: no answer is cut while that is looked for


@dataclass(frozen=True, slots=True)
class Judged:
    """One case with its answer: the ids that came in order, and how it falls short (empty: it holds)."""

    case: Case
    outcome: str
    ids: tuple[str, ...]
    short: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """One set with its cases as they were answered."""

    path: str
    cases: tuple[Judged, ...]

    @property
    def held(self) -> int:
        """How many cases hold."""
        return sum(not one.short for one in self.cases)


def run(opened: Opened, named: Sequence[str]) -> tuple[Asked, ...]:
    """Ask the sets in the files `named`, or those of the store. Raises Usage where there is none, BadFile."""
    base = opened.surroundings.cwd or Path()
    own = labelled.own(opened, f"{FOLDER}/*.yaml", f"{FOLDER}/*.yml")
    found = labelled.contents(opened, [base / name for name in named], own)
    if not found:
        raise Usage(f"There is no gold set here ({FOLDER}/*.yaml).", "Name one: mem eval gold FILE")
    sets = [gold.parse(raw, path, opened.settings.timezone) for path, raw in found]
    return tuple(Asked(one.path, tuple(_judged(opened, case) for case in one.cases)) for one in sets)


def _judged(opened: Opened, case: Case) -> Judged:
    request = _request(opened, case)
    answer = recall.run(opened, request)
    shown = _shown(answer)
    short = list(requirement.lacking(case.required, shown, answer.outcome))
    absent = requirement.missing(case.required, shown)
    buried = case.required.history_only
    if absent or buried:
        everything = recall.run(opened, _everything(request))
        short += [_why_missing(name, everything, answer) for name in absent]
        past = _shown(everything)
        short += [
            f"{name} is not found in history either" for name in buried if not requirement.found(name, past)
        ]
    return Judged(case, answer.outcome, tuple(one.id for one in shown), tuple(short))


def _request(opened: Opened, case: Case) -> Request:
    return Request(
        query=case.query,
        scope=case.scope or str(opened.scope),
        as_of=case.as_of,
        known_at=case.known_at,
        mode=Mode(case.mode),
        k=case.k,
        budget=case.budget,
        floor=case.floor,
        types=case.types,
        tags=case.tags,
        events=case.events,
        gate=case.gate,
    )


def _everything(request: Request) -> Request:
    """The same question with whatever any mode admits, however far off it is."""
    return replace(request, mode=Mode.HISTORY, k=_ALL, budget=_ROOM, floor=0.0, gate=False)


def _shown(answer: Answer) -> list[Shown]:
    memories = [Shown(one.schema.id, one.schema.claim) for one in answer.items]
    return memories + [Shown(one.event.id, one.event.text) for one in answer.said]


def _why_missing(name: str, everything: Answer, answer: Answer) -> str:
    """What became of a required memory, as far as another question can tell."""
    for rank, one in enumerate(everything.items, 1):
        if requirement.names(name, Shown(one.schema.id, one.schema.claim)):
            return f"{name} did not come: {_held(one, rank, answer)}"
    return f"{name} did not come, and nothing in this scope is it"


def _held(one: Item, rank: int, answer: Answer) -> str:
    floor = answer.withheld.threshold
    if one.schema.status.value != "active":
        return f"it is {one.schema.status.value}"
    if one.match < floor:
        return f"its match is {one.match:.2f}, below the floor of {floor:.2f}"
    return f"its place is {rank}"
