"""Regret: how often what was put aside was wanted after all. Measured, and fed back by nobody but a person.

Of what was discarded the journal knows everything; what the floor and the gate held back is
known from what sessions noted of their answers, and wanted is what the same session then used.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from memcli.memory.schema import Status

# What a person took out by a decision of their own is not put aside by mem.
_DECIDED: Final = frozenset({"reject", "drop", "archive", "edit", "undo"})
_SAID_AGAIN: Final = frozenset({"remember", "supersede"})
_ASIDE: Final = frozenset({Status.STAGED.value, Status.ARCHIVED.value})


class Changed(Protocol):
    """One schema's change in one operation of the journal."""

    @property
    def id(self) -> str:
        """The schema."""

    @property
    def prior(self) -> str:
        """Its status before, `none` where it was made."""

    @property
    def status(self) -> str:
        """Its status after."""


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of the journal: what it was called, and what it changed."""

    op: str
    changes: Sequence[Changed]


@dataclass(frozen=True, slots=True)
class Regret:
    """Of `of` memories that were put aside, `wanted` came back because somebody wanted them."""

    wanted: int
    of: int


@dataclass(frozen=True, slots=True)
class Aside:
    """What mem put aside: as which status first, by id, and which of them somebody wanted after all."""

    status: Mapping[str, str]
    wanted: Collection[str]

    @property
    def regret(self) -> Regret:
        """The counts."""
        return Regret(len(self.wanted), len(self.status))

    def met(self, shadows: Iterable[str]) -> int:
        """How many of them some question was about while they were put aside."""
        return len(self.status.keys() & set(shadows))

    def held(self, status: Status, weights: Mapping[str, float]) -> "Held":
        """How heavy those were that were put aside as `status`; `weights` is salience by id."""
        ids = [id_ for id_, first in self.status.items() if first == status.value]
        return Held(
            tuple(weights.get(id_) for id_ in ids if id_ in self.wanted),
            tuple(weights.get(id_) for id_ in ids if id_ not in self.wanted),
        )


def discarded(steps: Iterable[Step], ids: Collection[str]) -> Aside:
    """Discard regret of the schemas `ids`; `steps` are the journal's, the newest first.

    Put aside is what mem staged or archived; wanted is what was said again, revived or
    reopened. That a later session resonated with a staged one is what staging is for: no regret.
    """
    aside: dict[str, str] = {}
    wanted: set[str] = set()
    for step in reversed(list(steps)):
        for change in step.changes:
            if change.id not in ids:
                continue
            if change.status in _ASIDE and step.op not in _DECIDED:
                aside.setdefault(change.id, change.status)
            elif change.status == Status.ACTIVE.value and change.id in aside and _regretted(step.op, change):
                wanted.add(change.id)
    return Aside(aside, frozenset(wanted))


def _regretted(op: str, change: Changed) -> bool:
    if change.prior == Status.ARCHIVED.value:
        return op != "undo"
    return change.prior == Status.STAGED.value and op in _SAID_AGAIN


@dataclass(frozen=True, slots=True)
class Given:
    """One answer of a session: what it showed, and by id with their match what it held back.

    `gated` where the gate held the whole answer back, by `evidence`; `asked` is a digest of the question,
    `used` what the session then called of use.
    """

    shown: Collection[str]
    below: Mapping[str, float] = field(default_factory=dict)
    gated: bool = False
    evidence: float | None = None
    asked: str = ""
    used: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """What was held back in all sessions: how near each came, apart what was wanted after all.

    None where nothing was measured of it: a text that the gate did not even search for.
    """

    wanted: tuple[float | None, ...] = ()
    left: tuple[float | None, ...] = ()

    @property
    def regret(self) -> Regret:
        """The counts."""
        return Regret(len(self.wanted), len(self.wanted) + len(self.left))


def abstained(sessions: Iterable[Sequence[Given]]) -> Held:
    """Abstain regret: of what the floor held back from a session, what a later answer of it was used for.

    Each memory counts once a session, with the best match that it was held back with.
    """
    wanted: list[float | None] = []
    left: list[float | None] = []
    for answers in sessions:
        best: dict[str, float] = {}
        used: set[str] = set()
        for answer in answers:
            used |= best.keys() & set(answer.used)
            for id_, match in answer.below.items() if not answer.gated else ():
                best[id_] = max(match, best.get(id_, 0.0))
        for id_, match in best.items():
            (wanted if id_ in used else left).append(match)
    return Held(tuple(wanted), tuple(left))


def gated(sessions: Iterable[Sequence[Given]]) -> Held:
    """Gate regret: of the answers that the gate held back, those asked for again in the same session.

    Asked for is the same question, once it was answered, and a memory held back by the gate that
    a later answer showed and that was used.
    """
    wanted: list[float | None] = []
    left: list[float | None] = []
    for answers in sessions:
        for at, answer in enumerate(answers):
            if answer.gated:
                again = any(_asked_for(answer, later) for later in answers[at + 1 :])
                (wanted if again else left).append(answer.evidence)
    return Held(tuple(wanted), tuple(left))


def _asked_for(held: Given, later: Given) -> bool:
    if later.gated:
        return False
    same = bool(held.asked) and held.asked == later.asked and bool(later.shown)
    return same or not held.below.keys().isdisjoint(later.used)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A setting that would have let through `regained` of `wanted`, and `beside` of `left` others too."""

    key: str
    now: float
    to: float
    regained: int
    wanted: int
    beside: int
    left: int


FEWEST: Final = 3  # cases below which a proposal would be about chance; asserted
_STEPS: Final = 100  # proposals are whole hundredths


def proposals(key: str, now: float, held: Held) -> Iterator[Proposal]:
    """The settings of `key` that would have let through half of what was wanted, and all of it."""
    near = sorted((one for one in held.wanted if one is not None and one < now), reverse=True)
    if len(near) < FEWEST:
        return
    before = now
    for reached in (near[(len(near) - 1) // 2], near[-1]):
        to = int(reached * _STEPS) / _STEPS
        if to >= before:
            continue
        before = to
        yield Proposal(
            key,
            now,
            to,
            regained=sum(one >= to for one in near),
            wanted=len(held.wanted),
            beside=sum(one is not None and one >= to for one in held.left),
            left=len(held.left),
        )
