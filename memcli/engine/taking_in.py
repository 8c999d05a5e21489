"""Taking claims in: the decision about each, and everything it changes, as one operation.

The path of remember and of whatever brings claims later. Decisions are taken one after the
other, each seeing what those before it did, and are carried out together: one commit.
"""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from memcli.engine import drafting, filing, handmade, same_second
from memcli.engine.batchmates import Taken
from memcli.engine.drafting import Draft, Request
from memcli.engine.neighbourhood import Neighbourhood
from memcli.engine.noted import Noted
from memcli.engine.opened import Opened
from memcli.engine.outcome import Outcome
from memcli.engine.writer import Operation, Writer, writing
from memcli.errors import MemError, NoSuchMemory, Refused
from memcli.journal.message import Message
from memcli.memory import admission, lifecycle
from memcli.memory.admission import Decision, Earlier, Kind
from memcli.memory.schema import ArchiveReason, Evidence, Review, Schema, Status
from memcli.store import edit, events, format, inside, naming, tombstones

if TYPE_CHECKING:
    import numpy as np

    from memcli.engine.reconcile import Progress


MANY: Final = 16  # asserted: from this many claims on, the vectors of the scope are read once

_APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass
class TakingIn:
    """One operation in the making."""

    writer: Writer
    outcomes: list[Outcome] = field(default_factory=list)
    noted: Noted = field(init=False)
    _around: Neighbourhood = field(init=False)

    def __post_init__(self) -> None:
        self.noted = Noted(self.writer)
        self._around = Neighbourhood(self._opened, self.writer.view)

    @property
    def _opened(self) -> Opened:
        return self.writer.opened

    def take(self, draft: Draft, vectors: "np.ndarray | None", *, many: bool) -> Outcome:
        """Decide about `draft` and note what it changes; nothing is written yet."""
        try:
            outcome = self._taken(draft, vectors, many=many)
        except MemError as error:
            outcome = Outcome(draft, None, error=error)
        self.outcomes.append(outcome)
        return outcome

    def operation(self, op: str, reason: str) -> Operation | None:
        """Everything that was noted as one operation; None where nothing changes."""
        if not self.noted.count:
            return None
        first = next(one for one in self.outcomes if one.error is None and one.id)
        decision = first.decision
        message = Message(
            op,
            first.draft.schema.claim,
            reason,
            tuple(self.noted.changes),
            rule=decision.rule if decision and len(self.outcomes) == 1 else "",
            score=decision.score if decision and len(self.outcomes) == 1 else None,
        )
        return Operation(message, self.noted.files, tuple(self.noted.events))

    def path_of(self, id_: str) -> str | None:
        """The file of a memory, written or noted; None where there is none."""
        return self._around.taken.path_of(id_) or self.noted.path_of(id_)

    @property
    def around(self) -> Neighbourhood:
        """The store around the claims, as far as it was looked at."""
        return self._around

    def log_skips(self) -> None:
        """Leave a line about each claim that was skipped, with rule and score, never with text."""
        for outcome in self.outcomes:
            if outcome.decision is not None and outcome.decision.kind is Kind.SKIPPED:
                log_skip(self._opened, outcome.decision)

    def carry_out(self, reason: str) -> str | None:
        """Log what was skipped, commit what was noted; the commit, None where nothing changed."""
        self.log_skips()
        handmade.commit_first(self.writer, self.noted.rewritten)
        kinds = {one.decision.kind for one in self.outcomes if one.decision}
        operation = self.operation("supersede" if kinds == {Kind.SUPERSEDED} else "remember", reason)
        return self.writer.carry_out(operation) if operation else None

    def _taken(self, draft: Draft, vectors: "np.ndarray | None", *, many: bool) -> Outcome:
        return self._noted(draft, self.decided(draft, vectors, many=many), vectors)

    def note(self, draft: Draft, decision: Decision, vectors: "np.ndarray | None") -> Outcome:
        """Note what `decision` about `draft` changes; for whoever has a word to say between the two."""
        try:
            outcome = self._noted(draft, decision, vectors)
        except MemError as error:
            outcome = Outcome(draft, None, error=error)
        self.outcomes.append(outcome)
        return outcome

    def decided(self, draft: Draft, vectors: "np.ndarray | None", *, many: bool) -> Decision:
        """The decision about `draft`; nothing is noted yet. Raises NoSuchMemory."""
        candidate = draft.candidate
        known = self._around.around(
            candidate.text,
            candidate.scope,
            candidate.concept,
            vectors,
            many=many,
            needed=candidate.supersedes,
        )
        known = replace(known, earlier=self._earlier(draft))
        decision = admission.decide(candidate, known, self._opened.settings.constants)
        if candidate.supersedes and decision.kind is Kind.CREATED:
            raise NoSuchMemory(
                f"{candidate.supersedes} is not an active memory of {candidate.scope}.",
                "Only an active memory can be superseded; `mem list` shows them.",
            )
        return decision

    def _earlier(self, draft: Draft) -> Earlier | None:
        if not draft.request.key:
            return None
        scope = draft.schema.scope
        for event in (*self.noted.events, *events.keyed(self._opened.place, scope, draft.request.key)):
            led_to = str(event.data.get("schema", ""))
            if event.key == draft.request.key and event.scope == scope and self._answers(led_to):
                return Earlier(led_to, str(event.data.get("payload", "")))
        return None

    def _answers(self, id_: str) -> bool:
        """Whether a key still has the answer that it led to: not where that was undone or deleted.

        Its file is gone then, and nothing says that it is to stay out. To answer that it is kept
        would be to lose it.
        """
        if not id_ or self.path_of(id_) is not None or id_ in self.writer.view.confirmed.removed:
            return True
        return any(one.id == id_ for one in tombstones.load(self._opened.place).tombstones)

    def _noted(self, draft: Draft, decision: Decision, vectors: "np.ndarray | None") -> Outcome:
        if decision.kind is Kind.REFUSED:
            raise _refusal(draft, decision)
        if decision.kind in (Kind.SKIPPED, Kind.REPEATED):
            path = self.path_of(decision.of)
            status = self.noted.schema(path).status.value if path and decision.kind is Kind.REPEATED else ""
            return Outcome(draft, decision, decision.of, path, status)
        if decision.kind is Kind.REINFORCED:
            return self._reinforced(draft, decision)
        return self._created(draft, decision, vectors)

    def _reinforced(self, draft: Draft, decision: Decision) -> Outcome:
        path = self.path_of(decision.of)
        if path is None:
            raise NoSuchMemory(f"The file of {decision.of} is gone.", "Try again.")
        schema = self.noted.schema(path)
        added = draft.schema.evidence if draft.recorded else _bare(draft)
        change = lifecycle.reinforce(
            schema, added, promote=decision.status is not None, to=decision.status or schema.status
        )
        status = schema.status
        if change is not None:
            self.noted.alter(path, change)
            status = change.status
        self._append(draft, schema.id)
        return Outcome(draft, decision, schema.id, path, status.value, known=schema)

    def _created(self, draft: Draft, decision: Decision, vectors: "np.ndarray | None") -> Outcome:
        schema = replace(
            draft.schema,
            status=decision.status or Status.ACTIVE,
            review=decision.review,
            archive_reason=ArchiveReason.LOW_SALIENCE if decision.status is Status.ARCHIVED else None,
        )
        until = None
        if decision.kind is Kind.SUPERSEDED:
            schema, until = self._superseding(schema, decision.of)
        path = draft.path or naming.fresh_path(schema, self.noted.paths)
        self.noted.make(path, self._fresh(draft, schema, path), schema)
        self._append(draft, schema.id)
        if not draft.raw:  # what came whole stood beside its fellows elsewhere, and is not compared with them
            self._around.add(Taken(schema, path, None if vectors is None else vectors[:1]))
        return Outcome(draft, decision, schema.id, path, schema.status.value, until)

    def _fresh(self, draft: Draft, schema: Schema, path: str) -> bytes:
        """The bytes of the new file."""
        if not draft.raw:
            raw = format.compose(schema, zone=self._opened.settings.timezone)
            return filing.sound(self._opened, path, raw)
        keys: dict[str, edit.Plain | None] = {}
        if schema.status is not draft.schema.status:
            keys["status"] = schema.status.value
        if schema.review != draft.schema.review:
            keys["review"] = _spelled(schema.review)
        return edit.set_keys(draft.raw, keys) if keys else draft.raw

    def _append(self, draft: Draft, schema_id: str) -> None:
        if not draft.recorded:
            self.noted.append(_settled(draft, schema_id))

    def _superseding(self, schema: Schema, old_id: str) -> tuple[Schema, int]:
        """Close the old side; the new side as it has to be written."""
        path = self.path_of(old_id)
        if path is None:
            raise NoSuchMemory(f"The file of {old_id} is gone.", "Try again.")
        old = self.noted.schema(path)
        zone = self._opened.settings.timezone
        switch = lifecycle.switch_of(schema.validity.start, self._opened.now)
        same_second.refuse(old, schema.validity.start, self._opened.now)
        plan = lifecycle.supersede(
            old, switch, schema.id, self._around.chain(), spell=lambda seconds: format.moment(seconds, zone)
        )
        self.noted.alter(path, plan.old)
        self._around.add(Taken(replace(old, status=Status.SUPERSEDED), path, None))
        window = replace(schema.validity, start=switch)
        return replace(schema, validity=window, supersedes=(old.id,)), plan.until


