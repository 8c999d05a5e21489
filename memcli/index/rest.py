"""The keys of a schema that no search looks at, packed into one text column.

Every column of a row costs a tenth of a millisecond to read, and most of these keys are
left out of most files: then the text is empty.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from memcli.memory.schema import (
    CONFIDENCE,
    ArchiveReason,
    Evidence,
    Link,
    Origin,
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
        "review": None if review is None else [review.reason, *review.of],
        "stage_pinned": schema.stage_pinned or None,
        "supersedes": schema.supersedes,
        "trust": None if schema.trust is Trust.TRUSTED else schema.trust,
    }
    told = {key: value for key, value in keys.items() if value is not None and value not in ("", [], ())}
    return json.dumps(told, ensure_ascii=False) if told else ""


def unpack(text: str) -> Mapping[str, Any]:
    """The arguments of Schema that `pack` made the text from."""
    if not text:
        return {}
    return {key: _READ[key](value) for key, value in json.loads(text).items()}


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
    "review": _review,
    "stage_pinned": bool,
    "supersedes": tuple,
    "trust": Trust,
}
