"""Reopen: a stale, archived or superseded memory counts again as it did, by a person's act."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memcli.engine import filing, handmade, resolve
from memcli.engine.opened import Opened
from memcli.engine.resolve import Found
from memcli.engine.reviewing.letting_pass import let_pass
from memcli.engine.writer import FileChange, Operation, Writer, writing
from memcli.errors import MemError, Refused
from memcli.journal import message as messages
from memcli.journal import tree
from memcli.journal.message import Message
from memcli.memory import lifecycle, staging
from memcli.memory.schema import Schema, Status
from memcli.store import atomic, event, format

REOPEN: Final = "reopen"
CLOSED: Final = frozenset({Status.STALE, Status.ARCHIVED, Status.SUPERSEDED})
_Files = dict[str, FileChange]  # by path: what the steps so far make of each
_OF_CLOSING: Final = ("stale_reason", "archive_reason", "review", "superseded_by")


@dataclass(frozen=True, slots=True)
class Reopened:
    """One memory that counts again; `overrides` are the removed ones that it was let past.

    `successor` is what had superseded it, where that goes on counting; `commit` None: nothing was to do.
    """

    id: str
    claim: str
    prior_status: str
    status: str
    commit: str | None
    overrides: tuple[str, ...] = ()
    successor: str = ""


@dataclass(frozen=True, slots=True)
class _Step:
    found: Found
    status: Status
    overrides: tuple[str, ...]


def run(opened: Opened, ids: Sequence[str], reason: str = "") -> tuple[Reopened, ...]:
    """Let each of `ids` count again, one commit for all; the caller has a person's word.

    Raises NoSuchMemory, and Refused for one that is neither stale, archived nor superseded.
    """
    with writing(opened, "reopen") as writer:
        found = resolve.all_of(opened, ids, writer.view.confirmed)
        for one in found:
            _refuse_open(one)
        partners = [path for one in found if (path := _path_of(writer, one.schema.superseded_by))]
        handmade.commit_first(writer, [*(one.path for one in found), *partners])
        files: _Files = {}
        steps = [_step(writer, one, files) for one in found if one.effective in CLOSED]
        commit = writer.carry_out(_operation(steps, files, reason)) if steps else None
        done = {step.found.schema.id: step for step in steps}
        return tuple(_reopened(writer, one, done.get(one.schema.id), commit) for one in found)


def _refuse_open(found: Found) -> None:
    if found.effective in (Status.FORGOTTEN, Status.RETRACTED):
        verb = "unforget" if found.effective is Status.FORGOTTEN else "unretract"
        raise Refused(
            f"{found.schema.id} is {found.effective.value}; reopening is for stale, archived and superseded.",
            f"A person takes it back with mem {verb} {found.schema.id}.",
        )
    if found.effective in (Status.STAGED, Status.NEEDS_REVIEW):
        raise Refused(
            f"{found.schema.id} is {found.effective.value}: it waits for a decision.",
            f"Decide it with mem review accept {found.schema.id}.",
        )


def _operation(steps: Sequence[_Step], files: _Files, reason: str) -> Operation:
    changes = [
        messages.Change(one.found.schema.id, one.found.effective.value, one.status.value) for one in steps
    ]
    message = Message(REOPEN, steps[0].found.schema.claim, reason, tuple(changes))
    return Operation(message, tuple(files.values()))


def _reopened(writer: Writer, found: Found, step: _Step | None, commit: str | None) -> Reopened:
    schema, prior = found.schema, found.effective.value
    if step is None:
        return Reopened(schema.id, schema.claim, prior, prior, None)
    beside = resolve.counting(writer.opened, schema.superseded_by, writer.view.confirmed)
    return Reopened(schema.id, schema.claim, prior, step.status.value, commit, step.overrides, beside)


def _content(opened: Opened, path: str, files: _Files) -> bytes:
    """The file as an earlier step leaves it: one may be reopened together with what superseded it."""
    return files[path].after or b"" if path in files else atomic.read(opened.place, path)


def _change(path: str, raw: bytes, after: bytes, files: _Files) -> None:
    expected = files[path].expected if path in files else format.digest(raw)
    files[path] = FileChange(path, expected, after)


def _step(writer: Writer, found: Found, files: _Files) -> _Step:
    """Let one count again: what that changes is put into `files`."""
    opened = writer.opened
    raw = _content(opened, found.path, files)
    before, closed = _around(opened, found)
    old = handmade.schema_of(opened, found.path, before) if before is not None else None
    status = _status(opened, old)
    if before is not None and raw == closed and old is not None and old.status is status:
        after = before
    else:
        after = filing.changed(opened, found.path, raw, _keys(opened, found.schema, old, status))
    after, passed = let_pass(opened, writer.view, found.path, after)
    _change(found.path, raw, after, files)
    _unlink(writer, found.schema, files)
    return _Step(found, status, passed)


def _around(opened: Opened, found: Found) -> tuple[bytes | None, bytes | None]:
    """The committed bytes of the last version that was not closed, and of the one that closed it."""
    closed: bytes | None = None
    try:
        for version in tree.versions(opened.journal, found.path):
            if not version.blob:
                continue
            raw = tree.read_blobs(opened.journal, [version.blob])[version.blob]
            schema = handmade.schema_of(opened, version.path, raw)
            if schema is not None and schema.id == found.schema.id and schema.status not in CLOSED:
                return raw, closed
            closed = raw
    except MemError:  # history was cut or is damaged: the file alone says what it was
        return None, None
    return None, closed


def _status(opened: Opened, old: Schema | None) -> Status:
    """What it is again: what it was, but for one that would be given up again at once.

    Of that one, and of one that never counted, a person says now that it counts.
    """
    if old is None or old.status is Status.FORGOTTEN or old.status is Status.RETRACTED:
        return Status.ACTIVE
    if old.status is Status.STAGED:
        said = max((event.moment_of(one.event) // 1000 for one in old.evidence), default=0)
        if staging.is_expired(said, opened.now, opened.settings.constants):
            return Status.ACTIVE
    return old.status


def _keys(opened: Opened, schema: Schema, old: Schema | None, status: Status) -> lifecycle.Keys:
    """What takes the closing back in a file that was edited since, or whose past is not known."""
    keys: dict[str, lifecycle.Plain | None] = {"status": status.value}
    given = {"stale_reason": schema.stale_reason, "archive_reason": schema.archive_reason,
             "review": schema.review, "superseded_by": schema.superseded_by}  # fmt: skip
    keys |= {key: None for key in _OF_CLOSING if given[key]}
    if status is Status.NEEDS_REVIEW and old is not None and old.review is not None:
        keys["review"] = {"reason": old.review.reason.value, "of": list(old.review.of)}
    end = _end(opened, schema, old)
    if end != schema.validity.end:
        keys["validity.to"] = None if end is None else format.moment(end, opened.settings.timezone)
    return keys


def _end(opened: Opened, schema: Schema, old: Schema | None) -> int | None:
    """The end of its window again: where its past is not known, one that closing it may have set goes."""
    if old is not None:
        return old.validity.end
    end = schema.validity.end
    closed = schema.status in (Status.STALE, Status.SUPERSEDED) and end is not None and end <= opened.now
    return None if closed else end


def _path_of(writer: Writer, id_: str) -> str:
    return next((path for path, one in writer.view.known.items() if id_ and one.id == id_), "")


def _unlink(writer: Writer, schema: Schema, files: _Files) -> None:
    """Let the file of what had superseded it name it no longer."""
    opened, path = writer.opened, _path_of(writer, schema.superseded_by)
    if not path:
        return
    raw = _content(opened, path, files)
    successor = handmade.schema_of(opened, path, raw)
    if successor is None or schema.id not in successor.supersedes:
        return
    left = [id_ for id_ in successor.supersedes if id_ != schema.id]
    after = filing.changed(opened, path, raw, {"supersedes": left or None})
    _change(path, raw, after, files)
