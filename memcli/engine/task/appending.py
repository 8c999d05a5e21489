"""Appending events and nothing else: no index is opened, so that a chat costs next to nothing.

Lines are synced to the disk before anybody is told that they were kept; whether they are
committed at once is for the caller. A mark in `.mem/` says that some may wait for a commit.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import urandom

from memcli.engine import sealing
from memcli.engine.opened import Opened
from memcli.errors import Refused, TryAgain
from memcli.journal.message import Message
from memcli.store import events, intent, lock, private, secrets
from memcli.store.events import Event


@dataclass
class Appender:
    """The one process that may append: it holds the store's lock."""

    opened: Opened

    def add(self, said: Sequence[Event]) -> tuple[str, ...]:
        """Append `said`, synced; the paths of the files. Raises Usage for a session that names no file."""
        place = self.opened.place
        if not said:
            return ()
        if not private.exists(place, place.unsaved_file):
            private.write(place, place.unsaved_file, b"")
        additions = events.plan(place, said, events.machine(place))
        for addition in additions:
            events.add(place, addition)
        return tuple(one.path for one in additions)

    def commit(self, paths: Sequence[str], message: Message) -> str:
        """Commit the event files `paths` as they are on disk; the commit. Raises as `journal.commit`."""
        from memcli.journal import commit as commits

        opened = self.opened
        told = replace(
            message,
            tx=events.new_id(opened.now_ms, urandom(10)),
            actor=message.actor or str(opened.actor),
        )
        refuse_secret(told)
        seal = sealing.seal(opened, told.op, told.changes)
        return commits.commit(opened.journal, paths, told, actor_name=opened.actor.name, seal=seal)


@contextmanager
def appending(opened: Opened, holder: str) -> Iterator[Appender]:
    """Hold the lock. Raises TryAgain (busy), Unavailable (the store cannot be written)."""
    if "MEM_COMMITTING" in opened.surroundings.environment:
        raise TryAgain(
            "This mem was called by a hook of a commit that mem itself is making; nothing was written.",
            "Call it in the background, or from a hook that runs after other commits only.",
        )
    with lock.hold(opened.place, wait_s=opened.settings.lock_wait_s, holder=holder):
        if intent.pending(opened.place) is not None:  # it may cut a file of events back to what it was
            from memcli.engine.recovery import recover

            recover(opened)
        yield Appender(opened)


def refuse_secret(message: Message) -> None:
    """What is said about an act stays in git for ever: raises Refused where a secret is among it."""
    found = secrets.find(f"{message.reason}\n{message.session}\n{message.actor}")
    if found:
        raise Refused(
            f"What is said about this act holds what looks like a secret ({found}); nothing was done.",
            "Say it without the secret.",
        )
