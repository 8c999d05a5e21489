"""Git objects read and written as files: blobs, trees and commits by their hash.

A process for each object would cost more than the object. Loose objects are plain files
(zlib of `kind size NUL content`, named by its hash), so those are read and written here;
what git has packed is read by `packs`, and the rest asked of `git cat-file --batch`. An
object is complete under its name or not there: it is written beside, fsynced, and renamed.
"""

import contextlib
import hashlib
import os
import re
import struct
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from memcli.errors import Unavailable
from memcli.journal import swap
from memcli.journal.packs import Packs
from memcli.journal.process import Git

_DAMAGED: Final = "Run `git fsck` in the store. Files and recall are unharmed."
_ENTRY: Final = {size: re.compile(rb"(\d+) ([^\0]+)\0(.{%d})" % size, re.DOTALL) for size in (20, 32)}
_KINDS: Final = {b"commit": 1, b"tree": 2, b"blob": 3}
_MANY: Final = 50  # objects; more are written as one pack: a file, a sync and an open handle each would hurt
_BESIDE: Final = "tmp_obj_mem_"  # git's gc clears tmp_obj_* away
_LEVEL: Final = 1  # asserted: as git's default for loose objects (Z_BEST_SPEED)


FOLDER: Final = b"40000"  # the mode of a folder in a tree
SUBMODULE: Final = b"160000"
# Name → (mode as git writes it, like `100644`; the id's bytes). Plain tuples: a folder may hold thousands.
Tree = dict[bytes, tuple[bytes, bytes]]


