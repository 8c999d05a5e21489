"""What happened, as lines that are never changed: claims, turns, feedback.

The danger is a merge: two clones that append to one file. So a clone that continues
another's session writes beside it, and each knows its own by a mark below `.mem/`; where
that was deleted it only takes one more file. git merges the rest by union.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Final

from memcli.errors import UNREADABLE, BadFile, Usage
from memcli.memory.schema import ID_ALPHABET, ID_LENGTH
from memcli.memory.scope import Scope
from memcli.store import inside, lines, private
from memcli.store.event import Event, Kind, as_object, crockford, month_of, new_id, of_object, schema_id
from memcli.store.lines import Addition, Mark
from memcli.store.place import Place
from memcli.store.problem import Problem, shown

__all__ = ["Event", "Kind", "Read", "add", "append", "at", "files", "find", "is_path", "machine", "new_id",
           "of_bytes", "plan", "read", "read_since", "schema_id", "sizes", "stood"]  # fmt: skip

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_MACHINE = re.compile(rf"[{ID_ALPHABET}]{{{ID_LENGTH}}}")
_FOLDER: Final = "events"
_DEPTH: Final = 3  # year, month, file
_TAIL_BYTES: Final = 64 << 10  # asserted: more than nearly every line


@dataclass(frozen=True, slots=True)
class Read:
    """The events of a file, each once, and what in it could not be read.

    `spans` tells where `read_since` found each: its bytes `[start, end)`.
    """

    events: tuple[Event, ...]
    problems: tuple[Problem, ...]
    spans: tuple[tuple[int, int], ...] = field(default=(), compare=False)


def plan(place: Place, events: Sequence[Event], machine: str) -> tuple[Addition, ...]:
    """How `events` would be appended, one addition a file: a session's in a month.

    Raises Usage for a session whose name cannot be a file's.
    """
    paths: dict[tuple[str, str | None], str] = {}
    named: list[tuple[str, Event]] = []
    for event in events:
        where = event.session, month_of(event.id)
        if where not in paths:
            paths[where] = _path(place, event, machine)
        named.append((paths[where], event))
    grouped = groupby(sorted(named, key=_first), key=_first)
    return tuple(lines.plan(place, path, [as_object(event) for _, event in group]) for path, group in grouped)


def paths(place: Place, events: Sequence[Event]) -> tuple[str, ...]:
    """The files that these events go to."""
    own = machine(place)
    return tuple(dict.fromkeys(_path(place, event, own) for event in events))


def add(place: Place, addition: Addition) -> None:
    """Append as planned, synced to the disk. A file that this makes is this clone's. See `lines.add`."""
    if not addition.length:
        private.write(place, _mark(place, addition.path), b"")
    lines.add(place, addition)


def append(place: Place, event: Event, machine: str) -> str:
    """Append one event; returns the path of its file. Raises as `plan` and `add`."""
    (addition,) = plan(place, [event], machine)
    add(place, addition)
    return addition.path


def read(place: Place, path: str) -> Read:
    """The events in `path`, in the order of the file; none where there is no such file."""
    return _events(path, lines.read(place, path))


def read_since(place: Place, path: str, mark: Mark = lines.START) -> tuple[Read, Mark]:
    """The events of the whole lines after `mark`, and the mark after them.

    What follows the events of a store asks only for what was appended. Raises ValueError as
    `lines.since`, BadFile for what is no regular file.
    """
    found, end = lines.since(place, path, mark)
    return _events(path, found), end


def of_bytes(path: str, raw: bytes) -> Read:
    """The events in the bytes `raw` of a file called `path`, as a commit has them."""
    return _events(path, lines.of_bytes(path, raw))


def is_path(path: str) -> bool:
    """Whether a file that the store calls `path` is one of events, by its name alone."""
    folder, *inner = path.split("/")
    return folder == _FOLDER and len(inner) == _DEPTH and path.endswith(".jsonl")


def at(place: Place, path: str, span: tuple[int, int]) -> Event | None:
    """The event in the bytes `span` of `path`; None where another or none stands there."""
    value = lines.at(place, path, *span)
    try:
        return None if value is None else of_object(value)
    except (KeyError, TypeError, ValueError):
        return None


def sizes(place: Place) -> dict[str, int]:
    """How many bytes each file of events holds, by path: enough to see that one has grown."""
    return {path: size for path, (size, _) in stood(place).items()}


def stood(place: Place) -> dict[str, tuple[int, int]]:
    """Size in bytes and time in nanoseconds of each file of events, by path and in order."""
    return {
        f"{_FOLDER}/{year}/{part}/{name}": state
        for year in _names(place, _FOLDER)
        for part in _names(place, f"{_FOLDER}/{year}")
        for name, state in _states(place, f"{_FOLDER}/{year}/{part}")
    }


def _states(place: Place, folder: str) -> list[tuple[str, tuple[int, int]]]:
    """What a folder holds of files of events, with size and time, in order of name."""
    opened = inside.folder(place, folder)
    if opened is None:
        return []
    try:
        with os.scandir(opened) as found:
            return sorted(
                (one.name, ((state := one.stat(follow_symlinks=False)).st_size, state.st_mtime_ns))
                for one in found
                if one.name.endswith(".jsonl")
            )
    except OSError:  # one of them went meanwhile
        return []
    finally:
        os.close(opened)


