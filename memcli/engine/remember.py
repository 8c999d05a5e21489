"""Remember: one decision, wherever a claim comes from, and one commit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from memcli.engine.opened import Opened


@dataclass(frozen=True, slots=True)
class Request:
    """A claim to keep, in the words it was given; times are seconds since 1970."""

    text: str
    scope: str | None = None
    type: str = "fact"
    concept: str = ""
    tags: tuple[str, ...] = ()
    valid_from: str | None = None
    valid_to: str | None = None
    occurred_at: str | None = None
    evidence: tuple[str, ...] = ()
    key: str = ""
    supersede_concept: bool = False
    override: tuple[str, ...] = ()
    allow_secret: bool = False


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was decided about one claim, by which rule, with which score.

    `decision` is created, reinforced, repeated, superseded, skipped or review;
    `error` and `code` are set where this line of a batch was refused.
    """

    id: str | None
    path: str | None
    decision: str
    rule: str
    score: float | None
    scope: str
    claim: str
    status: str
    superseded: tuple[str, ...] = ()
    of: str | None = None
    commit: str | None = None
    notices: tuple[str, ...] = ()
    error: str | None = None
    hint: str | None = None
    code: int = 0


def run(opened: Opened, request: Request) -> Remembered:
    """Remember one claim. Raises Refused for a secret, a removed claim, a foreign scope."""
    raise NotImplementedError


def run_batch(
    opened: Opened,
    requests: Iterable[Request | Exception],
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Remembered, ...]:
    """Remember many claims in one commit; a bad line answers for itself, the others are kept."""
    raise NotImplementedError
