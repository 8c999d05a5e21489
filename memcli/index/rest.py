"""The keys of a schema that no search looks at, packed into one text column.

Every column of a row costs a tenth of a millisecond to read, and most of these keys are
left out of most files: then the text is empty.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from memcli.memory.schema import (
    CONFIDENCE,
    Affected,
    ArchiveReason,
    Evidence,
    Link,
    Origin,
    Retraction,
    Review,
    ReviewReason,
    Schema,
    Trust,
)


def pack(schema: Schema) -> str:
    """The keys of `schema` that differ from their defaults, as JSON; "" where none does."""
    review = schema.review
    keys = {
        "archive_reason": schema.archive_reason,
        "confidence": None if schema.confidence == CONFIDENCE[Origin.HUMAN] else schema.confidence,
        "evidence": [evidence.event for evidence in schema.evidence],
        "key": schema.key,
        "links": [[link.to, link.rel, link.weight] for link in schema.links],
        "origin": None if schema.origin is Origin.HUMAN else schema.origin,
        "overrides": schema.overrides,
        "retraction": _told(schema.retraction),
        "review": None if review is None else [review.reason, *review.of],
        "stage_pinned": schema.stage_pinned or None,
        "supersedes": schema.supersedes,
        "trust": None if schema.trust is Trust.TRUSTED else schema.trust,
    }
    told = {key: value for key, value in keys.items() if value is not None and value not in ("", [], ())}
    return json.dumps(told, ensure_ascii=False) if told else ""


def retraction(text: str) -> Retraction | None:
    """What a packed schema says of its retraction; most say nothing, and are not read."""
    return unpack(text).get("retraction") if casts_doubt((text,)) else None


def unpack(text: str) -> Mapping[str, Any]:
    """The arguments of Schema that `pack` made the text from."""
    if not text:
        return {}
    return {key: _READ[key](value) for key, value in json.loads(text).items()}


def casts_doubt(packed: Iterable[str]) -> bool:
    """Whether any of these texts holds what a retraction takes from others."""
    return any('"retraction"' in text for text in packed)


def _told(retraction: Retraction | None) -> list[Any] | None:
    if retraction is None:
        return None
    affected = [[one.id, one.penalty, one.hop, one.path, one.cleared] for one in retraction.affected]
    return [retraction.reason, retraction.correction, retraction.cohesion, affected]


def _retraction(told: list[Any]) -> Retraction:
    reason, correction, cohesion, affected = told
    return Retraction(reason, correction, cohesion, tuple(Affected(*one) for one in affected))


def _review(told: list[str]) -> Review:
    return Review(ReviewReason(told[0]), tuple(told[1:]))


_READ: Final[Mapping[str, Callable[[Any], Any]]] = {
    "archive_reason": ArchiveReason,
    "confidence": float,
    "evidence": lambda told: tuple(map(Evidence, told)),
    "key": str,
    "links": lambda told: tuple(Link(*link) for link in told),
    "origin": Origin,
    "overrides": tuple,
    "retraction": _retraction,
    "review": _review,
    "stage_pinned": bool,
    "supersedes": tuple,
    "trust": Trust,
}
