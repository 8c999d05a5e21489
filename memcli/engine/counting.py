"""What counts: each file as a row of the index, with the status that holds against what the file says."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.engine import standing
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.errors import MemError
from memcli.memory.schema import Schema, Stage, Status
from memcli.store import scan

if TYPE_CHECKING:
    from memcli.engine.filing import Filed
    from memcli.index.rows import IndexRow
    from memcli.journal.repository import Journal


def dirty(opened: Opened, confirmed: Confirmed, alone: frozenset[str] | None = None) -> frozenset[str]:
    """The schema files that differ from the commit at `confirmed.head`, as last seen where git cannot say.

    With `alone` only these files are looked at, and the others stay as last seen.
    """
    journal = opened.readable_journal
    if journal is None:
        return confirmed.dirty
    if confirmed.head is None:
        return frozenset()
    from memcli.journal import tree

    if alone is None:
        return frozenset(one.path for one in tree.uncommitted(journal) if scan.is_schema_path(one.path))
    edited = {path for path in alone if _edited(opened, journal, confirmed.head, path)}
    rest = tuple(sorted(alone - edited))
    found = tree.uncommitted(journal, rest) if rest else ()
    return (confirmed.dirty - alone) | edited | (alone & {one.path for one in found})


def _edited(opened: Opened, journal: "Journal", head: str, path: str) -> bool:
    """Whether git need not even be asked whether `path` differs from the commit `head`."""
    from memcli.journal import edited
    from memcli.store import atomic

    try:
        raw = atomic.read(opened.place, path)
    except MemError:
        return False
    return edited.surely(journal, head, path, raw)


def rows_of(opened: Opened, filed: "Iterable[Filed]", confirmed: Confirmed) -> "list[IndexRow]":
    """The rows of the files that are understood, each with the status that counts."""
    from memcli.engine import filing
    from memcli.index.rows import IndexRow

    schemas = [(one, one.schema) for one in filed if one.schema is not None]
    before = _committed(opened, confirmed, [one.path for one, _ in schemas])
    happened = filing.occurred(opened, [schema for _, schema in schemas])
    return [
        IndexRow(
            _as_saved(schema, before.get(one.path), unsaved=one.path in confirmed.dirty),
            one.path,
            one.digest,
            effective(
                schema.id, schema.status, confirmed, before[one.path].status if one.path in before else None
            ),
            occurred_at=happened.get(schema.id),
        )
        for one, schema in schemas
    ]


def _as_saved(schema: Schema, before: Schema | None, *, unsaved: bool) -> Schema:
    """The schema with no more reach, and let past no more, than HEAD's version of its file says.

    An edit widens either once it is saved. A file that HEAD does not have, or not to be understood,
    reaches no further than its scope until then.
    """
    if before is None and not unsaved:
        return schema
    stage, passed = (before.stage, before.overrides) if before is not None else (Stage.SCOPED, ())
    return replace(
        schema,
        stage=min(schema.stage, stage),
        overrides=tuple(one for one in schema.overrides if one in passed),
    )


def effective(id_: str, stated: Status, confirmed: Confirmed, before: Status | None = None) -> Status:
    """The status that counts: the file's, unless the journal, or HEAD (`before`), holds a removal."""
    held = standing.withheld(stated, (before, confirmed.status_of(id_)))
    return held or stated


def committed(opened: Opened, confirmed: Confirmed, paths: Sequence[str]) -> dict[str, Status]:
    """The status that HEAD's version of each uncommitted file states, where there is one."""
    return {path: schema.status for path, schema in _committed(opened, confirmed, paths).items()}


def _committed(opened: Opened, confirmed: Confirmed, paths: Sequence[str]) -> dict[str, Schema]:
    """HEAD's version of each uncommitted file, where there is one that is understood."""
    asked = [path for path in paths if path in confirmed.dirty]
    journal = opened.readable_journal
    if journal is None or confirmed.head is None or not asked:
        return {}
    from memcli.engine import filing
    from memcli.journal import tree

    found = tree.read(journal, confirmed.head, asked)
    filed = [filing.understand(opened, path, raw) for path, raw in found.items() if raw is not None]
    return {one.path: one.schema for one in filed if one.schema}
