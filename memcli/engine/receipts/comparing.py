"""Diff: what became of everything that an answer showed, and what an answer today shows beside it.

Each is judged by its file and the journal, not by whether it is found again: a memory may be
as it was and yet stand behind newer ones. What is forgotten is named by its id alone.
"""

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

from memcli.engine import resolve, standing
from memcli.engine.opened import Opened
from memcli.engine.receipts import origins, questioning
from memcli.engine.resolve import Found
from memcli.engine.standing import Confirmed
from memcli.engine.task import belonging
from memcli.errors import MemError
from memcli.journal import history
from memcli.journal.history import Entry
from memcli.memory import difference, times
from memcli.memory.difference import State
from memcli.memory.receipt import Receipt
from memcli.memory.schema import Schema, Status
from memcli.memory.scope import Scope
from memcli.store import events, tombstones

_BESIDE = frozenset({"evidence", "links", "confidence", "trust"})  # keys that change without another meaning
_MOST = 30  # asserted: successors that are followed; a chain is hardly ever longer than three


class Became(StrEnum):
    """What became of one that was shown."""

    STABLE = "stable"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    FORGOTTEN = "forgotten"
    EXPIRED = "expired"
    NOT_YET = "not yet"
    EDITED = "edited"
    STALE = "stale"
    ARCHIVED = "archived"
    WAITS = "waits for review"
    STAGED = "staged"
    RESTORED = "restored"
    SET_ASIDE = "set aside"
    GONE = "gone"


