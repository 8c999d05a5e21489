"""Retract: a claim that was never right is taken back, with a reason and, where there is one, its correction.

One file changes, and it holds everything: the reason, the correction, what each neighbour
loses. So taking it back is exact, and no neighbour's file is ever touched.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memcli.engine import handmade, reconcile, resolve, twins
from memcli.engine.drafting import Draft
from memcli.engine.neighbourhood import Neighbourhood
from memcli.engine.opened import Opened
from memcli.engine.outcome import Outcome
from memcli.engine.resolve import Found
from memcli.engine.retracting import correcting, losing
from memcli.engine.retracting.losing import Lost
from memcli.engine.taking_in import TakingIn
from memcli.engine.view import View
from memcli.engine.writer import Operation, Writer, writing
from memcli.errors import Refused, Usage
from memcli.journal.message import Message
from memcli.memory import lifecycle
from memcli.memory.admission import Kind
from memcli.memory.schema import Retraction, Schema, Status
from memcli.store import compose

if TYPE_CHECKING:
    import numpy as np

    Correction = tuple[Draft, "np.ndarray | None"]

RETRACT: Final = "retract"
_FILE_KEEPS: Final = "The file keeps the claim; `mem recall --mode history` shows it as retracted."


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be retracted (an id), why, and what is right instead, in words."""

    id: str
    reason: str = ""
    correction: str | None = None


@dataclass(frozen=True, slots=True)
class Retracting:
    """A retraction, planned (`commit` None) or carried out; `lost` are the neighbours to be seen from here.

    `correction` is the id of what is right instead, "" where nothing was given or it is only
    planned; `waits`: a person has to look at it before it counts. `passed_on` counts the links
    that it takes over.
    """

    id: str
    claim: str
    prior_status: str
    status: str
    cohesion: float = 0.0
    lost: tuple[Lost, ...] = ()
    commit: str | None = None
    correction: str = ""
    waits: bool = False
    passed_on: int = 0
    remains: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def plan(opened: Opened, request: Request) -> Retracting:
    """What `run` would do; nothing is written. Raises as `run`."""
    view = reconcile.freshen(opened)
    opened.notices.extend(view.notices)
    found = resolve.one(opened, request.id, view.confirmed)
    schema = found.schema
    change = lifecycle.retract(schema, "", found.effective)
    if change is None:
        return _already(found, request.correction)
    made = _made(opened, request)
    believed = _believed(opened, view, made, schema) if made else ""
    spread = losing.spread(opened, view, schema, believed)
    return Retracting(
        id=schema.id,
        claim=schema.claim,
        prior_status=change.prior.value,
        status=change.status.value,
        cohesion=spread.cohesion,
        lost=losing.named(opened, view, schema, spread),
        passed_on=len(made[0].schema.links) if made and not believed else 0,
    )


def _believed(opened: Opened, view: View, made: "Correction", schema: Schema) -> str:
    """The id of the memory that says the correction already, "" for none. Raises Refused."""
    decision = correcting.decided(opened, Neighbourhood(opened, view), *made, schema)
    return decision.of if decision.kind is Kind.REINFORCED else ""


def run(opened: Opened, request: Request) -> Retracting:
    """Retract it, with its correction, in one commit; the caller has a person's word.

    Raises NoSuchMemory, Usage without a reason, and Refused for what is forgotten, for a correction
    that says the same again or what was removed before, and for one of what is retracted already.
    """
    if not request.reason.strip():
        raise Usage("A retraction needs its reason.", f'mem retract {request.id} --reason "why it is wrong"')
    made = _made(opened, request)
    with writing(opened, RETRACT) as writer:
        path = resolve.one(opened, request.id, writer.view.confirmed).path
        handmade.commit_first(writer, [path])
        found = resolve.at(opened, path, writer.view.confirmed)
        return _run(writer, found, request.reason, made)


def _made(opened: Opened, request: Request) -> "Correction | None":
    """The correction, encoded before anybody waits for the lock."""
    if request.correction is None:
        return None
    draft = correcting.draft(opened, resolve.one(opened, request.id).schema, request.correction)
    return draft, correcting.meaning(opened, draft)


def _run(writer: Writer, found: Found, reason: str, made: "Correction | None") -> Retracting:
    opened, view, schema = writer.opened, writer.view, found.schema
    taking = TakingIn(writer)
    if lifecycle.retract(schema, "", found.effective) is None:
        return _already(found, made)
    outcome = correcting.taken(taking, *made, schema) if made else None
    correction = (outcome.id or "") if outcome else ""
    spread = losing.spread(opened, view, schema, correction)
    lost = losing.named(opened, view, schema, spread)
    affected = losing.kept(opened, view, schema, spread)
    block = Retraction(" ".join(reason.split()), correction, spread.cohesion, affected)
    change = _retracted(taking, found, block)
    own, *others = reversed(taking.noted.changes)
    message = Message(RETRACT, schema.claim, reason, (own, *others))
    commit = writer.carry_out(Operation(message, taking.noted.files, tuple(taking.noted.events)))
    return Retracting(
        id=schema.id,
        claim=schema.claim,
        prior_status=change.prior.value,
        status=change.status.value,
        cohesion=spread.cohesion,
        lost=lost,
        commit=commit,
        correction=correction,
        waits=outcome is not None and outcome.status == Status.NEEDS_REVIEW,
        passed_on=_passed_on(outcome),
        remains=twins.remains(writer.opened, writer.view, schema, _FILE_KEEPS, RETRACT),
        notices=_notices(schema),
    )


def _retracted(taking: TakingIn, found: Found, block: Retraction) -> lifecycle.Change:
    """Note the retraction beside what the correction changes."""
    change = lifecycle.retract(found.schema, compose.retraction(block) or "", found.effective)
    if change is None:
        raise AssertionError("it was not retracted a moment ago")
    taking.noted.alter(found.path, change)
    return change


def _already(found: Found, correction: object) -> Retracting:
    """Nothing is to do. Raises Refused where a correction would be lost by that."""
    if correction is not None:
        raise Refused(
            f"{found.schema.id} is retracted already; its correction was not remembered.",
            "Remember it by itself: mem remember TEXT",
        )
    status = Status.RETRACTED.value
    return Retracting(found.schema.id, found.schema.claim, status, status)


def _passed_on(outcome: Outcome | None) -> int:
    """The links that the correction took over: none where another memory says it already."""
    return len(outcome.draft.schema.links) if outcome and outcome.id == outcome.draft.schema.id else 0


def _notices(schema: Schema) -> tuple[str, ...]:
    """What a person might expect to have come back, and has not."""
    return tuple(
        f"{id_}, which it had superseded, stays so; `mem reopen {id_}` lets it count again."
        for id_ in schema.supersedes
    )
