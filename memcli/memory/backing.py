"""Whether what was said may still be shown: not where all that rested on it no longer counts.

A corrected fact would walk back in through the turn that it was taken from. So an event is
shown only while something that rests on it counts, or where nothing ever did. What merely
waits, or was too weak to keep, takes nothing back.
"""

from collections.abc import Callable, Iterable
from typing import Final

from memcli.memory.schema import ArchiveReason, Schema, Status
from memcli.memory.visibility import was_right

Standing = tuple[Schema, Status]  # a schema with its effective status
Citing = Callable[[set[str]], Iterable[Standing]]
_TAKEN_BACK: Final = frozenset({Status.FORGOTTEN, Status.RETRACTED})


def gone(schema: Schema, status: Status, as_of: int) -> bool:
    """Whether `schema`, of the effective `status`, was taken back or is over at `as_of`."""
    if status is Status.ARCHIVED:
        return schema.archive_reason is ArchiveReason.REJECTED
    if status in _TAKEN_BACK:
        return True
    if status in (Status.SUPERSEDED, Status.STALE):
        return not (was_right(status, schema.stale_reason) and _within(schema, as_of))
    return status is Status.ACTIVE and not schema.validity.holds_at(as_of)


def _within(schema: Schema, as_of: int) -> bool:
    return schema.validity.end is not None and schema.validity.holds_at(as_of)


def dead_among(unsettled: Iterable[Standing], citing: Citing, as_of: int) -> frozenset[str]:
    """The same where not every schema is at hand: `unsettled` are all that may be gone at `as_of`.

    `citing` gives all schemas that cite one of some events.
    """
    over = [schema for schema, status in unsettled if gone(schema, status, as_of)]
    cited = {one.event for schema in over for one in schema.evidence}
    return dead(citing(cited), as_of) if cited else frozenset()


def dead(citing: Iterable[Standing], as_of: int) -> frozenset[str]:
    """The events that only such schemas cite as are gone at `as_of`, among all schemas that cite them."""
    taken: set[str] = set()
    kept: set[str] = set()
    for schema, status in citing:
        cited = {one.event for one in schema.evidence}
        (taken if gone(schema, status, as_of) else kept).update(cited)
    return frozenset(taken - kept)
