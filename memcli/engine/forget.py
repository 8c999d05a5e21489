"""Forget and unforget: a person's act that holds against whatever would bring the claim back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memcli.engine import filing, handmade, resolve, restoring, twins
from memcli.engine.opened import Opened
from memcli.engine.resolve import Found
from memcli.engine.restoring import Way
from memcli.engine.writer import FileChange, Operation, Writer, writing
from memcli.errors import NoSuchMemory
from memcli.journal import message as messages
from memcli.journal.message import Message
from memcli.memory import lifecycle
from memcli.memory.schema import PREFIX_LENGTH, Schema, Status
from memcli.store import atomic, format, tombstones

_HISTORY_KEEPS: Final = "Git's history keeps the text."


def _back(schema: Schema, prior: Status, stated: bool) -> lifecycle.Keys:  # noqa: FBT001 - as Way.keys
    change = lifecycle.unforget(schema, prior, stated=stated)
    return change.keys if change else {"status": prior.value}


_WAY: Final = Way(frozenset({Status.FORGOTTEN}), "forget", "forgotten", _back)


@dataclass(frozen=True, slots=True)
class Target:
    """What an act is about to touch, for the person to see before agreeing."""

    id: str
    path: str
    claim: str
    status: str
    scope: str
    type: str


@dataclass(frozen=True, slots=True)
class Acted:
    """One act carried out (or found done already: `commit` None)."""

    op: str
    id: str
    prior_status: str
    status: str
    commit: str | None
    remains: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """One schema's part of the act: its change in the journal, and its file's (None: nothing to do)."""

    id: str
    prior: Status
    status: Status
    claim: str
    file: FileChange | None
    schema: Schema


def targets(opened: Opened, ids: tuple[str, ...]) -> tuple[Target, ...]:
    """What `ids` (prefixes of four or more) name. Raises NoSuchMemory."""
    return tuple(_target(found) for found in resolve.all_of(opened, ids))


def removed(opened: Opened, ids: tuple[str, ...]) -> tuple[Target, ...]:
    """What `ids` name, files that are gone included: their tombstones still say what they were."""
    return tuple(_removed(opened, id_) for id_ in ids)


def _removed(opened: Opened, id_: str) -> Target:
    try:
        return _target(resolve.one(opened, id_))
    except NoSuchMemory:
        graves = {one.id: one for one in tombstones.load(opened.place).tombstones if one.id.startswith(id_)}
        if len(graves) != 1 or len(id_) < PREFIX_LENGTH:
            raise
        (grave,) = graves.values()
        return Target(grave.id, "", grave.claim, grave.act, str(grave.scope), "its file is gone")


def _target(found: Found) -> Target:
    schema = found.schema
    return Target(
        schema.id, found.path, schema.claim, found.effective.value, str(schema.scope), schema.type.value
    )


def forget(opened: Opened, targets: tuple[Target, ...], reason: str = "") -> tuple[Acted, ...]:
    """Forget each target, one commit for all; the caller has a person's word."""
    with writing(opened, "forget") as writer:
        paths = _paths(writer, targets)
        handmade.commit_first(writer, paths)
        return _act(writer, "forget", [_forgetting(writer, path) for path in paths], reason)


def unforget(opened: Opened, targets: tuple[Target, ...], reason: str = "") -> tuple[Acted, ...]:
    """Give each target its prior status and bytes back, one commit for all."""
    with writing(opened, "unforget") as writer:
        paths = _paths(writer, targets)
        handmade.commit_first(writer, paths, leave=True)
        return _act(writer, "unforget", [_unforgetting(writer, path) for path in paths], reason)


def _paths(writer: Writer, targets: Sequence[Target]) -> list[str]:
    """Where the targets lie now: while a person read what was shown, somebody may have moved them."""
    found = resolve.all_of(writer.opened, [one.id for one in targets], writer.view.confirmed)
    return [one.path for one in found]


def _act(writer: Writer, op: str, steps: Sequence[_Step], reason: str) -> tuple[Acted, ...]:
    doing = [step for step in steps if step.file is not None]
    commit = writer.carry_out(_operation(op, doing, reason)) if doing else None
    return tuple(_acted(writer, op, step, commit if step.file else None) for step in steps)


def _operation(op: str, steps: Sequence[_Step], reason: str) -> Operation:
    changes = tuple(messages.Change(step.id, step.prior.value, step.status.value) for step in steps)
    message = Message(op, steps[0].claim, reason, changes)
    return Operation(message, tuple(step.file for step in steps if step.file))


def _acted(writer: Writer, op: str, step: _Step, commit: str | None) -> Acted:
    remains = (
        twins.remains(writer.opened, writer.view, step.schema, _HISTORY_KEEPS, op) if op == "forget" else ()
    )
    return Acted(op, step.id, step.prior.value, step.status.value, commit, remains)


def _forgetting(writer: Writer, path: str) -> _Step:
    found = resolve.at(writer.opened, path, writer.view.confirmed)
    schema = found.schema
    change = lifecycle.forget(schema, found.effective)
    if change is None:
        return _Step(schema.id, Status.FORGOTTEN, Status.FORGOTTEN, schema.claim, None, schema)
    raw = atomic.read(writer.opened.place, found.path)
    after = filing.changed(writer.opened, found.path, raw, change.keys)
    file = FileChange(found.path, format.digest(raw), after)
    return _Step(schema.id, change.prior, change.status, schema.claim, file, schema)


def _unforgetting(writer: Writer, path: str) -> _Step:
    found = resolve.at(writer.opened, path, writer.view.confirmed)
    schema = found.schema
    if found.effective is not Status.FORGOTTEN:
        return _Step(schema.id, found.effective, found.effective, schema.claim, None, schema)
    raw = atomic.read(writer.opened.place, found.path)
    after, prior = restoring.restored(writer, found, raw, _WAY)
    file = FileChange(found.path, format.digest(raw), after)
    return _Step(schema.id, Status.FORGOTTEN, prior, schema.claim, file, schema)