def _spelled(review: Review | None) -> edit.Plain | None:
    if review is None:
        return None
    return {"reason": review.reason.value} | ({"of": list(review.of)} if review.of else {})


def _bare(draft: Draft) -> tuple[Evidence, ...]:
    return tuple(Evidence(one.event) for one in draft.schema.evidence)


def _settled(draft: Draft, schema_id: str) -> events.Event:
    """The event with what it led to, so that its key gives the same answer again."""
    if not draft.event.key:
        return draft.event
    return replace(draft.event, data={**draft.event.data, "schema": schema_id})


def _refusal(draft: Draft, decision: Decision) -> Refused:
    if decision.rule == "secret":
        return Refused(
            f"The text holds what looks like a secret ({decision.because}); nothing was stored.",
            "Leave the secret out, or pass --allow-secret as a person at a terminal.",
        )
    return Refused(
        f"The key {draft.request.key!r} was used before for something else ({decision.of}).",
        "Give another key, or repeat the first request exactly.",
    )


def take_one(
    opened: Opened,
    request: Request,
    progress: "Progress | None" = None,
    unless: Callable[[Outcome], MemError | None] = lambda _: None,
) -> tuple[Outcome, str | None]:
    """Decide about one claim and carry it out: the outcome and the commit. Raises what was refused.

    What `unless` gives of the outcome is raised before anything of it is written.
    """
    return same_second.waited_out(opened, lambda now: _take_one(now, request, progress, unless))


