"""The queue: everything that waits for a person's decision, and what a person needs to see for it.

Read from the index where it can be used, else from the files: both give the same queue.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from memcli.engine import counting, filing, reconcile
from memcli.engine.opened import Opened
from memcli.engine.retracting import doubting
from memcli.engine.task import belonging
from memcli.engine.view import View
from memcli.memory import confidence, reviewing, staging
from memcli.memory.reviewing import Why
from memcli.memory.schema import Schema, Status
from memcli.memory.scope import Scope
from memcli.store import event, format
from memcli.surroundings import Kind

WITHHELD: Final = frozenset({Why.SAID_AGAIN, Why.HELD_HERE})
_CONFLICT: Final = "in conflict"  # as format says it of a file with git's markers


@dataclass(frozen=True, slots=True)
class Waiting:
    """One memory that waits: why, and for which others' sake.

    `digest` is that of the file as it was read. `schema` is None where git left a conflict in
    the file. `until` is when a staged one is given up, in seconds since 1970.
    """

    why: Why
    path: str
    digest: str
    scope: str
    schema: Schema | None
    of: tuple[str, ...] = ()
    until: int | None = None

    @property
    def id(self) -> str:
        """The id, "" where the file cannot be read."""
        return self.schema.id if self.schema else ""

    @property
    def claim(self) -> str:
        """The claim, or what is wrong where there is none to read."""
        return self.schema.claim if self.schema else f"git left a conflict in {self.path}"

    @property
    def status(self) -> str:
        """What the file says, "" where it cannot be read."""
        return self.schema.status.value if self.schema else ""


class _Row(NamedTuple):
    """What the index, or a file, tells of one schema before it is read whole."""

    path: str
    scope: str
    stated: str
    status: str
    folded: str
    reviewed: bool
    hidden_in: tuple[str, ...] = ()


def waiting(opened: Opened, view: View, scope: str | None = None) -> tuple[Waiting, ...]:
    """What waits in `scope` (None: this command's; `*`: every) and the scopes that it sees, in order.

    What is withheld because it says what was removed is for a person's eyes alone. Raises Refused
    for an agent whose session works in another scope.
    """
    scopes = belonging.scopes_read(opened, scope)
    rows = [row for row in _rows(opened, view) if scopes is None or row.scope in set(map(str, scopes))]
    found = [*_themselves(opened, view, rows), *_rivals(opened, rows), *_unmerged(opened, view, scopes)]
    found += _held(opened, rows, scopes[0]) if scopes else ()
    found += _doubted(opened, view, rows, scopes)
    first: dict[str, Waiting] = {}
    person = opened.actor.kind is Kind.HUMAN
    for one in sorted(found, key=_place):
        if not person and one.why in WITHHELD:
            continue
        first.setdefault(one.path, one)
    return tuple(first.values())


def _place(one: Waiting) -> tuple[int, int, str, str]:
    founded = reviewing.founded(one.schema) if one.schema else ""
    return reviewing.ORDER.index(one.why), one.until or 0, founded, one.path


def view_of(opened: Opened) -> View:
    """The store as it stands now, for whoever reads the queue."""
    return reconcile.freshen(opened)


def stands(opened: Opened, one: Waiting) -> bool:
    """Whether the file is still as it was when the queue was read."""
    filed = filing.read(opened, one.path)
    return filed is not None and filed.digest == one.digest


def _rows(opened: Opened, view: View) -> Iterator[_Row]:
    if view.index is None:
        yield from _rows_of_files(opened, view)
        return
    for row in view.index.all_rows(("path", "scope", "stated", "status", "folded", "rest", "hidden_in")):
        yield _Row(
            row["path"],
            row["scope"],
            row["stated"],
            row["status"],
            row["folded"],
            '"review"' in row["rest"],
            tuple(row["hidden_in"]),
        )


def _rows_of_files(opened: Opened, view: View) -> Iterator[_Row]:
    from memcli.memory.schema import fold_concept

    for one in filing.every(opened):
        if one.schema is None:
            continue
        schema = one.schema
        counts = counting.effective(schema.id, schema.status, view.confirmed)
        withheld = one.path in view.confirmed.withheld
        yield _Row(
            one.path,
            str(schema.scope),
            schema.status.value,
            Status.FORGOTTEN.value if withheld else counts.value,
            fold_concept(schema.concept),
            schema.review is not None,
        )


def _themselves(opened: Opened, view: View, rows: Sequence[_Row]) -> Iterator[Waiting]:
    """What waits by its own status, and what is withheld for what it says."""
    for row in rows:
        if not (row.reviewed or row.stated == Status.STAGED or row.status != row.stated):
            continue
        filed = filing.read(opened, row.path)
        if filed is None or filed.schema is None:
            continue
        found = _waiting(opened, view, row, filed, filed.schema)
        if found is not None:
            yield found


def _waiting(opened: Opened, view: View, row: _Row, filed: filing.Filed, schema: Schema) -> Waiting | None:
    of = schema.review.of if schema.review else ()
    if row.status != row.stated:
        own = view.confirmed.status_of(schema.id) is not None  # its own removal: `mem save` asks about that
        if own or row.path in view.dirty:
            return None
        newer = schema.status is Status.NEEDS_REVIEW and reviewing.waits_for_newer(schema)
        why = Why.NEWER_EVIDENCE if newer else Why.SAID_AGAIN
        return Waiting(why, filed.path, filed.digest, row.scope, schema, of)
    waits = reviewing.why(schema, schema.status)
    if waits is None:
        return None
    until = _until(opened, schema) if waits is Why.STAGED else None
    return Waiting(waits, filed.path, filed.digest, row.scope, schema, of, until)


def _until(opened: Opened, schema: Schema) -> int | None:
    said = [event.moment_of(one.event) // 1000 for one in schema.evidence]
    last = max(filter(None, said), default=None)
    return None if last is None else staging.expires_at(last, opened.settings.constants)


def _rivals(opened: Opened, rows: Sequence[_Row]) -> Iterator[Waiting]:
    """The latest of the claims of one concept that hold at the same time."""
    several: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.folded and row.status == row.stated == Status.ACTIVE:
            several.setdefault((row.scope, row.folded), []).append(row.path)
    paths = [path for found in several.values() if len(found) > 1 for path in found]
    filed = {one.schema.id: one for path in paths if (one := filing.read(opened, path)) and one.schema}
    for latest, *others in reviewing.rivals([one.schema for one in filed.values() if one.schema]):
        one = filed[latest.id]
        of = tuple(other.id for other in others)
        yield Waiting(Why.CONFLICT, one.path, one.digest, str(latest.scope), latest, of)


def _held(opened: Opened, rows: Sequence[_Row], here: Scope) -> Iterator[Waiting]:
    """What counts in its own, wider scope and is withheld in this one, for what was removed here."""
    for row in rows:
        if str(here) in row.hidden_in and row.status == row.stated:
            filed = filing.read(opened, row.path)
            if filed is not None and filed.schema is not None:
                yield Waiting(Why.HELD_HERE, filed.path, filed.digest, row.scope, filed.schema)


def _doubted(
    opened: Opened, view: View, rows: Sequence[_Row], scopes: tuple[Scope, ...] | None
) -> Iterator[Waiting]:
    """What is believed and lost much by a retraction; only those of these scopes are named."""
    retracted = doubting.of_view(opened, view)
    if not retracted:
        return
    doubts = confidence.doubts(retracted, opened.settings.constants)
    for row in rows:
        doubt = doubts.get(view.known[row.path].id) if row.path in view.known else None
        if doubt is None or not doubt.labile or not row.status == row.stated == Status.ACTIVE:
            continue
        filed = filing.read(opened, row.path)
        if filed is not None and filed.schema is not None:
            of = tuple(one.by for one in doubt.taken if scopes is None or one.scope in scopes)
            yield Waiting(Why.CONTAMINATED, filed.path, filed.digest, row.scope, filed.schema, of)


def _unmerged(opened: Opened, view: View, scopes: tuple[Scope, ...] | None) -> Iterator[Waiting]:
    """Files in which git left a conflict."""
    for path, known in view.known.items():
        if not known.id and _CONFLICT in known.problem:
            scope = format.scope_of(path)
            filed = filing.read(opened, path)
            if filed and not filed.schema and scope and (scopes is None or scope in scopes):
                yield Waiting(Why.UNMERGED, path, filed.digest, str(scope), None)
