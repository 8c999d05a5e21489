"""Claims that come without a file: lines of anybody's making, weighed like what was observed.

Each leaves an event, keyed by what it says, so that the same lines a second time are known.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memcli.engine import drafting
from memcli.engine.drafting import Draft, Request, Said
from memcli.engine.opened import Opened
from memcli.engine.task import belonging
from memcli.errors import MemError
from memcli.memory.schema import Evidence, Origin, Trust
from memcli.store import event
from memcli.store.events import Event, Kind
from memcli.surroundings import Kind as ActorKind


def drafts(opened: Opened, claims: Sequence[Request], *, trusted: bool) -> Iterator[Draft | MemError]:
    """A draft of each, or why it cannot be one. Without `trusted` a person has to decide about it."""
    entropy = drafting.entropy()
    for nth, request in enumerate(claims):
        try:
            yield _draft(opened, request, event.new_id(opened.now_ms, entropy, nth), trusted=trusted)
        except MemError as error:
            error.message = f"Line {request.line}: {error.message}"
            yield error


def _draft(opened: Opened, request: Request, id_: str, *, trusted: bool) -> Draft:
    payload = _payload(request)
    scope = opened.parse_scope(request.scope)
    if opened.actor.kind is not ActorKind.HUMAN:
        belonging.refuse_other_scope(opened, scope)
    happened = Event(
        id=id_,
        at=opened.now,
        scope=scope,
        actor=str(opened.actor),
        kind=Kind.CLAIM,
        logic=drafting.LOGIC,
        text=request.text,
        occurred_at=drafting.moment(opened, request, "occurred_at", request.occurred_at),
        key=request.key or f"import {payload}",
        data=_told(request, payload, trusted=trusted),
    )
    said = Said(
        origin=Origin.IMPORT,
        trust=Trust.TRUSTED if trusted else Trust.UNTRUSTED,
        evidence=tuple(Evidence(one) for one in (id_, *request.evidence)),
    )
    draft = drafting.of_event(opened, happened, said)
    return replace(
        draft,
        request=replace(draft.request, key=happened.key, line=request.line),
        candidate=replace(draft.candidate, key=happened.key, payload=payload),
        recorded=False,
    )


def _payload(request: Request) -> str:
    """A digest of everything that a repeated line repeats."""
    said = [request.text, request.scope, request.type, request.concept, request.tags]
    times = [request.valid_from, request.valid_to, request.occurred_at]
    rests = [sorted(request.evidence)] if request.evidence else []  # so that older lines are known still
    return hashlib.sha256(json.dumps([*said, *times, *rests]).encode()).hexdigest()[:32]


def _told(request: Request, payload: str, *, trusted: bool) -> dict[str, object]:
    told: dict[str, object] = {
        "observed": True,
        "type": request.type,
        "concept": request.concept,
        "tags": list(request.tags),
        "valid_from": request.valid_from,
        "valid_to": request.valid_to,
        "payload": payload,
        "trust": "" if trusted else Trust.UNTRUSTED.value,
    }
    return {key: value for key, value in told.items() if value}
