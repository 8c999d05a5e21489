"""Memories whose file one clone deleted while the other changed or moved it: they stay, and say how.

Of one that counted when it was deleted the journal is told that it counts again. One that had been
taken out first stays out by its tombstone; its file then says so as well, as if it had not been
deleted, since an audit, and a person who opens it, would else read that it counts.
"""

from dataclasses import dataclass

from memcli.engine import filing, standing
from memcli.engine.moving import merging
from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.engine.writer import FileChange, Operation, Writer
from memcli.journal import history, tree
from memcli.journal.joins import Stages
from memcli.journal.message import Change, Message
from memcli.memory.schema import GONE, Schema
from memcli.store import atomic, format


@dataclass(frozen=True, slots=True)
class _Kept:
    """A memory as the side has it that did not delete it, and the file that the other side deleted."""

    schema: Schema
    left: str
    before: bytes


def began(opened: Opened, base: str, one: Stages) -> bytes | None:
    """What a memory was at `base` that both sides moved to one path; None where both made it there."""
    here = filing.understand(opened, one.path, one.ours or b"").schema
    _, raw = left(opened, base, "HEAD").get(here.id, ("", None)) if here else ("", None)
    return raw


def left(opened: Opened, base: str, side: str) -> dict[str, tuple[str, bytes]]:
    """By id the files of `base` that `side` deleted or moved: where each stood, and what it held."""
    found = tree.read(opened.journal, base, tree.changed(opened.journal, base, side, "D"))
    schemas = ((path, raw, filing.understand(opened, path, raw).schema) for path, raw in found.items() if raw)
    return {schema.id: (path, raw) for path, raw, schema in schemas if schema}


def told(opened: Opened, base: str, head: str, tip: str) -> tuple[Change, ...]:
    """What the journal must be told of those that counted when they were deleted.

    The word of the side that deleted is the later one there, since to reword or to move a memory changes no
    status.
    """
    kept = []
    for deleter, keeper in ((tip, head), (head, tip)):
        stays = _stay(opened, base, deleter, keeper)
        alive = standing.deleted_alive(history.statuses_at(opened.journal, deleter)) if stays else frozenset()
        kept += [
            Change(id_, GONE, str(one.schema.status)) for id_, one in sorted(stays.items()) if id_ in alive
        ]
    return tuple(kept)


def restated(writer: Writer, base: str, head: str, tip: str) -> bool:
    """Have the files of those say it that were removed first, where `head` and `tip` have been merged."""
    made = False
    for deleter, keeper in ((tip, head), (head, tip)):
        stays = _stay(writer.opened, base, deleter, keeper)
        known = history.statuses_at(writer.opened.journal, deleter) if stays else {}
        for id_, commit in sorted(standing.deleted_removed(known).items()):
            if id_ in stays and (operation := _restating(writer.opened, writer.view, stays[id_], commit)):
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


def _stay(opened: Opened, base: str, deleter: str, keeper: str) -> dict[str, _Kept]:
    """By id those of which `keeper` changed or moved the file since `base` while `deleter` left it.

    To move a memory leaves its file, too.
    """
    journal = opened.journal
    gone = left(opened, base, deleter)
    there = tree.changed(journal, base, keeper, "AM") if gone else ()
    found = tree.read(journal, keeper, there)
    schemas = (filing.understand(opened, path, raw).schema for path, raw in found.items() if raw)
    return {one.id: _Kept(one, *gone[one.id]) for one in schemas if one and one.id in gone}
