"""The keys of FORMAT section 2 as one Schema: what each may hold, and what it is when left out.

An unknown status is not "active" and an upper-case one is not lower-cased: whatever does
not fit is a mistake, and a file with a mistake is set aside as a whole.
"""

import re
from typing import Final

from memcli.memory import scope
from memcli.memory.schema import (
    CONFIDENCE,
    RELATES_TO,
    Affected,
    ArchiveReason,
    Evidence,
    Link,
    Origin,
    Retraction,
    Review,
    ReviewReason,
    Schema,
    Stage,
    StaleReason,
    Status,
    Trust,
    Type,
    Validity,
)
from memcli.memory.scope import Scope
from memcli.store.body import Body
from memcli.store.keys import Keys, is_id, not_one_of, shown

KNOWN: Final = (
    *("id", "type", "status", "scope", "stage", "stage_pinned", "validity", "concept", "evidence"),
    *("stale_reason", "archive_reason", "review", "supersedes", "superseded_by", "retraction"),
    *("overrides", "confidence", "origin", "trust", "tags", "links", "key"),
)
# A misspelt one of these would show what should be withheld, so it is a mistake; others are remarked on.
_GRAVE: Final = frozenset({"id", "status", "scope", "validity"})
_MEANT: Final = {"valid_from": "validity: from", "valid_to": "validity: to"}
_INVISIBLE: Final = re.compile("[\\s\u00ad\u200b-\u200f\u2060\ufeff]+")
_NUMBER: Final = re.compile(r"\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}", re.ASCII)
_STAGES: Final = {stage.word: stage for stage in Stage}


def read(keys: Keys, body: Body, *, derived_id: str, folder_scope: Scope | None) -> Schema | None:
    """The schema that `keys` and `body` state, None where `keys.mistakes` says why not.

    `derived_id` and `folder_scope` stand in for keys that a person left out.
    """
    _remark_on_names(keys)
    _remark_on_gaps(keys)
    origin = keys.choice("origin", Origin, Origin.HUMAN)
    where = keys.parsed("scope", scope.parse, folder_scope)
    schema = Schema(
        id=keys.parsed("id", _id, derived_id),
        scope=where or scope.USER,
        claim=body.claim,
        title=body.title,
        detail=body.detail,
        type=keys.choice("type", Type, Type.FACT),
        status=keys.choice("status", Status, Status.ACTIVE),
        stage=keys.parsed("stage", _stage, Stage.SCOPED),
        stage_pinned=keys.parsed("stage_pinned", _switch, default=False),
        validity=_validity(keys.inner("validity")),
        concept=keys.text("concept"),
        evidence=tuple(_evidence(each) for each in keys.each("evidence")),
        stale_reason=keys.choice("stale_reason", StaleReason, None),
        archive_reason=keys.choice("archive_reason", ArchiveReason, None),
        review=_review(keys),
        supersedes=keys.ids("supersedes"),
        superseded_by=keys.parsed("superseded_by", _id, ""),
        retraction=_retraction(keys),
        overrides=keys.ids("overrides"),
        confidence=keys.parsed("confidence", _share, CONFIDENCE[origin]),
        origin=origin,
        trust=keys.choice("trust", Trust, Trust.TRUSTED),
        tags=keys.texts("tags"),
        links=tuple(_link(each) for each in keys.each("links")),
        key=keys.text("key"),
    )
    _require(keys, schema)
    if where is None and not keys.has("scope"):
        keys.wrong(
            "scope", "is missing, and the folder names none; write scope: project:NAME or move the file"
        )
    return None if keys.mistakes else schema


def _id(text: str) -> str:
    if not is_id(text):
        raise ValueError(
            f"{shown(text)} is not an id: up to 64 of A-Z a-z 0-9 . _ -, a letter or digit first"
        )
    return text


def _stage(text: str) -> Stage:
    if text not in _STAGES:
        raise ValueError(not_one_of(text, _STAGES))
    return _STAGES[text]


def _switch(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(not_one_of(text, ("true", "false")))
    return text == "true"


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{shown(text)} is not a number like 0.8")
    return float(text)


def _share(text: str) -> float:
    share = _number(text)
    if share > 1:
        raise ValueError(f"{shown(text)} is not between 0 and 1")
    return share


def _validity(keys: Keys) -> Validity:
    window = Validity(keys.moment("from"), keys.moment("to"))
    if window.start is not None and window.end is not None and window.end <= window.start:
        keys.wrong("to", "is not later than from, so the claim would never hold (from counts, to does not)")
    return window


def _evidence(keys: Keys) -> Evidence:
    if not keys.has("event"):
        keys.wrong("event", "is missing")
    return Evidence(keys.parsed("event", _id, ""), keys.text("quote"), keys.parsed("weight", _number, 1.0))


def _link(keys: Keys) -> Link:
    if not keys.has("to"):
        keys.wrong("to", "is missing")
    return Link(
        keys.parsed("to", _id, ""),
        keys.text("rel") or RELATES_TO,
        keys.parsed("weight", _number, 1.0),
    )


def _review(keys: Keys) -> Review | None:
    if not keys.has("review"):
        return None
    inner = keys.inner("review")
    reason = inner.choice("reason", ReviewReason, None)
    if reason is None and not inner.has("reason"):
        inner.wrong("reason", "is missing")
    return Review(reason or ReviewReason.PROPOSAL, inner.ids("of"))


def _retraction(keys: Keys) -> Retraction | None:
    if not keys.has("retraction"):
        return None
    inner = keys.inner("retraction")
    return Retraction(
        reason=inner.text("reason"),
        correction=inner.parsed("correction", _id, ""),
        cohesion=inner.parsed("cohesion", _share, 0.0),
        affected=tuple(_affected(each) for each in inner.each("affected")),
    )


def _affected(keys: Keys) -> Affected:
    if not keys.has("id"):
        keys.wrong("id", "is missing")
    return Affected(
        keys.parsed("id", _id, ""),
        keys.parsed("penalty", _share, 0.0),
        keys.parsed("hop", _step, 1),
        keys.parsed("path", _share, 1.0),
        cleared=keys.parsed("cleared", _switch, default=False),
    )


def _step(text: str) -> int:
    if text not in ("1", "2"):
        raise ValueError(not_one_of(text, ("1", "2")))
    return int(text)


def _require(keys: Keys, schema: Schema) -> None:
    """Statuses that mean nothing without their reason."""
    needs = {Status.STALE: "stale_reason", Status.ARCHIVED: "archive_reason", Status.NEEDS_REVIEW: "review"}
    needed = needs.get(schema.status)
    if needed and not keys.has(needed):
        keys.wrong("status", f"{schema.status} needs {needed}")


def _remark_on_names(keys: Keys) -> None:
    """Unknown keys are kept; one that looks like a known key is probably meant as it."""
    for name in keys.names():
        if name in KNOWN:
            continue
        plain = _INVISIBLE.sub("", name).casefold().replace("-", "_")
        meant = plain if plain in KNOWN else _MEANT.get(plain, "")
        if meant.partition(":")[0] in _GRAVE:
            keys.wrong(name, f"is not a key that mem reads; write {meant}")
        elif meant:
            keys.remark(name, f"is not a key that mem reads; {meant} may be meant")


def _remark_on_gaps(keys: Keys) -> None:
    """A key that withholds or places a claim, left standing without its value, is read as left out."""
    for name, instead in (("status", "active"), ("scope", "the folder's")):
        if name in keys.names() and not keys.has(name):
            keys.remark(name, f"is empty; {instead} is used")
