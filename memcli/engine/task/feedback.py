"""Feedback: what a session says of the memories that it was shown.

Only what was shown can be spoken of, and nothing is ever taken back: a correction names
what it takes the place of. That a memory no longer holds is applied at once and waits for
a person to agree; everything else counts from the next consolidation on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import urandom

from memcli.engine import drafting, resolve
from memcli.engine.opened import Opened
from memcli.engine.task import applying, reports, shown_to
from memcli.engine.task.appending import appending
from memcli.engine.task.applying import Applied
from memcli.engine.task.shown_to import About
from memcli.errors import TryAgain, Usage
from memcli.journal.message import Message
from memcli.memory.numerals import counted
from memcli.memory.reporting import Coverage, lacking
from memcli.store import event, events, sessions
from memcli.store.events import Event, Kind


@dataclass(frozen=True, slots=True)
class Stale:
    """A memory that no longer holds: its id, why, and what replaces it (empty: nothing)."""

    id: str
    reason: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """What is said; ids may be prefixes. Without `receipt` it is about all that the session was shown.

    `coverage` is complete, partial or empty (not said); `refines` the id of an earlier feedback;
    `occurred_at` when it was so, seconds since 1970.
    """

    receipt: str = ""
    used: tuple[str, ...] = ()
    irrelevant: tuple[str, ...] = ()
    stale: tuple[Stale, ...] = ()
    procedures: tuple[tuple[str, str], ...] = ()
    coverage: str = ""
    refines: str = ""
    shadow: bool = False
    occurred_at: int | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """What became of it: the events, what it changed, and what the session was shown that still lacks it."""

    session: str
    events: tuple[str, ...]
    receipts: tuple[str, ...]
    applied: tuple[Applied, ...]
    lacking: tuple[str, ...]
    commit: str | None
    shadow: bool
    notices: tuple[str, ...] = ()


def run(opened: Opened, request: Request) -> Given:
    """Keep what is said, and apply what it changes as one commit.

    Raises NoSuchMemory (no such receipt, event or procedure), Refused (a memory that was not shown), TryAgain
    (complete, and something is left out), Usage, and the writer's errors.
    """
    about = shown_to.about(opened, request.receipt, request.refines)
    request = _whole(opened, request, about.shown)
    _refuse_contradiction(request)
    _refuse_unknown(opened, request, about)
    made = _events(opened, request, about)
    if not made and not request.coverage:
        raise Usage("There is nothing to say.", "For example: mem feedback --used ID --irrelevant ID")
    left = lacking(about.shown, (*about.said, *reports.spoken(made)))
    if request.coverage == Coverage.COMPLETE and left:
        raise TryAgain(
            f"Complete feedback leaves out {counted(len(left), 'memory', 'memories')}; nothing was kept.",
            "Speak of each, or say --coverage partial.",
            left,
        )
    applied, commit = _kept(opened, request, about, made)
    if not about.ended:
        sessions.heard(opened.place, about.session, opened.now)
    return Given(
        session=about.session,
        events=tuple(one.id for one in made),
        receipts=tuple(str(one.data.get("receipt", "")) for one in made),
        applied=applied,
        lacking=left,
        commit=commit,
        shadow=request.shadow,
        notices=tuple(_notices(request, about)),
    )


def _whole(opened: Opened, request: Request, shown: Mapping[str, tuple[str, ...]]) -> Request:
    """The request with whole ids. Raises Refused for what was not shown."""
    return replace(
        request,
        used=tuple(dict.fromkeys(shown_to.whole_id(one, shown) for one in request.used)),
        irrelevant=tuple(dict.fromkeys(shown_to.whole_id(one, shown) for one in request.irrelevant)),
        stale=tuple(
            Stale(shown_to.whole_id(one.id, shown), one.reason, _replacing(opened, one.by))
            for one in request.stale
        ),
    )


def _replacing(opened: Opened, by: str) -> str:
    """The whole id of what replaces a memory. Raises NoSuchMemory."""
    return resolve.one(opened, by).schema.id if by else ""


def _refuse_contradiction(request: Request) -> None:
    named = [*request.used, *request.irrelevant, *(one.id for one in request.stale)]
    twice = sorted({one for one in named if named.count(one) > 1})
    if twice:
        raise Usage(f"The memory {twice[0]} is named twice.", "Say one thing of each memory.")


def _refuse_unknown(opened: Opened, request: Request, about: About) -> None:
    """Raise NoSuchMemory for a procedure that the session's scope does not see, Usage for one named twice."""
    if not request.procedures:
        return
    from memcli.engine import skills  # only a report on a procedure reads procedures

    names = [name for name, _ in request.procedures]
    skills.refuse_unknown(opened, about.scope, names)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Usage(f"The procedure {twice[0]} is named twice.", "Say one thing of each procedure.")


