"""Burial: a removed schema whose file is gone leaves a tombstone, so that its claim stays out.

The file was the guard's memory of it; when somebody deletes it, the text is found in
history once more, written to `tombstones.jsonl`, and committed with the next save.
"""

from collections.abc import Iterable

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.engine.standing import LEAVES_A_TOMBSTONE, Confirmed, Removal
from memcli.errors import MemError
from memcli.journal import history, tree
from memcli.memory import claim
from memcli.memory.schema import Schema
from memcli.store import tombstones
from memcli.store.tombstones import Tombstone


def bury(opened: Opened, present: Iterable[str], confirmed: Confirmed) -> tuple[str, ...]:
    """Leave a tombstone for each removed id that neither a file in `present` nor a tombstone stands for.

    Gives what to tell the person; the caller holds the lock.
    """
    there = {*present, *(one.id for one in tombstones.load(opened.place).tombstones)}
    lost = {
        id_: one
        for id_, one in confirmed.removed.items()
        if one.status in LEAVES_A_TOMBSTONE and id_ not in there
    }
    told = []
    for id_, removal in sorted(lost.items()):
        schema = _recovered(opened, id_, removal)
        if schema is not None:
            tombstones.append(opened.place, (tombstone_of(schema, removal.status.value),))
            told.append(f"The file of {id_} ({removal.status.value}) is gone; a tombstone keeps it out.")
    return tuple(told)


def path(opened: Opened) -> str:
    """The file of the tombstones, as the store calls it."""
    return opened.place.tombstones.relative_to(opened.place.root).as_posix()


def tombstone_of(schema: Schema, act: str) -> Tombstone:
    """What `schema` leaves behind; `act` is forgotten, retracted or rejected."""
    events = tuple(one.event for one in schema.evidence)
    return Tombstone(schema.id, schema.scope, claim.digest(schema.claim), act, events, schema.claim)


def _recovered(opened: Opened, id_: str, removal: Removal) -> Schema | None:
    """The schema as the commit that removed it has it, or None where history no longer does."""
    try:
        entry = history.entry(opened.journal, removal.commit)
        paths = [path for path in entry.paths if path.endswith(".md")] if entry else []
        found = tree.read(opened.journal, removal.commit, paths)
    except MemError:
        return None
    for path, raw in found.items():
        schema = filing.understand(opened, path, raw).schema if raw is not None else None
        if schema is not None and schema.id == id_:
            return schema
    return None
