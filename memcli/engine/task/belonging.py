"""Which session a command belongs to, and what it may not do there.

An agent that works on one thing must not read or write another's memories by a slip of
`--scope`; a person who names no session is in none.
"""

from typing import TYPE_CHECKING, Final

from memcli.engine.opened import Opened
from memcli.errors import Refused
from memcli.memory.scope import Scope
from memcli.surroundings import Kind

if TYPE_CHECKING:
    from memcli.memory.schema import Schema
    from memcli.store.sessions import Session

EVERY: Final = "*"


def refuse_other_scope(opened: Opened, scope: Scope, *, reading: bool = False) -> None:
    """Raise Refused where `scope` is not that of the session.

    With `reading`, an agent may name one that the session sees, and a person any.
    """
    bound = _bound(opened)
    if not bound or (reading and opened.actor.kind is Kind.HUMAN):
        return
    if any(scope == one or (reading and scope in one.seen) for one in bound):
        return
    raise _not_for_it(bound[0], scope)


def refuse_unseen(opened: Opened, schema: "Schema") -> None:
    """Raise Refused where an agent asks by its id for what its session can be shown by no answer."""
    if opened.actor.kind is Kind.HUMAN:
        return
    bound = _bound(opened)
    if bound and not any(_reaches(schema, one) for one in bound):
        raise _not_for_it(bound[0], schema.id)


def _reaches(schema: "Schema", viewer: Scope) -> bool:
    from memcli.memory.ladder import may_reach  # a store without sessions never asks

    return schema.scope in viewer.seen or may_reach(schema.stage, schema.scope, viewer)


def _not_for_it(scope: Scope, what: object) -> Refused:
    return Refused(
        f"This session works in {scope}; {what} is not for it.",
        "End the session with `mem commit`, or activate one there: mem activate --scope …",
    )


def scopes_read(opened: Opened, scope: str | None) -> tuple[Scope, ...] | None:
    """The scopes that a look from `scope` sees: None means this command's, `*` every one (None comes back).

    Raises Refused for an agent whose session works in another scope.
    """
    if scope == EVERY:
        return None
    asked = opened.parse_scope(scope)
    refuse_other_scope(opened, asked, reading=True)
    return asked.seen


def refuse_another(opened: Opened, session: "Session") -> None:
    """Raise Refused where an agent touches a session that is not its own."""
    if opened.actor.kind is Kind.AGENT and session.actor != str(opened.actor):
        raise Refused(
            f"The session {session.id} is another's.",
            "Its own actor, or a person, speaks for it and ends it.",
        )


def _bound(opened: Opened) -> tuple[Scope, ...]:
    """The scopes that the command is held to: of the named session, or of an agent's own in this folder."""
    if not opened.place.sessions_folder.is_dir():
        return ()
    from memcli.store import sessions

    if opened.surroundings.environment.get("MEM_SESSION"):
        named = sessions.current(opened)
        return (named.scope,) if named else ()
    here = sessions.around(opened)
    return tuple(one.scope for one in here) if here and opened.actor.kind is Kind.AGENT else ()
