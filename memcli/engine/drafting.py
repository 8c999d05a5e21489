"""Drafting: a request in words becomes a candidate for the decision, checked before anything is written."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import urandom
from typing import TYPE_CHECKING, Any, Final

from memcli.engine.opened import Opened
from memcli.errors import Usage
from memcli.memory import guard, times, tokens
from memcli.memory.admission import Candidate
from memcli.memory.schema import CONFIDENCE, Evidence, Origin, Schema, Trust, Type, Validity
from memcli.memory.scope import Scope
from memcli.store import body, events, format, keys, secrets, sessions
from memcli.store.events import Event, Kind
from memcli.surroundings import Kind as ActorKind

if TYPE_CHECKING:
    import numpy as np

CHUNK: Final = 64  # texts encoded between two reports of progress
LIMIT_BYTES: Final = format.LIMIT_BYTES - 16 * 1024  # a file, less room for its frontmatter
HEAD_BYTES: Final = 16 * 1024  # asserted: of the 64 KiB that a frontmatter may have, less what is added later
_AROUND: Final = 16  # bytes that a value takes besides itself: its key, quotes, a line
LOGIC: Final = "1"  # the version of the rules that take events in; `mem replay` digests older ones again


@dataclass(frozen=True, slots=True)
class Request:
    """A claim to keep, in the words it was given; times are text as people write them.

    `supersedes` is the id of a memory that it replaces; `override` are removed ones that a
    person, told of them, lets it pass. `line` is its line in a batch, from 1; 0 outside one.
    """

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
    supersedes: str = ""
    reason: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A request that can be decided: what the guard sees, the file and the event that it would become.

    `recorded`: the event stands in its file already, and is not to be appended. `raw` is the file
    as another store has it, where it came whole, and `path` where it goes: its bytes stay but for what
    is decided.
    """

    request: Request
    candidate: Candidate
    schema: Schema
    event: Event
    recorded: bool = False
    raw: bytes = b""
    path: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """What is known of an event's claim beside the event: None and () where the event itself says it.

    `text` is the part of it that is claimed; `evidence` all that it rests on, `evidence_at` when the
    latest of that happened (seconds since 1970); `salience` in [0, 1] where it was weighed before;
    `proposal`: nobody claimed it, so a person decides.
    """

    text: str | None = None
    type: Type | None = None
    origin: Origin | None = None
    trust: Trust | None = None
    salience: float | None = None
    evidence: tuple[Evidence, ...] = ()
    evidence_at: int | None = None
    proposal: bool = False


def draft(opened: Opened, request: Request, entropy: bytes, nth: int) -> Draft:
    """The draft of `request`. Raises Usage for what cannot be a memory."""
    text = _text(request.text)
    scope = _scope(opened, request)
    window = _window(opened, request)
    occurred = moment(opened, request, "occurred_at", request.occurred_at)
    event = _event(opened, request, scope, occurred, events.new_id(opened.now_ms, entropy, nth))
    schema = _schema(opened, request, text, scope, window, event)
    return Draft(request, _candidate(opened, request, schema, event), schema, event)


def of_event(opened: Opened, event: Event, said: Said = Said()) -> Draft:
    """The draft of an event that was recorded before anybody decided about it: observed or imported.

    Its id is derived from the event, so that every replay gives the same. `data` of the event may
    hold type, concept, tags, valid_from and valid_to. Raises Usage for what cannot be a memory.
    """
    request = _request_of(event, said)
    text = _text(request.text)
    schema = _schema(opened, request, text, event.scope, _window(opened, request), event)
    origin = said.origin or _origin_of(event)
    trust = said.trust or _trust_of(event)
    schema = replace(
        schema,
        origin=origin,
        confidence=CONFIDENCE[origin],
        trust=trust,
        key=event.key,
        evidence=said.evidence or schema.evidence,
    )
    candidate = replace(
        _candidate(opened, request, schema, event),
        evidence_at=event.happened if said.evidence_at is None else said.evidence_at,
        explicit=False,
        person=False,
        trust=trust,
        type=schema.type,
        salience=said.salience,
        proposal=said.proposal,
    )
    return Draft(request, candidate, schema, event, recorded=True)


