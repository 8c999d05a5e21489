"""Receipts as files, one each: of this machine alone below `.mem/receipts`, or shared below `receipts`.

A receipt never changes once it is written, and its name is the hash of what it says: two
clones that keep the same one have the same file.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from memcli.errors import MemError
from memcli.memory.receipt import ID_LENGTH, PREFIX
from memcli.memory.schema import ID_ALPHABET
from memcli.store import atomic, private
from memcli.store.place import Place

SHARED: Final = "receipts"
LIMIT_BYTES: Final = (
    1 << 20
)  # asserted: a thousand times what a receipt takes; a received store may hold anything
_END: Final = ".json"
_LETTERS: Final = frozenset(ID_ALPHABET)


class Kept(NamedTuple):
    """One receipt that is kept: when it was written, nanoseconds since 1970, and whether it is shared."""

    id: str
    written_ns: int
    shared: bool


def path_of(id_: str) -> str:
    """The path of a shared receipt."""
    return f"{SHARED}/{id_}{_END}"


def kept(place: Place) -> tuple[Kept, ...]:
    """Every receipt, each once, the newest first."""
    here = {one.id: one for shared in (True, False) for one in _in(place, shared=shared)}
    return tuple(sorted(here.values(), key=lambda one: (-one.written_ns, one.id)))


def _in(place: Place, *, shared: bool) -> Iterator[Kept]:
    folder = place.root / SHARED if shared else place.receipts_folder
    try:
        entries = list(os.scandir(folder)) if not folder.is_symlink() else []
    except OSError:
        return
    for entry in entries:
        id_ = entry.name.removesuffix(_END)
        if entry.name.endswith(_END) and is_id(id_):
            with suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(found.st_mode) and found.st_size <= LIMIT_BYTES:
                    yield Kept(id_, found.st_mtime_ns, shared)


def is_id(text: str) -> bool:
    """Whether `text` could be the id of a receipt."""
    rest = text.removeprefix(PREFIX)
    return text.startswith(PREFIX) and len(rest) == ID_LENGTH and _LETTERS.issuperset(rest)


def load(place: Place, id_: str) -> bytes | None:
    """The bytes of the receipt `id_`, None where none is kept."""
    raw = private.read(place, place.receipts_folder / f"{id_}{_END}")
    if raw is None:
        with suppress(MemError, OSError):
            raw = atomic.read(place, path_of(id_))
    return raw


def put(place: Place, id_: str, raw: bytes) -> None:
    """Keep a receipt on this machine; one that is kept already is left as it is. Raises OSError."""
    file = place.receipts_folder / f"{id_}{_END}"
    if not file.exists():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        private.put(file, raw)


def remove(place: Place, id_: str) -> None:
    """Keep the receipt `id_` no longer on this machine."""
    private.remove(place, place.receipts_folder / f"{id_}{_END}")


def prune(place: Place, most: int, since_ns: int) -> int:
    """Let go of local receipts from before `since_ns`, and of the oldest beyond `most`; how many went."""
    listed = sorted(_in(place, shared=False), key=lambda one: (-one.written_ns, one.id))
    gone = [one for at, one in enumerate(listed) if at >= most or one.written_ns < since_ns]
    for one in gone:
        with suppress(MemError, OSError):
            remove(place, one.id)
    return len(gone)
