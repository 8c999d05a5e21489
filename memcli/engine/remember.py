"""Remember: one decision, wherever a claim comes from, and one commit."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from memcli.engine import drafting, taking_in
from memcli.engine.drafting import Draft, Request
from memcli.engine.opened import Opened
from memcli.engine.outcome import Outcome, keeps_own
from memcli.engine.task import belonging
from memcli.engine.writer import writing
from memcli.errors import MemError, Refused, Usage
from memcli.memory.admission import Decision, Kind
from memcli.memory.schema import Status
from memcli.surroundings import Kind as ActorKind

__all__ = ["Remembered", "Request", "run", "run_batch"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was decided about one claim, by which rule, with which score.

    `decision` is created, reinforced, repeated, superseded, skipped or review; `of` the
    memory that it is about; `until` the end of what was superseded, seconds since 1970.
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
    until: int | None = None


def run(opened: Opened, request: Request, progress: Callable[[int, int], None] | None = None) -> Remembered:
    """Remember one claim. Raises Usage, Refused (a secret, another use of a key), and the writer's errors.

    A claim that was removed is skipped: the answer says so, with code 5. `progress` is told how
    many pieces of a long one are read.
    """
    _check(opened, request)
    outcome, commit = taking_in.take_one(opened, request, progress)
    return _remembered(opened, outcome, commit)


def run_batch(
    opened: Opened,
    requests: Iterable[Request | Exception],
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Remembered, ...]:
    """Remember many claims in one commit; a bad line answers for itself, the others are kept."""
    entropy = drafting.entropy()
    drafted = [_drafted(opened, one, entropy, nth) for nth, one in enumerate(requests)]
    drafts = [one for one in drafted if isinstance(one, Draft)]
    vectors = drafting.meanings(opened, drafts, progress)
    with writing(opened, "remember --batch") as writer:
        taking = taking_in.take_in(writer, drafts, vectors)
        commit = taking.carry_out("")
    outcomes = iter(taking.outcomes)
    return tuple(
        _remembered(opened, next(outcomes), commit) if isinstance(one, Draft) else _failed(one)
        for one in drafted
    )


def _drafted(opened: Opened, request: Request | Exception, entropy: bytes, nth: int) -> Draft | MemError:
    try:
        if isinstance(request, MemError):
            return request
        if isinstance(request, Exception):
            raise request
        _check(opened, request)
        return drafting.draft(opened, request, entropy, nth)
    except MemError as error:
        if isinstance(request, Request) and request.line:
            error.message = f"Line {request.line}: {error.message}"
        return error


def _check(opened: Opened, request: Request) -> None:
    """What may not be asked: another scope than the session's, and of an agent, what is a person's act."""
    with suppress(Usage):  # what is no scope is told of with its line
        belonging.refuse_other_scope(opened, opened.parse_scope(request.scope))
    if (request.override or request.allow_secret) and opened.actor.kind is not ActorKind.HUMAN:
        raise Refused(
            "Letting pass what was removed, or a secret, is a person's act.",
            "Report it instead; a person can decide.",
        )


def _remembered(opened: Opened, outcome: Outcome, commit: str | None) -> Remembered:
    decision, schema = outcome.decision, outcome.draft.schema
    if decision is None:
        return _failed(outcome.error, scope=str(schema.scope), claim=schema.claim)
    skipped = decision.kind is Kind.SKIPPED
    replaced = decision.kind is Kind.SUPERSEDED
    return Remembered(
        id=outcome.id,
        path=outcome.path,
        decision=decision.kind.value,
        rule=decision.rule,
        score=decision.score,
        scope=str(schema.scope),
        claim=schema.claim,
        status=outcome.status,
        superseded=(decision.of,) if replaced else (),
        of=decision.of or None,
        commit=None if decision.kind in (Kind.SKIPPED, Kind.REPEATED) else commit,
        notices=_notices(outcome, decision),
        error=_why_skipped(opened, decision) if skipped else None,
        hint=_what_then(decision) if skipped else None,
        code=Refused.code if skipped else 0,
        until=outcome.until,
    )


def _notices(outcome: Outcome, decision: Decision) -> tuple[str, ...]:
    notices = []
    draft = outcome.draft
    if outcome.own:
        kept = f"{outcome.id} was known already and {keeps_own(outcome.own)}."
        notices.append(f"{kept} To change it: mem edit {outcome.id}")
    if decision.kind is Kind.REPEATED and outcome.status != Status.ACTIVE:
        now = outcome.status or "removed"
        notices.append(f"{outcome.id} is {now} by now, and the same key stores nothing anew.")
    if draft.request.supersede_concept and decision.kind is Kind.CREATED:
        notices.append(f"No active memory of the concept {draft.schema.concept!r}: nothing was superseded.")
    if decision.stays and outcome.status:
        notices.append(_unreplaced(outcome, decision))
    notices += conflict(decision)
    if decision.kind is Kind.REVIEW:
        notices.append(f"It resembles {decision.of} ({decision.because}) and waits for a person: mem review")
    return tuple(notices)


def conflict(decision: Decision) -> tuple[str, ...]:
    """What it contradicts from now on, in words; nothing where there is no such thing."""
    beside = ", ".join(decision.conflicts)
    return (f"It stands beside {beside} of the same concept: a conflict.",) if beside else ()


def _unreplaced(outcome: Outcome, decision: Decision) -> str:
    """What was to be replaced and was not, and what would replace it."""
    kept = f"{decision.stays} was not superseded and goes on counting"
    if outcome.status == Status.ACTIVE:
        return f"{kept} beside {outcome.id}. To replace it: mem supersede {decision.stays} {outcome.id}"
    return f"{kept} until a person decides about {outcome.id}: mem review"


def _why_skipped(opened: Opened, decision: Decision) -> str:
    if not decision.told:
        return f"It says again what was removed ({decision.of}, {decision.because}); nothing was stored."
    return f"It says again what was removed: {decision.of} is {decision.because}{_when(opened, decision.of)}."


def _when(opened: Opened, id_: str) -> str:
    """When and why it was removed, from the journal, for the person who says it again on purpose."""
    from memcli.journal import history
    from memcli.memory import times

    for entry in history.entries(opened.journal):
        if any(change.id == id_ for change in entry.changes):
            why = f", {entry.reason!r}" if entry.reason else ""
            return f" since {times.show_day(entry.at)} by {entry.actor}{why}"
    return ""


def _what_then(decision: Decision) -> str:
    if decision.told:
        return f"If it shall count again: mem remember --override {decision.of} …"
    return f"A person can let it pass: mem remember --override {decision.of} …"


def _failed(error: MemError | None, scope: str = "", claim: str = "") -> Remembered:
    message, hint, code = (error.message, error.hint, error.code) if error else ("", "", 70)
    return Remembered(
        None, None, "refused", "", None, scope, claim, "", error=message, hint=hint or None, code=code
    )
