"""Staged memories: listed, swept when nothing resonated with them, promoted or dropped by a person."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from memcli.engine import filing, handmade, reconcile, resolve
from memcli.engine.opened import Opened
from memcli.engine.task import belonging
from memcli.engine.view import View
from memcli.engine.writer import FileChange, Operation, Writer, writing
from memcli.errors import MemError, Refused
from memcli.journal import message as messages
from memcli.journal.message import Message
from memcli.memory import lifecycle, staging
from memcli.memory.schema import ArchiveReason, Schema, Status
from memcli.memory.scope import Scope
from memcli.store import atomic, event, format, scan

SWEEP: Final = "sweep"
PROMOTE: Final = "promote"
DROP: Final = "drop"


@dataclass(frozen=True, slots=True)
class Staged:
    """One staged memory; `since` and `until`: seconds since 1970, None where nothing says when it came."""

    schema: Schema
    path: str
    since: int | None
    until: int | None


@dataclass(frozen=True, slots=True)
class Moved:
    """One change of a staged memory's status, as a plan: its file, its claim, what it becomes."""

    path: str
    claim: str
    change: lifecycle.Change

    def file(self, opened: Opened) -> FileChange:
        """The file with only these keys changed."""
        raw = atomic.read(opened.place, self.path)
        after = filing.changed(opened, self.path, raw, self.change.keys)
        return FileChange(self.path, format.digest(raw), after)

    @property
    def told(self) -> messages.Change:
        """What the journal says of it."""
        return messages.Change(self.change.id, self.change.prior.value, self.change.status.value)


@dataclass(frozen=True, slots=True)
class Swept:
    """What was (or with a dry run would be) moved, by one commit."""

    op: str
    moved: tuple[Moved, ...]
    commit: str | None


def listed(opened: Opened, scope: str | None = None) -> tuple[Staged, ...]:
    """What is staged in `scope` (None: this command's; `*`: every) and what it sees, the next to go first.

    Raises Refused for an agent whose session works in another scope.
    """
    scopes = belonging.scopes_read(opened, scope)
    found = staged(opened, reconcile.freshen(opened))
    inside = [one for one in found if scopes is None or one.schema.scope in scopes]
    return tuple(sorted(inside, key=lambda one: (one.until is None, one.until or 0, one.path)))


def named(opened: Opened, ids: Sequence[str]) -> tuple[resolve.Found, ...]:
    """The staged memories that `ids` name. Raises NoSuchMemory, and Refused for others."""
    found = resolve.all_of(opened, ids)
    for one in found:
        _refuse_unless_staged(one)
    return found


def staged(opened: Opened, view: View) -> tuple[Staged, ...]:
    """Every staged memory of the store that counts as such, by path, whatever its scope."""
    if view.index is not None:
        rows = view.index.all_rows(("path", "status", "stated"))
        paths = sorted(row["path"] for row in rows if row["status"] == row["stated"] == Status.STAGED)
    else:
        paths = [file.path for file in scan.scan(opened.place).files]
    filed = [one for path in paths if (one := filing.read(opened, path)) is not None]
    return tuple(
        _staged(opened, one.path, one.schema)
        for one in filed
        if one.schema is not None and one.schema.status is Status.STAGED
    )


def _staged(opened: Opened, path: str, schema: Schema) -> Staged:
    since = _since(opened, path, schema)
    until = None if since is None else staging.expires_at(since, opened.settings.constants)
    return Staged(schema, path, since, until)


