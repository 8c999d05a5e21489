"""Memories that both clones took in by themselves, and that one of them moved before they met.

Git has no common version of such a file and sees no move: it merges two files with one id.
Where one side once held the memory where the other has it, its move is the later word;
the two are made one as any file that both changed. What nothing tells apart is left as it is,
for `mem check` to name.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memcli.engine import filing, reconcile
from memcli.engine.moving import merging
from memcli.engine.opened import Opened
from memcli.engine.writer import FileChange, Operation, Writer
from memcli.journal import tree
from memcli.journal.message import Message
from memcli.journal.repository import Journal
from memcli.memory.schema import Schema
from memcli.store import format, scan


@dataclass(frozen=True, slots=True)
class _Held:
    """A memory that one side alone has at this path."""

    path: str
    schema: Schema
    raw: bytes


@dataclass(frozen=True, slots=True)
class _Side:
    """What one clone alone added since both were the same: by id, and up to which commit."""

    tip: str
    added: dict[str, _Held]


def joined(opened: Opened, base: str, ours: str, theirs: str) -> list[str]:
    """Make one of each two, a commit for each, after `theirs` was merged into `ours`: the paths that stay.

    `base` is the last commit that both share.
    """
    if base in (ours, theirs):  # one went on where the other stood
        return []
    here, there = _sides(opened, base, ours, theirs)
    both = sorted(here.added.keys() & there.added.keys())
    made = [one for id_ in both if (one := _settled(opened.journal, base, (here, there), id_)) is not None]
    if made:
        writer = Writer(opened, reconcile.bring_in_line(opened))
        for one in made:
            writer.carry_out(one)
    return [one.files[-1].path for one in made]


def _settled(journal: Journal, base: str, sides: tuple[_Side, _Side], id_: str) -> Operation | None:
    """The move of the one that moved it, with what the other did to it; None where neither did, or both."""
    for side, other in (sides, sides[::-1]):
        one, gone = side.added[id_], other.added[id_]
        before = _left_behind(journal, base, side.tip, gone.path)
        if before is None:
            continue
        made = merging.merged(journal.git, one.path, before, one.raw, gone.raw)
        if not made.clean:
            return None
        files = (
            FileChange(gone.path, format.digest(gone.raw), None),
            FileChange(one.path, format.digest(one.raw), made.raw),
        )
        reason = f"both clones took it in, and one moved it to {one.schema.scope}"
        return Operation(Message("move", one.schema.claim, reason), files)
    return None


def _sides(opened: Opened, base: str, ours: str, theirs: str) -> tuple[_Side, _Side]:
    journal = opened.journal
    common, here, there = (tree.regular(journal, commit, "schemas/") for commit in (base, ours, theirs))
    mine = {
        path: here[path] for path in here.keys() - common.keys() - there.keys() if scan.is_schema_path(path)
    }
    others = {
        path: there[path] for path in there.keys() - common.keys() - here.keys() if scan.is_schema_path(path)
    }
    if not (mine and others):  # nothing is read where there can be no two
        mine = others = {}
    return _Side(ours, dict(_read(opened, mine))), _Side(theirs, dict(_read(opened, others)))


def _read(opened: Opened, added: dict[str, str]) -> Iterator[tuple[str, _Held]]:
    raws = tree.read_blobs(opened.journal, added.values())
    for path, blob in added.items():
        schema = filing.understand(opened, path, raws[blob]).schema
        if schema is not None:
            yield schema.id, _Held(path, schema, raws[blob])


def _left_behind(journal: Journal, base: str, tip: str, path: str) -> bytes | None:
    """The bytes that a side had at `path`, which it added and left since `base`; None where it did not."""
    words = ("log", "-1", "--format=%H", "--no-renames", "--diff-filter=D", "--end-of-options")
    left = journal.git.read(*words, f"{base}..{tip}", "--", path).decode().strip()
    return tree.read(journal, f"{left}^", [path])[path] if left else None
