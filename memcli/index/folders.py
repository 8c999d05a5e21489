"""Folders and files for their owner alone, with everything above them that is missing.

`Path.mkdir(mode, parents=True)` gives the mode to the last one only: the others take the
umask, and under an open one anybody could put an index of theirs in place of ours. A strict
one takes from the owner too; that is given back. The umask itself belongs to the whole
process and is left as it is.
"""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

PRIVATE: Final = 0o700
_FILE: Final = 0o600
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OVER: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


def make(folder: Path) -> None:
    """Make `folder`; nothing happens where it is there. Raises OSError."""
    if not folder.is_dir():
        make(folder.parent)
        with suppress(FileExistsError):
            make_new(folder)


def make_new(folder: Path) -> None:
    """Make `folder` in one that is there. Raises OSError, also where it is there."""
    folder.mkdir(PRIVATE)
    os.close(_owned(os.open(folder, _FOLDER), PRIVATE))


def opened(file: Path, flags: int) -> int:
    """Open `file` to be written, with mode 0600 where `flags` make it anew. Raises OSError."""
    return _owned(os.open(file, flags, _FILE), _FILE)


def read(file: Path) -> str:
    """The text of a regular file; a pipe that somebody put in its place is not waited for. Raises OSError."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "r", encoding="utf-8") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise FileNotFoundError(errno.ENOENT, "no regular file", str(file))
        return stream.read()


def write(file: Path, text: str) -> None:
    """Write `file`, which may be there. Raises OSError."""
    with os.fdopen(opened(file, _OVER), "w", encoding="utf-8") as stream:
        stream.write(text)


def _owned(opened: int, mode: int) -> int:
    found = stat.S_IMODE(os.fstat(opened).st_mode)
    if found & mode != mode:
        with suppress(OSError):  # somebody else's, who lets others write; or the disk keeps no modes
            os.fchmod(opened, found | mode)
    return opened
