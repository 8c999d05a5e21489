"""Revisions: which text stood in which file from when until when, and what counted of it meanwhile.

A position is a place on the lineage of HEAD. A revision ends when its file changes; a stretch
of it also where what the journal says of its memory does. All of it follows from history
alone, so an index of it may be deleted at any time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memcli.engine import counting, filing, standing
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.journal import course, tree
from memcli.journal.course import Changed
from memcli.journal.lineage import Lineage
from memcli.journal.standings import Standing
from memcli.memory.schema import Schema, Status
from memcli.store import scan, tombstones

READ = 1000  # asserted: blobs read at a time; bounds memory

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Revision:
    """The file `path` with the content `blob`, from the position `start` to before `end` (None: still)."""

    path: str
    blob: str
    start: int
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a revision in which one status counts; `confirmed` is what the journal says then."""

    revision: Revision
    schema: Schema
    status: Status
    start: int
    end: int | None
    confirmed: Confirmed

    def overlaps(self, start: int, end: int | None) -> bool:
        """Whether it shares a position with the stretch from `start` to before `end`."""
        return (end is None or self.start < end) and (self.end is None or start < self.end)


@dataclass(frozen=True, slots=True)
class Record:
    """All that the lineage says of schema files, of tombstones, and of ids."""

    found: Lineage
    schemas: tuple[Revision, ...]
    graves: tuple[Revision, ...]
    standings: Mapping[str, Sequence[tuple[int, Standing]]]


def of(opened: Opened, found: Lineage) -> Record:
    """The whole record, from git."""
    changes = course.changed(opened.journal, found, ("schemas", tombstones.PATH))
    every = tuple(revisions(changes))
    return Record(
        found,
        tuple(one for one in every if scan.is_schema_path(one.path)),
        tuple(one for one in every if one.path == tombstones.PATH),
        course.standings(opened.journal, found),
    )


def revisions(
    changes: Iterable[tuple[int, Sequence[Changed]]], before: Iterable[Revision] = ()
) -> Iterator[Revision]:
    """The revisions that `changes`, oldest first, make; `before` are those that are open already."""
    standing_now = {one.path: one for one in before}
    for at, touched in changes:
        for one in touched:
            last = standing_now.get(one.path)
            if last is not None and last.blob == one.blob:
                continue  # only its mode changed
            if last is not None:
                yield replace(standing_now.pop(one.path), end=at)
            if one.blob:
                standing_now[one.path] = Revision(one.path, one.blob, at)
    yield from standing_now.values()


def understood(
    opened: Opened, wanted: Sequence[Revision], progress: Progress | None = None
) -> Iterator[tuple[Revision, Schema]]:
    """Each revision that is understood with its schema; what was set aside then is left out."""
    for start in range(0, len(wanted), READ):
        part = wanted[start : start + READ]
        contents = tree.read_blobs(opened.journal, [one.blob for one in part])
        for one in part:
            schema = filing.understand(opened, one.path, contents[one.blob]).schema
            if schema is not None:
                yield one, schema
        if progress:
            progress(min(start + READ, len(wanted)), len(wanted))


def stretches(record: Record, revision: Revision, schema: Schema) -> Iterator[Stretch]:
    """The parts of a revision between which the standing of its memory changes."""
    told = record.standings.get(schema.id, ())
    turns = [at for at, _ in told if at > revision.start and (revision.end is None or at < revision.end)]
    for start, end in zip([revision.start, *turns], [*turns, revision.end], strict=True):
        confirmed = confirmed_at(record, schema.id, start)
        status = counting.effective(schema.id, schema.status, confirmed)
        yield Stretch(revision, schema, status, start, end, confirmed)


def confirmed_at(record: Record, id_: str, position: int) -> Confirmed:
    """What the journal says of one id at a position of the record."""
    said = [standing_ for at, standing_ in record.standings.get(id_, ()) if at <= position]
    return standing.told(Confirmed(record.found.commits[position]), {id_: said[-1]} if said else {})
