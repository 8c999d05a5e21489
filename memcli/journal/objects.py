"""Git objects read and written as files: blobs, trees and commits by their hash.

A process for each object would cost more than the object. Loose objects are plain files
(zlib of `kind size NUL content`, named by its hash), so those are read and written here;
what git has packed is asked of one `git cat-file --batch`. An object is complete under
its name or not there: it is written beside, fsynced, and renamed.
"""

import hashlib
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memcli.errors import Unavailable
from memcli.journal.process import Git

_DAMAGED: Final = "Run `git fsck` in the store. Files and recall are unharmed."
_LEVEL: Final = 1  # asserted: as git's default for loose objects (Z_BEST_SPEED)


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a tree: its mode as git writes it (`100644`, `40000`), and the object's id."""

    mode: bytes
    id: str

    @property
    def is_tree(self) -> bool:
        """Whether it is a folder."""
        return self.mode == b"40000"


Tree = dict[bytes, Entry]


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects of one repository: `folder` holds them, `kind_of_hash` is sha1 or sha256."""

    folder: Path
    git: Git
    kind_of_hash: str = "sha1"

    def write(self, kind: str, content: bytes) -> str:
        """Store `content` as an object of `kind` (blob, tree, commit); its id."""
        whole = b"%s %d\0%s" % (kind.encode(), len(content), content)
        name = hashlib.new(self.kind_of_hash, whole, usedforsecurity=False).hexdigest()
        self._store(name, whole)
        return name

    def _store(self, name: str, whole: bytes) -> None:
        path = self.folder / name[:2] / name[2:]
        try:
            os.utime(path)  # it is there; a fresh time keeps a running gc from pruning it
        except FileNotFoundError:
            _write_beside(path, zlib.compress(whole, _LEVEL))

    def read(self, name: str, kind: str) -> bytes:
        """The content of the object `name`. Raises Unavailable where it is missing or damaged."""
        whole = self._loose(name)
        if whole is None:
            return self.read_all([name])[name]
        head, _, content = whole.partition(b"\0")
        if head != b"%s %d" % (kind.encode(), len(content)):
            raise _damaged(name)
        return content

    def _loose(self, name: str) -> bytes | None:
        try:
            packed = (self.folder / name[:2] / name[2:]).read_bytes()
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
        return parse_tree(self.read(name, "tree"), hashlib.new(self.kind_of_hash).digest_size)

    def write_tree(self, tree: Tree) -> str:
        """Store `tree`; its id."""
        return self.write("tree", compose_tree(tree))


def parse_tree(raw: bytes, size: int) -> Tree:
    """The entries of a tree object; ids take `size` bytes."""
    tree: Tree = {}
    at = 0
    while at < len(raw):
        end = raw.index(b"\0", at)
        mode, _, name = raw[at:end].partition(b" ")
        tree[name] = Entry(mode, raw[end + 1 : end + 1 + size].hex())
        at = end + 1 + size
    return tree


def compose_tree(tree: Tree) -> bytes:
    """The bytes of a tree object: entries sorted as git does, folders as if they ended in a slash."""
    ordered: Sequence[tuple[bytes, Entry]] = sorted(
        tree.items(),
        key=lambda pair: pair[0] + b"/" if pair[1].is_tree else pair[0],
    )
    return b"".join(b"%s %s\0%s" % (entry.mode, name, bytes.fromhex(entry.id)) for name, entry in ordered)


def _write_beside(path: Path, raw: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    beside = path.with_name(f"tmp_obj_mem{os.getpid()}_{path.name[:16]}")  # git gc clears tmp_obj_*
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o444)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _damaged(name: str) -> Unavailable:
    return Unavailable(f"History is damaged: object {name} is missing or unreadable.", _DAMAGED)