def _events(opened: Opened, request: Request, about: About) -> tuple[Event, ...]:
    """One event for each answer that is spoken of."""
    parts = _split(request, about.shown)
    if not parts:
        return ()
    entropy = urandom(10)
    now_ms = opened.now_ms
    first = _event(opened, about, events.new_id(now_ms, entropy), {})
    last = events.last_id(opened.place, events.path_of(opened.place, first))
    now_ms = max(now_ms, event.moment_of(last) + 1)
    data = [_data(one, about, receipt) for receipt, one in parts.items()]
    return tuple(
        replace(
            _event(opened, about, events.new_id(now_ms, entropy, nth), one), occurred_at=request.occurred_at
        )
        for nth, one in enumerate(data)
    )


def _split(request: Request, shown: Mapping[str, tuple[str, ...]]) -> dict[str, Request]:
    """The part of the request for each receipt: a memory belongs to the last answer that showed it."""
    last = {id_: receipt for receipt, ids in shown.items() for id_ in ids}
    newest = tuple(shown)[-1]
    parts: dict[str, Request] = {}
    for receipt in shown:
        mine = replace(
            request,
            used=tuple(one for one in request.used if last[one] == receipt),
            irrelevant=tuple(one for one in request.irrelevant if last[one] == receipt),
            stale=tuple(one for one in request.stale if last[one.id] == receipt),
            procedures=request.procedures if receipt == newest else (),
        )
        if (
            mine.used
            or mine.irrelevant
            or mine.stale
            or mine.procedures
            or (request.coverage and shown[receipt])
        ):
            parts[receipt] = mine
    return parts


def _data(one: Request, about: About, receipt: str) -> dict[str, object]:
    said: dict[str, object] = {
        "receipt": receipt,
        "exposed": list(about.shown[receipt]),
        "used": list(one.used),
        "irrelevant": list(one.irrelevant),
        "stale": [_stale(each) for each in one.stale],
        "procedures": [{"name": name, "effect": effect} for name, effect in one.procedures],
        "coverage": one.coverage,
        "refines": one.refines,
        "shadow": one.shadow,
    }
    return {key: value for key, value in said.items() if value or key == "exposed"}


def _stale(one: Stale) -> dict[str, str]:
    return {"id": one.id, "reason": one.reason, **({"by": one.by} if one.by else {})}


def _event(opened: Opened, about: About, id_: str, data: Mapping[str, object]) -> Event:
    return Event(
        id=id_,
        at=opened.now,
        scope=about.scope,
        actor=str(opened.actor),
        kind=Kind.FEEDBACK,
        logic=drafting.LOGIC,
        session=about.session,
        data=data,
    )


def _kept(
    opened: Opened, request: Request, about: About, made: Sequence[Event]
) -> tuple[tuple[Applied, ...], str | None]:
    """Write the events: with what they change as one commit; of a session that is over, committed too."""
    if not made:  # nothing was shown, and that is covered
        return (), None
    if request.stale and not request.shadow:
        return applying.apply(opened, about.session, request.stale, made, request.occurred_at)
    with appending(opened, "feedback") as appender:
        paths = appender.add(made)
        if not about.ended:
            return (), None
        message = Message("feedback", f"of session {about.session}", session=about.session)
        return (), appender.commit(paths, message)


def _notices(request: Request, about: About) -> Iterator[str]:
    """A correction does not bring back what the corrected one took out: that is a person's choice."""
    corrected = [one for one in about.said if one.id == request.refines]
    kept = {one.id for one in request.stale}
    for id_ in sorted({id_ for one in corrected for id_ in one.named} & {*request.used} - kept):
        yield f"If {id_} was reported stale before, it stays so until a person reopens it: mem reopen {id_}"
