"""What became of a memory between two of its states, in words: a claim is compared, not lines of a file.

A line that changed says little: `status: superseded` is one word in a file, and the end of
a claim. So two states are compared by what they mean, and the strongest thing that happened
names the whole.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from memcli.memory.schema import Schema, Status

Value = str | int | None  # of a key: text, or seconds since 1970 for a bound of validity

_WORD: Final = re.compile(r"\w+|\W")

_GONE: Final = frozenset(
    {Status.SUPERSEDED, Status.STALE, Status.RETRACTED, Status.ARCHIVED, Status.FORGOTTEN}
)


class What(StrEnum):
    """What happened to a memory."""

    ADDED = "added"
    REMOVED = "removed"  # its file went, which is no forgetting
    SET_ASIDE = "set aside"  # its file is there and not understood
    MENDED = "mended"
    SUPERSEDED = "superseded"
    STALE = "stale"
    RETRACTED = "retracted"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"
    RESTORED = "restored"  # out of one of these five
    BELIEVED = "believed"  # from staged or waiting to active
    WAITS = "waits"
    STAGED = "staged"
    REWORDED = "reworded"
    EDITED = "edited"
    MOVED = "moved"


_INTO: Final = {
    Status.SUPERSEDED: What.SUPERSEDED,
    Status.STALE: What.STALE,
    Status.RETRACTED: What.RETRACTED,
    Status.ARCHIVED: What.ARCHIVED,
    Status.FORGOTTEN: What.FORGOTTEN,
    Status.ACTIVE: What.BELIEVED,
    Status.NEEDS_REVIEW: What.WAITS,
    Status.STAGED: What.STAGED,
}


@dataclass(frozen=True, slots=True)
class State:
    """A memory as it stood: in which file, and with which status that counted."""

    schema: Schema
    path: str
    status: Status


@dataclass(frozen=True, slots=True)
class Key:
    """One key that reads otherwise now."""

    name: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class Difference:
    """What happened between two states of one memory, of which one may be missing, but not both."""

    what: What
    before: State | None
    after: State | None
    keys: tuple[Key, ...] = ()

    @property
    def states(self) -> tuple[State, ...]:
        """The one or two states, the later one last."""
        return tuple(one for one in (self.before, self.after) if one is not None)

    @property
    def state(self) -> State:
        """The memory as it was left."""
        return self.states[-1]

    @property
    def id(self) -> str:
        """Which memory it is."""
        return self.state.schema.id

    @property
    def reworded(self) -> bool:
        """Whether the claim itself reads otherwise."""
        return bool(self.before and self.after and self.before.schema.claim != self.after.schema.claim)


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a claim: `same` in both, or only `before`, or only `after`."""

    text: str
    side: str


def between(before: State | None, after: State | None) -> Difference | None:
    """What happened from `before` to `after`; None where nothing did that a memory means."""
    if before is None or after is None:
        if before is None and after is None:
            return None
        return Difference(What.ADDED if before is None else What.REMOVED, before, after)
    keys = tuple(_keys(before, after))
    if not keys and before.path == after.path:
        return None
    return Difference(_what(before, after, keys), before, after, keys)


def _what(before: State, after: State, keys: tuple[Key, ...]) -> What:
    if before.status is not after.status:
        if before.status in _GONE and after.status not in _GONE:
            return What.RESTORED
        return What.RESTORED if before.status is Status.FORGOTTEN else _INTO[after.status]
    names = {key.name for key in keys}
    if "claim" in names:
        return What.REWORDED
    return What.MOVED if names <= {"scope"} else What.EDITED


def _keys(before: State, after: State) -> Iterator[Key]:
    if before.status is not after.status:
        yield Key("status", before.status.value, after.status.value)
    for (name, old), (_, new) in zip(_values(before.schema), _values(after.schema), strict=True):
        if old != new:
            yield Key(name, old, new)
    events = [tuple(one.event for one in state.schema.evidence) for state in (before, after)]
    if events[0] != events[1]:  # counted: which events they are is for whoever may read those
        yield Key("evidence", f"{len(events[0])} events", f"{len(events[1])} events")


def _values(schema: Schema) -> Iterator[tuple[str, Value]]:
    """Everything but the status that a reader of the file would call its content, in order of weight."""
    yield "claim", schema.claim
    yield "validity.from", schema.validity.start
    yield "validity.to", schema.validity.end
    yield "superseded_by", schema.superseded_by
    yield "supersedes", " ".join(schema.supersedes)
    yield "reason", _because(schema)
    yield "correction", schema.retraction.correction if schema.retraction else ""
    yield "scope", str(schema.scope)
    yield "stage", schema.stage.word
    yield "type", schema.type.value
    yield "concept", schema.concept
    yield "title", schema.title
    yield "detail", schema.detail
    yield "tags", ", ".join(schema.tags)
    yield "links", " ".join(f"{one.rel}:{one.to}" for one in schema.links)
    yield "overrides", " ".join(schema.overrides)
    yield "confidence", f"{schema.confidence:g}"
    yield "trust", schema.trust.value


def _because(schema: Schema) -> str:
    review = schema.review.reason if schema.review else None
    retracted = schema.retraction.reason if schema.retraction else ""
    return str(schema.stale_reason or schema.archive_reason or review or retracted)


def rewording(before: str, after: str) -> tuple[Piece, ...]:
    """The words of both claims in the order of reading, each said to be of one side or of both.

    The texts of one side, put together, are its claim with single spaces.
    """
    old, new = (_WORD.findall(" ".join(claim.split())) for claim in (before, after))
    found: list[Piece] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append(Piece("".join(old[i1:i2]), "same"))
            continue
        sides = ((old[i1:i2], "before"), (new[j1:j2], "after"))
        found += [Piece("".join(words), side) for words, side in sides if words]
    return tuple(found)
