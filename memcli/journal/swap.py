"""Replaces one of git's own files under git's own lock, which is held for an instant.

Git guards a file `x` by creating `x.lock`. Somebody else's lock is never removed. Ours is
a second name of the new file, prepared beside: linked to the name of the lock (which fails
where there is one), and renamed over the old file when that is still the one we saw.
Killed between the two, the lock stays; its other name then says whose it was, and the next
writer clears it when that process is gone.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Final

_BESIDE: Final = "mem-lock-"
DEAD_S: Final = 5.0  # asserted: a thousand times as long as a live process holds a lock


@dataclass(frozen=True, slots=True)
class New:
    """The content of a file in pieces, its mode, and whether it must outlive a loss of power."""

    pieces: Sequence[bytes | memoryview]
    mode: int = 0o666
    synced: bool = False


def replace(target: Path, new: New, *, beside: Path, still: Callable[[], bool]) -> bool:
    """Put `new` in place of `target`, whose lock is `target.lock`, if `still()` holds under it.

    The new file is prepared in the folder `beside`, one for all writers of `target`. False
    where somebody holds the lock or `still()` does not hold. Raises OSError where the disk
    cannot (no hard links, no space); then nothing has changed.
    """
    lock = target.with_name(target.name + ".lock")
    own = beside / f"{_BESIDE}{os.getpid()}.{os.urandom(4).hex()}"
    try:
        _write(own, new)
        try:
            lock.hardlink_to(own)
        except FileExistsError:
            _clear_orphan(lock, beside, own.stat().st_mtime)
            return False
        return _under(lock, target, still)
    finally:
        own.unlink(missing_ok=True)


def _under(lock: Path, target: Path, still: Callable[[], bool]) -> bool:
    try:
        if still():
            lock.replace(target)
            return True
    except BaseException:
        lock.unlink(missing_ok=True)
        raise
    lock.unlink(missing_ok=True)
    return False


def write_all(file: FileIO, raw: bytes | memoryview) -> None:
    """Write all of `raw` to an unbuffered file: one write may do less, as the last one before a disk is full.

    Raises OSError.
    """
    rest = memoryview(raw)
    while rest:
        rest = rest[file.write(rest) :]


def _write(path: Path, new: New) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, new.mode)
    with os.fdopen(handle, "wb", buffering=0) as file:
        for piece in new.pieces:
            write_all(file, piece)
        if new.synced:
            os.fsync(handle)


def let_go(lock: Path, beside: Path) -> None:
    """Remove `lock` where a process of ours left it that is gone, once that is sure; no other one."""
    for _ in patience(DEAD_S + 1):
        left = [one for one in beside.glob(f"{_BESIDE}*") if _same(lock, one) and not _alive(one.name)]
        if not left:
            return
        with contextlib.suppress(OSError):
            _clear_orphan(lock, beside, present(beside))


def _same(lock: Path, orphan: Path) -> bool:
    with contextlib.suppress(OSError):
        return lock.samefile(orphan)
    return False


def present(folder: Path) -> float:
    """The disk's own time in seconds. Raises OSError where nothing can be written."""
    probe = folder / f"{_BESIDE}{os.getpid()}.{os.urandom(4).hex()}"
    try:
        _write(probe, New([]))
        return probe.stat().st_mtime
    finally:
        probe.unlink(missing_ok=True)


def _clear_orphan(lock: Path, beside: Path, now: float) -> None:
    """Remove `lock` where its other name says that it was ours, of a process that is gone.

    `now` is the disk's own time. A lock on the orphan lets one process clear it, so that
    nobody removes the lock that another has just taken.
    """
    for orphan in beside.glob(f"{_BESIDE}*"):
        with contextlib.suppress(OSError), orphan.open("rb") as held:
            seen = os.fstat(held.fileno())
            if now - seen.st_mtime < DEAD_S or _alive(orphan.name):
                continue
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if lock.exists() and lock.samefile(orphan):
                lock.unlink()
            if os.fstat(held.fileno()).st_nlink == 1:  # else it is the other name of another lock
                orphan.unlink()


def _alive(name: str) -> bool:
    try:
        os.kill(int(name.removeprefix(_BESIDE).partition(".")[0]), 0)
    except ProcessLookupError:
        return False
    except (ValueError, PermissionError):
        return True
    return True


def patience(wait_s: float) -> Iterator[None]:
    """Rounds with growing pauses in between, until `wait_s` have passed."""
    until = time.monotonic() + wait_s
    pause = 0.002
    while True:
        yield
        if time.monotonic() > until:
            return
        time.sleep(pause * os.urandom(1)[0] / 256)  # by chance, so that writers do not march in step
        pause = min(pause * 1.5, 0.1)
