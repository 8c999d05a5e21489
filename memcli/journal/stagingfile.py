"""The file of git's staging area with a few entries changed: bytes in, bytes out.

Git rewrites and rehashes this file for each change, in a process of its own; at 10,000
files that is the largest part of a commit. Here only the entries asked for are found, by
halving, and spliced. The danger is a file understood wrongly: whatever is not plain
(version 4, a split or sparse file, entries with flags, a folder where a file was) raises
NotPlain, and git does it.

The format is git's `gitformat-index`, versions 2 and 3, with ids of 20 or 32 bytes.
"""

import hashlib
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import stat_result
from typing import TYPE_CHECKING, Final

from memcli.errors import TryAgain
from memcli.journal import treecache

if TYPE_CHECKING:
    import mmap

_BEGIN: Final = 12  # bytes of the header; every entry begins at a multiple of 8 from here
_STAT: Final = 40  # bytes of what stat said, before the object's id
_MTIME, _MODE, _SIZE = 8, 24, 36  # where those fields begin in an entry
_MODES: Final = frozenset(struct.pack(">I", mode) for mode in (0o100644, 0o100755, 0o120000, 0o160000))
_EXTENDED, _ASSUMED, _STAGE, _LENGTH = 0x4000, 0x8000, 0x3000, 0x0FFF
_VERSIONS: Final = (2, 3)
_NEAR: Final = 2048  # bytes; a stretch this short is walked, not halved: asserted
_RACY: Final = 64  # entries whose content git would have to look at again; more: let git do it (asserted)
_KEPT: Final = (b"REUC",)
_DERIVED: Final = (b"EOIE", b"IEOT")  # offsets, which git does without
_OTHERS: Final = (*_KEPT, *_DERIVED, b"UNTR", b"FSMN", b"link", b"sdir")
_WORD: Final = 0xFFFFFFFF


class NotPlain(Exception):
    """The file holds something that only git should edit."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the staging area shall hold of a file: mode, object id, and what `stat` said (None: git looks)."""

    mode: int
    id: bytes
    seen: stat_result | None

    def entry(self, name: bytes) -> bytes:
        """The bytes of its entry."""
        head = struct.pack(">10I", *(field & _WORD for field in self._stated())) + self.id
        bare = head + struct.pack(">H", min(len(name), _LENGTH)) + name
        return bare + bytes(8 - len(bare) % 8)

    def _stated(self) -> tuple[int, ...]:
        seen = self.seen
        if seen is None:
            return (0, 0, 0, 0, 0, 0, self.mode, 0, 0, 0)
        return (
            *divmod(seen.st_ctime_ns, 10**9),
            *divmod(seen.st_mtime_ns, 10**9),
            seen.st_dev,
            seen.st_ino,
            self.mode,
            seen.st_uid,
            seen.st_gid,
            seen.st_size,
        )


