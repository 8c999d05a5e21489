"""Burial: a removed schema whose file is gone leaves a tombstone, so that its claim stays out.

The file was the guard's memory of it; when somebody deletes it, or writes other words into it, the
text is found in history once more, written to `tombstones.jsonl`, and committed with the next save.
"""

from collections.abc import Iterable, Iterator, Sequence

from memcli.engine import filing
from memcli.engine.filing import Filed
from memcli.engine.opened import Opened
from memcli.engine.standing import LEAVES_A_TOMBSTONE, Confirmed, Removal, deleted_alive
from memcli.errors import MemError
from memcli.journal import history, tree
from memcli.memory import claim
from memcli.memory.schema import GONE, ArchiveReason, Schema, Status
from memcli.store import lines, tombstones
from memcli.store.known import Known
from memcli.store.tombstones import Tombstone


def bury(opened: Opened, files: Known, confirmed: Confirmed) -> tuple[str, ...]:
    """Leave a tombstone for each removed id that none of `files` and no tombstone stands for.

    A file that is set aside (a conflict, an edit half done) says of nothing that it was removed. Gives
    what to tell the person; the caller holds the lock.
    """
    there = {one.id for one in files.values()} | _buried(opened)
    lost = {id_: one for id_, one in confirmed.removed.items() if _leaves_one(one) and id_ not in there}
    found = ((_recovered(opened, id_, removal), removal) for id_, removal in sorted(lost.items()))
    return tuple(_entombed(opened, schema, one.status.value) for schema, one in found if schema is not None)


def bury_files(opened: Opened, paths: Iterable[str], head: str, files: Known) -> tuple[str, ...]:
    """The same for files of the commit `head` that are gone, whose removal is no act of the journal."""
    there = {one.id for one in files.values()} | _buried(opened)
    try:
        found = tree.read(opened.journal, head, tuple(paths))
    except MemError:
        return ()
    schemas = [filing.understand(opened, path, raw).schema for path, raw in found.items() if raw is not None]
    lost = [one for one in schemas if one is not None and act_of(one) and one.id not in there]
    known = history.statuses(opened.journal) if lost and opened.readable_journal else {}
    alive = deleted_alive(known)  # as another clone may have brought it back first
    return tuple(_entombed(opened, one, act_of(one)) for one in lost if one.id not in alive)


def bury_wordings(opened: Opened, filed: Iterable[Filed], confirmed: Confirmed) -> tuple[str, ...]:
    """The same for what a removed memory said when it was removed, where its file in `filed` does no more.

    An edit does that, and a merge with a clone that gave it other words, or moved it, at the same time.
    """
    told = []
    found = [(one, one.schema) for one in filed if one.schema is not None]
    for now, then, act in (*_by_the_journal(opened, found, confirmed), *_by_hand(opened, found, confirmed)):
        if graves := graves_of(opened, now, then, act):
            tombstones.append(opened.place, graves)
            told.append(f"{now.id} changed since it was {act}; a tombstone keeps it out as it was.")
    return tuple(told)


def graves_of(opened: Opened, now: Schema, then: Schema, act: Status) -> tuple[Tombstone, ...]:
    """The tombstone of what a memory was `then`, when `act` had removed it.

    None where its file keeps that out as it is `now`, or a tombstone does.
    """
    wanted = act in LEAVES_A_TOMBSTONE and _says_else(now, then) and not _stands(opened, then)
    return (tombstone_of(then, act.value),) if wanted else ()


def keep_whole(opened: Opened) -> None:
    """Put back the tombstones that HEAD holds and the disk has lost: a removal is never taken out.

    Whoever empties the file would else say again what was removed. The caller holds the lock.
    """
    journal = opened.readable_journal
    head = journal.head() if journal else None
    if journal is None or head is None:
        return
    here = path(opened)
    try:
        committed = tree.read(journal, head, (here,))[here]
    except MemError:
        return  # whatever is wrong with git is said where it is in the way
    if committed and (lost := lines.restore(opened.place, here, committed)):
        what = (
            "a line that was committed; it was"
            if lost == 1
            else f"{lost} lines that were committed; they were"
        )
        opened.notices.append(f"{here} had lost {what} put back.")


def unexplained(opened: Opened, head: str | None, confirmed: Confirmed) -> frozenset[str]:
    """The ids of tombstones that HEAD does not hold and that no act of the journal left."""
    here = path(opened)
    committed = tree.read(opened.journal, head, (here,))[here] if head else None
    known = set((committed or b"").splitlines())
    now = (lines.after(opened.place, here, 0) or b"").splitlines()
    fresh = b"".join(line + b"\n" for line in now if line not in known)
    told = {str(one.value.get("id")): one.value.get("act") for one in lines.of_bytes(here, fresh).found}
    unknown = {id_: act for id_, act in told.items() if id_ not in confirmed.removed}
    put_away = _archived(opened) if ArchiveReason.REJECTED.value in unknown.values() else frozenset()
    return frozenset(
        id_ for id_, act in unknown.items() if act != ArchiveReason.REJECTED or id_ not in put_away
    )


