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
    """What one clone added since both were the same: by id, and up to which commit."""

    tip: str
    added: dict[str, _Held]


def joined(opened: Opened, ours: str, theirs: str) -> list[str]:
    """Make one of each two, a commit for each, after `theirs` was merged into `ours`: the paths that stay."""
    found = opened.journal.git.ask("merge-base", "--end-of-options", ours, theirs)
    base = found.out.decode().strip()
    if base in ("", ours, theirs):
        return []
    here, there = _sides(opened, base, ours, theirs)
    stays = []
    for id_ in sorted(here.added.keys() & there.added.keys()):
        made = _settled(opened.journal, base, (here, there), id_)
        if made is not None:
            Writer(opened, reconcile.bring_in_line(opened)).carry_out(made)
            stays.append(made.files[-1].path)
    return stays


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
    common, here, there = (tree.blobs(journal, rev) for rev in (base, ours, theirs))
    sides = []
    for tip, own, others in ((ours, here, there), (theirs, there, here)):
        added = {
            path: blob
            for path, blob in own.items()
            if path not in common and path not in others and scan.is_schema_path(path)
        }
        sides.append((tip, added))
    if not all(added for _, added in sides):
        return _Side(ours, {}), _Side(theirs, {})
    one, other = (_Side(tip, dict(_read(opened, added))) for tip, added in sides)
    return one, other


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
