"""Supersede: the old claim was right until the new one began; both files in one commit."""

from dataclasses import dataclass

from memcli.engine import drafting, handmade, resolve, same_second, taking_in
from memcli.engine.opened import Opened
from memcli.engine.outcome import Outcome
from memcli.engine.remember import conflict
from memcli.engine.switching import chain, change_of, changed, moment, spelled, standing
from memcli.engine.task import belonging
from memcli.engine.writer import Operation, Writer, writing
from memcli.errors import Refused, Usage
from memcli.journal.message import Message
from memcli.memory import lifecycle
from memcli.memory.admission import Kind
from memcli.memory.schema import Status


@dataclass(frozen=True, slots=True)
class Request:
    """`old` and `new` are ids, or `text` is a claim to make first; `start` is the switch instant as text."""

    old: str
    new: str | None = None
    text: str | None = None
    start: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Superseded:
    """The pair after the switch; `until` in seconds since 1970."""

    old: str
    new: str
    until: int
    claim: str
    path: str
    commit: str | None
    notices: tuple[str, ...] = ()


def run(opened: Opened, request: Request) -> Superseded:
    """Close the window of `old` where that of `new` begins. Raises Refused for cycles and illegal states."""
    if (request.new is None) == (request.text is None):
        raise Usage(
            "Supersede takes either another id or --with TEXT.", "mem supersede OLD --with 'The new claim.'"
        )
    if request.text is not None:
        return _with_text(opened, request, request.text)
    return same_second.waited_out(opened, lambda now: _with_id(now, request, request.new or ""))


def _with_text(opened: Opened, request: Request, text: str) -> Superseded:
    old = resolve.one(opened, request.old).schema
    belonging.refuse_unseen(opened, old)
    claim = drafting.Request(
        text,
        scope=str(old.scope),
        type=old.type.value,
        concept=old.concept,
        tags=old.tags,
        valid_from=request.start,
        supersedes=old.id,
        reason=request.reason,
    )
    outcome, commit = taking_in.take_one(opened, claim, unless=_unfit)
    return Superseded(
        old=old.id,
        new=outcome.id or "",
        until=outcome.until or opened.now,
        claim=outcome.draft.schema.claim,
        path=outcome.path or "",
        commit=commit,
        notices=conflict(outcome.decision) if outcome.decision else (),
    )


def _unfit(outcome: Outcome) -> Refused | None:
    """Why the new text replaces nothing, None where it does."""
    decision = outcome.decision
    if decision is None or decision.kind is Kind.SUPERSEDED:
        return None
    because = f"{decision.of}, {decision.because}"
    if decision.kind is Kind.REINFORCED:
        first = "" if outcome.status == Status.ACTIVE else "Once that one counts: "
        return Refused(
            f"The new text says what a memory says already ({because}); nothing was superseded.",
            f"{first}mem supersede {decision.stays} {decision.of}",
        )
    says = "says again" if decision.kind is Kind.SKIPPED else "resembles"
    return Refused(
        f"The new text {says} what was removed ({because}); nothing was superseded.",
        "To let it pass: mem remember TEXT --override ID, a person's act.",
    )


def _with_id(opened: Opened, request: Request, new_id: str) -> Superseded:
    with writing(opened, "supersede") as writer:
        return _by_id(writer, request, new_id)


def _by_id(writer: Writer, request: Request, new_id: str) -> Superseded:
    opened = writer.opened
    old, new = (resolve.one(opened, text, writer.view.confirmed) for text in (request.old, new_id))
    for one in (old, new):
        belonging.refuse_unseen(opened, one.schema)
    handmade.commit_first(writer, [old.path, new.path])
    said = moment(opened, request.start)
    begins = new.schema.validity.start if said is None else said
    same_second.refuse(old.schema, begins, opened.now)
    switch = lifecycle.switch_of(begins, opened.now)
    plan = lifecycle.supersede(standing(old), switch, new.schema.id, chain(writer), spell=spelled(opened))
    keys = lifecycle.succeeding(standing(new), new.schema.id, old.schema.id, switch, spelled(opened))
    message = Message("supersede", new.schema.claim, request.reason, (change_of(plan.old),))
    files = (changed(opened, old.path, plan.old.keys), changed(opened, new.path, keys))
    commit = writer.carry_out(Operation(message, files))
    return Superseded(old.schema.id, new.schema.id, plan.until, new.schema.claim, new.path, commit)