def _archived(opened: Opened) -> frozenset[str]:
    """The ids that an act of the journal archived, whether a file holds them still or not."""
    known = history.statuses(opened.journal).items()
    return frozenset(
        id_
        for id_, one in known
        if Status.ARCHIVED in (one.status, one.prior if one.status == GONE else one.status)
    )


def _leaves_one(removal: Removal) -> bool:
    return removal.status in LEAVES_A_TOMBSTONE


def _buried(opened: Opened) -> set[str]:
    return {one.id for one in tombstones.load(opened.place).tombstones}


def _entombed(opened: Opened, schema: Schema, act: str) -> str:
    tombstones.append(opened.place, (tombstone_of(schema, act),))
    return f"The file of {schema.id} ({act}) is gone or cannot be read; a tombstone keeps it out."


def path(opened: Opened) -> str:
    """The file of the tombstones, as the store calls it."""
    return opened.place.tombstones.relative_to(opened.place.root).as_posix()


def act_of(schema: Schema) -> str:
    """What put `schema` where its tombstone must keep it; empty for one that leaves none."""
    if schema.status in LEAVES_A_TOMBSTONE:
        return schema.status.value
    rejected = schema.status is Status.ARCHIVED and schema.archive_reason is ArchiveReason.REJECTED
    return ArchiveReason.REJECTED.value if rejected else ""


def tombstone_of(schema: Schema, act: str) -> Tombstone:
    """What `schema` leaves behind; `act` is forgotten, retracted or rejected."""
    events = tuple(one.event for one in schema.evidence)
    return Tombstone(schema.id, schema.scope, claim.digest(schema.claim), act, events, schema.claim)


def _says_else(now: Schema, then: Schema) -> bool:
    """Whether what was removed is kept out by the file no more: it has other words, or lies elsewhere.

    A retracted memory may be moved.
    """
    moved = now.scope != then.scope and now.status is not Status.RETRACTED
    return moved or claim.digest(now.claim) != claim.digest(then.claim)


def _stands(opened: Opened, then: Schema) -> bool:
    """Whether a tombstone says it already."""
    grave = then.id, then.scope, claim.digest(then.claim)
    return any((one.id, one.scope, one.digest) == grave for one in tombstones.load(opened.place).tombstones)


_Found = Sequence[tuple[Filed, Schema]]
_Removed = Iterator[tuple[Schema, Schema, Status]]
"""A memory as it is now, as it was when it was removed, and by what."""


def _by_the_journal(opened: Opened, found: _Found, confirmed: Confirmed) -> _Removed:
    """Those that an act of the journal removed."""
    for one, schema in found:
        removal = confirmed.removed.get(schema.id)
        if removal is not None and _leaves_one(removal):
            then = _as_removed(opened, one, schema.id, removal)
            if then is not None:
                yield schema, then, removal.status


def _by_hand(opened: Opened, found: _Found, confirmed: Confirmed) -> _Removed:
    """Those of which only the file says it: whatever it held in any commit that had it removed."""
    by_path = {
        one.path: schema
        for one, schema in found
        if schema.status in LEAVES_A_TOMBSTONE
        and schema.id not in confirmed.removed
        and one.path not in confirmed.dirty
    }
    if not by_path or confirmed.head is None:
        return
    try:
        stood = tree.stood(opened.journal, tuple(by_path))
        raws = tree.read_blobs(opened.journal, [blob for blobs in stood.values() for blob in sorted(blobs)])
    except MemError:
        return
    for path, now in by_path.items():
        for blob in sorted(stood[path]):
            then = filing.understand(opened, path, raws[blob]).schema
            if then is not None and then.id == now.id and then.status in LEAVES_A_TOMBSTONE:
                yield now, then, then.status


def _as_removed(opened: Opened, one: Filed, id_: str, removal: Removal) -> Schema | None:
    """The memory of the file `one` as the commit that removed it has it; None where it is the same still."""
    try:
        raw = tree.read(opened.journal, removal.commit, (one.path,))[one.path]
    except MemError:
        return None
    if raw == one.raw:
        return None
    then = filing.understand(opened, one.path, raw).schema if raw else None
    return then if then and then.id == id_ else _recovered(opened, id_, removal)


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