def _request_of(event: Event, said: Said) -> Request:
    data = event.data
    tags = data.get("tags")
    return Request(
        text=event.text if said.text is None else said.text,
        scope=str(event.scope),
        type=said.type or _told(data, "type") or Type.FACT.value,
        concept=_told(data, "concept"),
        tags=tuple(map(str, tags)) if isinstance(tags, list) else (),
        valid_from=_told(data, "valid_from") or None,
        valid_to=_told(data, "valid_to") or None,
    )


def _told(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def _origin_of(event: Event) -> Origin:
    kind = event.actor.partition(":")[0]
    return {"human": Origin.HUMAN, "agent": Origin.AGENT}.get(kind, Origin.CONSOLIDATOR)


def _trust_of(event: Event) -> Trust:
    """What a tool or the web said is nobody's word."""
    doubtful = event.data.get("role") == "tool" or event.data.get("trust") == Trust.UNTRUSTED.value
    return Trust.UNTRUSTED if doubtful else Trust.TRUSTED


def entropy() -> bytes:
    """What keeps the ids of two operations of the same instant apart."""
    return urandom(10)


def _text(text: str) -> str:
    if tokens.blank(text):
        raise Usage(
            "There is nothing to remember: the text is blank.", "Give the text, or - to read it from stdin."
        )
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise Usage(
            "The text is not UTF-8.", "Convert it first, or give it on stdin: … | mem remember -"
        ) from error
    if size > LIMIT_BYTES:
        raise Usage(
            f"The text has {size:,} bytes; a memory holds up to {LIMIT_BYTES:,}.",
            "Keep what is worth knowing, or divide it: one claim a memory.",
        )
    return text


def _named(request: Request, key: str) -> str:
    """How the one who wrote the value knows it: a key of a line in a batch, else an option of the verb."""
    if key == "valid_from" and request.supersedes:
        return "--from"
    return key if request.line else f"--{key.replace('_', '-')}"


def _scope(opened: Opened, request: Request) -> Scope:
    try:
        return opened.parse_scope(request.scope)
    except Usage as error:
        raise Usage(f"{_named(request, 'scope')}: {error.message}", error.hint) from error


def _window(opened: Opened, request: Request) -> Validity:
    start = moment(opened, request, "valid_from", request.valid_from)
    end = moment(opened, request, "valid_to", request.valid_to)
    if start is not None and end is not None and end <= start:
        raise Usage(
            f"{_named(request, 'valid_to')}: {request.valid_to} is not after {request.valid_from}: "
            "it would never be true.",
            f"The window runs from {_named(request, 'valid_from')} up to, not including, "
            f"{_named(request, 'valid_to')}.",
        )
    return Validity(start, end)


def moment(opened: Opened, request: Request, key: str, text: str | None) -> int | None:
    """Seconds since 1970 of the time that a request gives for `key`. Raises Usage, naming it."""
    if text is None:
        return None
    try:
        return times.parse(text, opened.settings.timezone)
    except times.NotATime as error:
        raise Usage(f"{_named(request, key)}: {error}.", "Relative times are not read.") from error


def _event(opened: Opened, request: Request, scope: Scope, occurred: int | None, id_: str) -> Event:
    return Event(
        id=id_,
        at=opened.now,
        scope=scope,
        actor=str(opened.actor),
        kind=Kind.CLAIM,
        logic=LOGIC,
        text=request.text,
        occurred_at=occurred,
        session=sessions.name(opened),
        key=request.key,
        data={"payload": _payload(request)} if request.key else {},
    )


def _payload(request: Request) -> str:
    """A digest of everything that a repeated key must repeat."""
    said = [
        *(request.text, request.type, request.concept, sorted(request.tags)),
        *(request.valid_from, request.valid_to, request.occurred_at, request.supersede_concept),
        *([sorted(request.evidence)] if request.evidence else []),  # so that older keys still hold
    ]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:32]


