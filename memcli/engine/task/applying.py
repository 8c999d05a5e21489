"""Applying reports: what is said to hold no more is closed at once, in one commit with that report.

Anybody may report and nobody may forget by it: the file stays, its window ends, a person finds
it in the review and can let it count again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcli.engine import handmade, resolve, same_second, switching
from memcli.engine.opened import Opened
from memcli.engine.resolve import Found
from memcli.engine.writer import FileChange, Operation, Writer, writing
from memcli.errors import Refused
from memcli.journal.message import Change, Message
from memcli.memory import lifecycle
from memcli.memory.schema import StaleReason, Status
from memcli.store.events import Event

if TYPE_CHECKING:
    from memcli.engine.task.feedback import Stale


@dataclass(frozen=True, slots=True)
class Applied:
    """What a report did to one memory; nothing where `prior_status` and `status` are equal.

    `by` is what supersedes it, `until` the end of its window where the report set it.
    """

    id: str
    claim: str
    prior_status: str
    status: str
    by: str = ""
    until: int | None = None


@dataclass(frozen=True, slots=True)
class _Step:
    applied: Applied
    files: tuple[FileChange, ...] = ()
    change: Change | None = None


def apply(
    opened: Opened, session: str, stale: "Sequence[Stale]", said: Sequence[Event], occurred_at: int | None
) -> tuple[tuple[Applied, ...], str | None]:
    """Carry out the reports with their events `said` as one commit.

    Raises Refused where a replacement is not active in the scope of what it replaces.
    """

    def at(now: Opened) -> tuple[tuple[Applied, ...], str | None]:
        with writing(now, "feedback") as writer:
            found = resolve.all_of(now, [one.id for one in stale], writer.view.confirmed)
            replacing = resolve.all_of(now, [one.by for one in stale if one.by], writer.view.confirmed)
            handmade.commit_first(writer, [one.path for one in (*found, *replacing)])
            steps = [
                _step(writer, one, report, occurred_at) for one, report in zip(found, stale, strict=True)
            ]
            return tuple(one.applied for one in steps), writer.carry_out(_operation(session, steps, said))

    return same_second.waited_out(opened, at)


def _operation(session: str, steps: Sequence[_Step], said: Sequence[Event]) -> Operation:
    changes = tuple(one.change for one in steps if one.change)
    reasons = dict.fromkeys(str(one.applied.status) for one in steps if one.change)
    files: dict[str, FileChange] = {}
    for file in (file for one in steps for file in one.files):
        if file.path in files:
            raise Refused(
                f"The file {file.path} would change twice in one report.", "Report the memories one by one."
            )
        files[file.path] = file
    reason = f"reported {' and '.join(reasons)}" if reasons else ""
    message = Message("feedback", steps[0].applied.claim, reason, changes, session=session)
    return Operation(message, tuple(files.values()), tuple(said))


def _step(writer: Writer, found: Found, report: "Stale", occurred_at: int | None) -> _Step:
    if report.by and found.effective is not Status.FORGOTTEN:
        return _superseded(writer, found, report.by, occurred_at)
    opened, schema = writer.opened, switching.standing(found)
    moment = opened.now if occurred_at is None else occurred_at
    spell = switching.spelled(opened)
    change = lifecycle.report_stale(schema, StaleReason(report.reason), moment, spell)
    if change is None:
        claim = "" if schema.status is Status.FORGOTTEN else schema.claim
        return _Step(Applied(schema.id, claim, schema.status.value, schema.status.value))
    until = moment if "validity.to" in change.keys else None
    applied = Applied(schema.id, schema.claim, change.prior.value, change.status.value, until=until)
    return _Step(
        applied,
        (switching.changed(opened, found.path, change.keys),),
        switching.change_of(change),
    )


def _superseded(writer: Writer, found: Found, by: str, occurred_at: int | None) -> _Step:
    opened, old = writer.opened, switching.standing(found)
    new = resolve.one(opened, by, writer.view.confirmed)
    if old.status is Status.SUPERSEDED and old.superseded_by == new.schema.id:
        return _Step(Applied(old.id, old.claim, old.status.value, old.status.value, by=new.schema.id))
    if new.schema.scope != old.scope or new.effective is not Status.ACTIVE:
        why = f"is {new.effective.value}" if new.schema.scope == old.scope else f"is of {new.schema.scope}"
        raise Refused(
            f"The memory {new.schema.id} cannot replace {old.id}: it {why}.",
            f"Name an active memory of {old.scope}, or leave --superseded-by out.",
        )
    begins = new.schema.validity.start if new.schema.validity.start is not None else occurred_at
    same_second.refuse(old, begins, opened.now)
    switch, spell = lifecycle.switch_of(begins, opened.now), switching.spelled(opened)
    plan = lifecycle.supersede(old, switch, new.schema.id, switching.chain(writer), spell=spell)
    keys = lifecycle.succeeding(switching.standing(new), new.schema.id, old.id, switch, spell)
    files = (
        switching.changed(opened, found.path, {**plan.old.keys, "review": dict(lifecycle.REPORTED)}),
        switching.changed(opened, new.path, keys),
    )
    applied = Applied(
        old.id, old.claim, plan.old.prior.value, plan.old.status.value, new.schema.id, plan.until
    )
    return _Step(applied, files, switching.change_of(plan.old))
