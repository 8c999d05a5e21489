"""Ending a session: its outcome becomes an event, and its events become history.

However it ends (by its actor's word, or because nobody was heard of it any more), it ends
once: where a kill came in between, the outcome that is there already is not said again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import urandom
from typing import Final

from memcli.engine import drafting
from memcli.engine.opened import Opened
from memcli.engine.task.appending import Appender
from memcli.journal.message import Message
from memcli.store import event, events, sessions
from memcli.store.events import Event, Kind
from memcli.store.sessions import Session

COMMIT: Final = "commit"
IDLE: Final = "idle"
CLOSER: Final = "system:idle"  # who ends a session that nobody ended


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a session ended: done, failed, partial or idle; what was wanted; how that was seen."""

    outcome: str
    goal: str = ""
    verification: str = ""
    actor: str = ""


def end(appender: Appender, session: Session, outcome: Outcome, known: Sequence[Event]) -> tuple[str, ...]:
    """Append how `session` ended, unless its events (`known`) say so already; the paths of its events."""
    opened = appender.opened
    if not any(_ends(one, session) for one in known):
        appender.add([_event(opened, session, outcome)])
    return (*sessions.files(opened.place, session.id), *_receipts(opened, session))


def _receipts(opened: Opened, session: Session) -> tuple[str, ...]:
    """The paths of its receipts, where those are kept with the store."""
    if opened.settings.receipts_keep == "local":
        return ()
    from memcli.engine.receipts import keeping

    return keeping.shared(opened, (one.id for one in session.receipts))


def _ends(one: Event, session: Session) -> bool:
    return one.kind is Kind.OUTCOME and one.at >= max(session.opened, session.last)


def message(ended: Sequence[Session], reason: str, actor: str = "") -> Message:
    """What the journal says of the end of these sessions: no text, which the log reads from their events."""
    alone = ended[0].id if len(ended) == 1 else ""
    return Message(
        COMMIT, f"session {alone}" if alone else f"{len(ended)} sessions", reason, actor=actor, session=alone
    )


def _event(opened: Opened, session: Session, outcome: Outcome) -> Event:
    made = Event(
        id=events.new_id(opened.now_ms, urandom(10)),
        at=opened.now,
        scope=session.scope,
        actor=outcome.actor or str(opened.actor),
        kind=Kind.OUTCOME,
        logic=drafting.LOGIC,
        text=session.task,
        session=session.id,
        data=_data(session, outcome),
    )
    return _behind(opened, made)


def _behind(opened: Opened, made: Event) -> Event:
    """The event with an id that sorts behind all of its file: it covers what was said before it."""
    from dataclasses import replace

    last = event.moment_of(events.last_id(opened.place, events.path_of(opened.place, made)))
    now_ms = opened.now_ms
    return made if last < now_ms else replace(made, id=events.new_id(last + 1, urandom(10)))


def _data(session: Session, outcome: Outcome) -> Mapping[str, object]:
    said: dict[str, object] = {
        "outcome": outcome.outcome,
        "goal": outcome.goal or session.goal,
        "verification": outcome.verification,
        "continuity": session.continuity,
        "exposed": _exposed(session),
    }
    return {key: value for key, value in said.items() if value}


def _exposed(session: Session) -> list[dict[str, object]]:
    """What each answer showed, and what it held back: by that regret is counted (memory.regret)."""
    gated = {one.query for one in session.receipts if one.gated}
    held = (
        {
            "below": dict(one.below),
            "shadows": list(one.shadows),
            "gated": one.gated,
            "evidence": one.evidence,
            "asked": one.query if one.query in gated else "",
        }
        for one in session.receipts
    )
    return [
        {"receipt": one.id, "ids": list(one.exposed)}
        | {key: value for key, value in each.items() if value not in ({}, [], "", None)}
        for one, each in zip(session.receipts, held, strict=True)
    ]