def _since(opened: Opened, path: str, schema: Schema) -> int | None:
    """When it was last said: by its events, else since when git knows its file as staged."""
    moments = [event.moment_of(one.event) // 1000 for one in schema.evidence]
    return max(filter(None, moments), default=None) or _committed(opened, path)


def _committed(opened: Opened, path: str) -> int | None:
    from memcli.journal import tree

    if opened.readable_journal is None:
        return None
    since = None
    try:
        for version in tree.versions(opened.journal, path):
            blobs = tree.read_blobs(opened.journal, [version.blob]) if version.blob else {}
            schema = handmade.schema_of(opened, version.path, blobs[version.blob]) if blobs else None
            if schema is None or schema.status is not Status.STAGED:
                break
            since = version.at
    except MemError:
        return None
    return since


def expired(
    opened: Opened, view: View, as_of: int, scopes: Collection[Scope] | None = None
) -> tuple[Moved, ...]:
    """The plan of a sweep of `scopes` (None: all): what was staged so long ago that it is given up, by path.

    A file with an edit that is not saved is left for the next time. The moved files are read
    again when they are written, so the caller holds the lock between.
    """
    constants = opened.settings.constants
    return tuple(
        Moved(one.path, one.schema.claim, staging.given_up(one.schema))
        for one in staged(opened, view)
        if one.path not in view.dirty
        and (scopes is None or one.schema.scope in scopes)
        and one.since is not None
        and staging.is_expired(one.since, as_of, constants)
    )


def sweep(
    opened: Opened, as_of: int, scope: str | None = None, reason: str = "", *, dry_run: bool = False
) -> Swept:
    """Archive what nothing resonated with, in one commit; nothing to archive makes none.

    `scope` None is this command's with those that it sees, `*` every one.
    """
    scopes = belonging.scopes_read(opened, scope)
    with writing(opened, "stage sweep") as writer:
        moved = expired(opened, writer.view, as_of, scopes)
        return _carried_out(writer, SWEEP, moved, reason, dry_run=dry_run)


def promote(opened: Opened, ids: Sequence[str], reason: str = "") -> Swept:
    """Let staged memories count, on a person's word. Raises NoSuchMemory, Refused for others."""
    with writing(opened, "stage promote") as writer:
        found = _named(writer, ids)
        moved = [_moved(one, {"status": Status.ACTIVE.value}, Status.ACTIVE) for one in found]
        return _carried_out(writer, PROMOTE, moved, reason)


def drop(opened: Opened, ids: Sequence[str], reason: str = "") -> Swept:
    """Archive staged memories as rejected, on a person's word. Raises NoSuchMemory, Refused for others."""
    keys: lifecycle.Keys = {
        "status": Status.ARCHIVED.value,
        "archive_reason": ArchiveReason.REJECTED.value,
    }
    with writing(opened, "stage drop") as writer:
        moved = [_moved(one, keys, Status.ARCHIVED) for one in _named(writer, ids)]
        return _carried_out(writer, DROP, moved, reason)


def _named(writer: Writer, ids: Sequence[str]) -> tuple[resolve.Found, ...]:
    """The staged memories that `ids` name, with what was edited in them by hand committed."""
    found = resolve.all_of(writer.opened, ids, writer.view.confirmed)
    for one in found:
        _refuse_unless_staged(one)
    handmade.commit_first(writer, [one.path for one in found])
    return found


def _refuse_unless_staged(found: resolve.Found) -> None:
    if found.effective is not Status.STAGED:
        raise Refused(
            f"{found.schema.id} is {found.effective.value}, not staged.", "`mem stage list` shows what is."
        )


def _moved(found: resolve.Found, keys: lifecycle.Keys, status: Status) -> Moved:
    return Moved(
        found.path, found.schema.claim, lifecycle.Change(found.schema.id, Status.STAGED, status, keys)
    )


def _carried_out(
    writer: Writer, op: str, moved: Sequence[Moved], reason: str = "", *, dry_run: bool = False
) -> Swept:
    if dry_run or not moved:
        return Swept(op, tuple(moved), None)
    message = Message(op, moved[0].claim, reason, tuple(one.told for one in moved))
    files = tuple(one.file(writer.opened) for one in moved)
    return Swept(op, tuple(moved), writer.carry_out(Operation(message, files)))
