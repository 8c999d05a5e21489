"""Reads single objects out of git's packs, so that the trees on a path cost no process.

After each upkeep all folders of a store are packed; a `git cat-file` for them takes longer
than the rest of a commit. Only version 2 of the index of a pack is read (git's own since
2008); whatever is not found here, git is asked for. The caller checks the object's hash.

The formats are git's `gitformat-pack`.
"""

import mmap
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_MAGIC: Final = b"\xfftOc\0\0\0\x02"
_FANOUT: Final = 8 + 256 * 4  # bytes before the sorted ids
_NAMES: Final = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}
_BY_OFFSET, _BY_ID = 6, 7
_HUGE: Final = 0x80000000  # the offset stands in the table of 64-bit ones
_DEPTH: Final = 250  # steps of a chain of differences; git makes 50 unless told otherwise


class Unreadable(Exception):
    """A pack that is cut, or of a kind that only git reads."""


@dataclass(slots=True)
class Packs:
    """The packs in the folder `folder` as they are now; ids take `size` bytes."""

    folder: Path
    size: int
    _opened: list["_Pack"] = field(default_factory=list)
    _waiting: list[Path] | None = None

    def read(self, name: bytes) -> bytes | None:
        """The whole object (`kind size NUL content`) with the id `name`, or None where no pack holds it."""
        try:
            return self._read(name)
        except (OSError, Unreadable, zlib.error, struct.error, IndexError, ValueError):
            return None

    def _read(self, name: bytes) -> bytes | None:
        found = self._found(name)
        if found is None:
            return None
        kind, content = self._object(*found, _DEPTH)
        return b"%s %d\0%s" % (_NAMES[kind], len(content), content)

    def _found(self, name: bytes) -> tuple["_Pack", int] | None:
        for pack in self._opened:
            if (at := pack.offset(name)) is not None:
                return pack, at
        if self._waiting is None:
            self._waiting = sorted(self.folder.glob("*.idx"), key=lambda path: path.stat().st_mtime)
        while self._waiting:
            pack = _Pack.open(self._waiting.pop(), self.size)
            self._opened.append(pack)
            if (at := pack.offset(name)) is not None:
                return pack, at
        return None

    def _object(self, pack: "_Pack", at: int, depth: int) -> tuple[int, bytes]:
        """Kind and content of the object at `at`, built up from what it differs from."""
        if depth == 0:
            raise Unreadable
        kind, length, begin = pack.head(at)
        if kind in _NAMES:
            return kind, pack.inflated(begin, length)
        if kind == _BY_OFFSET:
            back, begin = pack.distance(begin)
            base_kind, base = self._object(pack, at - back, depth - 1)
        elif kind == _BY_ID:
            found = self._found(bytes(pack.data[begin : begin + self.size]))
            if found is None:
                raise Unreadable
            begin += self.size
            base_kind, base = self._object(*found, depth - 1)
        else:
            raise Unreadable
        return base_kind, _applied(base, pack.inflated(begin, length))


@dataclass(frozen=True, slots=True)
class _Pack:
    index: mmap.mmap
    data: mmap.mmap
    size: int
    count: int

    @classmethod
    def open(cls, path: Path, size: int) -> "_Pack":
        index, data = _mapped(path), _mapped(path.with_suffix(".pack"))
        if index[:8] != _MAGIC:
            raise Unreadable
        return cls(index, data, size, struct.unpack_from(">I", index, _FANOUT - 4)[0])

    def offset(self, name: bytes) -> int | None:
        """Where the object `name` begins, by halving the sorted ids; None where it is not here."""
        first = name[0]
        low = struct.unpack_from(">I", self.index, 8 + 4 * (first - 1))[0] if first else 0
        high = struct.unpack_from(">I", self.index, 8 + 4 * first)[0]
        while low < high:
            middle = (low + high) // 2
            at = _FANOUT + middle * self.size
            here = self.index[at : at + self.size]
            if here == name:
                return self._offset_of(middle)
            low, high = (middle + 1, high) if here < name else (low, middle)
        return None

    def _offset_of(self, position: int) -> int:
        offsets = _FANOUT + self.count * (self.size + 4)  # behind the ids and their checksums
        (at,) = struct.unpack_from(">I", self.index, offsets + 4 * position)
        if at & _HUGE:
            (at,) = struct.unpack_from(">Q", self.index, offsets + 4 * self.count + 8 * (at ^ _HUGE))
        return int(at)

    def head(self, at: int) -> tuple[int, int, int]:
        """Kind, length of the content, and where it goes on."""
        byte = self.data[at]
        kind, length, shift = byte >> 4 & 7, byte & 0xF, 4
        while byte & 0x80:
            at += 1
            byte = self.data[at]
            length |= (byte & 0x7F) << shift
            shift += 7
        return kind, length, at + 1

    def distance(self, at: int) -> tuple[int, int]:
        """How far before an object the one lies that it differs from, and where it goes on."""
        byte = self.data[at]
        back = byte & 0x7F
        while byte & 0x80:
            at += 1
            byte = self.data[at]
            back = (back + 1) << 7 | byte & 0x7F
        return back, at + 1

    def inflated(self, at: int, length: int) -> bytes:
        """The `length` bytes that are deflated from `at`."""
        with memoryview(self.data) as data:
            content = zlib.decompressobj().decompress(data[at : at + length + length // 512 + 1024], length)
        if len(content) != length:
            raise Unreadable
        return content


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _applied(base: bytes, delta: bytes) -> bytes:
    """`base` changed by `delta`: pieces copied from the base, and new bytes in between."""
    expected, at = _number(delta, 0)
    length, at = _number(delta, at)
    if expected != len(base):
        raise Unreadable
    pieces: list[bytes] = []
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            (start, count), at = _copied(delta, at, code)
            pieces.append(base[start : start + count])
        elif code:
            pieces.append(delta[at : at + code])
            at += code
        else:
            raise Unreadable
    content = b"".join(pieces)
    if len(content) != length:
        raise Unreadable
    return content


def _copied(delta: bytes, at: int, code: int) -> tuple[tuple[int, int], int]:
    """Where to copy from and how much: seven optional bytes, which the bits of `code` announce."""
    fields = [0] * 7
    for bit in range(7):
        if code >> bit & 1:
            fields[bit] = delta[at]
            at += 1
    start = int.from_bytes(bytes(fields[:4]), "little")
    return (start, int.from_bytes(bytes(fields[4:]), "little") or 0x10000), at


def _number(delta: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = delta[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at
