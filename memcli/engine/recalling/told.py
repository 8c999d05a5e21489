"""An answer of recall as the object that programs get: what `--json` prints, and what a receipt is about.

Written once, so that a receipt speaks of the very values that were given.
"""

from typing import TYPE_CHECKING, Final

from memcli.memory import times
from memcli.memory.rounding import number

if TYPE_CHECKING:
    from memcli.engine.recalling.answer import Answer, Item, Saying
    from memcli.memory.gate import Decision

EVENT: Final = "event"  # the kind of what was said, beside `schema`


def as_json(answer: "Answer", evidence: str) -> dict[str, object]:
    """The object of `mem.recall/1`."""
    held = answer.withheld
    told: dict[str, object] = {
        "format": "mem.recall/1",
        "outcome": answer.outcome,
        "query": answer.query,
        "scope": answer.scope,
        "mode": answer.mode,
        "as_of": _moment(answer.as_of),
        "known_at": {"commit": answer.commit, "dirty": answer.dirty} | _then(answer),
        "items": [_item(item, evidence) for item in answer.items] + [_turn(said) for said in answer.said],
        "withheld": {
            "count": held.count,
            "top_score": number(held.top_score),
            "threshold": number(held.threshold),
            "by": {reason: held.by.get(reason, 0) for reason in _REASONS},
        },
        "tokens": answer.tokens,
        "stale": answer.stale,
        "receipt": None,
        "gate": None if answer.gate is None else gate(answer.gate),
        "hint": answer.hint,
    }
    if answer.notices:
        told["notices"] = list(answer.notices)
    return told


def gate(decided: "Decision") -> dict[str, object]:
    """The keys of `mem.gate/1`, and of `gate` in `mem.recall/1`."""
    return {
        "retrieve": decided.retrieve,
        "query": decided.query,
        "reason": decided.reason.value,
        "evidence": number(decided.evidence),
        "threshold": number(decided.threshold),
    }


def _then(answer: "Answer") -> dict[str, object]:
    """What `known_at` says more where another time was asked about."""
    then = answer.then
    return {} if then is None else {"asked": then.asked, "at": _moment(then.at)}


_REASONS: Final = ("floor", "validity", "status", "type", "tag", "budget")


def _item(item: "Item", evidence: str) -> dict[str, object]:
    schema = item.schema
    return {
        "kind": "schema",
        "id": schema.id,
        "path": item.path,
        "type": str(schema.type),
        "status": str(schema.status),
        "scope": str(schema.scope),
        "stage": schema.stage.word,
        "validity": window(schema.validity.start, schema.validity.end),
        "text": schema.claim,
        "score": number(item.score),
        "match": number(item.match),
        "conflict": list(item.conflict),
        "via": item.via,
        "signals": {"vector": number(item.vector), "lexical": number(item.lexical)},
        "confidence": number(schema.confidence if item.confidence is None else item.confidence),
        "evidence": _evidence(item, evidence),
    }


def _turn(said: "Saying") -> dict[str, object]:
    return {
        "kind": EVENT,
        "id": said.event.id,
        "path": said.path,
        "session": said.event.session or None,
        "scope": str(said.event.scope),
        "at": _moment(said.at),
        "subject": said.subject or None,
        "text": said.event.text,
        "score": number(said.score),
        "match": number(said.match),
        "via": said.via,
        "signals": {"vector": number(said.vector), "lexical": number(said.lexical)},
    }


def window(start: int | None, end: int | None) -> dict[str, object]:
    """A validity for JSON."""
    return {"from": _moment(start), "to": _moment(end)}


def _evidence(item: "Item", how: str) -> list[object]:
    if how == "none":
        return []
    if how == "refs":
        return [one.event for one in item.schema.evidence]
    return [
        {"event": one.event, "quote": one.quote, "weight": number(one.weight)} for one in item.schema.evidence
    ]


def _moment(seconds: int | None) -> str | None:
    return None if seconds is None else times.show(seconds)