_OF_STATUS = {
    Status.FORGOTTEN: Became.FORGOTTEN,
    Status.RETRACTED: Became.RETRACTED,
    Status.SUPERSEDED: Became.SUPERSEDED,
    Status.STALE: Became.STALE,
    Status.ARCHIVED: Became.ARCHIVED,
    Status.NEEDS_REVIEW: Became.WAITS,
    Status.STAGED: Became.STAGED,
    Status.ACTIVE: Became.RESTORED,
}


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one selection: by which commit of whom, None where time or the disk alone did it.

    `claim` is what it says now, empty where that is not told; `by` the id that superseded it;
    `keys` what was edited; `rank` and `now` its places then and in an answer today (None: not in it).
    """

    id: str
    kind: str
    became: Became
    rank: int | None
    now: int | None
    claim: str = ""
    by: str = ""
    keys: tuple[str, ...] = ()
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """The fates in the order of the receipt, then what is `new`; `as_of` is what today was asked about."""

    receipt: Receipt
    fates: tuple[Fate, ...]
    new: tuple[Fate, ...]
    outcome: str
    as_of: int

    @property
    def same(self) -> bool:
        """Whether everything is as it was, and nothing new is shown."""
        return not self.new and all(one.became is Became.STABLE for one in self.fates)


def compare(opened: Opened, given: Receipt) -> Compared:
    """What became of an answer, with the question asked again as the store stands."""
    asked = given.said["asked"]["as_of"]
    request = questioning.request_of(given, as_of=asked, known_at=None)
    today = questioning.answered(opened, given, request)
    shown = [one.schema for one in (*today.warnings, *today.answer.items)]
    said = [one.event for one in today.answer.said]
    ranks = {id_: rank for rank, id_ in enumerate([*(one.id for one in shown), *(one.id for one in said)], 1)}
    look = _Look(opened, standing.current(opened), today.answer.as_of, given)
    asked_from = belonging.scopes_read(opened, given.said["scope"])
    fates = tuple(
        replace(look.fate(one, asked_from, ranks), rank=one["rank"], now=ranks.get(one["id"]))
        for one in given.selected
    )
    known = {one["id"] for one in given.selected}
    new = [look.new(one, ranks[one.id]) for one in shown if one.id not in known]
    new += [
        Fate(one.id, "event", Became.STABLE, None, ranks[one.id], one.text)
        for one in said
        if one.id not in known
    ]
    return Compared(given, fates, tuple(new), today.answer.outcome, today.answer.as_of)


class _Look:
    """The store as it stands, for what a receipt selected."""

    def __init__(self, opened: Opened, confirmed: Confirmed, as_of: int, given: Receipt) -> None:
        self._opened = opened
        self._confirmed = confirmed
        self._as_of = as_of
        self._commit: str | None = given.said["commit"]
        self._paths = {id_: path for path, id_ in resolve.ids(opened).items()}

    def fate(self, one: Mapping[str, Any], seen: Collection[Scope] | None, today: Container[str]) -> Fate:
        """What became of one selection, without its places.

        What an answer `today` does not show says no text where it lies outside of the scopes `seen`
        (None: every one), to which it was moved; nor does a turn, which may rest on what is forgotten.
        """
        fate = self._fate(one)
        if one["id"] in today:
            return fate
        now = None if one["kind"] == "event" else self._found(one["id"])
        if now is not None and (seen is None or now.schema.scope in seen):
            return fate
        return replace(fate, claim="", by="")

    def _fate(self, one: Mapping[str, Any]) -> Fate:
        id_ = one["id"]
        if one["kind"] == "event":
            return self._heard(id_)
        now = self._found(id_)
        if now is None:
            return self._without_file(id_, one["blob"])
        if now.effective is Status.FORGOTTEN or now.path in self._confirmed.withheld:
            forgot = self._did(now.path, id_, Status.FORGOTTEN)
            return Fate(id_, "schema", Became.FORGOTTEN, None, None, entry=forgot)
        before = self._before(id_, one["blob"])
        became, keys = self._became(now, before)
        entry: Entry | None = None
        if became not in (Became.STABLE, Became.NOT_YET) and (became is not Became.EXPIRED or keys):
            entry = self._did(now.path, id_, now.effective)
        by = self._successor(now.schema) if became is Became.SUPERSEDED else ""
        return Fate(id_, "schema", became, None, None, now.schema.claim, by, keys, entry)

    def new(self, schema: Schema, rank: int) -> Fate:
        """One that only an answer today shows, and what brought it."""
        entry = self._did(self._paths.get(schema.id, ""), schema.id, None)
        return Fate(schema.id, "schema", Became.STABLE, None, rank, schema.claim, entry=entry)

    def _heard(self, id_: str) -> Fate:
        found = events.find(self._opened.place, id_)
        became = Became.GONE if found is None else Became.STABLE
        return Fate(id_, "event", became, None, None, "" if found is None else found.text)

    def _found(self, id_: str) -> Found | None:
        path = self._paths.get(id_)
        try:
            return None if path is None else resolve.at(self._opened, path, self._confirmed)
        except MemError:  # set aside, or gone
            return None

    def _without_file(self, id_: str, blob: str | None) -> Fate:
        """One that no file states any more: forgotten, set aside, or deleted."""
        before = self._before(id_, blob)
        path = before.path if before else ""
        entry = self._did(path, id_, None)
        if id_ in self._confirmed.forgotten or self._buried(id_):
            return Fate(id_, "schema", Became.FORGOTTEN, None, None, entry=entry)
        there = bool(path) and self._opened.place.at(path).exists()
        return Fate(id_, "schema", Became.SET_ASIDE if there else Became.GONE, None, None, entry=entry)

    def _buried(self, id_: str) -> bool:
        graves = tombstones.load(self._opened.place).tombstones
        return any(one.id == id_ and one.act == Status.FORGOTTEN for one in graves)

    def _before(self, id_: str, blob: str | None) -> State | None:
        """The memory as the receipt's commit holds it; None where it does not, or is not here any more."""
        if blob is None or self._held is None:
            return None
        return self._held.state(id_, blob)

    @cached_property
    def _held(self) -> origins.Held | None:
        try:
            return None if self._commit is None else origins.Held(self._opened, self._commit)
        except MemError:
            return None

    def _became(self, now: Found, before: State | None) -> tuple[Became, tuple[str, ...]]:
        """What is to be said of one that has a file, and which keys of it read otherwise."""
        state = State(now.schema, now.path, now.effective)
        told = difference.between(before, state) if before else None
        keys = tuple(one.name for one in told.keys if one.name not in _BESIDE) if told else ()
        if now.effective is not (before.status if before else Status.ACTIVE):
            return _OF_STATUS[now.effective], tuple(key for key in keys if key != "status")
        validity = now.schema.validity
        bounds = tuple(key for key in keys if key.startswith("validity."))
        if validity.end is not None and validity.end <= self._as_of:
            return Became.EXPIRED, bounds
        if validity.start is not None and validity.start > self._as_of:
            return Became.NOT_YET, bounds
        return (Became.EDITED, keys) if keys else (Became.STABLE, ())

    def _successor(self, schema: Schema) -> str:
        """The last of the chain that took its place."""
        seen = [schema.id]
        while schema.superseded_by and schema.superseded_by not in seen and len(seen) < _MOST:
            seen.append(schema.superseded_by)
            found = self._found(seen[-1])
            if found is None or found.effective is Status.FORGOTTEN:
                break
            schema = found.schema
        return seen[-1] if len(seen) > 1 else ""

    def _did(self, path: str, id_: str, status: Status | None) -> Entry | None:
        """The commit that did it: the last to give it that status, else the last that touched its file."""
        if not path or self._opened.readable_journal is None:
            return None
        found = list(history.entries(self._opened.journal, path=path))
        gave = (
            one
            for one in found
            for change in one.changes
            if change.id == id_ and status is not None and change.status == status.value
        )
        return next(gave, found[0] if found else None)


def moment(given: Receipt) -> int:
    """What the receipt's answer was about, seconds since 1970."""
    return times.parse(given.said["as_of"])
