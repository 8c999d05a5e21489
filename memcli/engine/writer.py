"""Writing: change files, commit exactly them, bring the index along; or leave everything as it was.

One way for every verb. An operation is noted before the first byte is written; a crash
leaves that note, and whoever takes the lock next either finds the commit that it names or
takes the files back. So what a reader meets is always before or after, never between.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import urandom
from typing import TYPE_CHECKING

from memcli.engine import burial, reconcile, sealing, standing
from memcli.engine.opened import Opened
from memcli.engine.recovery import recover, take_back, unmerge
from memcli.engine.standing import Confirmed
from memcli.engine.task.appending import refuse_secret
from memcli.engine.view import View
from memcli.errors import MemError, TryAgain
from memcli.journal import commit as commits
from memcli.journal import locks, tree
from memcli.journal.message import Message
from memcli.store import atomic, events, format, intent, lines, lock, sessions, tombstones
from memcli.store.events import Event
from memcli.store.lines import Addition
from memcli.store.tombstones import Tombstone

if TYPE_CHECKING:
    from memcli.engine.reconcile import Progress


@dataclass(frozen=True, slots=True)
class FileChange:
    """One schema file: what it must be now, and what it becomes.

    `expected` is the digest of its bytes (None: it must not exist), `after` its new bytes
    (None: removed).
    """

    path: str
    expected: str | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Appended:
    """Lines for a file that only grows, where the file is not to follow from what they say."""

    path: str
    values: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One act: what it says in the journal, the files it changes, the lines it appends.

    `lines` are those of events that came with their files from another store; `further` are
    paths to commit as they are on disk already (edits made by hand).
    """

    message: Message
    files: tuple[FileChange, ...] = ()
    events: tuple[Event, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    further: tuple[str, ...] = ()
    lines: tuple[Appended, ...] = ()


@dataclass
class Writer:
    """The one process that may write: it holds the lock, and its `view` is in line with the files."""

    opened: Opened
    view: View

    def carry_out(self, operation: Operation) -> str:
        """Do it, synced and committed; the commit's id. On any failure the files are as before."""
        session = operation.message.session or sessions.name(self.opened)
        message = replace(
            operation.message, tx=new_tx(self.opened), actor=str(self.opened.actor), session=session
        )
        refuse_secret(message)
        seal = sealing.seal(self.opened, message.op, message.changes)
        paths, grown = _write(self.opened, operation, message.tx, self.view.confirmed)
        try:
            name = self.opened.actor.name
            made = commits.commit(self.opened.journal, paths, message, actor_name=name, seal=seal)
        except BaseException:
            take_back(self.opened)
            raise
        intent.end(self.opened.place)
        if session:
            sessions.heard(self.opened.place, session, self.opened.now)
        after = standing.after(self.view.confirmed, made, message.changes, paths)
        branch = self.opened.journal.branch()
        self._follow(paths, replace(after, branch=branch, grown={**after.grown, **grown}))
        return made

    def _follow(self, paths: tuple[str, ...], confirmed: Confirmed) -> None:
        """Bring the index along. What is committed is done: an index that cannot follow is only told of."""
        try:
            self.view = reconcile.follow(self.opened, self.view, paths, confirmed)
            if self.opened.kept is not None:
                kept = self.opened.kept
                kept.hold(self.opened, self.view, kept.stamp(self.opened.settings.encoder_path))
        except (MemError, OSError) as error:
            why = error.message if isinstance(error, MemError) else error.strerror or str(error)
            self.opened.notices.append(
                f"Committed, but the index could not follow: {why.rstrip('.')}. The next command mends it."
            )
            self.view = replace(self.view, confirmed=confirmed)


@contextmanager
def writing(opened: Opened, holder: str, progress: "Progress | None" = None) -> Iterator[Writer]:
    """Hold the lock with everything in line. Raises TryAgain (busy), Unavailable (no git, read-only)."""
    if "MEM_COMMITTING" in opened.surroundings.environment:
        raise TryAgain(
            "This mem was called by a hook of a commit that mem itself is making; nothing was written.",
            "Call it in the background, or from a hook that runs after other commits only.",
        )
    opened.journal.ready()
    with lock.hold(opened.place, wait_s=opened.settings.lock_wait_s, holder=holder):
        locks.let_go(opened.journal)
        recover(opened)
        unmerge(opened)
        burial.keep_whole(opened)
        view = reconcile.bring_in_line(opened, progress)
        opened.notices.extend(view.notices)
        yield Writer(opened, view)


def _write(
    opened: Opened, operation: Operation, tx: str, confirmed: Confirmed
) -> tuple[tuple[str, ...], dict[str, int]]:
    """Write everything that the operation says; its paths for the commit, and how long files grew."""
    place = opened.place
    _complete(opened, operation, confirmed)
    said = events.plan(place, operation.events, events.machine(place)) if operation.events else ()
    buried = (tombstones.plan(place, operation.tombstones),) if operation.tombstones else ()
    brought = tuple(lines.plan(place, one.path, one.values) for one in operation.lines)
    additions = (*said, *brought, *buried)
    intent.begin(place, _intent(opened, operation, tx, additions))
    try:
        for change in operation.files:
            put(opened, change)
        for addition in said:
            events.add(place, addition)
        for addition in (*brought, *buried):
            lines.add(place, addition)
    except BaseException:
        take_back(opened)
        raise
    paths = [*operation.further, *(one.path for one in operation.files), *(one.path for one in additions)]
    grown = {one.path: one.length + len(one.raw) for one in additions}
    return tuple(dict.fromkeys(paths)), grown


def _complete(opened: Opened, operation: Operation, confirmed: Confirmed) -> None:
    """Put back the lines that HEAD holds and the disk has lost: a line is never taken out."""
    paths = events.paths(opened.place, operation.events) if operation.events else ()
    paths += (*(one.path for one in operation.lines), *((tombstones.PATH,) if operation.tombstones else ()))
    suspects = [path for path in paths if lines.length(opened.place, path) < confirmed.grown.get(path, 1)]
    if not suspects or confirmed.head is None:
        return
    for path, raw in tree.read(opened.journal, confirmed.head, suspects).items():
        if raw and (lost := lines.restore(opened.place, path, raw)):
            opened.notices.append(f"{path} had lost {lost} lines that were committed; they were put back.")


def _intent(opened: Opened, operation: Operation, tx: str, additions: Sequence[Addition]) -> intent.Intent:
    """What stands in each file that the operation writes, and what it writes there."""
    before: dict[str, intent.Before] = {
        one.path: None if one.expected is None else atomic.read(opened.place, one.path)
        for one in operation.files
    }
    before |= {one.path: one.length for one in additions}
    after = {one.path: None if one.after is None else format.digest(one.after) for one in operation.files}
    return intent.Intent(tx, before, after, {one.path: one.raw for one in additions})


def put(opened: Opened, change: FileChange) -> None:
    """Let a file become what the change says. Raises TryAgain where it is not what it must be, BadFile."""
    if change.after is None:
        atomic.remove(opened.place, change.path, change.expected or "")
    elif change.expected is None:
        atomic.create(opened.place, change.path, change.after)
    else:
        atomic.replace(opened.place, change.path, change.after, change.expected)


def new_tx(opened: Opened) -> str:
    """A name for one operation."""
    return events.new_id(opened.now_ms, urandom(10))
