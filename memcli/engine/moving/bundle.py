"""A store as lines: what an export writes and an import reads, one JSON object a line.

Everything that another store must have to answer alike, and nothing that follows from it:
no index, no settings, no history.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from memcli.engine.drafting import Request
from memcli.errors import Usage
from memcli.memory.schema import Status
from memcli.store import event, skill, tombstones
from memcli.store.event import Event
from memcli.store.tombstones import Tombstone

FORMAT: Final = "mem.export/1"
SCHEMA, TOMBSTONE, EVENT, PROCEDURE = "schema", "tombstone", "event", "procedure"


@dataclass(frozen=True, slots=True)
class Filed:
    """One memory: its file as text, the status that counted there, and where the file lay.

    `beside` are removed memories that it says again and that were removed with this one in sight.
    """

    id: str
    path: str
    status: Status
    text: str
    beside: tuple[str, ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Happened:
    """One event and the file in which it stood."""

    event: Event
    path: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Kept:
    """One file of a procedure."""

    path: str
    text: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything that a bundle says; `claims` are lines of a claim alone, `wrong` those that say nothing."""

    schemas: tuple[Filed, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    events: tuple[Happened, ...] = ()
    procedures: tuple[Kept, ...] = ()
    claims: tuple[Request, ...] = ()
    wrong: tuple[Usage, ...] = ()
    timezone: str = ""


def heading(scope: str, commit: str | None, timezone: str) -> dict[str, object]:
    """The first line; `timezone` is the zone of the times without offset in the files."""
    return {"format": FORMAT, "scope": scope, "commit": commit, "timezone": timezone}


def of_schema(one: Filed) -> dict[str, object]:
    """The line of a memory."""
    said = {"kind": SCHEMA, "id": one.id, "status": one.status.value, "path": one.path, "text": one.text}
    return {**said, "beside": list(one.beside)} if one.beside else {**said}


def of_tombstone(one: Tombstone) -> dict[str, object]:
    """The line of what was removed and has no file."""
    return {"kind": TOMBSTONE, "tombstone": tombstones.as_object(one)}


def of_event(one: Happened) -> dict[str, object]:
    """The line of an event."""
    return {"kind": EVENT, "path": one.path, "event": event.as_object(one.event)}


def of_procedure(one: Kept) -> dict[str, object]:
    """The line of a file of a procedure."""
    return {"kind": PROCEDURE, "path": one.path, "text": one.text}


def named(found: Iterable[Kept]) -> dict[str, list[Kept]]:
    """Folder of each procedure → its files."""
    folders: dict[str, list[Kept]] = {}
    for one in found:
        folders.setdefault(skill.folder_of(one.path), []).append(one)
    return folders
