"""Regret: how often what was put aside was wanted after all. Measured, and fed back by nobody but a person.

Three kinds are meant (discard, abstain, gate); of the first the journal knows everything, the
other two need what recall and the gate leave behind.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
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


def discarded(steps: Iterable[Step], ids: Collection[str]) -> Regret:
    """Discard regret of the schemas `ids`; `steps` are the journal's, the newest first.

    Put aside is what mem staged or archived; wanted is what was said again, revived or
    reopened. That a later session resonated with a staged one is what staging is for: no regret.
    """
    aside: set[str] = set()
    wanted: set[str] = set()
    for step in reversed(list(steps)):
        for change in step.changes:
            if change.id not in ids:
                continue
            if change.status in _ASIDE and step.op not in _DECIDED:
                aside.add(change.id)
            elif change.status == Status.ACTIVE.value and change.id in aside and _regretted(step.op, change):
                wanted.add(change.id)
    return Regret(len(wanted), len(aside))


def _regretted(op: str, change: Changed) -> bool:
    if change.prior == Status.ARCHIVED.value:
        return op != "undo"
    return change.prior == Status.STAGED.value and op in _SAID_AGAIN
