"""Opening the store that a call means, and who may look into every scope."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from memcli.cli.streams import Streams
from memcli.engine.opened import Opened, open_store
from memcli.engine.task import idle
from memcli.errors import MemError, Refused, Usage
from memcli.resident.client import VERBS
from memcli.surroundings import Permit, Surroundings, person_allowed

EVERY = "*"
# The verbs before which idle sessions are ended: those that write or look after the store anyway.
_CLOSING = frozenset(
    {"activate", "observe", "remember", "feedback", "commit", "save", "status", "consolidate", "review"}
)

# The verbs that take something in for the scope of the command, where it names none itself.
_INTO_ONE = frozenset({"observe", "import", "onboard"})


def open_for(streams: Streams, *, make_own: bool = False) -> Opened:
    """The store. Raises NoStore, BadFile, Usage, and Refused for `--scope '*'` without a person.

    In a resident it raises Elsewhere where the call means another store than the one it keeps.
    """
    call = streams.call
    if call.text("scope") == EVERY:
        _refuse_into_every(call.verb.name)
        _refuse_unless_person(streams)
    opened = open_store(
        _in_session(streams),
        named=call.text("store"),
        scope=call.text("scope"),
        actor=call.text("actor") or "",
        make_own=make_own and streams.kept is None,
    )
    if streams.kept is not None:
        streams.kept.serve(opened)
    elif opened.settings.watch_autostart and call.verb.name in VERBS and not call.flag("no_daemon"):
        streams.afterwards = partial(_start_resident, opened)
    streams.log_folder = opened.place.private / "log"
    if call.verb.name in _CLOSING and streams.kept is None:
        streams.notices(f"The session {id_} was idle and has ended." for id_ in idle.close(opened))
    if call.flag("verbose"):
        streams.say(("store ", "dim"), str(opened.place.root), (", scope ", "dim"), str(opened.scope))
    return opened


def _start_resident(opened: Opened) -> None:
    """Let the next command be answered by a resident; that it cannot be started is no reason to fail."""
    from memcli.resident import door, starting

    with suppress(MemError, OSError):
        if not door.lives(opened.place):
            starting.spawn(opened.place)


def _in_session(streams: Streams) -> Surroundings:
    """The surroundings with the session that `--session` names."""
    session = streams.call.text("session")
    if session is None:
        return streams.surroundings
    environment = MappingProxyType({**streams.surroundings.environment, "MEM_SESSION": session})
    return replace(streams.surroundings, environment=environment)


def scope_of(streams: Streams, opened: Opened) -> str:
    """The scope that a question is asked from, or `*` for every scope."""
    return EVERY if streams.call.text("scope") == EVERY else str(opened.scope)


def _refuse_into_every(verb: str) -> None:
    """Raise Usage for a verb that takes something in: it would go into one scope that nobody named."""
    if verb in _INTO_ONE:
        raise Usage(f"mem {verb} takes in for one scope.", f"Name it: mem {verb} --scope project:shop …")


def _refuse_unless_person(streams: Streams) -> None:
    """Every scope at once is a person's explicit choice: an agent sees its own."""
    permit = person_allowed(
        streams.surroundings.environment,
        tty=streams.surroundings.terminal,
        yes=True,
        actor=streams.call.text("actor") or "",
    )
    if permit not in (Permit.GRANTED, Permit.ASK):
        other = (
            "ask the person."
            if permit is Permit.AGENT
            else "set MEM_ACTOR=human:NAME where a person runs this."
        )
        raise Refused("Looking into every scope is a person's choice.", f"Name one scope, or {other}")