def find(place: Place, event_id: str) -> Event | None:
    """The event with this id. Its month follows from the id; only for a foreign one all are searched."""
    needle = event_id.encode("utf-8", "surrogatepass")
    for path in files(place, month_of(event_id)):
        with suppress(BadFile):
            for event in _events(path, lines.read(place, path, holding=needle)).events:
                if event.id == event_id:
                    return event
    return None


def path_of(place: Place, event: Event) -> str:
    """The file that `event` goes to."""
    return _path(place, event, machine(place))


def files(place: Place, month: str | None = None) -> Iterator[str]:
    """The paths of all event files, or of those of a `month` like `2026/11`, in order."""
    for year in [month[:4]] if month else _names(place, _FOLDER):
        for part in [month[5:]] if month else _names(place, f"{_FOLDER}/{year}"):
            folder = f"{_FOLDER}/{year}/{part}"
            yield from (f"{folder}/{name}" for name in _names(place, folder) if name.endswith(".jsonl"))


def keyed(place: Place, scope: Scope, key: str) -> Iterator[Event]:
    """The events of `scope` that carry this idempotency key; only lines that hold it are decoded."""
    holding = json.dumps(key, ensure_ascii=False).encode("utf-8", "surrogatepass")
    for path in files(place):
        with suppress(BadFile):
            found = _events(path, lines.read(place, path, holding=holding)).events
            yield from (event for event in found if event.key == key and event.scope == scope)


def holding(place: Place, text: str) -> Iterator[Event]:
    """The events whose line holds `text` as a whole JSON string, the newest file last."""
    needle = json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")
    for path in files(place):
        with suppress(BadFile):
            yield from _events(path, lines.read(place, path, holding=needle)).events


def all_keyed(place: Place, paths: Sequence[str] | None = None) -> Iterator[Event]:
    """The events that carry an idempotency key, in `paths` or (None) in all files, in one pass."""
    for path in files(place) if paths is None else paths:
        with suppress(BadFile):
            found = _events(path, lines.read(place, path, holding=b'"key":')).events
            yield from (event for event in found if event.key)


def machine(place: Place) -> str:
    """The random id of this clone, made at the first call. Raises Unavailable where it cannot be kept."""
    said = (private.read(place, place.machine_file) or b"").decode("ascii", "replace").strip()
    if _MACHINE.fullmatch(said):
        return said
    made = crockford(int.from_bytes(os.urandom(8)), ID_LENGTH)
    private.write(place, place.machine_file, made.encode())
    return made


def last_id(place: Place, path: str) -> str:
    """The id of the last whole line of `path`; empty where there is none, or it is a very long one."""
    length = lines.length(place, path)
    raw = lines.after(place, path, max(0, length - _TAIL_BYTES)) if length else None
    whole = (raw or b"").rpartition(b"\n")[0].rpartition(b"\n")[2]
    try:
        return str(json.loads(whole)["id"])
    except UNREADABLE:
        return ""


def _first(pair: tuple[str, Event]) -> str:
    return pair[0]


def _path(place: Place, event: Event, machine: str) -> str:
    """The session's file; beside it where another clone began that one; the clone's own without a session."""
    month = month_of(event.id)
    if month is None:
        raise ValueError(event.id)
    folder = f"{_FOLDER}/{month}"
    if not event.session:
        return f"{folder}/{machine}.jsonl"
    if not _NAME.fullmatch(event.session):
        raise Usage(
            f"{shown(event.session)!r} cannot be the name of a session.",
            "A session is named by up to 64 of A-Z a-z 0-9 . _ -, a letter or digit first.",
        )
    path = f"{folder}/{event.session}.jsonl"
    if private.exists(place, place.at(path)) and not private.exists(place, _mark(place, path)):
        return f"{folder}/{event.session}.{machine}.jsonl"
    return path


def _mark(place: Place, path: str) -> Path:
    """The file that says: this clone began `path`."""
    return place.private / "own" / path.replace("/", "-")


def _names(place: Place, folder: str) -> list[str]:
    """What a folder holds, in order; nothing where there is none or it is a link."""
    opened = inside.folder(place, folder)
    if opened is None:
        return []
    try:
        return sorted(os.listdir(opened))  # noqa: PTH208 - pathlib opens no descriptors
    finally:
        os.close(opened)


def _events(path: str, found: lines.Lines) -> Read:
    events: dict[str, Event] = {}
    spans: dict[str, tuple[int, int]] = {}
    problems = list(found.problems)
    for line in found.found:
        try:
            event = of_object(line.value)
        except (KeyError, TypeError, ValueError) as error:
            problems.append(
                Problem(path, line.number, "", f"the line is no event and was passed over: {error}")
            )
        else:
            if event.id not in events:
                events[event.id], spans[event.id] = event, (line.start, line.end)
    return Read(tuple(events.values()), tuple(problems), tuple(spans.values()))
