"""The index of revisions brought along with HEAD: what new commits changed, and nothing else.

Rows end where their file, or what the journal says of their memory, changes, and others begin
there. What must be withheld is judged over the whole record, though: where a new row says
again what was removed, where an old one says what is removed now, or where something removed
came back, the index is made anew instead. That is rare, and so the two ways stay equal.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memcli.engine import arrivals, filing, removals
from memcli.engine.beside import COUNTS
from memcli.engine.opened import Opened
from memcli.engine.recorded import blobs, echoes, gone, revisions
from memcli.engine.recorded.gone import Taken
from memcli.engine.recorded.revisions import Record, Revision, Stretch
from memcli.engine.removals import Removed
from memcli.engine.standing import LEAVES_A_TOMBSTONE, Confirmed
from memcli.engine.view import View
from memcli.index import around
from memcli.index import filter as sql
from memcli.index.layout import END
from memcli.index.rows import IndexRow
from memcli.index.tables import Index
from memcli.journal import course
from memcli.journal.course import Changed
from memcli.journal.lineage import Lineage
from memcli.journal.standings import Standing
from memcli.memory.schema import Status
from memcli.store import scan, tombstones

Standings = Mapping[str, Sequence[tuple[int, Standing]]]
_KEPT = ("path", "id", "digest", "known_from", "known_until", "status", "hidden_in")


class Anew(Exception):
    """The index has to be made anew."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the index: the file that it is of, and between which positions and how it counts."""

    path: str
    id: str
    blob: str
    start: int
    end: int
    status: Status
    hidden_in: tuple[str, ...]


def grow(  # noqa: PLR0913 - an index, and what it has to be brought to
    opened: Opened, view: View, index: Index, found: Lineage, *, before: int, judged_by: frozenset[str]
) -> None:
    """Bring `index`, which ends at the position `before`, to the tip of `found`; the caller holds the lease.

    `judged_by` are the marks of what was removed as it knows them. Raises Anew where that would
    not come to what making it anew comes to.
    """
    growing = _Growing(opened, index, course.standings(opened.journal, found), found, before)
    rows = growing.rows(_changes(opened, found, before))
    removed = removals.all_of(opened, (), view.confirmed, view.index)
    _refuse_echoes(opened, index, growing, Taken(removed, view.confirmed), judged_by)
    rows += growing.forgotten(gone.ids(gone.of(removed, view.confirmed)), rows)
    if rows:
        index.upsert(rows, filing.vectors(opened, rows))


def _changes(opened: Opened, found: Lineage, before: int) -> list[tuple[int, tuple[Changed, ...]]]:
    changes = list(course.changed(opened.journal, found, ("schemas", tombstones.PATH), before))
    if any(one.path == tombstones.PATH for _, touched in changes for one in touched):
        raise Anew
    return [(at, tuple(one for one in touched if scan.is_schema_path(one.path))) for at, touched in changes]


class _Growing:
    """The rows that new commits end and begin."""

    def __init__(
        self, opened: Opened, index: Index, standings: Standings, found: Lineage, before: int
    ) -> None:
        self._opened = opened
        self._index = index
        self._record = Record(found, (), (), standings)
        self._before = before
        self._open = {one.path: one for one in self._kept(sql.where_open()) if one.start <= before}
        self._fresh: list[Stretch] = []

    def _kept(self, condition: str) -> Iterator[Row]:
        for name, *rest in zip(*self._index.reading.columns(_KEPT, condition), strict=True):
            id_, blob, start, end, status, hidden = rest
            path = name.rpartition("#")[0]
            yield Row(path, id_, blob, start, end, Status(status), tuple(hidden))

    def rows(self, changes: Sequence[tuple[int, Sequence[Changed]]]) -> list[IndexRow]:
        """What has to be written: rows that end, and rows that begin."""
        turned = {id_ for id_, told in self._record.standings.items() if told and told[-1][0] > self._before}
        touched = {one.path for _, files in changes for one in files}
        touched |= {path for path, one in self._open.items() if one.id in turned}
        ended = [one for path in sorted(touched) if (one := self._open.get(path))]
        old = [Revision(one.path, one.blob, one.start) for one in ended]
        for revision, schema in revisions.understood(self._opened, list(revisions.revisions(changes, old))):
            self._fresh += revisions.stretches(self._record, revision, schema)
        happened = echoes.happened(self._opened, self._fresh)
        kept = {echoes.named(one.path, one.start): one for one in ended}
        return [_as_it_was(echoes.as_row(one, happened), kept) for one in self._fresh]

    def begun(self) -> list[Stretch]:
        """The stretches that begin behind what the index held."""
        return [one for one in self._fresh if one.start > self._before]

    def forgotten(self, never: frozenset[str], rows: Sequence[IndexRow]) -> list[IndexRow]:
        """All rows of the ids `never` that still count in the index, or would in `rows`, as forgotten."""
        counted = sql.both(sql.among("id", never), f"NOT {sql.among('status', [Status.FORGOTTEN])}")
        kept = list(self._kept(counted)) if never else []
        old = [Revision(one.path, one.blob, one.start, _end(one.end)) for one in kept]
        known = list(revisions.understood(self._opened, old))
        stretches = [
            Stretch(one, schema, Status.FORGOTTEN, one.start, one.end, Confirmed()) for one, schema in known
        ]
        happened = echoes.happened(self._opened, stretches)
        written = {one.path: one for one in (echoes.as_row(one, happened) for one in stretches)}
        written |= {one.path: one for one in rows if one.schema.id in never}
        return [replace(one, effective=Status.FORGOTTEN, hidden_in=()) for one in written.values()]


def _end(stored: int) -> int | None:
    return None if stored == END else stored


def _as_it_was(row: IndexRow, kept: Mapping[str, Row]) -> IndexRow:
    """A row that stood before counts as it did, whatever withheld it."""
    before = kept.get(row.path)
    return row if before is None else replace(row, effective=before.status, hidden_in=before.hidden_in)


def _refuse_echoes(
    opened: Opened, index: Index, growing: _Growing, taken: Taken, judged_by: frozenset[str]
) -> None:
    """Raise Anew where something new says what is removed, or something removed now was said before."""
    begun = growing.begun()
    if any(one.status in LEAVES_A_TOMBSTONE and one.end is not None for one in begun):
        raise Anew  # removed, and given back meanwhile
    live = [echoes.as_row(one, {}) for one in begun if one.status in COUNTS]
    vectors = filing.vectors(opened, live) if taken.removals.found else ()
    for row, pieces in zip(live, vectors, strict=False):
        if taken.repeated(opened, echoes.as_filed(row), pieces):
            raise Anew
    for one in taken.removals.found:
        if one.mark not in judged_by and _said_before(opened, index, one, taken):
            raise Anew


def _said_before(opened: Opened, index: Index, one: Removed, taken: Taken) -> bool:
    """Whether a row of another memory says what was removed."""
    near = around.near(index, None, COUNTS, removals.sought(one))
    for candidate in index.take(near, vectors=False):
        path = candidate.path.rpartition("#")[0]
        raw = blobs.content(opened, candidate.digest)
        schema = filing.understand(opened, path, raw).schema
        if schema is None or schema.id == one.id:
            continue
        row = IndexRow(schema, path, candidate.digest, candidate.row.status)
        if arrivals.repeated(opened, row, [one], taken.confirmed):
            return True
    return False
