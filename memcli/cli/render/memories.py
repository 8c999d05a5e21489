"""Memories as files: whole for reading, or one a line."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.cli.render.width import cells, cut

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.reading import Listed, Shown
    from memcli.memory.schema import Retraction, Review, Schema


_LABEL: Final = len("replaced by") + 1  # the longest label, and a space


def shown(one: "Shown", zone: "tzinfo") -> Iterator[tuple[Piece, ...]]:
    """Lines for a person: what it is, the text, then everything known about it."""
    schema = one.schema
    standing: Piece = (one.effective, "good" if one.effective == "active" else "warn")
    yield (schema.id, "name"), f"  {schema.type}  ", standing, f"  {schema.scope}"
    if schema.title:
        yield ((schema.title, "strong"),)
    yield from ((line,) for line in schema.claim.splitlines())
    if schema.detail:
        yield ()
        yield from ((line,) for line in schema.detail.splitlines())
    yield ()
    for name, value in _about(one, schema, zone):
        yield (f"{name:<{_LABEL}}", "dim"), value


def _about(one: "Shown", schema: "Schema", zone: "tzinfo") -> Iterator[tuple[str, str]]:
    if schema.validity.start is not None or schema.validity.end is not None:
        yield (
            "true",
            f"{moments.bound(schema.validity.start, zone)} until {moments.bound(schema.validity.end, zone)}",
        )
    if schema.concept:
        yield "concept", schema.concept
    if schema.tags:
        yield "tags", ", ".join(schema.tags)
    reason = schema.stale_reason or schema.archive_reason or (schema.review and schema.review.reason)
    if reason:
        yield "because", str(reason)
    if schema.supersedes:
        yield "supersedes", " ".join(schema.supersedes)
    if schema.superseded_by:
        yield "replaced by", schema.superseded_by
    if one.conflict:
        yield "conflict", " ".join(one.conflict)
    for evidence in schema.evidence:
        yield "evidence", f"{evidence.event}  {one_line(evidence.quote)}".rstrip()
    if schema.retraction is not None and one.effective == "retracted":
        yield from _retraction(schema.retraction)
    doubted = "" if one.confidence == schema.confidence else f" of {schema.confidence:.2f}, see --why"
    about = f"({schema.origin}, {schema.trust}, {schema.stage.word})"
    yield "confidence", f"{one.confidence:.2f}{doubted} {about}"
    yield "file", one.path


def _retraction(one: "Retraction") -> Iterator[tuple[str, str]]:
    if one.reason:
        yield "because", one_line(one.reason)
    if one.correction:
        yield "right", one.correction


def _retraction_json(one: "Retraction | None") -> dict[str, object] | None:
    """Whom else it affects is not told here: some of it may lie in scopes that are not seen."""
    return None if one is None else {"reason": one.reason or None, "correction": one.correction or None}


def _review_json(one: "Review | None") -> dict[str, object] | None:
    return None if one is None else {"reason": one.reason.value, "of": list(one.of)}


def shown_json(one: "Shown") -> dict[str, object]:
    """The object of `mem.show/1`."""
    from memcli.cli.render.strict_json import number
    from memcli.engine.recalling.told import window

    schema = one.schema
    told: dict[str, object] = {
        "format": "mem.show/1",
        "id": schema.id,
        "path": one.path,
        "type": str(schema.type),
        "status": one.effective,
        "stated": str(schema.status),
        "scope": str(schema.scope),
        "stage": schema.stage.word,
        "stage_pinned": schema.stage_pinned,
        "validity": window(schema.validity.start, schema.validity.end),
        "concept": schema.concept or None,
        "title": schema.title or None,
        "text": schema.claim,
        "detail": schema.detail or None,
        "tags": list(schema.tags),
        "stale_reason": schema.stale_reason and schema.stale_reason.value,
        "archive_reason": schema.archive_reason and schema.archive_reason.value,
        "review": _review_json(schema.review),
        "supersedes": list(schema.supersedes),
        "superseded_by": schema.superseded_by or None,
        "overrides": list(schema.overrides),
        "conflict": list(one.conflict),
        "confidence": number(one.confidence),
        "retraction": _retraction_json(schema.retraction),
        "origin": str(schema.origin),
        "trust": str(schema.trust),
        "key": schema.key or None,
        "evidence": [
            {"event": each.event, "quote": each.quote, "weight": number(each.weight)}
            for each in schema.evidence
        ],
        "links": [{"to": each.to, "rel": each.rel, "weight": number(each.weight)} for each in schema.links],
    }
    if one.notices:
        told["notices"] = list(one.notices)
    return told


def listed(one: "Listed", width: int, *, scope: str) -> tuple[Piece, ...]:
    """One line for a person, cut to `width`; the scope only where it is not the one asked from."""
    standing: tuple[Piece, ...] = () if one.status == "active" else ("  ", (one.status, "warn"))
    elsewhere: tuple[Piece, ...] = () if one.scope == scope else ("  ", (one.scope, "dim"))
    before = (
        len(one.id) + sum(2 + len(text) for text in (one.type, *_words(standing), *_words(elsewhere))) + 2
    )
    claim = one_line(one.claim)
    room = width - before
    shown_claim = cut(claim, room) if room >= cells("…") + 8 else claim
    return (one.id, "name"), (f"  {one.type}", "dim"), *standing, *elsewhere, "  ", shown_claim


def _words(pieces: tuple[Piece, ...]) -> list[str]:
    return [piece[0] for piece in pieces if isinstance(piece, tuple)]


def listed_row(one: "Listed") -> tuple[str, str, str, str, str]:
    """One line for a pipe: id, status, type, scope, claim."""
    return one.id, one.status, one.type, one_line(one.scope), one_line(one.claim)


def listed_json(one: "Listed") -> dict[str, object]:
    """One entry of `mem.list/1`."""
    from memcli.engine.recalling.told import window

    return {
        "id": one.id,
        "path": one.path,
        "status": one.status,
        "type": one.type,
        "scope": one.scope,
        "validity": window(one.valid_from, one.valid_to),
        "text": one.claim,
    }
