"""What use has said of each memory: who used it, who found it beside the point, what was shown with it.

Exposure alone earns nothing, and nothing here is counted up in place: an account is a
function of the reports, whatever their order of arrival and however often they were read,
so that a rebuild, a merge and a second consolidation lead to the same one.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from types import MappingProxyType
from typing import Final, TypeVar

from memcli.memory.constants import DEFAULTS, Constants

DAY_S: Final = 86_400
_DIGITS: Final = 6  # a power is not the same to the last bit everywhere


@dataclass(frozen=True, slots=True)
class Report:
    """One feedback, or what an answer showed: ids of memories, in the order in which they were shown.

    `id` is the event's, `at` when it was so (seconds since 1970), `refines` the id of the
    report that this one takes the place of.
    """

    id: str
    at: int
    scope: str
    session: str = ""
    receipt: str = ""
    exposed: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    irrelevant: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    refines: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Told:
    """That something was said of a memory: when, from which scope, in which session, of which answer."""

    at: int
    scope: str
    session: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Beside:
    """That another memory was shown after this one: `weight` is 1, or 2 where both were used."""

    at: int
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Account:
    """All that was said of one memory, in order of time; `together` by the id of the other one."""

    used: tuple[Told, ...] = ()
    irrelevant: tuple[Told, ...] = ()
    stale: tuple[Told, ...] = ()
    together: Mapping[str, tuple[Beside, ...]] = field(default_factory=lambda: MappingProxyType({}))

    def until(self, as_of: int) -> "Account":
        """The account as it stood at `as_of`, that second included."""
        bonds = {other: _until(bond, as_of) for other, bond in self.together.items()}
        return Account(
            _until(self.used, as_of),
            _until(self.irrelevant, as_of),
            _until(self.stale, as_of),
            {other: bond for other, bond in bonds.items() if bond},
        )

    @property
    def since_use(self) -> tuple[Told, ...]:
        """The reports that it was beside the point, after its last use."""
        last = self.used[-1].at if self.used else None
        return self.irrelevant if last is None else tuple(one for one in self.irrelevant if one.at > last)


NOTHING: Final = Account()
Moment = TypeVar("Moment", Told, Beside)


def _until(said: Sequence[Moment], as_of: int) -> tuple[Moment, ...]:
    return tuple(one for one in said if one.at <= as_of)


def accounts(reports: Iterable[Report]) -> dict[str, Account]:
    """The account of every memory that the reports speak of; each report counts once, refined ones not."""
    told = {one.id: one for one in reports}
    refined = {one.refines for one in told.values()}
    counted = sorted((one for one in told.values() if one.id not in refined), key=attrgetter("at", "id"))
    said = {name: _said(counted, name) for name in ("used", "irrelevant", "stale")}
    bonds = _bonds(counted)
    return {
        id_: _account(id_, said, bonds) for id_ in sorted({*bonds, *(i for by in said.values() for i in by)})
    }


def _account(
    id_: str, said: Mapping[str, Mapping[str, set[Told]]], bonds: Mapping[str, Mapping[str, list[Beside]]]
) -> Account:
    told = {name: tuple(sorted(by.get(id_, ()))) for name, by in said.items()}
    together = {other: tuple(sorted(bond)) for other, bond in sorted(bonds.get(id_, {}).items())}
    return Account(**told, together=MappingProxyType(together))


def _said(reports: Sequence[Report], name: str) -> dict[str, set[Told]]:
    """What was said under one heading, by id: of one answer it counts once."""
    found: defaultdict[str, dict[str, Told]] = defaultdict(dict)
    for report in reports:
        answer = report.receipt or report.id
        for id_ in getattr(report, name):
            found[id_].setdefault(answer, Told(report.at, report.scope, report.session, answer))
    return {id_: set(by_answer.values()) for id_, by_answer in found.items()}


def _bonds(reports: Sequence[Report]) -> dict[str, dict[str, list[Beside]]]:
    """Which memories were shown after which: each answer counts once, whoever reports of it."""
    found: dict[str, dict[str, list[Beside]]] = {}
    used: defaultdict[str, set[str]] = defaultdict(set)
    answers: dict[str, Report] = {}
    for report in reports:
        name = report.receipt or report.id
        used[name].update(report.used)
        if report.exposed:
            answers.setdefault(name, report)
    for name, answer in answers.items():
        shown = tuple(dict.fromkeys(answer.exposed))
        for place, first in enumerate(shown):
            for after in shown[place + 1 :]:
                weight = 2 if {first, after} <= used[name] else 1
                found.setdefault(first, {}).setdefault(after, []).append(Beside(answer.at, weight))
    return found


def labile(account: Account, as_of: int, rules: Constants = DEFAULTS) -> bool:
    """Whether it was beside the point so often in a row that it counts less, until it was used again."""
    stood = account.until(as_of)
    events = sorted([(one, False) for one in stood.irrelevant] + [(one, True) for one in stood.used])
    misses, uses, shaken = 0, 0, False
    for _, used in events:
        misses, uses = (0, uses + 1) if used else (misses + 1, uses)
        if misses >= rules.labile_after and not shaken:
            shaken, uses = True, 0
        if shaken and uses >= rules.recovered_after:
            shaken, misses = False, 0
    return shaken


def salience_now(account: Account, as_of: int, rules: Constants = DEFAULTS) -> float:
    """What use adds to a memory's weight at `as_of`: 0 to 1, fading by whole days.

    Each use in another session adds `use.step`, each report that it was beside the point takes
    it away; both lose half of themselves in `use.half_life_days`. The one ceiling is 1.
    """
    stood = account.until(as_of)
    plus = [_faded(days(one.at, as_of), rules.use_half_life_days) for one in _sessions(stood.used)]
    minus = [-_faded(days(one.at, as_of), rules.use_half_life_days) for one in stood.irrelevant]
    return round(min(1.0, max(0.0, rules.use_step * math.fsum([*plus, *minus]))), _DIGITS)


def _sessions(used: Sequence[Told]) -> tuple[Told, ...]:
    """The last use in each session and scope."""
    return tuple({(one.session, one.scope): one for one in used}.values())


def bond(account: Account, other: str, as_of: int, rules: Constants = DEFAULTS) -> float:
    """How strongly `other` belongs behind this memory, by answers that showed both: 0 and up."""
    shown = _until(account.together.get(other, ()), as_of)
    fading = [one.weight * _faded(days(one.at, as_of), rules.together_half_life_days) for one in shown]
    return round(math.fsum(fading), _DIGITS)


def bonds(account: Account, as_of: int, rules: Constants = DEFAULTS) -> dict[str, float]:
    """Every other memory that was shown after this one, with the strength of the bond, strongest first."""
    found = {other: bond(account, other, as_of, rules) for other in account.together}
    strong = {other: strength for other, strength in found.items() if strength > 0}
    return dict(sorted(strong.items(), key=lambda one: (-one[1], one[0])))


def days(at: int, as_of: int) -> int:
    """Whole days from `at` to `as_of`."""
    return max(0, (as_of - at) // DAY_S)


def _faded(age_days: int, half_life_days: int) -> float:
    faded: float = 0.5 ** (age_days / half_life_days)
    return faded
