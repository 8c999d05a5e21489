"""A task's beginning, what was said of its memories, and its end."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from memcli.cli import moments
from memcli.cli.render import recalled
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.engine.recalling.told import as_json
from memcli.memory.numerals import counted

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.task.activate import Activated, Ended
    from memcli.engine.task.applying import Applied
    from memcli.engine.task.commit import Committed
    from memcli.engine.task.feedback import Given
    from memcli.memory.scope import Scope

Line = tuple[Piece, ...]


def activated(done: "Activated", width: int, zone: "tzinfo") -> Iterator[Line]:
    """For a person: the session, then what is known, warnings first."""
    from dataclasses import replace

    yield "Session ", (done.session.id, "name"), f" in {done.session.scope}"
    if done.before:
        last = done.before
        yield (
            f"Goes on from {moments.minute(last.at, zone)} ({last.outcome}): {one_line(last.task)}",
            *(((f"  {one_line(last.verification)}", "dim"),) if last.verification else ()),
        )
    if done.warnings:
        yield ()
        yield (("Mind", "strong"),)
        yield from recalled.listed(replace(done.answer, items=done.warnings, said=()), width, zone)
    if done.answer.items or done.answer.said:
        yield ()
        yield (("Known", "strong"),)
        yield from recalled.listed(done.answer, width, zone)
    if done.procedures:
        yield ()
        yield (("Done before", "strong"),)
        for one in done.procedures:
            yield (one.procedure.name, "name"), f"  {one_line(one.procedure.description)}"


def activated_rows(done: "Activated") -> Iterator[tuple[str, str, str]]:
    """For a pipe: kind, id, text."""
    yield "session", done.session.id, str(done.session.scope)
    yield "continuity", done.session.continuity, done.before.outcome if done.before else ""
    yield "receipt", done.receipt, ""
    for item in done.warnings:
        yield "warning", item.schema.id, one_line(item.schema.claim)
    for item in done.answer.items:
        yield "memory", item.schema.id, one_line(item.schema.claim)
    for said in done.answer.said:
        yield "event", said.event.id, one_line(said.event.text)
    for one in done.procedures:
        yield "procedure", one.procedure.name, one_line(one.procedure.description)


def activated_aside(done: "Activated") -> Iterator[Line]:
    """Beside the answer: a cold start, a scope that looks misspelt, what feedback will be about."""
    if done.cold:
        yield f"A cold start: {done.session.scope} has no memories yet.", ""
    elif not (done.answer.items or done.warnings):
        yield (recalled.nothing(done.answer),)
    for scope in done.alike:
        yield (
            ("Note: ", "warn"),
            f"{done.session.scope} looks like a spelling of {scope}, which has memories.",
        )
    if done.procedures:
        yield (("mem skills show NAME prints a procedure.", "dim"),)
    yield ((f"Receipt {done.receipt}, continuity {done.session.continuity}", "dim"),)


def activated_json(done: "Activated") -> dict[str, object]:
    """The object of `mem.activate/1`."""
    from dataclasses import replace

    answer = as_json(done.answer, "refs")
    warnings = as_json(replace(done.answer, items=done.warnings, said=()), "refs")
    last = done.before
    told: dict[str, object] = {
        "format": "mem.activate/1",
        "session": done.session.id,
        "continuity": done.session.continuity,
        "scope": str(done.session.scope),
        "task": done.session.task,
        "goal": done.session.goal or None,
        "receipt": done.receipt,
        "cold": done.cold,
        "alike": list(done.alike),
        "before": None if last is None else _before(last),
        "warnings": warnings["items"],
        "memories": answer["items"],
        "withheld": answer["withheld"],
        "procedures": [
            {
                "name": one.procedure.name,
                "description": one.procedure.description,
                "path": one.procedure.path,
                "text": one.text,
            }
            for one in done.procedures
        ],
    }
    if done.notices:
        told["notices"] = list(dict.fromkeys(done.notices))
    return told


def _before(last: "Ended") -> dict[str, object]:
    return {
        "session": last.session,
        "task": last.task,
        "goal": last.goal or None,
        "outcome": last.outcome,
        "verification": last.verification or None,
        "at": moments.rfc3339(last.at),
    }


def given(done: "Given", zone: "tzinfo") -> Iterator[Line]:
    """For a person: what was kept, and what it changed."""
    if not done.receipts:
        yield ("Nothing was shown that feedback could be about.",)
        return
    shadow = ", as a shadow: nothing is applied" if done.shadow else ""
    yield (f"Feedback on {counted(len(done.receipts), 'answer')} kept{shadow}.",)
    for one in done.applied:
        yield _applied(one, zone)


def _applied(one: "Applied", zone: "tzinfo") -> Line:
    if one.prior_status == one.status:
        return (one.id, "name"), f" is {one.status} already: nothing was changed."
    until = f", until {moments.bound(one.until, zone)}" if one.until is not None else ""
    by = f", by {one.by}" if one.by else ""
    return (one.id, "name"), f"  {one.prior_status} → {one.status}{until}{by}"


def given_rows(done: "Given") -> Iterator[tuple[str, ...]]:
    """For a pipe: receipt and event of each feedback."""
    yield from zip(done.receipts, done.events, strict=True)


def given_aside(done: "Given") -> Iterator[Line]:
    """Beside the answer: what still lacks feedback, and how to take back what was applied."""
    if done.lacking:
        count = len(done.lacking)
        yield f"Feedback is still missing for {count} of what was shown: {' '.join(done.lacking)}", ""
    if done.commit and any(one.prior_status != one.status for one in done.applied):
        yield ((f"Commit {done.commit[:10]}. It waits in mem review; undo: mem undo", "dim"),)


def given_json(done: "Given") -> dict[str, object]:
    """The object of `mem.feedback/1`."""
    told: dict[str, object] = {
        "format": "mem.feedback/1",
        "session": done.session,
        "receipts": list(done.receipts),
        "events": list(done.events),
        "applied": [
            {
                "id": one.id,
                "text": one.claim,
                "prior_status": one.prior_status,
                "status": one.status,
                "superseded_by": one.by or None,
                "until": moments.rfc3339(one.until),
            }
            for one in done.applied
        ],
        "lacking": list(done.lacking),
        "shadow": done.shadow,
        "commit": done.commit,
    }
    if done.notices:
        told["notices"] = list(done.notices)
    return told


def committed(done: "Committed") -> Iterator[Line]:
    """For a person: that the session is over, and what came of it."""
    events = counted(done.events, "event")
    yield "Session ", (done.session, "name"), f" ended: {done.outcome}, {events} kept."
    if done.procedure:
        yield "Procedure ", (done.procedure.procedure.name, "name"), f" {done.procedure.decision}."
    if done.consolidated:
        from memcli.cli.render import consolidated

        yield from consolidated.lines(done.consolidated)


def committed_aside(done: "Committed") -> Iterator[Line]:
    """Beside the answer: the commit, and what goes on from here."""
    if done.queued:
        yield ("Note: ", "warn"), done.queued
    yield ((f"Commit {done.commit[:10]}. Go on later: --continuity {done.continuity}", "dim"),)


def committed_json(done: "Committed", seen: "Collection[Scope]") -> dict[str, object]:
    """The object of `mem.commit/1`, with nothing of other scopes than those `seen`."""
    from memcli.cli.render import consolidated

    digested = done.consolidated
    return {
        "format": "mem.commit/1",
        "session": done.session,
        "continuity": done.continuity,
        "outcome": done.outcome,
        "events": done.events,
        "commit": done.commit,
        "procedure": None
        if done.procedure is None
        else {
            "name": done.procedure.procedure.name,
            "path": done.procedure.procedure.path,
            "decision": done.procedure.decision,
            "commit": done.procedure.commit,
        },
        "consolidated": digested and consolidated.as_json(digested, seen, explain=False),
        "queued": done.queued or None,
    }
