"""Idle sessions: what nobody ended is ended once nobody was heard of it for a while.

By whatever command comes next, or by the resident. What stands in the way now (a busy store,
a merge under way) is no reason for that command to fail: the next one tries again.
"""

from contextlib import suppress
from typing import TYPE_CHECKING

from memcli.engine.opened import Opened
from memcli.errors import MemError
from memcli.memory.numerals import counted

if TYPE_CHECKING:
    from memcli.store.sessions import Session


def close(opened: Opened) -> tuple[str, ...]:
    """End every idle session but the one that the command names; their ids. Costs one look where none is."""
    if not opened.place.sessions_folder.is_dir():
        return ()
    from memcli.store import sessions

    idle_s, named = opened.settings.session_idle_s, opened.surroundings.environment.get("MEM_SESSION")
    idle = [
        one for one in sessions.all_of(opened.place) if one.idle_at(opened.now, idle_s) and one.id != named
    ]
    if not idle:
        return ()
    with suppress(MemError, OSError):
        return _closed(opened, idle)
    return ()


def _closed(opened: Opened, idle: "list[Session]") -> tuple[str, ...]:
    from memcli.engine.task import ending
    from memcli.engine.task.appending import appending
    from memcli.engine.task.ending import CLOSER, IDLE, Outcome
    from memcli.store import sessions

    opened.journal.ready()
    with appending(opened, "closing idle sessions") as appender:
        idle = [
            one for one in idle if sessions.load(opened.place, one.id) == one
        ]  # another may have been first
        if not idle:
            return ()
        paths: list[str] = []
        for one in idle:
            known = sessions.of(opened.place, one.id)
            paths += ending.end(appender, one, Outcome(IDLE, actor=CLOSER), known)
        message = ending.message(idle, f"{counted(len(idle), 'session')} of which nothing was heard", CLOSER)
        appender.commit(tuple(dict.fromkeys(paths)), message)
        for one in idle:
            sessions.close(opened.place, one.id)
    return tuple(one.id for one in idle)
