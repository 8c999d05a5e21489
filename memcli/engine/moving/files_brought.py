"""The files of another store, made what they may be here: their bytes stay but for what is not theirs to say.

A file states its status, whom it may pass and how far it reaches. Some of it is decided by the
journal over there, some by a person here; none by the file alone.
"""

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from types import MappingProxyType
from typing import Final

from memcli.engine.moving.bundle import Filed
from memcli.engine.standing import REMOVED
from memcli.memory.schema import Schema, Status, Trust
from memcli.store import compose, edit, format

# What does not hold on its own word: that a file is to be trusted, how far it reaches, whose key it
# has, what else it casts doubt on.
_DOUBT: Final[Mapping[str, edit.Plain | None]] = MappingProxyType(
    {
        "trust": Trust.UNTRUSTED.value,
        "stage": None,
        "stage_pinned": None,
        "key": None,
        "retraction.affected": None,
    }
)
_WITH_STATUS: Final = ("stale_reason", "archive_reason", "superseded_by")  # what goes with one taken over
_DATED: Final = frozenset({Status.SUPERSEDED, Status.STALE})


def stated(one: Filed, zone: tzinfo) -> bytes:
    """The file with the id of its line, and with the status that counted there where that withholds.

    Raises BadFile where it cannot be edited so.
    """
    raw = one.text.encode()
    schema = format.parse(raw, one.path, zone).schema
    if schema is None:
        return raw
    keys: dict[str, edit.Plain | None] = {}
    if schema.id != one.id:
        keys["id"] = one.id
    if one.status in REMOVED and schema.status is not one.status:
        keys["status"] = one.status.value
    return edit.set_keys(raw, keys, one.path) if keys else raw


def alike(ours: Schema, theirs: Schema) -> bool:
    """Whether what stands here says all that the other store's file of the same claim says."""
    said = [(one.scope, one.title, one.detail, one.type, one.concept, one.validity) for one in (ours, theirs)]
    rests = {one.event for one in theirs.evidence} <= {one.event for one in ours.evidence}
    return said[0] == said[1] and set(ours.tags) == set(theirs.tags) and rests


def doubted(raw: bytes, path: str) -> bytes:
    """The file as one that nobody here vouches for."""
    return edit.set_keys(raw, _DOUBT, path)


def passing(raw: bytes, schema: Schema, ids: Sequence[str]) -> bytes:
    """The file with `ids` as the removed memories that it may say again."""
    kept = list(dict.fromkeys(ids))
    return raw if kept == list(schema.overrides) else edit.set_keys(raw, {"overrides": kept or None})


def over(raw: bytes, theirs: Schema, zone: tzinfo) -> bytes:
    """The file that stands here, with the status of `theirs` and what belongs to it."""
    keys: dict[str, edit.Plain | None] = {"status": theirs.status.value}
    for key in _WITH_STATUS:
        if value := getattr(theirs, key):
            keys[key] = str(value)
    if theirs.status is Status.RETRACTED and theirs.retraction is not None:
        keys["retraction"] = compose.retraction(theirs.retraction)
    if theirs.status in _DATED and theirs.validity.end is not None:
        keys["validity.to"] = format.moment(theirs.validity.end, zone)
    return edit.set_keys(raw, keys)
