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
from memcli.store.known import Known
from memcli.store.tombstones import Tombstone


def bury(opened: Opened, files: Known, confirmed: Confirmed) -> tuple[str, ...]:
    """Leave a tombstone for each removed id that none of `files` and no tombstone stands for.

    Gives what to tell the person; the caller holds the lock.
    """
    there = {one.id for one in files.values()} | _buried(opened)
    lost = {id_: one for id_, one in confirmed.removed.items() if _leaves_one(one) and id_ not in there}
    aside = _aside(opened, files) if lost else ()
    told = []
    for id_, removal in sorted(lost.items()):
        broken = any(id_.encode() in raw for raw in aside)
        schema = None if broken else _recovered(opened, id_, removal)
        if schema is not None:
            told.append(_entombed(opened, schema, removal.status.value))
    return tuple(told)


def bury_files(opened: Opened, paths: Iterable[str], head: str, files: Known) -> tuple[str, ...]:
    """The same for files of the commit `head` that are gone, whose removal is no act of the journal."""
    there = {one.id for one in files.values()} | _buried(opened)
    try:
        found = tree.read(opened.journal, head, tuple(paths))
    except MemError:
        return ()
    schemas = [filing.understand(opened, path, raw).schema for path, raw in found.items() if raw is not None]
    return tuple(
        _entombed(opened, schema, schema.status.value)
        for schema in schemas
        if schema is not None and schema.status in LEAVES_A_TOMBSTONE and schema.id not in there
    )


def _leaves_one(removal: Removal) -> bool:
    return removal.status in LEAVES_A_TOMBSTONE


def _buried(opened: Opened) -> set[str]:
    return {one.id for one in tombstones.load(opened.place).tombstones}


def _aside(opened: Opened, files: Known) -> list[bytes]:
    """What the files hold that are there but not understood: a conflict, an edit half done."""
    filed = [filing.read(opened, path) for path, one in files.items() if not one.id]
    return [one.raw for one in filed if one is not None]


def _entombed(opened: Opened, schema: Schema, act: str) -> str:
    tombstones.append(opened.place, (tombstone_of(schema, act),))
    return f"The file of {schema.id} ({act}) is gone; a tombstone keeps it out."


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
