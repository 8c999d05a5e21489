"""What an answer must be like, as data, and how one falls short of it.

A requirement that only forbids passes on an empty answer; so what must not come can be named
as `history_only`, which is held to be found where it is admitted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memcli.memory.schema import PREFIX_LENGTH
from memcli.memory.wording import normalise


@dataclass(frozen=True, slots=True)
class Shown:
    """One entry of an answer: its id and what it says."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Required:
    """What the answer to a question must be like; a memory is named by an id, its beginning, or words of it.

    `optional` None: whatever else comes is welcome; else nothing but these may come beside what is
    required. `outcome` empty is any.
    """

    required: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    history_only: tuple[str, ...] = ()
    optional: tuple[str, ...] | None = None
    empty: bool = False
    most: int | None = None
    outcome: str = ""


def names(name: str, shown: Shown) -> bool:
    """Whether `name` means this entry: words with a space between stand in its text, else it is an id."""
    if " " in name:
        return f" {normalise(name)} " in f" {normalise(shown.text)} "
    return shown.id == name or (len(name) >= PREFIX_LENGTH and shown.id.startswith(name))


def found(name: str, answer: Iterable[Shown]) -> bool:
    """Whether any entry of the answer is meant by `name`."""
    return any(names(name, one) for one in answer)


def lacking(required: Required, answer: Sequence[Shown], outcome: str) -> tuple[str, ...]:
    """How the answer falls short, a phrase each; empty where it does not. What is missing is told apart."""
    said = [f"{name} came, and must not" for name in required.forbidden if found(name, answer)]
    said += [
        f"{name} came, and only history may show it" for name in required.history_only if found(name, answer)
    ]
    if required.empty and answer:
        said.append(f"{len(answer)} came, and nothing should: {', '.join(one.id for one in answer)}")
    if required.most is not None and len(answer) > required.most:
        said.append(f"{len(answer)} came, and at most {required.most} should")
    if required.outcome and required.outcome != outcome:
        said.append(f"the outcome is {outcome}, not {required.outcome}")
    return (*said, *_beside(required, answer))


def _beside(required: Required, answer: Sequence[Shown]) -> Iterable[str]:
    if required.optional is None:
        return ()
    welcome = (*required.required, *required.optional)
    told = (*required.forbidden, *required.history_only)
    strange = [one for one in answer if not any(names(name, one) for name in (*welcome, *told))]
    return (f"{one.id} came and is neither required nor optional" for one in strange)


def missing(required: Required, answer: Sequence[Shown]) -> tuple[str, ...]:
    """The names that are required and did not come."""
    return tuple(name for name in required.required if not found(name, answer))
