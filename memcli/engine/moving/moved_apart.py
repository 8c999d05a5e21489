"""Memories that two clones held under one path until one of them moved it and the other changed it.

Git sees a move only where the file stayed alike and where both had it before they parted; else
its merge leaves two files with one id. Where one side once held the memory where the other
has it, its move is the later word; the two are made one as any file that both changed.
It is told by the merge that brought them together, so that one which git made, or after which
a sync was cut off, is settled by the next. What nothing tells apart is left as it is, for
`mem check` to name.
"""

from collections.abc import Sequence
from itertools import permutations

from memcli.engine import filing
from memcli.engine.health import status
from memcli.engine.moving import merging
from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.engine.writer import FileChange, Operation, Writer
from memcli.journal import remotes, tree
from memcli.journal.joins import Stages
from memcli.journal.message import Message
from memcli.journal.repository import Journal
from memcli.memory.schema import Schema
from memcli.store import atomic, format


def joined(opened: Opened, view: View) -> list[str]:
    """Make one of each two, a commit for each: the paths that stay. One that is edited now is left."""
    both = [paths for paths in status.duplicates(view.known) if not view.dirty.intersection(paths)]
    made = [one for paths in both if (one := _settled(opened, paths)) is not None]
    if made:
        writer = Writer(opened, view)
        for one in made:
            writer.carry_out(one)
    return [one.files[-1].path for one in made]


def began(opened: Opened, base: str, one: Stages) -> bytes | None:
    """What a memory was at `base` that both sides moved to one path; None where both made it there."""
    here = filing.understand(opened, one.path, one.ours or b"").schema
    left = _stood(opened, base, tree.changed(opened.journal, base, "HEAD", "D"))
    return left.get(here.id) if here else None


def deleted_and_kept(opened: Opened, base: str, deleter: str, keeper: str) -> dict[str, Schema]:
    """By id the memories of which `keeper` changed or moved the file since `base` while `deleter` left it.

    As `keeper` has them; to move a memory leaves its file, too.
    """
    journal = opened.journal
    gone = _stood(opened, base, tree.changed(journal, base, deleter, "D"))
    there = tree.changed(journal, base, keeper, "AM") if gone else ()
    found = tree.read(journal, keeper, there)
    schemas = (filing.understand(opened, path, raw).schema for path, raw in found.items() if raw)
    return {one.id: one for one in schemas if one and one.id in gone}


def _stood(opened: Opened, commit: str, paths: Sequence[str]) -> dict[str, bytes]:
    """By id what the files `paths` held at `commit`."""
    found = tree.read(opened.journal, commit, paths)
    schemas = ((filing.understand(opened, path, raw).schema, raw) for path, raw in found.items() if raw)
    return {schema.id: raw for schema, raw in schemas if schema}


def _settled(opened: Opened, paths: tuple[str, ...]) -> Operation | None:
    """The move of the one that moved it, with what the other did to it; None where neither did, or both."""
    found = _parted(opened.journal, paths)
    if found is None:
        return None
    path, left, before = found
    raw, gone = atomic.read(opened.place, path), atomic.read(opened.place, left)
    schema = filing.understand(opened, path, raw).schema
    made = merging.merged(opened.journal.git, path, before, raw, gone)
    if schema is None or not made.clean:
        return None
    files = (FileChange(left, format.digest(gone), None), FileChange(path, format.digest(raw), made.raw))
    reason = f"both clones had it, and one moved it to {schema.scope}"
    return Operation(Message("move", schema.claim, reason), files)


def _parted(journal: Journal, paths: tuple[str, ...]) -> tuple[str, str, bytes] | None:
    """Where one side moved it, where the other had it still, and what both had begun with."""
    words = ("log", "--merges", "--full-history", "--format=%P", "--end-of-options", "HEAD", "--", *paths)
    for merge in journal.git.read(*words).decode().splitlines():
        sides = {parent: tree.read(journal, parent, paths) for parent in merge.split()}
        for (mover, moved), (other, kept) in permutations(sides.items(), 2):
            for path, left in permutations(paths, 2):
                if moved[left] is None is kept[path] and moved[path] and kept[left]:
                    before = _began_with(journal, other, mover, left)
                    if before is not None:
                        return path, left, before
    return None


def _began_with(journal: Journal, other: str, mover: str, path: str) -> bytes | None:
    """What both made their own of: the file `path` where they parted, else as `mover` first took it in."""
    base = remotes.parted(journal, other, mover)
    raw = tree.read(journal, base, [path])[path]
    if raw is not None:
        return raw
    words = ("log", "--full-history", "--reverse", "--format=%H", "--no-renames", "--diff-filter=A")
    made = journal.git.read(*words, "--end-of-options", f"{other}..{mover}", "--", path).decode().split()
    return tree.read(journal, made[0], [path])[path] if made else None
