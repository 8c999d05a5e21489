"""What waits for a person, why, and which keys each of a person's decisions writes.

The danger is a decision that does not hold: what was accepted must not be held back again
by the next rebuild or merge, and what was rejected must not be proposed again. So an accepted
memory names what it was let past in `overrides`, and a rejected one stays as a file.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memcli.memory.lifecycle import Change, Plain
from memcli.memory.schema import ArchiveReason, ReviewReason, Schema, Status


class Why(StrEnum):
    """Why something stands in the queue; where a file says so, in the words of its `review`."""

    REPORTED = "reported"  # somebody said it no longer holds, and it was taken out
    SAID_AGAIN = "said_again"  # it arrived, and says what was removed
    HELD_HERE = "held_here"  # of a wider scope, and withheld in this one, where it was removed
    NEWER_EVIDENCE = "newer_evidence"
    RESEMBLES = "resembles"
    CONFLICT = "conflict"  # two claims of one concept hold at the same time
    CONTAMINATED = "contaminated"
    PROPOSAL = "proposal"
    STAGED = "staged"
    UNMERGED = "unmerged"  # git left a conflict in the file


ORDER: Final = tuple(Why)  # of the queue: what is out of the answers although it may be right comes first
_PASSES: Final = frozenset({ReviewReason.RESEMBLES, ReviewReason.NEWER_EVIDENCE})
_REPORTED: Final = frozenset({Status.STALE, Status.SUPERSEDED})
DECISIONS: Final[Mapping[Why, tuple[str, ...]]] = MappingProxyType(
    {
        **dict.fromkeys(Why, ("accept", "edit", "reject", "supersede", "forget")),
        Why.REPORTED: ("reopen", "leave", "forget"),
        Why.CONFLICT: ("supersede", "edit", "reject", "forget"),
        Why.CONTAMINATED: ("accept", "edit", "reject", "forget"),
        Why.HELD_HERE: ("accept",),
        Why.UNMERGED: ("edit",),
    },
)
"""What a person may decide about each; to leave it for later is always possible."""


def why(schema: Schema, status: Status) -> Why | None:
    """Why the schema itself waits, or None; `status` is the one that counts."""
    if status is not schema.status:
        return None
    if status is Status.STAGED:
        return Why.STAGED
    if schema.review is None:
        return None
    if status is Status.NEEDS_REVIEW:
        return Why(schema.review.reason.value)
    reported = schema.review.reason is ReviewReason.REPORTED
    return Why.REPORTED if reported and status in _REPORTED else None


def waits_for_newer(schema: Schema) -> bool:
    """Whether it says what was removed, on evidence that is newer than the removal."""
    return schema.review is not None and schema.review.reason is ReviewReason.NEWER_EVIDENCE


def let_past(schema: Schema) -> tuple[str, ...]:
    """The removed memories that accepting `schema` lets it past: those that it was held for."""
    held = schema.review is not None and schema.review.reason in _PASSES
    return schema.review.of if held and schema.review else ()


def overriding(schema: Schema, ids: Iterable[str]) -> list[str]:
    """The value of `overrides` with `ids` added."""
    return list(dict.fromkeys((*schema.overrides, *ids)))


def accepted(schema: Schema) -> Change:
    """`schema` as it counts from now on."""
    keys: dict[str, Plain | None] = {}
    if schema.status is not Status.ACTIVE:
        keys["status"] = Status.ACTIVE.value
    if schema.review is not None:
        keys["review"] = None
    passed = let_past(schema)
    if set(passed) - set(schema.overrides):
        keys["overrides"] = overriding(schema, passed)
    return Change(schema.id, schema.status, Status.ACTIVE, keys)


def rejected(schema: Schema) -> Change:
    """`schema` archived as rejected: whoever says it again is skipped."""
    keys: dict[str, Plain | None] = {
        "status": Status.ARCHIVED.value,
        "archive_reason": ArchiveReason.REJECTED.value,
    }
    if schema.review is not None:
        keys["review"] = None
    return Change(schema.id, schema.status, Status.ARCHIVED, keys)


def left_out(schema: Schema) -> Change:
    """The report about `schema` stands: it stays as it is and waits no longer."""
    return Change(schema.id, schema.status, schema.status, {"review": None})


def rivals(schemas: Sequence[Schema]) -> list[tuple[Schema, ...]]:
    """Groups of believed claims of one scope and concept that hold at the same time, the latest first.

    Recorded later is told by the founding events, whose ids sort by time.
    """
    by_topic: dict[tuple[str, str], list[Schema]] = {}
    for one in schemas:
        if one.live and (topic := one.topic):
            by_topic.setdefault(topic, []).append(one)
    groups = []
    for found in by_topic.values():
        found.sort(key=lambda one: (founded(one), one.id), reverse=True)
        first = next((one for one in found if _overlapping(one, found)), None)
        if first is not None:
            groups.append((first, *_overlapping(first, found)))
    return groups


def _overlapping(one: Schema, others: Sequence[Schema]) -> tuple[Schema, ...]:
    return tuple(other for other in others if other.id != one.id and other.validity.overlaps(one.validity))


def founded(schema: Schema) -> str:
    """The founding event, "" for a memory written by hand."""
    return schema.evidence[0].event if schema.evidence else ""
