"""What stands behind one memory of the queue: what was said, what it resembles, who put it there.

Fetched for one at a time, as a person comes to it; what may not be seen from this scope stays
out. An agent is not told the words of what was forgotten, nor what was said for a memory that
no longer counts or comes near to such a one: else a corrected fact walks back in by its source.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memcli.engine import arrivals, filing, resolve
from memcli.engine.opened import Opened
from memcli.engine.reviewing.queue import WITHHELD, Waiting
from memcli.engine.task import belonging
from memcli.engine.view import View
from memcli.errors import MemError
from memcli.memory import staging
from memcli.memory.reviewing import Why
from memcli.memory.schema import Status
from memcli.memory.scope import Scope
from memcli.memory.visibility import viewer_from
from memcli.store import event, events
from memcli.surroundings import Kind

if TYPE_CHECKING:
    from memcli.index.tables import Index

_OF_REMOVED: Final = frozenset({Why.REPORTED, Why.NEWER_EVIDENCE, Why.RESEMBLES})
READ: Final = 24  # asserted: events looked up of one memory, for a person who waits
LINES: Final = 6  # asserted: events shown of one memory, the first ones
NEAREST: Final = 2  # asserted: believed claims shown beside it


@dataclass(frozen=True, slots=True)
class Line:
    """One event that it rests on: `at` in seconds since 1970, `who` said it."""

    event: str
    at: int
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Beside:
    """Another memory: one that it waits for (`cosine` None), or one that it resembles.

    `claim` is empty where it is not to be seen from here; `removed` says when, by whom and why
    it was taken out.
    """

    id: str
    claim: str
    status: str
    cosine: float | None = None
    removed: str = ""


@dataclass(frozen=True, slots=True)
class Background:
    """`said` holds the first of `events` events, of which READ at most are looked up for `sessions`.

    `by` is who put it into the queue.
    """

    said: tuple[Line, ...]
    events: int
    sessions: int
    beside: tuple[Beside, ...]
    by: str = ""
    reason: str = ""


def of(opened: Opened, view: View, one: Waiting, scope: str | None = None) -> Background:
    """What to show beside `one`, asked from `scope` (None: this command's, `*`: every)."""
    scopes = belonging.scopes_read(opened, scope)
    found = _events(opened, one, scopes)
    sessions = {staging.session_of(each.session, event.moment_of(each.id)) for each in found}
    by, reason = _put(opened, one) if one.why is Why.REPORTED else ("", "")
    said = () if one.why in _OF_REMOVED and opened.actor.kind is not Kind.HUMAN else _lines(one, found)
    beside = (*_named(opened, view, one, scopes), *_near(opened, view.index, one, scopes))
    more = max(len(one.schema.evidence) - READ, 0) if one.schema else 0
    return Background(said, len(found) + more, len(sessions), beside, by, reason)


def _events(opened: Opened, one: Waiting, scopes: tuple[Scope, ...] | None) -> list[events.Event]:
    rests = one.schema.evidence[:READ] if one.schema else ()
    found = [events.find(opened.place, each.event) for each in rests]
    return [each for each in found if each is not None and (scopes is None or each.scope in scopes)]


def _lines(one: Waiting, found: Sequence[events.Event]) -> tuple[Line, ...]:
    quotes = {each.event: each.quote for each in one.schema.evidence} if one.schema else {}
    lines = [
        Line(
            each.id,
            each.happened,
            str(each.data.get("subject") or each.actor),
            quotes.get(each.id) or each.text,
        )
        for each in found
    ]
    return tuple(sorted(lines, key=lambda line: (line.at, line.event))[:LINES])


def _put(opened: Opened, one: Waiting) -> tuple[str, str]:
    """Who put it into the queue, and why they said so."""
    from memcli.journal import history

    if opened.readable_journal is None:
        return "", ""
    try:
        entry = next(history.entries(opened.journal, path=one.path, limit=1), None)
    except MemError:
        return "", ""
    return (entry.actor, entry.reason) if entry else ("", "")


def said_again(opened: Opened, view: View, one: Waiting) -> tuple[str, ...]:
    """The ids of the removed memories that a withheld file says again."""
    filed = filing.read(opened, one.path)
    here = opened.scope if one.why is Why.HELD_HERE else None
    return arrivals.said_again(opened, view, [filed], here).get(one.path, ()) if filed else ()


def _named(opened: Opened, view: View, one: Waiting, scopes: tuple[Scope, ...] | None) -> Iterator[Beside]:
    ids = (said_again(opened, view, one) if one.why in WITHHELD else ()) or one.of
    for id_ in ids:
        found = _found(opened, view, id_)
        if found is None:
            yield Beside(id_, "", "its file is gone", removed=_removed(opened, view, id_))
            continue
        hidden = scopes is not None and found.schema.scope not in scopes
        secret = found.effective is Status.FORGOTTEN and opened.actor.kind is not Kind.HUMAN
        claim = "" if hidden or secret else found.schema.claim
        told = "" if hidden or found.effective is Status.ACTIVE else _removed(opened, view, id_)
        yield Beside(id_, claim, found.effective.value, removed=told)


def _found(opened: Opened, view: View, id_: str) -> resolve.Found | None:
    """The memory with this id, or None where its file is gone; without a look at every file of the store."""
    path = next((path for path, one in view.known.items() if one.id == id_), None)
    try:
        return resolve.at(opened, path, view.confirmed) if path else resolve.one(opened, id_, view.confirmed)
    except MemError:
        return None


def _removed(opened: Opened, view: View, id_: str) -> str:
    """When, by whom and why it was taken out, from the commit that the journal names for it."""
    from memcli.journal import history
    from memcli.memory import times

    removal = view.confirmed.removed.get(id_)
    if removal is None or opened.readable_journal is None:
        return ""
    try:
        entry = history.entry(opened.journal, removal.commit)
    except MemError:
        return ""
    if entry is None:
        return ""
    why = f", {entry.reason!r}" if entry.reason else ""
    return f"{times.show_day(entry.at)} by {entry.actor or entry.author}{why}"


def _near(
    opened: Opened, index: "Index | None", one: Waiting, scopes: tuple[Scope, ...] | None
) -> Iterator[Beside]:
    """The believed memories of its scope that lie nearest, where they lie near enough to be its echo."""
    if index is None or one.schema is None or (scopes is not None and one.schema.scope not in scopes):
        return
    from memcli.memory import pool

    vectors = next((row.vectors for row in index.take([one.path]) if row.vectors is not None), None)
    if vectors is None or not vectors[0].any():
        return
    near = index.nearest(viewer_from(one.schema.scope, opened.now), vectors[0], NEAREST + len(one.of) + 1)
    rows = {row.path: row for row in index.take([each.path for each in near])}
    shown = 0
    for each in near:
        row = rows.get(each.path)
        filed = filing.read(opened, each.path)
        if row is None or filed is None or filed.schema is None or shown == NEAREST:
            continue
        cosine = pool.cosine(row.vectors, vectors[0])
        other = filed.schema
        if other.id not in (one.schema.id, *one.of) and cosine >= opened.settings.constants.resonance:
            shown += 1
            yield Beside(other.id, other.claim, other.status.value, cosine)