# What a name shall become: an entry's own bytes, or empty where it shall not be tracked.
Entries = Mapping[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Amended:
    """The new file in pieces, and the entries that it replaced (empty: none) to take it back."""

    pieces: Sequence[bytes | memoryview]
    before: Entries

    @property
    def raw(self) -> bytes:
        """The new file as one."""
        return b"".join(self.pieces)


@dataclass(frozen=True, slots=True)
class _Slot:
    start: int
    end: int
    name: bytes
    flags: int


def empty(kind_of_hash: str) -> bytes:
    """The file of a repository that never staged anything."""
    head = b"DIRC" + struct.pack(">II", 2, 0)
    return head + _sum([head], kind_of_hash)


def amended(raw: bytes, entries: Entries, kind_of_hash: str, written_s: int) -> Amended:
    """The file `raw` with `entries` put in. Raises NotPlain, and TryAgain where a name is in conflict.

    `written_s` is when `raw` was written: what changed in that second cannot be told from
    `stat` alone, so such entries are marked for git to look at again.
    """
    file = _File(raw, hashlib.new(kind_of_hash).digest_size)
    wanted = {**file.unsure(written_s), **entries}
    body = memoryview(raw)
    pieces: list[bytes | memoryview] = []
    before: dict[bytes, bytes] = {}
    done, count = _BEGIN, file.count
    for name in sorted(wanted):
        old, new = file.find(name), wanted[name]
        if new and old.start == old.end:
            file.refuse_mixed(name)
        pieces += [body[done : old.start], new]
        done = old.end
        count += bool(new) - (old.end > old.start)
        if name in entries:
            before[name] = raw[old.start : old.end]
    head = b"DIRC" + struct.pack(">II", file.version, count)
    whole = [head, *pieces, body[done : file.end], *file.extensions(tuple(entries))]
    unsigned = not any(raw[-file.size :])  # index.skipHash: git keeps no sum there
    return Amended([*whole, bytes(file.size) if unsigned else _sum(whole, kind_of_hash)], before)


def plain(raw: "bytes | mmap.mmap", name: bytes, kind_of_hash: str) -> bool:
    """Whether the file `raw` holds an entry of `name`; raises NotPlain, TryAgain as `amended` does."""
    slot = _File(raw, hashlib.new(kind_of_hash).digest_size).find(name)
    return slot.end > slot.start


class _File:
    """The bytes of one staging area, with ids of `size` bytes, taken apart as far as needed."""

    def __init__(self, raw: "bytes | mmap.mmap", size: int) -> None:
        if len(raw) < _BEGIN + size:
            raise NotPlain
        self.raw = raw
        self.size = size
        signature, self.version, self.count = struct.unpack_from(">4sII", raw)
        if signature != b"DIRC" or self.version not in _VERSIONS:
            raise NotPlain
        self.end = 0
        self.end, self._extensions = self._apart()

    def _apart(self) -> tuple[int, list[tuple[bytes, bytes]]]:
        """Where the entries end, and the extensions behind them. Raises NotPlain where that is unclear."""
        last = len(self.raw) - self.size
        for signature in (b"TREE", b"", *_OTHERS):  # the usual two first: a search takes 0.3 ms a MB
            at = self.raw.rfind(signature, _BEGIN, last) if signature else last
            found = list(self._chain(at, last)) if at >= 0 else []
            if at + sum(8 + len(content) for _, content in found) == last and self._leads_to(at):
                return at, found
        raise NotPlain

    def _leads_to(self, end: int) -> bool:
        """Whether the last entries end exactly at `end`."""
        self.end = end
        slot = self._near(max(_BEGIN, (end - _NEAR) // 8 * 8), end)
        while slot is not None and slot.end < end:
            slot = self._slot(slot.end)
        return slot is not None or (end == _BEGIN and self.count == 0)

    def _chain(self, at: int, last: int) -> Iterator[tuple[bytes, bytes]]:
        while at + 8 <= last:
            signature, length = struct.unpack_from(">4sI", self.raw, at)
            if not signature.isalpha() or at + 8 + length > last:
                return
            yield signature, self.raw[at + 8 : at + 8 + length]
            at += 8 + length

    def find(self, name: bytes) -> _Slot:
        """The entry of `name`, or the empty stretch where it belongs."""
        slot = self._from(name)
        if slot.name != name:
            return _Slot(slot.start, slot.start, name, 0)
        if slot.flags & _STAGE:
            shown = name.decode("utf-8", "replace")
            raise TryAgain(
                f"{shown} is in conflict; nothing was committed.", "Resolve it, then `git add` it."
            )
        if slot.flags & (_EXTENDED | _ASSUMED):
            raise NotPlain
        return slot

    def _from(self, name: bytes) -> _Slot:
        """The first entry that does not sort before `name`, or the end of the entries."""
        low, high = _BEGIN, self.end
        while high - low > _NEAR:
            slot = self._near((low + high) // 2, high)
            if slot is None:
                break
            low, high = (slot.start, high) if slot.name < name else (low, slot.start)
        while low < self.end:
            slot = self._slot(low)
            if slot is None:
                raise NotPlain
            if slot.name >= name:
                return slot
            low = slot.end
        return _Slot(self.end, self.end, b"", 0)

    def _near(self, at: int, high: int) -> _Slot | None:
        """The first entry that begins at or after `at`, and before `high`."""
        for start in range(at + (_BEGIN - at) % 8, high, 8):
            slot = self._slot(start)
            if slot is not None and (slot.end == self.end or self._slot(slot.end) is not None):
                return slot
        return None

    def _slot(self, at: int) -> _Slot | None:
        """The entry that begins at `at`, or None where the bytes there cannot be one."""
        raw, flags_at = self.raw, at + _STAT + self.size
        if raw[at + _MODE : at + _MODE + 4] not in _MODES or flags_at + 2 > self.end:
            return None
        flags = raw[flags_at] << 8 | raw[flags_at + 1]
        begin = flags_at + (4 if flags & _EXTENDED else 2)
        length = flags & _LENGTH
        end = at + (begin - at + length + 8) // 8 * 8
        name = raw[begin : begin + length]
        if not 0 < length < _LENGTH or end > self.end or b"\0" in name or any(raw[begin + length : end]):
            return None
        return _Slot(at, end, name, flags)

    def refuse_mixed(self, name: bytes) -> None:
        """Raise NotPlain where `name` needs a folder where a file is, or the other way round."""
        if self._from(name + b"/").name.startswith(name + b"/"):
            raise NotPlain
        folder = name.rpartition(b"/")[0]
        while folder and not self._from(folder + b"/").name.startswith(folder + b"/"):
            if self._from(folder).name == folder:
                raise NotPlain
            folder = folder.rpartition(b"/")[0]

    def unsure(self, written_s: int) -> dict[bytes, bytes]:
        """The entries whose file changed in that second, with size 0: git's sign to look again."""
        second = struct.pack(">I", written_s & _WORD)
        found: dict[bytes, bytes] = {}
        at = self.raw.rfind(second, _BEGIN + _MTIME, self.end)
        while at >= 0:
            start = at - _MTIME
            slot = self._slot(start) if start % 8 == _BEGIN % 8 else None
            if slot is not None and not slot.flags & _STAGE:
                found[slot.name] = (
                    self.raw[start : start + _SIZE] + bytes(4) + self.raw[start + _SIZE + 4 : slot.end]
                )
            if len(found) > _RACY:
                raise NotPlain
            at = self.raw.rfind(second, _BEGIN + _MTIME, at + 3)
        return found

    def extensions(self, names: tuple[bytes, ...]) -> Iterator[bytes]:
        """The extensions to keep, with git's cache of trees forgotten for the folders of `names`."""
        for signature, content in self._extensions:
            if signature == b"TREE":
                kept = treecache.forgotten(content, names, self.size)
            else:
                kept = content if signature in _KEPT else None
            if kept is not None:
                yield struct.pack(">4sI", signature, len(kept)) + kept
            elif signature not in _DERIVED:
                raise NotPlain


def _sum(pieces: Sequence[bytes | memoryview], kind_of_hash: str) -> bytes:
    """The hash of all pieces together, without joining megabytes first."""
    total = hashlib.new(kind_of_hash, usedforsecurity=False)
    for piece in pieces:
        total.update(piece)
    return total.digest()
