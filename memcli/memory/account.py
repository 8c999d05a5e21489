"""What use has said of each memory: who used it, who found it beside the point, what was shown with it.

Exposure alone earns nothing, and nothing here is counted up in place: an account is a
function of the reports, whatever their order of arrival and however often they were read,
so that a rebuild, a merge and a second consolidation lead to the same one.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
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
class Answer:
    """What one answer showed, in its order, and which of it was used: ids; `at` when it was spoken of."""

    at: int
    shown: tuple[str, ...]
    used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Account:
    """All that was said of the memory `id`, in order of time, and the answers that showed it."""

    id: str = ""
    used: tuple[Told, ...] = ()
    irrelevant: tuple[Told, ...] = ()
    stale: tuple[Told, ...] = ()
    answers: tuple[Answer, ...] = ()

    def until(self, as_of: int) -> "Account":
        """The account as it stood at `as_of`, that second included."""
        return Account(
            self.id,
            _until(self.used, as_of),
            _until(self.irrelevant, as_of),
            _until(self.stale, as_of),
            _until(self.answers, as_of),
        )

    @property
    def since_use(self) -> tuple[Told, ...]:
        """The reports that it was beside the point, after its last use."""
        last = self.used[-1].at if self.used else None
        return self.irrelevant if last is None else tuple(one for one in self.irrelevant if one.at > last)


NOTHING: Final = Account()
Moment = TypeVar("Moment", Told, Answer)


def _until(said: Sequence[Moment], as_of: int) -> tuple[Moment, ...]:
    return tuple(one for one in said if one.at <= as_of)


def accounts(reports: Iterable[Report]) -> dict[str, Account]:
    """The account of every memory that the reports speak of; each report counts once, refined ones not."""
    told = {one.id: one for one in reports}
    refined = {one.refines for one in told.values()}
    counted = sorted((one for one in told.values() if one.id not in refined), key=attrgetter("at", "id"))
    used, irrelevant, stale = (_said(counted, name) for name in ("used", "irrelevant", "stale"))
    shown = _shown(counted)
    return {
        id_: Account(
            id_,
            tuple(sorted(used.get(id_, ()))),
            tuple(sorted(irrelevant.get(id_, ()))),
            tuple(sorted(stale.get(id_, ()))),
            tuple(sorted(shown.get(id_, ()))),
        )
        for id_ in sorted({*used, *irrelevant, *stale, *shown})
    }


def _said(reports: Sequence[Report], name: str) -> dict[str, list[Told]]:
    """What was said under one heading, by id: of one answer it counts once."""
    found: defaultdict[str, dict[str, Told]] = defaultdict(dict)
    for report in reports:
        answer = report.receipt or report.id
        for id_ in getattr(report, name):
            found[id_].setdefault(answer, Told(report.at, report.scope, report.session, answer))
    return {id_: list(by_answer.values()) for id_, by_answer in found.items()}


def _shown(reports: Sequence[Report]) -> dict[str, list[Answer]]:
    """The answers that showed several memories, by id: each counts once, whoever reports of it."""
    used: defaultdict[str, set[str]] = defaultdict(set)
    first: dict[str, Report] = {}
    for report in reports:
        name = report.receipt or report.id
        used[name].update(report.used)
        if len(report.exposed) > 1:
            first.setdefault(name, report)
    found: defaultdict[str, list[Answer]] = defaultdict(list)
    for name, report in first.items():
        shown = tuple(dict.fromkeys(report.exposed))
        answer = Answer(report.at, shown, tuple(id_ for id_ in shown if id_ in used[name]))
        for id_ in shown:
            found[id_].append(answer)
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


def bonds(account: Account, as_of: int, rules: Constants = DEFAULTS) -> dict[str, float]:
    """Every other memory that was shown after this one, with the strength of the bond, strongest first.

    An answer that showed both adds 1, and 2 where both were used, halved with every
    `use.together_half_life_days`.
    """
    found: defaultdict[str, list[float]] = defaultdict(list)
    for answer in _until(account.answers, as_of):
        faded = _faded(days(answer.at, as_of), rules.together_half_life_days)
        for other in answer.shown[answer.shown.index(account.id) + 1 :]:
            found[other].append(faded * (2 if {account.id, other} <= set(answer.used) else 1))
    strong = {other: round(math.fsum(fading), _DIGITS) for other, fading in found.items()}
    return dict(
        sorted(((other, one) for other, one in strong.items() if one), key=lambda of: (-of[1], of[0]))
    )


def days(at: int, as_of: int) -> int:
    """Whole days from `at` to `as_of`."""
    return max(0, (as_of - at) // DAY_S)


def _faded(age_days: int, half_life_days: int) -> float:
    faded: float = 0.5 ** (age_days / half_life_days)
    return faded
