"""What a session was shown, and which part of it somebody speaks of."""

from collections.abc import Mapping
from dataclasses import dataclass

from memcli.engine.opened import Opened
from memcli.engine.task import belonging, ending, reports
from memcli.errors import NoSuchMemory, Refused, Usage
from memcli.memory.reporting import Spoken
from memcli.memory.schema import PREFIX_LENGTH
from memcli.memory.scope import Scope
from memcli.store import events, sessions
from memcli.store.events import Event, Kind
from memcli.store.sessions import Receipt, Session
from memcli.surroundings import Kind as ActorKind


@dataclass(frozen=True, slots=True)
class About:
    """The session that the feedback is of, and the answers that it may speak of; `ended`: it is over."""

    session: str
    scope: Scope
    shown: Mapping[str, tuple[str, ...]]
    said: tuple[Spoken, ...]
    ended: bool = False


def about(opened: Opened, receipt: str, refines: str) -> About:
    """What a feedback is about. Raises NoSuchMemory, Refused, Usage where no session is open."""
    if refines:
        return _refined(opened, receipt, refines)
    session = _session(opened, receipt)
    if session is None:
        return _ended(opened, receipt)
    shown = {one.id: one.exposed for one in _named(session, receipt)}
    return About(session.id, session.scope, shown, _said(opened, session.id))


def _said(opened: Opened, session: str) -> tuple[Spoken, ...]:
    return reports.spoken(sessions.of(opened.place, session))


def _session(opened: Opened, receipt: str) -> Session | None:
    """The session of this command; for a receipt that another open one has, that one; None where none has."""
    session = sessions.current(opened)
    if receipt and (session is None or not _named(session, receipt)):
        held = [one for one in sessions.all_of(opened.place) if _named(one, receipt)]
        if len(held) != 1:
            return None
        session = held[0]
    if session is None:
        raise Usage("No session is open here.", 'Open one: mem activate --task "…"')
    belonging.refuse_another(opened, session)
    if not session.receipts:
        raise NoSuchMemory(f"The session {session.id} was shown nothing yet.", "Ask first: mem recall …")
    return session


def _ended(opened: Opened, receipt: str) -> About:
    """What a session was shown that has ended: its outcome says so."""
    for one in events.holding(opened.place, receipt):
        shown = _exposed(one).get(receipt) if one.kind is Kind.OUTCOME else None
        if shown is None:
            continue
        if opened.actor.kind is ActorKind.AGENT and one.actor not in (str(opened.actor), ending.CLOSER):
            raise Refused(f"The session {one.session} was another's.", "Its own actor speaks for it.")
        return About(one.session, one.scope, {receipt: shown}, _said(opened, one.session), ended=True)
    raise NoSuchMemory(
        f"No session was given the receipt {receipt!r}.",
        "`mem recall` in a session names its receipt, `mem activate` too.",
    )


def _exposed(outcome: Event) -> dict[str, tuple[str, ...]]:
    """The ids of each answer that a session was given, by receipt."""
    answers = outcome.data.get("exposed")
    found = [one for one in answers if isinstance(one, dict)] if isinstance(answers, list) else []
    return {str(one.get("receipt", "")): tuple(map(str, one.get("ids") or ())) for one in found}


def _named(session: Session, receipt: str) -> tuple[Receipt, ...]:
    """The answers that `receipt` (a prefix of four or more after r_) means; all of them where it is empty."""
    whole = tuple(one for one in session.receipts if one.id == receipt)
    if whole or not receipt or len(receipt) >= len("r_") + PREFIX_LENGTH:
        return whole or tuple(one for one in session.receipts if one.id.startswith(receipt))
    return ()


def _refined(opened: Opened, named: str, refines: str) -> About:
    """The answer that an earlier feedback was about, whether its session is still open or not."""
    earlier = events.find(opened.place, refines)
    if earlier is None or earlier.kind is not Kind.FEEDBACK:
        raise NoSuchMemory(
            f"The event {refines!r} is no feedback.", "`mem feedback --json` names its events."
        )
    receipt = str(earlier.data.get("receipt", ""))
    if named and not receipt.startswith(named):
        raise Refused(
            f"The feedback {earlier.id} is about {receipt}, not about {named}.", "Leave the receipt out."
        )
    if opened.actor.kind is ActorKind.AGENT and earlier.actor != str(opened.actor):
        raise Refused(f"The feedback {earlier.id} is another's.", "Its own actor corrects it.")
    exposed = earlier.data.get("exposed")
    ids = tuple(map(str, exposed)) if isinstance(exposed, list) else ()
    ended = sessions.load(opened.place, earlier.session) is None
    return About(earlier.session, earlier.scope, {receipt: ids}, _said(opened, earlier.session), ended=ended)


def whole_id(text: str, shown: Mapping[str, tuple[str, ...]]) -> str:
    """The id that was shown and that `text`, it or a prefix of four or more, means.

    Raises Refused for what was not shown, NoSuchMemory where several begin so.
    """
    every = list(dict.fromkeys(id_ for ids in shown.values() for id_ in ids))
    found = [id_ for id_ in every if id_ == text]
    if not found and len(text) >= PREFIX_LENGTH:
        found = [id_ for id_ in every if id_.startswith(text)]
    if len(found) > 1:
        raise NoSuchMemory(f"{len(found)} memories that were shown begin with {text!r}.", "", tuple(found))
    if not found:
        raise Refused(
            f"Nothing can be said of {text!r}: it was not shown here.",
            "Speak of what the receipt names.",
            tuple(every),
        )
    return found[0]


def receipts(opened: Opened) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Receipt and ids of each answer that this command's session was given, the newest first."""
    session = sessions.current(opened)
    return tuple((one.id, one.exposed) for one in reversed(session.receipts)) if session else ()
