"""Memories that another store sends, one by one: what each is here, by the rule of all that comes in.

`settled` are those about which nothing has to be decided: they stand here already, or arrive
without counting. The others become drafts, and the guard judges them like any claim.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from memcli.engine import counting, drafting, filing
from memcli.engine.drafting import Draft, Request
from memcli.engine.moving import claims_brought, files_brought
from memcli.engine.moving.brought import (
    BY_ID,
    FORGOTTEN_TEXT,
    KEPT,
    LEFT,
    REFUSED,
    TAKEN_OVER,
    UNCHANGED,
    Brought,
)
from memcli.engine.moving.bundle import Bundle, Filed
from memcli.engine.opened import Opened
from memcli.engine.outcome import Outcome
from memcli.engine.standing import LEAVES_A_TOMBSTONE
from memcli.engine.taking_in import TakingIn
from memcli.engine.task import belonging
from memcli.engine.writer import FileChange, Writer
from memcli.errors import MemError, Refused
from memcli.journal.message import Change
from memcli.memory.admission import Candidate, Decision, Kind
from memcli.memory.schema import GONE, Review, ReviewReason, Schema, Status, Trust
from memcli.memory.scope import Scope
from memcli.store import event, format, naming, secrets, tombstones
from memcli.store.events import Event
from memcli.store.events import Kind as EventKind
from memcli.surroundings import Kind as ActorKind

if TYPE_CHECKING:
    import numpy as np

_COUNTS: Final = frozenset({Status.ACTIVE, Status.NEEDS_REVIEW, Status.STAGED})
_DATED: Final = frozenset({Status.SUPERSEDED, Status.STALE})  # an answer about the past may still give them
_OVER: Final = frozenset({Status.SUPERSEDED, Status.STALE, Status.ARCHIVED, *LEAVES_A_TOMBSTONE})


@dataclass
class Bringing:
    """The memories of one bundle, and what they change beside what `taking` notes."""

    writer: Writer
    taking: TakingIn
    bundle: Bundle
    restore: bool
    files: list[FileChange] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    _open: list[tuple[Filed, Schema, bytes]] = field(default_factory=list)
    _lines: dict[str, Filed] = field(default_factory=dict)
    _taken_paths: set[str] = field(init=False)
    _here: dict[str, str] = field(init=False)
    _out: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        known, confirmed = self.writer.view.known, self.writer.view.confirmed
        self._here = {one.id: path for path, one in known.items() if one.id}
        self._taken_paths = {path.casefold() for path in known}
        graves = {one.id for one in tombstones.load(self._opened.place).tombstones}
        gone = {id_ for id_, one in confirmed.removed.items() if one.status in LEAVES_A_TOMBSTONE}
        self._out = frozenset((graves - confirmed.returned) | gone)

    @property
    def _opened(self) -> Opened:
        return self.writer.opened

    @property
    def here(self) -> frozenset[str]:
        """The ids that have a file here."""
        return frozenset(self._here)

    def settled(self) -> Iterator[Brought]:
        """Those about which the guard need not be asked; the others wait for `drafts`."""
        for one in self.bundle.schemas:
            try:
                told = self._settled(one)
            except MemError as error:
                told = Brought(one.id, REFUSED, rule="format", error=error.message)
            if told is not None:
                yield replace(told, line=one.line)

    def _settled(self, one: Filed) -> Brought | None:
        raw = files_brought.stated(one, self._opened.settings.timezone)
        parsed = format.parse(raw, one.path, self._opened.settings.timezone)
        schema = parsed.schema
        if schema is None or schema.id != one.id:
            why = str(parsed.problems[0]) if parsed.problems else "its id is not that of its line"
            return Brought(one.id, REFUSED, rule="format", error=why)
        if one.id in self._here:
            return self._met(schema, raw, self._here[one.id])
        if one.id in self._out:
            return self._told(schema, Kind.SKIPPED.value, rule=BY_ID, of=one.id)
        if secret := secrets.find(one.text):
            error = f"It holds what looks like a secret ({secret}); nothing of it was stored."
            return Brought(one.id, REFUSED, schema.status.value, rule="secret", error=error)
        return self._new(one, schema, raw)

    def _new(self, one: Filed, schema: Schema, raw: bytes) -> Brought | None:
        if (schema.status in _DATED and not self.restore) or not self._reaches(schema.scope):
            return self._told(schema, LEFT)
        if schema.status in _COUNTS or schema.status in _DATED:
            self._open.append((one, schema, raw))
            return None
        ready = raw if self.restore else files_brought.doubted(raw, one.path)
        self.files.append(FileChange(self._path(one, schema), None, ready))
        self.changes.append(Change(schema.id, GONE, schema.status.value))
        return replace(self._told(schema, Kind.CREATED.value), changes=True)

    def _reaches(self, scope: Scope) -> bool:
        """Whether a session that is open lets its agent write into that scope."""
        try:
            belonging.refuse_other_scope(self._opened, scope)
        except Refused:
            return self._opened.actor.kind is ActorKind.HUMAN
        return True

    def _told(self, schema: Schema, decision: str, *, rule: str = "", of: str = "") -> Brought:
        text = FORGOTTEN_TEXT if schema.status is Status.FORGOTTEN else schema.claim
        return Brought(schema.id, decision, schema.status.value, text, rule, of=of)

    def _met(self, theirs: Schema, raw: bytes, path: str) -> Brought:
        """One whose id stands here: what it is here stays, but that a removal there is taken over."""
        filed = filing.read(self._opened, path)
        ours = filed.schema if filed else None
        if filed is None or ours is None:
            return self._told(theirs, KEPT)
        counts = counting.effective(ours.id, ours.status, self.writer.view.confirmed)
        if filed.raw == raw or (counts is theirs.status and ours.claim == theirs.claim):
            otherwise = counts in _COUNTS and not files_brought.alike(ours, theirs)
            return self._told(theirs, KEPT if otherwise else UNCHANGED)
        if counts in LEAVES_A_TOMBSTONE:
            return self._told(theirs, Kind.SKIPPED.value, rule=BY_ID, of=ours.id)
        other = theirs.status not in LEAVES_A_TOMBSTONE and ours.claim != theirs.claim
        if theirs.status not in _OVER or counts not in _COUNTS or other:
            return self._told(ours, KEPT)
        if not self.restore:
            return self._told(theirs, LEFT)
        after = files_brought.over(filed.raw, theirs, self._opened.settings.timezone)
        self.files.append(FileChange(path, filed.digest, after))
        self.changes.append(Change(ours.id, counts.value, theirs.status.value))
        return replace(self._told(theirs, TAKEN_OVER), changes=True, on_trust=True, path=path)

    def drafts(self) -> Iterator[Draft | Brought]:
        """Those that the guard has to judge, claims alone behind the memories; or why one can't be."""
        for one, schema, raw in self._open:
            self._lines[one.id] = one
            try:
                yield self._draft(one, schema, raw)
            except MemError as error:
                yield Brought(one.id, REFUSED, rule="format", error=error.message, line=one.line)
        for draft in claims_brought.drafts(self._opened, self.bundle.claims, trusted=self.restore):
            if isinstance(draft, MemError):
                yield Brought("", REFUSED, rule="format", error=draft.message)
            else:
                yield draft

    def _draft(self, one: Filed, schema: Schema, raw: bytes) -> Draft:
        passed = [*schema.overrides, *(one.beside if self.restore else ())]
        ready = files_brought.passing(raw, schema, [id_ for id_ in passed if not self._is_out(id_)])
        ready = ready if self.restore else files_brought.doubted(ready, one.path)
        parsed = format.parse(ready, one.path, self._opened.settings.timezone).schema or schema
        candidate = Candidate(
            text="\n\n".join(filter(None, (parsed.claim, parsed.detail))),
            scope=parsed.scope,
            as_of=self._opened.now,
            evidence_at=max((event.moment_of(each.event) // 1000 for each in parsed.evidence), default=0),
            concept=parsed.concept,
            validity=parsed.validity,
            events=frozenset(each.event for each in parsed.evidence),
            explicit=False,
            trust=Trust.TRUSTED if self.restore else Trust.UNTRUSTED,
            overrides=frozenset(parsed.overrides),
            type=parsed.type,
            salience=1.0,  # it was weighed where it comes from
        )
        request = Request(parsed.claim, str(parsed.scope), line=one.line)
        path = self._path(one, parsed)
        return Draft(request, candidate, parsed, _no_event(self._opened, parsed), True, ready, path)

    def _is_out(self, id_: str) -> bool:
        """Whether it was removed here before this import, whatever stands for it now."""
        return id_ in self._out or self.writer.view.confirmed.status_of(id_) in LEAVES_A_TOMBSTONE

    def _path(self, one: Filed, schema: Schema) -> str:
        """Where the file lay there, if that is free and of its scope; else where a fresh one goes."""
        path = one.path
        taken = path.casefold() in self._taken_paths or os.path.lexists(self._opened.place.at(path))
        if taken or format.scope_of(path) != schema.scope:
            path = naming.fresh_path(schema, self.writer.view.known.keys())
        self._taken_paths.add(path.casefold())
        return path

    def decided(self, draft: Draft, vectors: "np.ndarray | None", *, many: bool) -> Brought:
        """What becomes of a draft, noted where it changes anything."""
        before = self.taking.noted.count
        try:
            decision = self._judged(draft, self.taking.decided(draft, vectors, many=many))
        except MemError as error:
            return self._brought(draft, Outcome(draft, None, error=error), changes=False)
        if decision is None:
            return self._told(draft.schema, KEPT)
        outcome = self.taking.note(draft, decision, vectors)
        return self._brought(draft, outcome, changes=before != self.taking.noted.count)

    def _judged(self, draft: Draft, decision: Decision) -> Decision | None:
        """The decision about a file that came whole; None where it adds nothing to what stands here."""
        if not draft.raw:
            return decision
        theirs = draft.schema
        if decision.kind is Kind.REINFORCED and not (self.restore and theirs.status is Status.ACTIVE):
            return None
        stated = self._lines[theirs.id]
        if decision.kind is Kind.SKIPPED and self._passed_there(stated, decision.of):
            held = Review(ReviewReason.RESEMBLES, (decision.of,))
            return replace(decision, kind=Kind.REVIEW, status=Status.NEEDS_REVIEW, review=held)
        if decision.kind is Kind.CREATED and theirs.status is not Status.ACTIVE:
            return replace(decision, status=theirs.status, review=theirs.review)
        if decision.rule == "trust" and theirs.review is not None:
            return replace(decision, review=theirs.review)
        return decision

    def _passed_there(self, stated: Filed, of: str) -> bool:
        """Whether a person let it pass over there what is out here: never lost, but never live either."""
        head, _ = format.split(stated.text.encode())
        return of in stated.beside or of.encode() in head

    def _brought(self, draft: Draft, outcome: Outcome, *, changes: bool) -> Brought:
        decision, error = outcome.decision, outcome.error
        if draft.candidate.secret:
            why = error.message if error else ""
            return Brought("", REFUSED, rule="secret", error=why, line=draft.request.line)
        return Brought(
            draft.schema.id if draft.raw else outcome.id or draft.schema.id,
            decision.kind.value if decision and error is None else REFUSED,
            outcome.status or "",
            draft.schema.claim,
            decision.rule if decision else "",
            decision.score if decision else None,
            decision.of if decision else "",
            outcome.path,
            error.message if error else "",
            changes=changes,
            on_trust=changes and outcome.status in (Status.ACTIVE, *_DATED),
            fresh=not draft.raw and outcome.id in (None, draft.schema.id),
            line=draft.request.line,
            own=outcome.own,
        )


def _no_event(opened: Opened, schema: Schema) -> Event:
    """What stands for the founding event, which came in its own line and is not appended again."""
    founding = schema.evidence[0].event if schema.evidence else schema.id
    return Event(founding, opened.now, schema.scope, str(opened.actor), EventKind.CLAIM, drafting.LOGIC)
