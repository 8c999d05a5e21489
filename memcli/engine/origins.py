"""Files moved by hand: a path that is gone and a new one that carries its id are one move.

Taken as a deletion and an addition, the journal would say last that the memory is gone,
and would have forgotten what it was before.
"""

from collections.abc import Mapping, Sequence

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.journal import tree
from memcli.journal.tree import Kind, Uncommitted
from memcli.store.known import Known


def of(opened: Opened, head: str | None, known: Known, changed: Sequence[Uncommitted]) -> dict[str, str]:
    """New path → the path at `head` of the file that stands there now.

    `known` is what the index last saw of the files, in line with the disk.
    """
    gone = [one.path for one in changed if one.kind is Kind.DELETED]
    added = [one.path for one in changed if one.kind is Kind.ADDED]
    if not gone or not added or head is None:
        return {}
    paths = _by_id(opened, tree.read(opened.journal, head, gone))
    found: dict[str, str] = {}
    for path in added:
        id_ = known[path].id if path in known else ""
        if id_ in paths:
            found[path] = paths.pop(id_)
    return found


def _by_id(opened: Opened, before: Mapping[str, bytes | None]) -> dict[str, str]:
    filed = [filing.understand(opened, path, raw) for path, raw in before.items() if raw is not None]
    return {one.schema.id: one.path for one in reversed(filed) if one.schema}


def held_elsewhere(known: Known, path: str, id_: str) -> bool:
    """Whether another file than `path` has the id."""
    return any(one.id == id_ and other != path for other, one in known.items())
