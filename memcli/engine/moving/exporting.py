"""Export: a scope, or the whole store, as lines that another store can take in.

What was forgotten goes along, since only then it stays out over there as well; but its text
is for a person alone, and so is all that was said: an agent's export has neither.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memcli.engine import arrivals, beside, burial, counting, filing, reconcile, removals
from memcli.engine.moving import bundle
from memcli.engine.moving.bundle import Happened, Kept
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.engine.task import belonging
from memcli.errors import MemError
from memcli.memory.numerals import counted
from memcli.memory.schema import Schema, Status
from memcli.memory.scope import Scope
from memcli.store import events, skill, tombstones
from memcli.store.problem import Problem
from memcli.surroundings import Kind

if TYPE_CHECKING:
    from memcli.engine.removals import Removed
    from memcli.index.rows import IndexRow

_TEXTLESS: Final = "Without the text of what was forgotten, and without events: those are for a person."


@dataclass(frozen=True, slots=True)
class Exported:
    """How many of each were written."""

    schemas: int = 0
    tombstones: int = 0
    events: int = 0
    procedures: int = 0


@dataclass(frozen=True, slots=True)
class Export:
    """The lines to write, as they come, and how many there are of each kind."""

    lines: Iterator[dict[str, object]]
    counts: Exported


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Which scopes go along (None: all), and whether a person asks."""

    scopes: tuple[Scope, ...] | None
    person: bool

    def takes(self, scope: Scope) -> bool:
        return self.scopes is None or scope in self.scopes


def run(opened: Opened, *, every: bool = False) -> Export:
    """The scope and those that it sees, or with `every` all scopes; the same store gives the same lines.

    Raises Refused for an agent whose session works in another scope.
    """
    belonging.refuse_other_scope(opened, opened.scope, reading=True)
    chosen = _Chosen(None if every else opened.scope.seen, opened.actor.kind is Kind.HUMAN)
    confirmed = reconcile.freshen(opened).confirmed
    schemas, graves = _schemas(opened, chosen, confirmed)
    graves += _graves(opened, chosen, confirmed)
    happened = list(_events(opened, chosen)) if chosen.person else []
    kept = list(_procedures(opened, chosen))
    scope = "*" if every else str(opened.scope)
    first = bundle.heading(scope, confirmed.head, opened.settings.timezone_name)
    if not chosen.person:
        opened.notices.append(_TEXTLESS)
    graves = list(dict.fromkeys(graves))
    counts = Exported(len(schemas), len(graves), len(happened), len(kept))
    return Export(_lines(first, schemas, graves, happened, kept), counts)


def _lines(
    first: dict[str, object],
    schemas: list[bundle.Filed],
    graves: list[tombstones.Tombstone],
    happened: list[Happened],
    kept: list[Kept],
) -> Iterator[dict[str, object]]:
    yield first
    yield from map(bundle.of_schema, schemas)
    yield from map(bundle.of_tombstone, graves)
    yield from map(bundle.of_event, happened)
    yield from map(bundle.of_procedure, kept)


def _schemas(
    opened: Opened, chosen: _Chosen, confirmed: Confirmed
) -> tuple[list[bundle.Filed], list[tombstones.Tombstone]]:
    """The memories in order of path; for an agent what was forgotten as a tombstone without text."""
    filed = list(filing.every(opened))
    for one in filed:
        if one.schema is None:
            opened.notices.append(f"Left out: {one.problem}")
    rows = counting.rows_of(opened, filed, confirmed)
    spared = _spared(opened, rows, confirmed)
    texts = {one.path: one.raw.decode() for one in filed if one.schema is not None}
    found, graves = [], []
    for row in rows:
        if not chosen.takes(row.schema.scope):
            continue
        if row.effective is Status.FORGOTTEN and not chosen.person:
            graves.append(_textless(row.schema))
        else:
            ids = spared.get(row.path, ())
            found.append(bundle.Filed(row.schema.id, row.path, row.effective, texts[row.path], ids))
    return found, graves


def _textless(schema: Schema) -> tombstones.Tombstone:
    return replace(burial.tombstone_of(schema, Status.FORGOTTEN.value), claim="")


def _spared(opened: Opened, rows: "list[IndexRow]", confirmed: Confirmed) -> dict[str, tuple[str, ...]]:
    """Path → ids of removed memories beside which it lived: history does not go along, so this must."""
    removed = removals.all_of(opened, rows, confirmed)
    if not removed.found:
        return {}
    found: dict[str, tuple[str, ...]] = {}

    def spares(
        opened: Opened,
        row: "IndexRow",
        one: "Removed",
        confirmed: Confirmed,
        says: Callable[[Schema], bool],
    ) -> bool:
        lived = beside.lived(opened, row, one, confirmed, says)
        if lived:
            found[row.path] = (*found.get(row.path, ()), one.id)
        return lived

    arrivals.withheld(opened, rows, filing.vectors(opened, rows), removed, confirmed, spares=spares)
    return found


def _graves(opened: Opened, chosen: _Chosen, confirmed: Confirmed) -> list[tombstones.Tombstone]:
    loaded = tombstones.load(opened.place)
    opened.notices += _unread(loaded.problems)
    found = [one for one in loaded.tombstones if chosen.takes(one.scope) and one.id not in confirmed.returned]
    return found if chosen.person else [replace(one, claim="") for one in found]


def _events(opened: Opened, chosen: _Chosen) -> Iterator[Happened]:
    for path in events.files(opened.place):
        read = events.read(opened.place, path)
        opened.notices += _unread(read.problems)
        for one in read.events:
            if chosen.takes(one.scope):
                yield Happened(one, path)


def _unread(problems: Sequence[Problem]) -> list[str]:
    """That lines of a file cannot be read, and so do not go along."""
    if not problems:
        return []
    many = counted(len(problems), "line")
    return [f"Left out: {many} of {problems[0].path} that nobody can read; mem check names each."]


def _procedures(opened: Opened, chosen: _Chosen) -> Iterator[Kept]:
    """The files of the procedures that are understood; what is no text stays here, and is told."""
    for path in skill.files(opened.place):
        heading = skill.heading(opened.place, path)
        read = heading.procedure
        if read is None:
            opened.notices.append(f"Left out: {heading.problems[0]}")
        if read is None or not chosen.takes(read.scope):
            continue
        for file in skill.files_below(opened.place, skill.folder_of(path)):
            try:
                yield Kept(file, skill.text(opened.place, file))
            except MemError as error:
                opened.notices.append(f"Left out: {error.message}")
