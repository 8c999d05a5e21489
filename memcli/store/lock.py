"""The one writer of a store: a lock that the kernel lets go of when its holder dies.

It is judged by being held, never by a number in a file, so a kill -9 or a reboot leaves
nothing to clean up; and it is never taken from a holder that is only slow or frozen: the
other one says who holds it and gives up at the stated time.
"""

import errno
import fcntl
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from memcli.errors import BadFile, MemError, TryAgain, Unavailable
from memcli.store import inside
from memcli.store.place import Place
from memcli.store.problem import shown

_FIRST_PAUSE_S: Final = 0.002
_LONGEST_PAUSE_S: Final = 0.025  # asserted: a fraction of a short write, so that waiting adds little to it
_OPEN: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FRESH: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_HOLDER_BYTES: Final = 200


@contextmanager
def hold(place: Place, *, wait_s: float, holder: str) -> Iterator[None]:
    """Hold the store's lock during a `with` block.

    Waits up to `wait_s` seconds for another holder; `holder` is what the others are told,
    like `mem remember`. One that holds it and asks again waits for itself. Raises TryAgain
    when it is still held then, Unavailable where the store cannot be written.
    """
    descriptor = _taken(place, wait_s)
    try:
        _say(descriptor, f"{holder} (process {os.getpid()})")
        yield
    finally:
        _say(descriptor, "")
        os.close(descriptor)


def holder(place: Place) -> str | None:
    """Who holds the lock at this moment, as it says itself; None where nobody does. Writes nothing."""
    path = place.lock_file.relative_to(place.root).as_posix()
    with suppress(MemError), inside.parent(place, path) as (folder, name):
        descriptor = os.open(name, inside.READ, dir_fd=folder)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return _holder(descriptor) or "another process"
        finally:
            os.close(descriptor)
    return None


def _taken(place: Place, wait_s: float) -> int:
    """An open lock file that is locked. The kernel unlocks it when it is closed or its holder dies."""
    deadline = time.monotonic() + wait_s
    try:
        while (descriptor := _attempt(place, wait_s, deadline)) is None:
            pass  # what was locked is no longer the file that others find
    except BadFile as error:
        raise Unavailable(
            f"{place.private.name} is not a folder that mem can use: {error.message}",
            "It holds nothing that mem cannot make again: move it away.",
        ) from error
    return descriptor


def _attempt(place: Place, wait_s: float, deadline: float) -> int | None:
    """The file once it is locked; None where it was taken away meanwhile. Raises TryAgain at `deadline`."""
    path = place.lock_file.relative_to(place.root).as_posix()
    with inside.parent(place, path, make=True) as (folder, name):
        _hide_from_git(folder)
        descriptor = inside.opened(name, _OPEN, folder)
        try:
            if not _waited(descriptor, deadline):
                raise TryAgain(
                    f"The store is busy: {_holder(descriptor) or 'another process'} still holds it "
                    f"after {wait_s:g} s.",
                    "Try again when that is done; `[lock] wait_s` in mem.toml says how long to wait.",
                )
            if not _current(folder, name, descriptor):
                return None
            kept, descriptor = descriptor, -1
            return kept
        finally:
            if descriptor >= 0:
                os.close(descriptor)


def _waited(descriptor: int, deadline: float) -> bool:
    """Whether the open file was locked before `deadline`, by the monotonic clock."""
    if _locked(descriptor):
        return True
    if time.monotonic() >= deadline:
        return False
    if threading.current_thread() is threading.main_thread():
        return _queued(descriptor, deadline)
    return _looked(descriptor, deadline)


class _Alarm(BaseException):
    """The time to wait is over."""


def _queued(descriptor: int, deadline: float) -> bool:
    """Wait in the kernel's own queue, which costs nothing, passes over nobody and is left at the alarm.

    Of thirty that wait and look every now and then, those that look would take a core from
    the one that works. Python hears signals in its main thread alone.
    """
    before = signal.signal(signal.SIGALRM, _ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, max(deadline - time.monotonic(), _FIRST_PAUSE_S))
            return _locked(descriptor, wait=True)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _Alarm:
        return _locked(descriptor)  # it may ring in the very moment in which the lock is got
    finally:
        signal.signal(signal.SIGALRM, before)


def _ring(*_: object) -> None:
    raise _Alarm


def _looked(descriptor: int, deadline: float) -> bool:
    """Look again and again: in a thread, where no alarm is heard."""
    pause = _FIRST_PAUSE_S
    while (left := deadline - time.monotonic()) > 0:
        time.sleep(min(left, pause * _spread()))
        if _locked(descriptor):
            return True
        pause = min(pause * 2, _LONGEST_PAUSE_S)
    return False


def _hide_from_git(folder: int) -> None:
    """Let `.mem/` ignore itself: a project that holds a store has a .gitignore of its own."""
    with suppress(OSError):
        descriptor = inside.opened(".gitignore", _FRESH, folder)
        try:
            os.write(descriptor, b"*\n")
        finally:
            os.close(descriptor)


def _locked(descriptor: int, *, wait: bool = False) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
            raise Unavailable(
                "The file system of this store keeps no locks, so nothing can be written safely.",
                "Move the store to a local disk.",
            ) from error
        raise
    return True


def _current(folder: int, name: str, descriptor: int) -> bool:
    """Whether the file is still the one that others find: `.mem/` may be deleted at any moment."""
    try:
        return os.path.samestat(os.stat(name, dir_fd=folder, follow_symlinks=False), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _say(descriptor: int, holder: str) -> None:
    """Write who holds it, for the others to read; a full disk only costs them that."""
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, holder.encode("utf-8", "replace")[:_HOLDER_BYTES], 0)


def _holder(descriptor: int) -> str:
    with suppress(OSError):
        return shown(os.pread(descriptor, _HOLDER_BYTES, 0).decode("utf-8", "replace"))
    return ""


def _spread() -> float:
    """0.5 to 1.5, so that those who wait do not all look at the same instant."""
    return 0.5 + os.urandom(1)[0] / 255
