"""What the feedback of a session covers, and which memories that it was shown nobody spoke of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Coverage(StrEnum):
    """Whether a feedback speaks of all that an answer showed; partial leaves the rest unknown."""

    COMPLETE = "complete"
    PARTIAL = "partial"


class Effect(StrEnum):
    """What following a procedure came to."""

    HELPED = "helped"
    NO_EFFECT = "no-effect"
    HARMED = "harmed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Spoken:
    """One feedback: the answer that it is about, the memories that it names, what it takes the place of."""

    id: str
    receipt: str
    named: frozenset[str]
    coverage: str = ""
    refines: str = ""
    shadow: bool = False


def counted(said: Iterable[Spoken]) -> tuple[Spoken, ...]:
    """The feedback that counts: no shadow, and nothing that a later one takes the place of."""
    real = [one for one in said if not one.shadow]
    refined = {one.refines for one in real}
    return tuple(one for one in real if one.id not in refined)


def lacking(shown: Mapping[str, Sequence[str]], said: Iterable[Spoken]) -> tuple[str, ...]:
    """The memories that were shown and that nobody spoke of, each once, in the order of showing.

    `shown` holds the ids of each answer by its receipt. What was said of a memory in one answer
    holds for all; an answer with partial coverage asks for nothing.
    """
    counting = counted(said)
    named = {id_ for one in counting for id_ in one.named}
    partial = {one.receipt for one in counting if one.coverage == Coverage.PARTIAL}
    left = [id_ for receipt, ids in shown.items() if receipt not in partial for id_ in ids]
    return tuple(dict.fromkeys(id_ for id_ in left if id_ not in named))
