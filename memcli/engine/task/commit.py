"""Commit: a task ends, what it was shown is accounted for, and what was said becomes history."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcli.engine import resolve
from memcli.engine.opened import Opened
from memcli.engine.task import belonging, ending, reports
from memcli.engine.task.appending import appending
from memcli.engine.task.ending import Outcome
from memcli.errors import MemError, TryAgain, Usage
from memcli.memory.reporting import lacking
from memcli.memory.schema import Status
from memcli.store import secrets, sessions
from memcli.store.event import Event
from memcli.store.sessions import Session

if TYPE_CHECKING:
    from memcli.engine.consolidation.consolidate import Consolidated
    from memcli.engine.procedures import Captured

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Request:
    """How the task ended: done, failed or partial; `procedure` is a SKILL.md to keep, None without one."""

    outcome: str
    goal: str = ""
    verification: str = ""
    procedure: str | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """The end of a session: the commit that holds its `events`, and what became of its procedure.

    `consolidated` is what came of what was said; None where that waits, and `queued` says why.
    """

    session: str
    continuity: str
    outcome: str
    events: int
    commit: str
    procedure: "Captured | None" = None
    consolidated: "Consolidated | None" = None
    queued: str = ""


def run(opened: Opened, request: Request, progress: Progress | None = None) -> Committed:
    """End the session of this command. Raises Usage (none is open), TryAgain (feedback is missing).

    Also what capturing a procedure and committing raise; the session is open then as before.
    """
    session = _session(opened)
    said = sessions.of(opened.place, session.id)
    _preflight(opened, session, said)
    captured = _captured(opened, session, request)
    opened.journal.ready()
    outcome = Outcome(
        request.outcome,
        secrets.masked(request.goal.strip())[0],
        secrets.masked(request.verification.strip())[0],
    )
    with appending(opened, "commit") as appender:
        paths = ending.end(appender, session, outcome, said)
        commit = appender.commit(paths, ending.message([session], outcome.outcome))
    sessions.close(opened.place, session.id)
    count = len(sessions.of(opened.place, session.id))
    digested, queued = _digested(opened, session, progress)
    return Committed(
        session=session.id,
        continuity=session.continuity,
        outcome=request.outcome,
        events=count,
        commit=commit,
        procedure=captured,
        consolidated=digested,
        queued=queued,
    )


def _digested(
    opened: Opened, session: Session, progress: Progress | None
) -> "tuple[Consolidated | None, str]":
    """Consolidate what the session said; where that cannot be now, it stays pending for the next time."""
    from memcli.engine.consolidation import consolidate
    from memcli.engine.consolidation.consolidate import ConsolidateRequest

    request = ConsolidateRequest(sessions=frozenset({session.id}))
    try:
        done = consolidate.run(opened, request, progress)
    except MemError as error:
        return None, f"The session has ended; its consolidation waits: {error.message}"
    if done.busy:
        return None, "The session has ended; its consolidation waits for another that is under way."
    return done, ""


def _session(opened: Opened) -> Session:
    named = sessions.named(opened)
    session = sessions.current(opened)
    if session is None:
        raise Usage(
            f"The session {named} is not open." if named else "No session is open here.",
            'To commit files edited by hand: mem save. To open a session: mem activate --task "…"',
        )
    belonging.refuse_another(opened, session)
    return session


def _preflight(opened: Opened, session: Session, said: Sequence[Event]) -> None:
    """Raise TryAgain where a memory was shown and nobody said whether it was of use."""
    shown = {one.id: one.exposed for one in session.receipts}
    left = lacking(shown, reports.spoken(said))
    if left:
        many = (
            "1 memory that was shown lacks"
            if len(left) == 1
            else f"{len(left)} memories that were shown lack"
        )
        raise TryAgain(
            f"{many} feedback; the session is still open.",
            "mem feedback --used ID --irrelevant ID …, or mem feedback --coverage partial; then repeat.",
            tuple(_named(opened, left)),
        )


def _named(opened: Opened, ids: Sequence[str]) -> Iterator[str]:
    """Each id with its claim, where that can be read and nobody has forgotten it meanwhile."""
    for id_ in ids:
        try:
            found = resolve.one(opened, id_)
            yield id_ if found.effective is Status.FORGOTTEN else f"{id_}  {found.schema.claim}"
        except MemError:
            yield id_


def _captured(opened: Opened, session: Session, request: Request) -> "Captured | None":
    if request.procedure is None:
        return None
    from memcli.engine import procedures

    return procedures.capture(opened, session.id, request.procedure, failed=request.outcome == "failed")
