"""Memories whose file one clone deleted while the other changed or moved it: they stay, and say how.

Of one that counted when it was deleted the journal is told that it counts again. One that had been
taken out first stays out by its tombstone; its file then says so as well, as if it had not been
deleted, since an audit, and a person who opens it, would else read that it counts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memcli.engine import filing, standing
from memcli.engine.moving import merging
from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.engine.writer import FileChange, Operation, Writer
from memcli.journal import differences, history, tree
from memcli.journal.differences import Difference
from memcli.journal.message import Change, Message
from memcli.journal.standings import Standing
from memcli.memory.schema import GONE, Schema
from memcli.store import atomic, format, scan

_Changed = Mapping[str, Difference]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A memory as the side has it that did not delete it, and the file that the other side deleted."""

    schema: Schema
    left: str
    before: bytes


@dataclass(frozen=True, slots=True)
class Side:
    """What one side left since both parted: by id where each file stood and what it held (`gone`).

    `stays` are those of them that the other side changed or moved, `known` what this side's journal says;
    nothing is asked of it where none stays.
    """

    gone: Mapping[str, tuple[str, bytes]]
    stays: Mapping[str, _Kept]
    known: Mapping[str, Standing]


@dataclass(frozen=True, slots=True)
class Sides:
    """Both of them, as they stood before they were merged."""

    ours: Side
    theirs: Side


def sides(opened: Opened, base: str, head: str, tip: str) -> Sides:
    """What `head` and `tip` left since they parted at `base`; to move a memory leaves its file, too."""
    ours, theirs = _changed(opened, base, head), _changed(opened, base, tip)
    return Sides(_side(opened, head, ours, theirs), _side(opened, tip, theirs, ours))


def began(apart: Sides, here: Schema) -> bytes | None:
    """What a memory was that both sides moved to where it is `here`; None where both made it there."""
    _, raw = apart.ours.gone.get(here.id, ("", None))
    return raw


def left(opened: Opened, base: str, side: str) -> dict[str, tuple[str, bytes]]:
    """By id the files of `base` that `side` deleted or moved: where each stood, and what it held."""
    return _left(opened, _changed(opened, base, side))


def told(apart: Sides) -> tuple[Change, ...]:
    """What the journal must be told of those that counted when they were deleted.

    The word of the side that deleted is the later one there, since to reword or to move a memory changes no
    status.
    """
    kept = []
    for side in (apart.theirs, apart.ours):
        alive = sorted(standing.deleted_alive(side.known) & side.stays.keys())
        kept += [Change(id_, GONE, str(side.stays[id_].schema.status)) for id_ in alive]
    return tuple(kept)


def restated(writer: Writer, apart: Sides) -> bool:
    """Have the files of those say it that were removed first, once both sides have been merged."""
    made = False
    for side in (apart.theirs, apart.ours):
        removed = standing.deleted_removed(side.known)
        for id_ in sorted(removed.keys() & side.stays.keys()):
            if operation := _restating(writer.opened, writer.view, side.stays[id_], removed[id_]):
                writer.carry_out(operation)
                made = True
    return made


def _restating(opened: Opened, view: View, one: _Kept, commit: str) -> Operation | None:
    """The file of `one` as both mean it, had it not been deleted after it was removed by `commit`."""
    paths = [path for path, file in view.known.items() if file.id == one.schema.id and path not in view.dirty]
    removed = tree.read(opened.journal, commit, [one.left])[one.left]
    if len(paths) != 1 or removed is None:
        return None
    raw = atomic.read(opened.place, paths[0])
    made = merging.merged(opened.journal.git, paths[0], one.before, removed, raw)
    schema = filing.understand(opened, paths[0], made.raw).schema if made.clean else None
    if schema is None or schema.status not in standing.LEAVES_A_TOMBSTONE:
        return None
    reason = "one clone had taken it out and deleted it, while the other changed it"
    said = Message("sync", schema.claim, reason, changes=(Change(schema.id, GONE, str(schema.status)),))
    files = (FileChange(paths[0], format.digest(raw), made.raw),) if made.raw != raw else ()
    return Operation(said, files)


def _side(opened: Opened, side: str, own: _Changed, other: _Changed) -> Side:
    gone = _left(opened, own)
    kept = _schemas(opened, {path: one.new for path, one in other.items() if not one.gone}) if gone else ()
    stays = {one.id: _Kept(one, *gone[one.id]) for one, _, _ in kept if one.id in gone}
    return Side(gone, stays, history.statuses_at(opened.journal, side) if stays else {})


def _changed(opened: Opened, base: str, side: str) -> _Changed:
    """By path of the store the files of memories that `side` has in another way than `base`."""
    prefix = opened.journal.prefix
    found = differences.between(opened.journal, base, side)
    within = {path.removeprefix(prefix): one for path, one in found.items() if path.startswith(prefix)}
    return {path: one for path, one in within.items() if scan.is_schema_path(path)}


def _left(opened: Opened, changed: _Changed) -> dict[str, tuple[str, bytes]]:
    found = _schemas(opened, {path: one.old for path, one in changed.items() if one.gone})
    return {schema.id: (path, raw) for schema, path, raw in found}


def _schemas(opened: Opened, blobs: Mapping[str, str]) -> Iterator[tuple[Schema, str, bytes]]:
    """Those of the files, path → blob, that are memories: each with its path and its bytes."""
    raws = tree.read_blobs(opened.journal, blobs.values()) if blobs else {}
    for path, blob in blobs.items():
        schema = filing.understand(opened, path, raws[blob]).schema
        if schema is not None:
            yield schema, path, raws[blob]
