"""Giving a removed memory back: its earlier bytes, or its status alone where it was edited since."""

from collections.abc import Callable
from dataclasses import dataclass

from memcli.engine import filing, handmade
from memcli.engine.resolve import Found
from memcli.engine.writer import Writer
from memcli.errors import TryAgain
from memcli.journal import history, tree
from memcli.memory import lifecycle
from memcli.memory.schema import Schema, Status


@dataclass(frozen=True, slots=True)
class Way:
    """How one kind of removal is taken back.

    `removed` are the statuses of the versions that are passed over; `op` names the act, and
    `said` is what it did, as in "before it was forgotten". `keys` gives what takes it back in a file
    that was edited since, by the status before and whether the file stated one at all.
    """

    removed: frozenset[Status]
    op: str
    said: str
    keys: Callable[[Schema, Status, bool], lifecycle.Keys]


def restored(writer: Writer, found: Found, raw: bytes, way: Way) -> tuple[bytes, Status]:
    """The bytes from before the removal and their status; only its own keys where the file was edited since.

    A file that states another status by hand already keeps it: that a person takes the removal
    back confirms it. Raises TryAgain where history does not say what it was before.
    """
    before, removing = _around(writer, found, way)
    schema = handmade.schema_of(writer.opened, found.path, before) if before is not None else None
    if before is None or schema is None or schema.status in way.removed:
        prior = _prior_in_trailers(writer, found.schema.id, way)
        return _with(writer, found, raw, way.keys(found.schema, prior, True)), prior
    if raw == removing:
        kept = schema.id == found.schema.id  # an id that followed from a path, where the file no longer is
        return before if kept else _with(writer, found, before, {"id": found.schema.id}), schema.status
    if found.schema.status not in way.removed:
        return raw, found.schema.status
    keys = way.keys(found.schema, schema.status, handmade.states_status(before))
    return _with(writer, found, raw, keys), schema.status


def _with(writer: Writer, found: Found, raw: bytes, keys: lifecycle.Keys) -> bytes:
    return filing.changed(writer.opened, found.path, raw, keys)


def _around(writer: Writer, found: Found, way: Way) -> tuple[bytes | None, bytes | None]:
    """The committed bytes of the last version that was not removed, and of the one that removed it."""
    journal = writer.opened.journal
    after: bytes | None = None
    for version in tree.versions(journal, found.path):
        if not version.blob:
            continue
        raw = tree.read_blobs(journal, [version.blob])[version.blob]
        schema = handmade.schema_of(writer.opened, version.path, raw)
        if schema is not None and schema.status not in way.removed:
            return raw, after
        after = raw
    return None, after


def _prior_in_trailers(writer: Writer, id_: str, way: Way) -> Status:
    """The status before the last such act, where a squashed history holds no earlier version."""
    for entry in history.entries(writer.opened.journal, op=way.op):
        for change in entry.changes:
            if change.id == id_ and change.prior in set(Status):
                return Status(change.prior)
    raise TryAgain(
        f"History does not say what {id_} was before it was {way.said}.",
        "Set its status in the file by hand, then `mem save`.",
    )
