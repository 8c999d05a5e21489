"""Activate: a task begins, and what the store knows for it is laid out.

The working set is an answer of recall to the task's own words, its warnings apart, with the
procedures that fit. What was laid out is noted, so that feedback can be about it.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from os import urandom
from typing import TYPE_CHECKING, Final

from memcli.engine import skills
from memcli.engine.opened import Opened
from memcli.engine.recalling import recall
from memcli.engine.recalling.asking import Request as Question
from memcli.engine.task import belonging, exposure
from memcli.errors import Usage
from memcli.memory import spelling, tokens
from memcli.memory.schema import Type
from memcli.store import continuity, scopes, secrets, sessions
from memcli.store.continuity import Ended
from memcli.store.sessions import Session

if TYPE_CHECKING:
    from memcli.engine.recalling.answer import Answer, Item
    from memcli.engine.skills import Matched

__all__ = ["Activated", "Ended", "Request", "run"]

WARNING_TYPES: Final = (Type.WARNING, Type.CONSTRAINT)
_WARNINGS: Final = 4  # asserted: beside the memories, so that a long list of facts never hides them

_MORE: Final = "More warnings match than are laid out: mem recall --type warning --type constraint TASK"


@dataclass(frozen=True, slots=True)
class Request:
    """`task` in the words of whoever gave it; `continuity` is an earlier one to go on with, else empty."""

    task: str
    goal: str = ""
    continuity: str = ""


@dataclass(frozen=True, slots=True)
class Activated:
    """The session with its working set.

    `answer` holds the memories without warnings, `cold` says that the scope has none at all,
    `alike` are known scopes that this one looks like a spelling of, `before` how the last
    session of the same effort ended.
    """

    session: Session
    receipt: str
    answer: "Answer"
    warnings: "tuple[Item, ...]"
    procedures: "tuple[Matched, ...]"
    cold: bool
    alike: tuple[str, ...] = ()
    before: Ended | None = None
    notices: tuple[str, ...] = ()


def run(opened: Opened, request: Request) -> Activated:
    """Open a session for the task. Raises Usage for a blank task, and what recall raises."""
    if tokens.blank(request.task):
        raise Usage("The task is blank.", 'Say what is to be done: mem activate --task "Fix refund email"')
    task, goal = (secrets.masked(text.strip())[0] for text in (request.task, request.goal))
    named = sessions.named(opened)
    before = sessions.load(opened.place, named) if named else None
    if before is not None:
        belonging.refuse_another(opened, before)
        belonging.refuse_other_scope(opened, opened.scope)
    known = {one.continuity for one in sessions.all_of(opened.place)} if request.continuity else set()
    beside = [one.id for one in sessions.around(opened) if one.scope == opened.scope and one.id != named]
    session = _session(opened, before, task, goal, request.continuity)
    sessions.save(opened.place, session)
    try:
        laid_out = _laid_out(opened, request, session)
    except BaseException:
        sessions.close(opened.place, session.id)
        if before is not None:
            sessions.save(opened.place, before)
        raise
    still = (f"{one} is still open here, too; `mem commit --session {one}` ends it." for one in beside)
    return replace(laid_out, notices=(*laid_out.notices, *_beginning(request, laid_out, known), *still))


def _beginning(request: Request, laid_out: Activated, open_ones: Collection[str]) -> tuple[str, ...]:
    """What a person should know whose longer effort nobody has heard of: an id with a slip in it looks so."""
    if not request.continuity or laid_out.before is not None or request.continuity in open_ones:
        return ()
    return (f"No session of {request.continuity} is known here: it begins with this one.",)


def _laid_out(opened: Opened, request: Request, session: Session) -> Activated:
    """The working set of `session`, which is open already and keeps what it is shown."""
    known = scopes.known(opened.place)
    question = Question(f"{session.task}\n{session.goal}".strip(), str(opened.scope))
    answer, warnings = known_for(opened, question)
    procedures = skills.match(opened, f"{session.task} {session.goal}".strip())
    named = tuple((one.procedure.name, one.procedure.path) for one in procedures)
    receipt = exposure.laid_out(opened, question, answer, warnings, session, named)
    sessions.save(opened.place, replace(session, receipts=(*session.receipts, receipt)))
    return Activated(
        session=session,
        receipt=receipt.id,
        answer=answer,
        warnings=warnings,
        procedures=procedures,
        cold=opened.scope not in known,
        alike=tuple(map(str, spelling.alike(opened.scope, known))),
        before=continuity.ended(opened.place, session.continuity) if request.continuity else None,
        notices=answer.notices,
    )


def _session(opened: Opened, before: Session | None, task: str, goal: str, continuing: str) -> Session:
    """The session that the command names, or a new one; one that is open already gets the new task."""
    now_ms, chance = opened.now_ms, urandom(10)
    id_ = sessions.named(opened) or sessions.new_id(now_ms, chance, "s")
    return Session(
        id=id_,
        scope=opened.scope,
        cwd=str(opened.surroundings.cwd or ""),
        actor=str(opened.actor),
        task=task,
        goal=goal,
        continuity=continuing or (before and before.continuity) or sessions.new_id(now_ms, chance, "c"),
        opened=before.opened if before else opened.now,
        last=opened.now,
        receipts=before.receipts if before else (),
    )


def known_for(opened: Opened, question: Question) -> "tuple[Answer, tuple[Item, ...]]":
    """What answers the task, and apart from it what warns."""
    answer = recall.run(opened, question)
    rest = tuple(item for item in answer.items if item.schema.type not in WARNING_TYPES)
    among = [item for item in answer.items if item.schema.type in WARNING_TYPES]
    types = tuple(one.value for one in WARNING_TYPES)
    most = _WARNINGS + len(among) + 1  # one more than can be laid out tells whether there are more
    warned = recall.run(opened, replace(question, types=types, k=most, events="none"))
    first = warned.items[:_WARNINGS]
    shown = {item.schema.id for item in first}
    warnings = (*first, *(item for item in among if item.schema.id not in shown))
    laid_out = {item.schema.id for item in warnings}
    more = any(item.schema.id not in laid_out for item in warned.items) or warned.withheld.by.get("budget")
    notices = (*answer.notices, *((_MORE,) if more else ()))
    return replace(answer, items=rest, notices=notices), warnings
