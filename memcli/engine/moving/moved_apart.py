"""Memories that two clones held under one path until one of them moved it and the other changed it.

Git sees a move only where the file stayed alike and where both had it before they parted; else
its merge leaves two files with one id. Where one side once held the memory where the other
has it, its move is the later word; the two are made one as any file that both changed.
It is told by the merge that brought them together, so that one which git made, or after which
a sync was cut off, is settled by the next. What nothing tells apart is left as it is, for
`mem check` to name.
"""

from itertools import permutations
from pathlib import PurePosixPath

from memcli.engine import burial, filing
from memcli.engine.health import status
from memcli.engine.moving import deleted_apart, merging
from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.engine.writer import FileChange, Operation, Writer
from memcli.journal import remotes, tree
from memcli.journal.message import Message
from memcli.journal.repository import Journal
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


def _settled(opened: Opened, paths: tuple[str, ...]) -> Operation | None:
    """The move of the one that moved it, with what the other did to it; None where neither did, or both."""
    found = _parted(opened, paths)
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
    then = filing.understand(opened, left, gone).schema
    graves = burial.graves_of(opened, schema, then, then.status) if then else ()
    return Operation(Message("move", schema.claim, reason), files, tombstones=graves)


def _parted(opened: Opened, paths: tuple[str, ...]) -> tuple[str, str, bytes] | None:
    """Where one side moved it, where the other had it still, and what both had begun with."""
    journal = opened.journal
    words = ("log", "--merges", "--full-history", "--format=%P", "--end-of-options", "HEAD", "--", *paths)
    for merge in journal.git.read(*words).decode().splitlines():
        sides = {parent: tree.read(journal, parent, paths) for parent in merge.split()}
        for (mover, moved), (other, kept) in permutations(sides.items(), 2):
            for path, left in permutations(paths, 2):
                if moved[left] is None is kept[path] and (raw := moved[path]) and kept[left]:
                    before = _began_with(journal, other, mover, left)
                    before = before or _before_a_name(opened, (other, mover), (path, left), raw)
                    if before is not None:
                        return path, left, before
    return None


def _before_a_name(
    opened: Opened, sides: tuple[str, str], paths: tuple[str, str], raw: bytes
) -> bytes | None:
    """What it was where both sides left its file, and the other side (the second path) only renamed it.

    Of two new names in one folder the first in order stays.
    """
    base, schema = remotes.base(opened.journal, *sides), filing.understand(opened, paths[0], raw).schema
    if base is None or schema is None:
        return None
    stood, before = deleted_apart.left(opened, base, sides[1]).get(schema.id, ("", b""))
    moved, renamed = (PurePosixPath(path).parent == PurePosixPath(stood).parent for path in paths)
    return before if stood and renamed and (not moved or paths[0] < paths[1]) else None


def _began_with(journal: Journal, other: str, mover: str, path: str) -> bytes | None:
    """What both made their own of: the file `path` where they parted, else as `mover` first took it in."""
    base = remotes.base(journal, other, mover)
    raw = tree.read(journal, base, [path])[path] if base else None
    if raw is not None:
        return raw
    words = ("log", "--full-history", "--reverse", "--format=%H", "--no-renames", "--diff-filter=A")
    made = journal.git.read(*words, "--end-of-options", f"{other}..{mover}", "--", path).decode().split()
    return tree.read(journal, made[0], [path])[path] if made else None
