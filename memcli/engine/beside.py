"""Whether a memory lived beside a claim when that was removed: then a person saw both and took one out.

Two files may say the same, and one of them be forgotten: the other one is no arrival. Only
history knows, so it is asked, and only for the few that the guard would withhold.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.engine.removals import Removed
from memcli.engine.standing import LEAVES_A_TOMBSTONE, Confirmed
from memcli.errors import MemError
from memcli.journal import tree
from memcli.memory.schema import Schema, Status

if TYPE_CHECKING:
    from memcli.index.rows import IndexRow
    from memcli.journal.repository import Journal

COUNTS: Final = frozenset({Status.ACTIVE, Status.NEEDS_REVIEW, Status.STAGED})


def lived(
    opened: Opened,
    row: "IndexRow",
    removed: Removed,
    confirmed: Confirmed,
    says: Callable[[Schema], bool],
) -> bool:
    """Whether the schema of `row` was live, and said it, in the commit before the removal."""
    journal = opened.readable_journal
    if journal is None:
        return False
    try:
        before = _before(opened, journal, removed, confirmed)
        then = _then(opened, journal, before, row) if before else None
    except MemError:  # history was cut or is damaged: nothing speaks for it
        return False
    if then is None or then.status not in COUNTS or not removed.reaches(then.scope, then.stage):
        return False
    return then.claim == row.schema.claim or says(then)


def _before(opened: Opened, journal: "Journal", removed: Removed, confirmed: Confirmed) -> str | None:
    """The commit before the removal, or None where history does not show one."""
    removal = confirmed.removed.get(removed.id)
    if removal is not None:
        return journal.resolve(f"{removal.commit}^")
    if removed.path in confirmed.dirty:
        return confirmed.head
    return _before_a_plain_commit(opened, journal, removed, confirmed) if removed.path else None


def _before_a_plain_commit(
    opened: Opened, journal: "Journal", removed: Removed, confirmed: Confirmed
) -> str | None:
    """As `_before`, where somebody committed the status with git alone."""
    by = ""
    for version in tree.versions(journal, removed.path, confirmed.head or "HEAD"):
        if not version.blob:
            break
        raw = tree.read_blobs(journal, [version.blob])[version.blob]
        schema = filing.understand(opened, version.path, raw).schema
        if schema is None or schema.status not in LEAVES_A_TOMBSTONE:
            break
        by = version.commit
    return journal.resolve(f"{by}^") if by else None


def _then(opened: Opened, journal: "Journal", commit: str, row: "IndexRow") -> Schema | None:
    """The schema of `row` as `commit` holds it, wherever its file lay."""
    id_ = row.schema.id
    found = _of(opened, id_, tree.read(journal, commit, [row.path]))
    if found is not None:
        return found
    blobs = {path: blob for path, blob in tree.blobs(journal, commit).items() if path.endswith(".md")}
    contents = tree.read_blobs(journal, blobs.values())
    return _of(opened, id_, {path: contents[blob] for path, blob in blobs.items()})


def _of(opened: Opened, id_: str, files: dict[str, bytes | None]) -> Schema | None:
    for path, raw in files.items():
        # Looked for as text first: most of a large store need not be parsed.
        if raw is not None and (id_.encode() in raw or b"\nid:" not in raw):
            schema = filing.understand(opened, path, raw).schema
            if schema is not None and schema.id == id_:
                return schema
    return None
