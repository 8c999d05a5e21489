"""What merging another history comes to, worked out without touching a file, a lock or HEAD.

git merges in the working tree, and killed there it leaves locks, half a file or a merge under way. So
where a merge only puts plain files in place, it is worked out here, and whoever carries it out may be
killed at any moment. Where git would do more, or other files than the store's are concerned, or the two
histories parted more than once, there is no such plan and git has to do it.

Files are matched by their paths. git guesses at moves, and takes a deleted memory and a new one of like
words for one, or what is new in a folder along with its neighbours, out of its scope.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from memcli.journal import differences, tree
from memcli.journal.content import Reader
from memcli.journal.differences import Difference
from memcli.journal.joins import Settle, Stages
from memcli.journal.repository import Journal
from memcli.journal.rewriting import objects_of

_ATTRIBUTES: Final = ".gitattributes"  # what it says is in force for files that come with it


@dataclass(frozen=True, slots=True)
class Change:
    """The bytes of a file of the store before and after; None where there is none."""

    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a merge changes, by path of the store, and which files both sides had changed.

    `forward` says that HEAD only goes on to the other commit.
    """

    changes: Mapping[str, Change]
    settled: tuple[Stages, ...] = ()
    forward: bool = False


def merge(journal: Journal, other: str, settle: Settle) -> Foreseen | None:
    """What merging the commit `other` into HEAD comes to; None where git has to do it, or a person."""
    own, head = journal.configuration, journal.head()
    if head is None or own.unusual or own.hooks(journal.found, journal.home, merging=True):
        return None
    if journal.git.ask("diff-index", "--cached", "--quiet", "--end-of-options", head).code:
        return None  # something is staged
    bases = journal.git.read("merge-base", "--all", "--end-of-options", head, other).decode().split()
    if len(bases) != 1:
        return None
    (base,) = bases
    theirs = differences.between(journal, base, other)
    if not all(_ours_to_bring(journal, path, step) for path, step in theirs.items()):
        return None
    ours = differences.between(journal, base, head)
    found = _joined(journal, ours, theirs, settle)
    if found is None or not _unconverted(journal, found.changes):
        return None
    return Foreseen(found.changes, found.settled, forward=base == head)


def _ours_to_bring(journal: Journal, path: str, step: Difference) -> bool:
    """Whether it is a plain file of the store."""
    return path.startswith(journal.prefix) and not path.endswith(_ATTRIBUTES) and step.plain


def _joined(
    journal: Journal, ours: Mapping[str, Difference], theirs: Mapping[str, Difference], settle: Settle
) -> Foreseen | None:
    """What `theirs` changes here; None where a file is not settled, or is no plain one here."""
    both = {path: ours[path] for path in theirs if path in ours and ours[path].new != theirs[path].new}
    if not all(step.plain for step in both.values()):
        return None
    steps = (*theirs.values(), *both.values())
    blobs = {name for step in steps for name in (step.old, step.new) if name.strip("0")}
    raws = tree.read_blobs(journal, blobs)
    changes, settled = {}, []
    for path, step in theirs.items():
        name, before, after = path.removeprefix(journal.prefix), raws.get(step.old), raws.get(step.new)
        if path in both:
            stages = Stages(name, before, raws.get(both[path].new), after)
            before, after = stages.ours, settle(stages)
            if after is None:
                return None
            settled.append(stages)
        if before != after and (path in both or path not in ours):
            changes[name] = Change(before, after)
    return Foreseen(changes, tuple(settled))


def _unconverted(journal: Journal, changes: Mapping[str, Change]) -> bool:
    """Whether git keeps these bytes as they are on disk."""
    reader = Reader(journal, journal.configuration, objects_of(journal))
    return all(
        reader.keeps(journal.prefix + path, raw)
        for path, one in changes.items()
        for raw in (one.before, one.after)
        if raw is not None
    )
