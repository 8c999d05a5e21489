"""What merging another history comes to, worked out without touching a file, a lock or HEAD.

git merges in the working tree, and killed there it leaves locks, half a file or a merge under way. So
where a merge only puts plain files in place, it is worked out here, and whoever carries it out may be
killed at any moment. Where git would do more, or other files than the store's are concerned, or git is
older than 2.38, there is no such plan and git has to do it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from memcli.journal import joins, tree
from memcli.journal.content import Reader
from memcli.journal.joins import Settle, Stages
from memcli.journal.repository import Journal
from memcli.journal.rewriting import objects_of

_PLAIN: Final = "100644"
_NO_FILE: Final = "000000"
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
    if journal.git.ask("merge-base", "--is-ancestor", "--end-of-options", head, other).code == 0:
        return _foreseen(journal, _changes(journal, head, other), [], forward=True)
    ran = journal.git.trust(
        "merge-tree", "--write-tree", "-z", "--no-messages", "--end-of-options", head, other
    )
    if ran.code not in (0, 1):
        return None
    merged, *listed = ran.out.decode("utf-8", "surrogateescape").split("\0")
    return _foreseen(journal, _changes(journal, head, merged), _settled(journal, listed, settle))


def _foreseen(
    journal: Journal,
    changes: dict[str, Change] | None,
    settled: list[tuple[Stages, bytes]] | None,
    *,
    forward: bool = False,
) -> Foreseen | None:
    if changes is None or settled is None:
        return None
    for one, raw in settled:
        changes[one.path] = Change(one.ours, raw)
    told = {path: one for path, one in changes.items() if one.before != one.after}
    if not _unconverted(journal, told):
        return None
    return Foreseen(told, tuple(one for one, _ in settled), forward=forward)


def _settled(journal: Journal, listed: list[str], settle: Settle) -> list[tuple[Stages, bytes]] | None:
    """What each file in conflict comes to; None where one is not settled, or is no plain file."""
    found = []
    for mode, _, one in joins.stages(journal, listed):
        raw = settle(one) if mode == _PLAIN and not one.path.startswith(joins.OUTSIDE) else None
        if raw is None:
            return None
        found.append((one, raw))
    return found


def _changes(journal: Journal, head: str, after: str) -> dict[str, Change] | None:
    """The files that differ between two trees; None where one is not a plain file of the store."""
    found = {}
    for old_mode, new_mode, old, new, path in _differences(journal, head, after):
        inside = path.startswith(journal.prefix) and not path.endswith(_ATTRIBUTES)
        if not inside or {old_mode, new_mode} - {_PLAIN, _NO_FILE}:
            return None
        found[path.removeprefix(journal.prefix)] = (
            old if old_mode == _PLAIN else "",
            new if new_mode == _PLAIN else "",
        )
    raws = tree.read_blobs(journal, [blob for both in found.values() for blob in both if blob])
    return {path: Change(raws.get(old), raws.get(new)) for path, (old, new) in found.items()}


def _differences(journal: Journal, head: str, after: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Old and new mode, old and new blob, path in the repository."""
    words = ("diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", "--end-of-options", head, after)
    fields = iter(journal.git.read(*words).decode("utf-8", "surrogateescape").split("\0"))
    for stated, path in zip(fields, fields, strict=False):
        old_mode, new_mode, old, new, _ = stated.removeprefix(":").split(" ")
        yield old_mode, new_mode, old, new, path


def _unconverted(journal: Journal, changes: Mapping[str, Change]) -> bool:
    """Whether git keeps these bytes as they are on disk."""
    reader = Reader(journal, journal.configuration, objects_of(journal))
    return all(
        reader.keeps(journal.prefix + path, raw)
        for path, one in changes.items()
        for raw in (one.before, one.after)
        if raw is not None
    )
