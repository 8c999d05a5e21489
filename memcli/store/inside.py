"""Opening what lies inside a store, and nothing else.

The danger here is a file or folder that is swapped for a link to somewhere private after
it was looked at. So every folder on the way is opened relative to its parent without
following links, and a file is looked at again once it is open. A FIFO or device named
`.md` is never opened for reading, so nothing waits on it.

What is made here is its owner's alone, and its owner's in full: the umask, which belongs to
the process and all its threads, is left as it is, and what it took away is given back.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from memcli.errors import BadFile, Exhausted, MemError, Refused, TryAgain, Unavailable
from memcli.store.format import LIMIT_BYTES
from memcli.store.place import Place
from memcli.store.problem import shown

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_INSTEAD: Final = "Put a file or folder of its own in its place."
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
OF_THE_PROCESS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_OF_THE_MACHINE: Final = OF_THE_PROCESS | {errno.EIO}


def read(place: Place, path: str) -> bytes:
    """The bytes of the regular file `path`, up to 1 MiB.

    Raises TryAgain where it is not there (any more), BadFile where it is a link, no regular
    file, too large or unreadable, Unavailable where the store itself is not there.
    """
    with parent(place, path) as (folder, name):
        return content(folder, name, path)[0]


@contextmanager
def parent(place: Place, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
    """The open folder of `path` and the name in it; with `make`, missing folders are made.

    An OSError, also of the block that uses it, becomes our own words.
    """
    *folders, name = parts_of(path)
    opened = -1
    try:
        opened = descend(place, folders, make=make)
        yield opened, name
    except OSError as error:
        raise _in_words(error, path) from error
    finally:
        if opened >= 0:
            os.close(opened)


def parts_of(path: str) -> list[str]:
    """The names that `path` is made of. Raises Refused where one of them could lead elsewhere."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise Refused(f"{shown(path)} is not a path inside the store")
    return parts


def descend(place: Place, folders: Sequence[str], *, make: bool = False) -> int:
    """Open the folder below the root, one name at a time and never through a link."""
    opened = _root(place)
    for name in folders:
        parent = opened
        try:
            opened = _step(parent, name, make=make)
        finally:
            os.close(parent)
    return opened


def folder(place: Place, path: str) -> int | None:
    """Open a folder of the store to be listed; None where there is none, or a link. Raises Exhausted."""
    try:
        return descend(place, parts_of(path))
    except OSError as error:
        refuse_exhausted(error, path)
        return None


def refuse_exhausted(error: OSError, path: str) -> None:
    """Raise Exhausted where the process could open nothing: that says nothing of what `path` is."""
    if error.errno in OF_THE_PROCESS:
        raise _in_words(error, path) from error


def _root(place: Place) -> int:
    """The root itself may be reached by a link: the person named it."""
    try:
        return os.open(place.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        refuse_exhausted(error, place.root.name)
        hint = "Is the disk mounted, and is this the right store?"
        raise Unavailable(
            f"the store is not there: {shown(str(place.root))} cannot be opened", hint
        ) from error


def _step(parent: int, name: str, *, make: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=parent)
    except FileNotFoundError:
        if not make:
            raise
    made = False
    with suppress(FileExistsError):
        os.mkdir(name, FOLDER_MODE, dir_fd=parent)
        made = True
    sync(parent)
    opened = os.open(name, _FOLDER, dir_fd=parent)
    return _owned(opened, FOLDER_MODE) if made else opened


def opened(name: str | Path, flags: int, folder: int | None = None) -> int:
    """Open a file to be written, with mode 0600 where `flags` make it anew. Raises OSError."""
    return _owned(os.open(name, flags, FILE_MODE, dir_fd=folder), FILE_MODE)


def _owned(opened: int, mode: int) -> int:
    """`opened`, with what the umask took of `mode` given back; what others may do stays as it is."""
    found = stat.S_IMODE(os.fstat(opened).st_mode)
    if found & mode != mode:
        with suppress(OSError):  # somebody else's, who lets others write; or the disk keeps no modes
            os.fchmod(opened, found | mode)
    return opened


def content(folder: int, name: str, path: str) -> tuple[bytes, os.stat_result]:
    """The bytes of a regular file, and its state while they were read."""
    opened = readable(folder, name, path)
    try:
        found = os.fstat(opened)  # before the bytes: what changes meanwhile must differ from it
        return _read_all(opened, path), found
    finally:
        os.close(opened)


def readable(folder: int, name: str, path: str) -> int:
    """Open a regular file of at most 1 MiB to read from it; the caller closes it. Raises BadFile."""
    _regular(os.stat(name, dir_fd=folder, follow_symlinks=False), path)
    opened = _open(folder, name, path)
    try:
        _regular(os.fstat(opened), path)
    except BaseException:
        os.close(opened)
        raise
    return opened


def _open(folder: int, name: str, path: str) -> int:
    try:
        return os.open(name, READ, dir_fd=folder)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in _OF_THE_MACHINE:
            raise
        raise BadFile(f"{shown(path)} cannot be read: {error.strerror}", "`mem doctor` looks why.") from error


def _regular(found: os.stat_result, path: str) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise BadFile(f"{shown(path)} is a link, and links are not followed", _INSTEAD)
    if not stat.S_ISREG(found.st_mode):
        raise BadFile(f"{shown(path)} is not a regular file", _INSTEAD)
    if found.st_size > LIMIT_BYTES:
        raise too_large(path)


def too_large(path: str) -> BadFile:
    """What is said of a file above the limit, read or about to be written."""
    return BadFile(
        f"{shown(path)} is larger than {LIMIT_BYTES // 1024} KiB, the limit of a file", "Split it."
    )


def _read_all(opened: int, path: str) -> bytes:
    parts = []
    left = LIMIT_BYTES + 1
    while left and (part := os.read(opened, left)):
        parts.append(part)
        left -= len(part)
    if not left:
        raise too_large(path)
    return b"".join(parts)


def sync(opened: int) -> None:
    """Through to the disk; macOS says so only when asked in its own way."""
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is None:
        os.fsync(opened)
        return
    fcntl.fcntl(opened, full)


def _gone(path: str) -> TryAgain:
    return TryAgain(f"{shown(path)} is not there any more")


def _in_words(error: OSError, path: str) -> MemError:
    name = shown(path)
    if isinstance(error, FileNotFoundError):
        return _gone(path)
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return BadFile(f"a folder of {name} is a link or no folder, and links are not followed", _INSTEAD)
    if error.errno in OF_THE_PROCESS:
        return Exhausted(
            f"{name} could not be opened: {error.strerror}", "Nothing is wrong with the file: try again."
        )
    return _unavailable(error, name)


def _unavailable(error: OSError, name: str) -> Unavailable:
    if error.errno in _FULL:
        return Unavailable(
            f"{name} was not written: the disk is full", "Free some space; the old file is untouched."
        )
    if error.errno == errno.EROFS:
        return Unavailable(f"{name} was not written: the store is read-only", "The files are unharmed.")
    if isinstance(error, PermissionError):
        return Unavailable(f"no permission for {name}", "The files are unharmed.")
    return Unavailable(f"{name} could not be read or written: {error.strerror}", "The files are unharmed.")
