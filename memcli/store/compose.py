"""A schema as a fresh file, and moments as files spell them.

What is written has to read back as what was meant, so every file is read again before it
is handed out; text that cannot stand in a file is refused, never bent.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from typing import Final

from memcli.errors import BadFile
from memcli.memory import times
from memcli.memory.schema import (
    CONFIDENCE,
    Affected,
    Evidence,
    Link,
    Origin,
    Retraction,
    Schema,
    Stage,
    Trust,
    Validity,
)
from memcli.store import body as bodies
from memcli.store import fences, plain
from memcli.store.plain import Plain

_SAID: Final = "Say it in other words, or indent what looks like that."


def compose(schema: Schema, body_extra: str = "", *, zone: tzinfo | None = None) -> bytes:
    """The bytes of a new file for `schema`: id, type, status and scope, and what differs from the defaults.

    `body_extra` follows the claim as it is (instead of a detail that would be set apart by a
    blank line). With `zone`, the store's, a validity that begins at a midnight there is
    written as a date. Raises BadFile where the text would not read back.
    """
    lines = [line for key, value in _keys(schema, zone).items() for line in plain.lines(key, value)]
    text = "\n".join(["---", *lines, "---", "", _body(schema) + body_extra]).rstrip("\n") + "\n"
    try:
        raw = text.encode()
    except UnicodeEncodeError as error:
        raise BadFile("the text holds bytes that are not UTF-8", "Give it as UTF-8.") from error
    _check(schema, raw)
    return raw


def moment(seconds: int, zone: tzinfo | None = None) -> str:
    """`seconds` as files spell it: a date at a midnight of `zone`, else a time in UTC."""
    if zone is not None:
        local = datetime.fromtimestamp(seconds, UTC).astimezone(zone)
        day = local.strftime("%4Y-%m-%d")
        if times.parse(day, zone) == seconds:
            return day
    return times.show(seconds)


def _keys(schema: Schema, zone: tzinfo | None) -> dict[str, Plain]:
    """The frontmatter in the order of FORMAT section 2."""
    keys: dict[str, Plain | None] = {
        "id": schema.id,
        "type": schema.type.value,
        "status": schema.status.value,
        "scope": str(schema.scope),
        "stage": None if schema.stage is Stage.SCOPED else schema.stage.word,
        "stage_pinned": schema.stage_pinned or None,
        "validity": _validity(schema.validity, zone),
        "concept": schema.concept,
        "evidence": [_evidence(each) for each in schema.evidence],
        "stale_reason": schema.stale_reason and schema.stale_reason.value,
        "archive_reason": schema.archive_reason and schema.archive_reason.value,
        "review": _review(schema),
        "supersedes": list(schema.supersedes),
        "superseded_by": schema.superseded_by,
        "retraction": retraction(schema.retraction),
        "overrides": list(schema.overrides),
        "confidence": None if schema.confidence == CONFIDENCE[schema.origin] else schema.confidence,
        "origin": None if schema.origin is Origin.HUMAN else schema.origin.value,
        "trust": None if schema.trust is Trust.TRUSTED else schema.trust.value,
        "tags": list(schema.tags),
        "links": [_link(each) for each in schema.links],
        "key": schema.key,
    }
    return {key: value for key, value in keys.items() if value is not None and value not in ("", [], {})}


def _validity(window: Validity, zone: tzinfo | None) -> dict[str, Plain]:
    ends = {"from": window.start, "to": window.end}
    return {key: moment(at, zone) for key, at in ends.items() if at is not None}


def _evidence(evidence: Evidence) -> dict[str, Plain]:
    keys: dict[str, Plain] = {"event": evidence.event}
    if evidence.quote:
        keys["quote"] = evidence.quote
    return keys if evidence.weight == 1 else keys | {"weight": evidence.weight}


def _link(link: Link) -> dict[str, Plain]:
    keys: dict[str, Plain] = {"to": link.to, "rel": link.rel}
    return keys if link.weight == 1 else keys | {"weight": link.weight}


def retraction(one: Retraction | None) -> dict[str, Plain] | None:
    """The block of a retracted schema as files spell it."""
    if one is None:
        return None
    keys: dict[str, Plain] = {"reason": one.reason, "correction": one.correction, "cohesion": one.cohesion}
    keys["affected"] = affected(one.affected)
    return {key: value for key, value in keys.items() if value not in ("", [])}


def affected(all_of_them: Iterable[Affected]) -> list[Plain]:
    """What a retraction takes from others as files spell it."""
    return [_affected(one) for one in all_of_them]


def _affected(one: Affected) -> dict[str, Plain]:
    keys: dict[str, Plain] = {"id": one.id, "penalty": one.penalty, "hop": one.hop, "path": one.path}
    return keys | {"cleared": True} if one.cleared else keys


def _review(schema: Schema) -> dict[str, Plain] | None:
    if schema.review is None:
        return None
    of: dict[str, Plain] = {"of": list(schema.review.of)} if schema.review.of else {}
    return {"reason": schema.review.reason.value} | of


def _body(schema: Schema) -> str:
    """Title, claim and detail as paragraphs; an empty heading keeps a claim that looks like one."""
    parts = [schema.claim, schema.detail]
    title = f"# {schema.title}" + (" #" if schema.title.endswith("#") else "")
    if schema.title or bodies.read(schema.claim).claim != schema.claim:
        parts.insert(0, title.rstrip(" "))
    return "\n\n".join(part for part in parts if part)


def _check(schema: Schema, raw: bytes) -> None:
    """Raises BadFile unless `raw` reads back as the title and claim of `schema`."""
    try:
        read = bodies.read(raw[fences.find(raw).body :].decode())
    except fences.Unfenced as error:
        raise BadFile(f"this text cannot stand in a file: {error.what}", _SAID) from error
    if fences.conflict_line(raw):
        raise BadFile("this text cannot stand in a file: it looks like a merge conflict of git", _SAID)
    if not bodies.says_something(read.claim) or (read.title, read.claim) != (schema.title, schema.claim):
        hint = "A claim is one paragraph: put the rest below it, set apart by a blank line."
        raise BadFile("this text would not read back as the same claim", hint)
