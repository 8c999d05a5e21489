"""What stats and regrets both count: every schema in reach, and every operation of the journal."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.errors import MemError
from memcli.memory.scope import Scope

if TYPE_CHECKING:
    from memcli.journal.history import Entry


class Row(NamedTuple):
    """One schema as the index, else its file, tells of it."""

    path: str
    id: str
    scope: str
    status: str
    type: str
    stale_reason: str
    rest: str


def rows(opened: Opened, view: View, scopes: tuple[Scope, ...] | None) -> list[Row]:
    """What the index, else the files, tell of every schema in reach."""
    wanted = None if scopes is None else set(map(str, scopes))
    found = _indexed(view) if view.index is not None else _filed(opened, view)
    return [row for row in found if wanted is None or row.scope in wanted]


def _indexed(view: View) -> Iterable[Row]:
    columns = ("path", "id", "scope", "status", "type", "stale_reason", "rest")
    for row in view.index.all_rows(columns) if view.index else ():
        yield Row(*(row[name] for name in columns))


def _filed(opened: Opened, view: View) -> Iterable[Row]:
    from memcli.engine import counting
    from memcli.index import rest

    for one in filing.every(opened):
        if one.schema is not None:
            schema = one.schema
            status = counting.effective(schema.id, schema.status, view.confirmed)
            yield Row(
                one.path,
                schema.id,
                str(schema.scope),
                status.value,
                schema.type.value,
                schema.stale_reason or "",
                rest.pack(schema),
            )


def entries(opened: Opened) -> "list[Entry]":
    """The journal, the newest first; nothing where it cannot be read."""
    from memcli.journal import history

    if opened.readable_journal is None:
        return []
    try:
        return list(history.entries(opened.journal))
    except MemError as error:
        opened.notices.append(error.message)
        return []