@dataclass(slots=True)
class Objects:
    """The objects of one repository: `folder` holds them, `kind_of_hash` is sha1 or sha256.

    What is written is on disk after `settle`, which must come before anything names it.

    `by_git` leaves writing to git, where files alone are not enough (permissions of a
    shared repository, objects known by two hashes). `durable` syncs what is written.
    """

    folder: Path
    git: Git
    kind_of_hash: str = "sha1"
    by_git: bool = False
    durable: bool = True
    _new: dict[str, bytes] = field(default_factory=dict)
    _packs: Packs | None = None

    def write(self, kind: str, content: bytes) -> str:
        """Store `content` as an object of `kind` (blob, tree, commit); its id."""
        if self.by_git:
            return self.git.do("hash-object", "-w", "-t", kind, "--stdin", given=content).decode().strip()
        whole = b"%s %d\0%s" % (kind.encode(), len(content), content)
        name = self._hashed(whole)
        self._new[name] = whole
        return name

    def named(self, kind: str, content: bytes) -> str:
        """The id that `content` would have as an object of `kind`; nothing is stored."""
        return self._hashed(b"%s %d\0%s" % (kind.encode(), len(content), content))

    def _hashed(self, whole: bytes) -> str:
        return hashlib.new(self.kind_of_hash, whole, usedforsecurity=False).hexdigest()

    def settle(self) -> None:
        """Bring all that was written to disk. Raises Unavailable."""
        wholes = dict(self._new)
        self._new.clear()
        if len(wholes) > _MANY:
            self.git.do("index-pack", "--stdin", given=_pack(wholes.values(), self.kind_of_hash))
            return
        places = {self._place(name): whole for name, whole in wholes.items()}
        try:
            missing = {place: whole for place, whole in places.items() if not _kept(place)}
            _write_all(missing, durable=self.durable)
        except OSError as error:
            raise Unavailable(
                f"{self.folder} cannot be written: {error.strerror}.",
                "Free space, or check its permissions.",
            ) from error

    def _place(self, name: str) -> str:
        return f"{self.folder}/{name[:2]}/{name[2:]}"  # text: Path objects took a quarter of a commit's time

    def read(self, name: str, kind: str) -> bytes:
        """The content of the object `name`. Raises Unavailable where it is missing or damaged."""
        whole = self._loose(name) or self._packed(name)
        if whole is None:
            return self.read_all([name])[name]
        head, _, content = whole.partition(b"\0")
        if head != b"%s %d" % (kind.encode(), len(content)):
            raise _damaged(name)
        return content

    def _packed(self, name: str) -> bytes | None:
        if self._packs is None:
            self._packs = Packs(Path(self.folder, "pack"), len(name) // 2)
        whole = self._packs.read(bytes.fromhex(name))
        sound = whole is not None and hashlib.new(self.kind_of_hash, whole).hexdigest() == name
        return whole if sound else None

    def _loose(self, name: str) -> bytes | None:
        try:
            packed = Path(self._place(name)).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            return zlib.decompress(packed)
        except zlib.error as error:
            raise _damaged(name) from error

    def read_all(self, names: Iterable[str]) -> Mapping[str, bytes]:
        """The contents of the objects `names`, by one git process."""
        wanted = list(dict.fromkeys(names))
        if not wanted:
            return {}
        out = self.git.read("cat-file", "--batch", given="".join(f"{name}\n" for name in wanted).encode())
        found: dict[str, bytes] = {}
        at = 0
        for name in wanted:
            end = out.index(b"\n", at)
            size = out[at:end].rpartition(b" ")[2]
            if not size.isdigit():
                raise _damaged(name)
            found[name] = out[end + 1 : end + 1 + int(size)]
            at = end + 2 + int(size)
        return found

    def tree(self, name: str) -> Tree:
        """The entries of the tree `name`."""
        return parse_tree(self.read(name, "tree"), len(name) // 2)

    def write_tree(self, tree: Tree) -> str:
        """Store `tree`; its id."""
        return self.write("tree", compose_tree(tree))


def parse_tree(raw: bytes, size: int) -> Tree:
    """The entries of a tree object; ids take `size` bytes. Raises Unavailable where it is damaged."""
    found = _ENTRY[size].findall(raw)
    if sum(len(mode) + len(name) + 2 + size for mode, name, _ in found) != len(raw):
        raise Unavailable("History is damaged: a tree cannot be read.", _DAMAGED)
    return {name: (mode, id_) for mode, name, id_ in found}


def compose_tree(tree: Tree) -> bytes:
    """The bytes of a tree object: entries sorted as git does, folders as if they ended in a slash."""
    return b"".join(
        [b"%s %s\0%s" % (mode, name, id_) for name, (mode, id_) in sorted(tree.items(), key=_order)]
    )


def _order(entry: tuple[bytes, tuple[bytes, bytes]]) -> bytes:
    name, (mode, _) = entry
    return name + b"/" if mode == FOLDER else name


def _pack(wholes: Collection[bytes], kind_of_hash: str) -> bytes:
    """The objects as one stream that git keeps as one file (`gitformat-pack`, version 2, no deltas)."""
    pieces = [b"PACK" + struct.pack(">II", 2, len(wholes))]
    for whole in wholes:
        head, _, content = whole.partition(b"\0")
        kind, size = _KINDS[head[: head.index(b" ")]], len(content)
        first, rest = (
            kind << 4 | size & 0xF,
            size >> 4,
        )  # then 7 bits a byte, the high bit saying that more follow
        while rest:
            pieces.append(bytes([first | 0x80]))
            first, rest = rest & 0x7F, rest >> 7
        pieces += [bytes([first]), zlib.compress(content, _LEVEL)]
    stream = b"".join(pieces)
    return stream + hashlib.new(kind_of_hash, stream, usedforsecurity=False).digest()


def _kept(place: str) -> bool:
    try:
        os.utime(place)  # a fresh time keeps a running gc from pruning it
    except OSError:
        return False
    return True


def _write_all(wholes: Mapping[str, bytes], *, durable: bool) -> None:
    """Write each object beside its place, sync all, and rename."""
    with contextlib.ExitStack() as stack:
        opened = [(place, *_written(stack, place, whole)) for place, whole in wholes.items()]
        for _, _, file in opened if durable else ():
            os.fsync(file.fileno())
        for place, beside, _ in opened:
            beside.replace(place)


def _written(stack: contextlib.ExitStack, place: str, whole: bytes) -> tuple[Path, BinaryIO]:
    beside = Path(f"{place[: place.rindex('/')]}/{_BESIDE}{os.urandom(6).hex()}")
    file = stack.enter_context(os.fdopen(_create(beside), "wb", buffering=0))
    stack.callback(beside.unlink, missing_ok=True)
    level = 0 if whole.startswith(b"tree") else _LEVEL  # ids do not get smaller
    swap.write_all(file, zlib.compress(whole, level))
    if hasattr(os, "posix_fadvise"):  # begins writing now: six syncs then take half the time
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return beside, file


def _create(beside: Path) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        return os.open(beside, flags, 0o444)
    except FileNotFoundError:  # the first of this folder, or a running gc took the empty folder away
        beside.parent.mkdir(exist_ok=True)
        return os.open(beside, flags, 0o444)


def _damaged(name: str) -> Unavailable:
    return Unavailable(f"History is damaged: object {name} is missing or unreadable.", _DAMAGED)
