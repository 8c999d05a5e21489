"""Turns at one generation of the index: who reads it, who writes it, who is alone with it.

Files that go while a reader needs them fail it, and two writers insert the same new row twice
without noticing. So every reader is present (a shared lock that the kernel gives back when a
process dies), one writer writes at a time, and a generation goes only when nobody is present.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from memcli.errors import TryAgain, Unavailable
from memcli.index import folders

READERS: Final = "readers.lock"
WRITER: Final = "writer.lock"
READER_WAIT_S: Final = 5.0  # asserted: to remove a generation in which nobody is takes milliseconds
WRITER_WAIT_S: Final = 30.0  # asserted: as the store's own lock
_PAUSE_S: Final = 0.002
_LAID: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


class NotWritable(Unavailable):
    """The folder of the index cannot be written; reading goes on from the files."""

    def __init__(self, folder: Path, error: OSError) -> None:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        super().__init__(
            f"The index in {folder} cannot be written: {error.strerror}.",
            "Free some space; the files are unharmed."
            if full
            else "Look at who owns it, or delete it: it is made anew from the files.",
        )


def prepare(generation: Path) -> None:
    """Lay the lock files down, so that a reader without the right to write can take its turn."""
    for name in (READERS, WRITER):
        os.close(folders.opened(generation / name, _LAID))


class Presence:
    """A reader's shared lock on a generation, held from `enter` to `leave`."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    @classmethod
    def enter(cls, generation: Path) -> Self:
        """Be present. Where the lock cannot be had, reading goes on without it."""
        try:
            descriptor = os.open(generation / READERS, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return cls(None)
        if _taken(descriptor, fcntl.LOCK_SH, READER_WAIT_S):
            return cls(descriptor)
        os.close(descriptor)
        return cls(None)

    def __del__(self) -> None:
        self.leave()

    def leave(self) -> None:
        """Be present no more; doing so twice is no harm."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether nobody else is present; while this lasts, nobody comes in."""
        alone = self._descriptor is not None and _taken(self._descriptor, fcntl.LOCK_EX, 0)
        try:
            yield alone
        finally:
            if self._descriptor is not None:
                _taken(self._descriptor, fcntl.LOCK_SH, READER_WAIT_S)


@contextmanager
def writing(generation: Path, wait_s: float = WRITER_WAIT_S) -> Iterator[None]:
    """Be the only writer. Raises TryAgain when another one does not end in `wait_s`."""
    try:
        descriptor = folders.opened(generation / WRITER, _LAID)
    except OSError as error:
        raise NotWritable(generation, error) from error
    try:
        if not _taken(descriptor, fcntl.LOCK_EX, wait_s):
            raise TryAgain(f"the index in {generation} is being written", "try again in a moment")
        yield
    finally:
        os.close(descriptor)


def _taken(descriptor: int, kind: int, wait_s: float) -> bool:
    until = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(_PAUSE_S)
        except OSError:  # a file system without locks
            return False
        else:
            return True
