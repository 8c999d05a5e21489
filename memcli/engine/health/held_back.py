"""What floor and gate held back in sessions that have ended, and what the same sessions used after all."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memcli.engine.opened import Opened
from memcli.memory import regret
from memcli.memory.regret import Given, Held
from memcli.memory.scope import Scope
from memcli.store import events
from memcli.store.event import Event, Kind


@dataclass(frozen=True, slots=True)
class OfSessions:
    """What floor and gate held back in the sessions that have ended; `shadows`: staged ones asked about."""

    abstain: Held
    gate: Held
    shadows: frozenset[str] = frozenset()


def of_sessions(opened: Opened, scopes: tuple[Scope, ...] | None, ids: Collection[str]) -> OfSessions:
    """The regrets of the ended sessions in `scopes` (None: of all), as far as they are about `ids`."""
    told = list(_told(opened, scopes))
    ended = list(_ended(told, set(ids)))
    shadows = frozenset(id_ for each in _answers(told) for id_ in _texts(each.get("shadows")))
    return OfSessions(regret.abstained(ended), regret.gated(ended), shadows)


def saliences(opened: Opened) -> dict[str, float]:
    """The salience with which each memory was weighed at first, by its id, as consolidations noted it."""
    found: dict[str, float] = {}
    for path in events.files(opened.place):
        for one in events.read(opened.place, path).events:
            became = one.data.get("became") if one.kind is Kind.CONSOLIDATED else None
            for said in became.values() if isinstance(became, Mapping) else ():
                if isinstance(said, Mapping) and _number(said.get("salience")):
                    found.setdefault(str(said.get("schema")), float(said["salience"]))
    return found


def _told(opened: Opened, scopes: tuple[Scope, ...] | None) -> Iterator[Event]:
    """What sessions said at their end, and what they called of use."""
    for path in events.files(opened.place):
        for one in events.read(opened.place, path).events:
            if one.kind in {Kind.OUTCOME, Kind.FEEDBACK} and (scopes is None or one.scope in scopes):
                yield one


def _ended(told: Iterable[Event], ids: set[str]) -> Iterator[Sequence[Given]]:
    """The answers of each session, in order."""
    used: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    outcomes: list[Event] = []
    for one in told:
        if one.kind is Kind.OUTCOME:
            outcomes.append(one)
        elif one.data.get("shadow") is not True:
            used[one.session][str(one.data.get("receipt", ""))].update(_texts(one.data.get("used")))
    for one in outcomes:
        yield [_given(each, used[one.session], ids) for each in _answers([one])]


def _answers(told: Iterable[Event]) -> Iterator[Mapping[str, object]]:
    """What the sessions that ended say of each of their answers."""
    for one in told:
        answers = one.data.get("exposed") if one.kind is Kind.OUTCOME else None
        if isinstance(answers, list):
            yield from (each for each in answers if isinstance(each, Mapping))


def _given(said: Mapping[str, object], used: Mapping[str, set[str]], ids: set[str]) -> Given:
    """One answer; a line that was written by hand may say anything, and says less."""
    below, evidence = said.get("below"), said.get("evidence")
    held = below.items() if isinstance(below, Mapping) else ()
    return Given(
        shown=frozenset(_texts(said.get("ids"))),
        below={id_: float(match) for id_, match in held if id_ in ids and _number(match)},
        gated=bool(said.get("gated")),
        evidence=float(evidence) if isinstance(evidence, (int, float)) else None,
        asked=str(said.get("asked", "")),
        used=frozenset(used.get(str(said.get("receipt", "")), ())),
    )


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