def _schema(  # noqa: PLR0913, PLR0917 - the parts of one schema
    opened: Opened, request: Request, text: str, scope: Scope, window: Validity, event: Event
) -> Schema:
    _refuse_unfit(request)
    read = body.read(text)
    claim, title = (read.claim, read.title) if read.claim else (text.strip(), "")
    evidence = (Evidence(event.id), *(Evidence(one) for one in request.evidence))
    schema = Schema(
        id=events.schema_id(event.id),
        scope=scope,
        claim=claim,
        title=title,
        detail=read.detail,
        type=_type(request),
        validity=window,
        concept=request.concept.strip(),
        evidence=evidence,
        overrides=request.override,
        tags=request.tags,
        key=request.key,
    )
    return _with_origin(opened, schema)


def _refuse_unfit(request: Request) -> None:
    """Raise Usage for what a file would hold and nobody could read back: it would be set aside."""
    for one in request.evidence:
        if not keys.is_id(one):
            hint = "mem recall --evidence refs names the events that memories rest on."
            raise Usage(f"{_named(request, 'evidence')}: {keys.shown(one)} is not the id of an event.", hint)
    if not all(one.strip() for one in request.tags):
        raise Usage("One of the tags is blank.", "Leave it out, or give it a name.")
    said = (request.concept, request.key, *request.tags, *request.evidence)
    size = sum(len(one.encode("utf-8", "surrogatepass")) + _AROUND for one in said)
    if size > HEAD_BYTES:
        raise Usage(
            f"Concept, tags, key and evidence take {size:,} bytes; a memory has room for {HEAD_BYTES:,}.",
            "A concept and a tag are a few words each; what is to be known belongs into the text.",
        )


def _with_origin(opened: Opened, schema: Schema) -> Schema:
    origin = Origin.HUMAN if opened.actor.kind is ActorKind.HUMAN else Origin.AGENT
    return replace(schema, origin=origin, confidence=CONFIDENCE[origin])


def _type(request: Request) -> Type:
    try:
        return Type(request.type)
    except ValueError as error:
        raise Usage(
            f"{_named(request, 'type')}: {request.type!r} is not a type.", f"There are {', '.join(Type)}."
        ) from error


def _candidate(opened: Opened, request: Request, schema: Schema, event: Event) -> Candidate:
    return Candidate(
        text=request.text,
        scope=schema.scope,
        as_of=opened.now,
        evidence_at=opened.now if event.occurred_at is None else event.occurred_at,
        concept=schema.concept,
        validity=schema.validity,
        events=frozenset(one.event for one in schema.evidence),
        person=opened.actor.kind is ActorKind.HUMAN,
        key=request.key,
        payload=str(event.data.get("payload", "")),
        secret="" if request.allow_secret else secrets.find(_all_text(request)) or "",
        supersedes=request.supersedes,
        supersede_concept=request.supersede_concept,
        required_tags=request.tags if request.supersede_concept else (),
        overrides=frozenset(request.override),
    )


def _all_text(request: Request) -> str:
    return "\n".join((request.text, request.concept, request.key, *request.tags))


def meanings(
    opened: Opened, drafts: Sequence[Draft], progress: Callable[[int, int], None] | None = None
) -> "list[np.ndarray | None]":
    """The unit vectors of each draft's pieces (guard.pieces), float32 [n, d]; None without an encoder."""
    if progress is None:
        return _meanings(opened, drafts)
    found: list[np.ndarray | None] = []
    for start in range(0, len(drafts), CHUNK):
        found += _meanings(opened, drafts[start : start + CHUNK])
        progress(min(start + CHUNK, len(drafts)), len(drafts))
    return found


def meaning(opened: Opened, draft: Draft, progress: Callable[[int, int], None] | None) -> "np.ndarray | None":
    """As `meanings` for one draft; `progress` is told how many of its pieces are read."""
    return _meanings(opened, [draft], progress)[0]


def _meanings(
    opened: Opened, drafts: Sequence[Draft], progress: Callable[[int, int], None] | None = None
) -> "list[np.ndarray | None]":
    encoder = opened.encoder
    if encoder is None:
        return [None] * len(drafts)
    from memcli.engine import filing

    said = [guard.pieces(one.candidate.text) for one in drafts]
    return filing.embedded(opened, encoder, said, progress, filing.WORKERS)
