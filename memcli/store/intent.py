"""One operation written down before it begins, so that a crash in it can be taken back.

An operation changes several files and then makes one commit. Killed in between, it would
leave a store that nobody asked for. So what stood before is written to `.mem/intent`, and
synced, before the first change; the next writer finds it, asks the journal whether the
commit was made, and takes back what was not. Three dangers of that cure are met here: a file
that a person edited after the crash is theirs and is left alone; an intent that came with
somebody else's store can reach no file but a store's own; and to put back what stood before
takes room, of which a full disk has none, so some is kept from the beginning.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from memcli.errors import BadFile, Refused, TryAgain, Unavailable
from memcli.store import atomic, inside, lines, private, sealed
from memcli.store.format import digest
from memcli.store.place import Place
from memcli.store.problem import shown

# What an operation may touch: folders of the store, and files at its root.
_FOLDERS: Final = frozenset({"schemas", "procedures", "events", "gold", "receipts"})
_FILES: Final = frozenset({"tombstones.jsonl", "mem.toml", ".gitattributes", ".gitignore"})

_SPARE: Final = bytes(64 * 1024)  # asserted: what a dozen files of the largest operations take

Before = bytes | int | None
"""What a file held: its bytes; its length, for one that only grows (0: none); None for no file."""


@dataclass(frozen=True, slots=True)
class Intent:
    """The operation `tx`: what each path held `before`, and what it writes.

    `after` is the digest of what a file holds then, None where the operation removes it; `added` are the
    bytes that are appended to one that only grows. A path in neither is taken back whatever it holds.
    `goes_to` is the commit that HEAD is to name at the end, where the operation makes none of its own.
    """

    tx: str
    before: Mapping[str, Before]
    after: Mapping[str, str | None] = field(default_factory=lambda: MappingProxyType({}))
    added: Mapping[str, bytes] = field(default_factory=lambda: MappingProxyType({}))
    goes_to: str = ""


def begin(place: Place, intent: Intent) -> None:
    """Write the intent down; it is on the disk when this returns. Only under the store's lock.

    Raises Refused for a path that is no file of a store, Unavailable where it cannot be
    written: nothing may be changed then.
    """
    for path in intent.before:
        allowed(path)
    if not private.exists(place, place.spare_file):
        private.write(place, place.spare_file, _SPARE)
    written = {
        "tx": intent.tx,
        "before": {path: _packed(value) for path, value in intent.before.items()},
        "after": dict(intent.after),
        "added": {path: _packed(value) for path, value in intent.added.items()},
        "goes_to": intent.goes_to,
    }
    sealed.write(place, place.intent_file, written)


def end(place: Place) -> None:
    """The operation is complete: forget the intent."""
    private.remove(place, place.intent_file)


def pending(place: Place) -> Intent | None:
    """The operation that did not end, or None. One that is damaged or reaches too far is none."""
    return sealed.read(place, place.intent_file, _read)


def undo(place: Place, intent: Intent) -> tuple[str, ...]:
    """Put back what every path held before, and end the intent. Only under the store's lock.

    May itself be killed and repeated. Returns the paths left alone, because they hold neither
    what was there before nor what the operation wrote. Raises TryAgain, Unavailable.
    """
    try:
        left = _undone(place, intent)
    except Unavailable:
        private.remove(place, place.spare_file)
        left = _undone(place, intent)
    atomic.sweep_beside(place, intent.before)
    end(place)
    return left


def _undone(place: Place, intent: Intent) -> tuple[str, ...]:
    """As `undo`: first what gives room back, then what takes it."""
    paths = sorted(intent.before, key=lambda path: isinstance(intent.before[path], bytes))
    return tuple(path for path in paths if not _restored(place, intent, path, intent.before[path]))


def _restored(place: Place, intent: Intent, path: str, before: Before) -> bool:
    """Whether `path` holds now what it held before; False: somebody else has changed it."""
    if isinstance(before, int):
        return _cut(place, intent, path, before)
    if before is None and not os.path.lexists(place.at(path)):
        return True  # also a name that no disk could hold: nothing was written there
    try:
        now = _content(place, path)
        written = None if now is None else digest(now)
        if now != before and intent.after.get(path, written) == written:
            _put_back(place, path, before, written)
            now = before
    except BadFile:  # a link, a folder, a neighbour of nearly that name: a person's doing
        return False
    return now == before


def _put_back(place: Place, path: str, before: bytes | None, written: str | None) -> None:
    if before is None:
        atomic.remove(place, path, written or "")
    elif written is None:
        atomic.create(place, path, before)
    else:
        atomic.replace(place, path, before, written)


def _content(place: Place, path: str) -> bytes | None:
    try:
        return atomic.read(place, path)
    except TryAgain:
        return None


def _cut(place: Place, intent: Intent, path: str, length: int) -> bool:
    try:
        added = lines.after(place, path, length)
    except BadFile:
        return False
    if added is None:
        return length == 0
    if added and not _ours(intent.added.get(path), added):
        return False
    if added or not length:
        lines.cut(place, path, length)
    return True


def _ours(ours: bytes | None, added: bytes) -> bool:
    """Whether the operation appended this: all of it, a part, or, after a power cut, zeros in its place."""
    return ours is None or (len(added) <= len(ours) and ours.startswith(added.rstrip(b"\0")))


def allowed(path: str) -> str:
    """`path` where it is a file of a store. Raises Refused."""
    parts = inside.parts_of(path)
    visible = len(parts) > 1 and not any(part.startswith(".") for part in parts)
    if path in _FILES or (visible and parts[0] in _FOLDERS):
        return path
    raise Refused(f"{shown(path)} is no file that an operation of a store may change.")


def _packed(value: Before) -> str | int | None:
    return sealed.packed(value) if isinstance(value, bytes) else value


def _unpacked(value: object) -> Before:
    if isinstance(value, str):
        return sealed.unpacked(value)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise TypeError(value)


def _read(said: Any) -> Intent:  # noqa: ANN401 - whatever JSON held
    """The intent that was written down. Raises what a value of the wrong shape raises."""
    after = {str(path): None if value is None else str(value) for path, value in said["after"].items()}
    added = {str(path): sealed.unpacked(value) for path, value in said["added"].items()}
    before = {allowed(path): _unpacked(value) for path, value in said["before"].items()}
    goes_to = str(said.get("goes_to", ""))  # an older mem knew no such thing
    return Intent(str(said["tx"]), MappingProxyType(before), MappingProxyType(after), added, goes_to)
