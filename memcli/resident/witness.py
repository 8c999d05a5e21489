"""Who saw what changed: the kernel's own queue of file events, read at the moment of a question.

What a program wrote before we were asked stands in that queue already, so no waiting and no
canary file is needed to know that nothing did. Where the kernel keeps no such queue, or the
disk's changes may come from elsewhere (a network, a virtual machine's host), nobody can
vouch for anything: `Nobody` says so, and every question looks at all files itself.
"""

import ctypes
import ctypes.util
import os
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

# Disks whose every change passes through this kernel.
LOCAL: Final = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs", "zfs", "f2fs", "bcachefs", "jfs"})
MOUNTS: Final = Path("/proc/self/mountinfo")

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _OVERFLOW, _IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
_ONLY_FOLDERS, _NO_LINKS, _IS_FOLDER = 0x1000000, 0x2000000, 0x40000000
_WATCHED: Final = (
    _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
)
_LOST: Final = _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _OVERFLOW
_HEAD: Final = struct.Struct("iIII")  # watch, what happened, cookie, length of the name
_READ: Final = 1 << 18
_LONGEST_LIST: Final = 1000  # asserted: looking at so many files costs as much as looking at all


class Nobody:
    """No witness: what may have changed is never known. `why` says it to a person."""

    def __init__(self, why: str) -> None:
        self.why = why

    def touched(self) -> frozenset[str] | None:
        """Anything may have changed."""
        return None


class Inotify:
    """The queue of one folder of the store and all below it. One thread at a time."""

    why = ""

    def __init__(self, root: Path, folder: str) -> None:
        """Watch `folder` below `root`. Raises OSError where the kernel has no room for that."""
        self._root, self._folder = root, folder
        self._kernel = ctypes.CDLL(None, use_errno=True)
        self._queue = -1
        self._paths: dict[int, str] = {}
        self._stands: tuple[int, int] | None = None
        self._open()

    def touched(self) -> frozenset[str] | None:
        """Paths in the store that changed since this was last asked; None where that cannot be known.

        A folder that came, went or moved is such a case: all is watched anew then.
        """
        paths: set[str] = set()
        try:
            known = self._stood() == self._stands
            while known and (raw := self._read()):
                known = self._take(raw, paths)
            if not known:
                self._open()
                return None
        except OSError:
            with suppress(OSError):
                self._open()
            return None
        return frozenset(paths) if len(paths) <= _LONGEST_LIST else None

    def close(self) -> None:
        """Watch no more."""
        if self._queue >= 0:
            os.close(self._queue)
            self._queue = -1

    def _open(self) -> None:
        self.close()
        self._paths.clear()
        self._queue = self._called(self._kernel.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        try:
            self._stands = self._stood()
            self._watch(self._folder)
        except BaseException:
            self.close()  # half a watch would vouch for what it does not see
            raise

    def _stood(self) -> tuple[int, int]:
        found = (self._root / self._folder).stat()
        return found.st_dev, found.st_ino

    def _watch(self, folder: str) -> None:
        """Watch `folder` first and list it then, so that nothing can come in between unseen."""
        path = os.fsencode(self._root / folder)
        number = self._called(
            self._kernel.inotify_add_watch(self._queue, path, _WATCHED | _ONLY_FOLDERS | _NO_LINKS)
        )
        self._paths[number] = folder
        with os.scandir(path) as entries:
            below = [os.fsdecode(entry.name) for entry in entries if entry.is_dir(follow_symlinks=False)]
        for name in below:
            if not name.startswith("."):
                self._watch(f"{folder}/{name}")

    @staticmethod
    def _called(result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result

    def _read(self) -> bytes:
        if self._queue < 0:
            raise OSError("not watching")
        try:
            return os.read(self._queue, _READ)
        except BlockingIOError:
            return b""

    def _take(self, raw: bytes, paths: set[str]) -> bool:
        """Add the changed files to `paths`; False where more may have changed than the events name."""
        at = 0
        while at < len(raw):
            watch, what, _, length = _HEAD.unpack_from(raw, at)
            name = raw[at + _HEAD.size : at + _HEAD.size + length].rstrip(b"\0")
            at += _HEAD.size + length
            folder = self._paths.get(watch)
            if what & _LOST or folder is None or what & _IGNORED:
                return False
            if what & _IS_FOLDER:
                if (
                    name
                    and what & ~(_IS_FOLDER | _ATTRIB)
                    and not self._entered(f"{folder}/", name, what, paths)
                ):
                    return False
            elif name == b".git":
                return False  # as a file it makes the folder a repository of its own too
            elif name:
                paths.add(f"{folder}/{os.fsdecode(name)}")
        return True

    def _entered(self, folder: str, name: bytes, what: int, paths: set[str]) -> bool:
        """Watch a folder that came, and add its files; False where one went, or is a repository's."""
        if name.startswith(b"."):
            return name != b".git"
        if not what & (_CREATE | _MOVED_TO):
            return False
        came = len(self._paths)
        self._watch(folder + os.fsdecode(name))
        for below in list(self._paths.values())[came:]:
            with os.scandir(self._root / below) as entries:
                paths |= {f"{below}/{entry.name}" for entry in entries}
        return True


def witness(root: Path, folder: str, *, events: bool) -> Inotify | Nobody:
    """Who can vouch for `folder` of the store at `root`; `events` False: the user says that none arrive."""
    if not events:
        return Nobody("[watch] events = false")
    if sys.platform != "linux":
        return Nobody(f"{sys.platform} has no queue to ask")
    kind = kind_of_disk(root)
    if kind not in LOCAL:
        return Nobody(f"a disk of the kind {kind or 'unknown'} may change from elsewhere")
    try:
        return Inotify(root, folder)
    except (OSError, AttributeError) as error:
        return Nobody(limit(error))


def kind_of_disk(folder: Path) -> str:
    """The type of the file system that `folder` lies on, empty where it cannot be told."""
    try:
        lines = MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
        whole = os.path.realpath(folder)
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        mounted = before.split(" ")[4].replace("\\040", " ")
        inside = mounted in {"/", whole} or whole.startswith(mounted + "/")
        if inside and len(mounted) >= len(best):
            best, kind = mounted, after.partition(" ")[0]
    return kind


def limit(error: Exception) -> str:
    """Why nothing can be watched, in words: the kernel says `no space` where a limit of its own is meant."""
    import errno

    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EMFILE:
        return "the limit fs.inotify.max_user_instances, or of open files, is reached"
    if number == errno.ENOSPC:
        return "the limit fs.inotify.max_user_watches is reached"
    return f"the folder cannot be watched: {error}"