def _take_one(
    opened: Opened,
    request: Request,
    progress: "Progress | None",
    unless: Callable[[Outcome], MemError | None],
) -> tuple[Outcome, str | None]:
    draft = drafting.draft(opened, request, drafting.entropy(), 0)
    vectors = [drafting.meaning(opened, draft, progress)]
    with writing(opened, "remember") as writer:
        taking = take_in(writer, [draft], vectors)
        (outcome,) = taking.outcomes
        if outcome.error is not None:
            raise outcome.error
        if refusal := unless(outcome):
            taking.log_skips()
            raise refusal
        return outcome, taking.carry_out(request.reason)


def log_skip(opened: Opened, decision: Decision) -> None:
    """Every skip leaves a line with rule and score, never with text."""
    line = {"at": opened.now, "skip": decision.rule, "score": decision.score, "of": decision.of}
    text = json.dumps(line | {"because": decision.because, "actor": str(opened.actor)}) + "\n"
    with os.fdopen(inside.opened(opened.place.private / "skips.jsonl", _APPEND), "ab") as file:
        file.write(text.encode())


def take_in(writer: Writer, drafts: Sequence[Draft], vectors: "Sequence[np.ndarray | None]") -> TakingIn:
    """Decide about all of `drafts` in order."""
    taking = TakingIn(writer)
    for draft, found in zip(drafts, vectors, strict=True):
        taking.take(draft, found, many=len(drafts) >= MANY)
    return taking
