"""Unretract: a claim counts again as it did, and with its retraction every doubt that it cast is gone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memcli.engine import handmade, resolve, restoring
from memcli.engine.opened import Opened
from memcli.engine.resolve import Found
from memcli.engine.restoring import Way
from memcli.engine.writer import FileChange, Operation, Writer, writing
from memcli.errors import Refused
from memcli.journal import message as messages
from memcli.journal.message import Message
from memcli.memory import lifecycle
from memcli.memory.schema import Schema, Status
from memcli.store import atomic, format

UNRETRACT: Final = "unretract"


@dataclass(frozen=True, slots=True)
class Unretracted:
    """One memory that counts again; `correction` was said to be right instead, if it goes on counting."""

    id: str
    prior_status: str
    status: str
    commit: str | None
    correction: str = ""


def run(opened: Opened, ids: Sequence[str], reason: str = "") -> tuple[Unretracted, ...]:
    """Give each its prior status and bytes back, one commit for all; the caller has a person's word.

    Raises NoSuchMemory, and Refused for what is forgotten.
    """
    with writing(opened, UNRETRACT) as writer:
        found = resolve.all_of(opened, ids, writer.view.confirmed)
        for one in found:
            _refuse_forgotten(one)
        handmade.commit_first(writer, [one.path for one in found], leave=True)
        files = {one.path: _given_back(writer, one) for one in found if one.effective is Status.RETRACTED}
        commit = writer.carry_out(_operation(found, files, reason)) if files else None
        return tuple(_unretracted(writer, one, files.get(one.path), commit) for one in found)


def _refuse_forgotten(found: Found) -> None:
    if found.effective is Status.FORGOTTEN:
        id_ = found.schema.id
        raise Refused(f"{id_} is forgotten.", f"A person takes it back with mem unforget {id_}.")


def _given_back(writer: Writer, found: Found) -> tuple[FileChange, Status]:
    raw = atomic.read(writer.opened.place, found.path)
    after, prior = restoring.restored(writer, found, raw, _WAY)
    return FileChange(found.path, format.digest(raw), after), prior


def _back(schema: Schema, prior: Status, stated: bool) -> lifecycle.Keys:  # noqa: FBT001 - as Way.keys
    del schema
    return lifecycle.unretract(prior, stated=stated)


_WAY: Final = Way(frozenset({Status.RETRACTED, Status.FORGOTTEN}), "retract", "retracted", _back)


def _operation(
    found: Sequence[Found], files: Mapping[str, tuple[FileChange, Status]], reason: str
) -> Operation:
    doing = [one for one in found if one.path in files]
    changes = tuple(
        messages.Change(one.schema.id, Status.RETRACTED.value, files[one.path][1].value) for one in doing
    )
    message = Message(UNRETRACT, doing[0].schema.claim, reason, changes)
    return Operation(message, tuple(file for file, _ in files.values()))


def _unretracted(
    writer: Writer, found: Found, done: tuple[FileChange, Status] | None, commit: str | None
) -> Unretracted:
    schema = found.schema
    if done is None:
        return Unretracted(schema.id, found.effective.value, found.effective.value, None)
    correction = schema.retraction.correction if schema.retraction else ""
    beside = resolve.counting(writer.opened, correction, writer.view.confirmed)
    return Unretracted(schema.id, found.effective.value, done[1].value, commit, beside)
