"""Brings git's staging area in line for exactly the paths of a commit, beside other git commands.

Git keeps one lock on it, `index.lock`. Somebody else's is waited for and never removed.
Ours is held for the instant of a rename: the new file is prepared beside, linked to the
name of the lock, and renamed if what it was made from is still there. Killed in that
instant, the lock's other name tells later whose it was, and that nobody holds it.
"""

import fcntl
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memcli.errors import TryAgain, Unavailable
from memcli.journal.content import Content
from memcli.journal.process import Git
from memcli.journal.repository import Journal
from memcli.journal.stagingfile import Amended, Entries, NotPlain, Stamp, amended, empty

WAIT_S: Final = 15.0  # asserted: how long other git commands may keep the staging area busy
_BESIDE: Final = "index.mem"
_MANY: Final = 200  # paths on one command line: asserted, far below the kernel's limit of 2 MiB
_DEAD_S: Final = 5.0  # asserted: a thousand times as long as a live process holds the lock


@dataclass(frozen=True, slots=True)
class Staging:
    """The staging area of the working tree of `journal`; `wait_s` bounds the patience with others."""

    journal: Journal
    kind_of_hash: str = "sha1"
    wait_s: float = WAIT_S

    @property
    def _file(self) -> Path:
        return self.journal.found.git_dir / "index"

    def bring_in_line(self, contents: Mapping[str, Content | None]) -> Callable[[], None]:
        """Make the staging area hold `contents` (path in the repository → file, None = none).

        Returns what takes that back. Raises TryAgain where a path is in conflict or others
        keep it busy, and then nothing has changed.
        """
        entries = {_raw(path): _entry(_raw(path), one) for path, one in contents.items()}
        try:
            before = self._splice(entries)
        except NotPlain:
            return self.by_git(contents)
        return lambda: self._take_back(before)

    def _take_back(self, before: Entries) -> None:
        try:
            self._splice(before)
        except NotPlain:
            return  # somebody rebuilt the file; what is staged is then an edit not yet committed

    def _splice(self, entries: Entries) -> Entries:
        for _ in patience(self.wait_s):
            raw, seen = self._read()
            new = amended(raw, entries, self.kind_of_hash, int(seen.st_mtime) if seen else 0)
            if self._swap(new, seen):
                return new.before
        raise _busy()

    def _read(self) -> tuple[bytes, os.stat_result | None]:
        try:
            with self._file.open("rb") as file:
                return file.read(), os.fstat(file.fileno())
        except FileNotFoundError:
            return empty(self.kind_of_hash), None

    def _swap(self, new: Amended, seen: os.stat_result | None) -> bool:
        """Put `new` in place if the file is still the one that was `seen`, and nobody holds the lock."""
        lock = self._file.with_name("index.lock")
        beside = self._file.with_name(f"{_BESIDE}{os.getpid()}.{os.urandom(4).hex()}")
        try:
            beside.write_bytes(new.raw)
            if seen:
                beside.chmod(seen.st_mode & 0o777)
            return self._replace(beside, lock, seen)
        except OSError as error:
            raise NotPlain from error  # no links on this disk, or no space: git will say it
        finally:
            beside.unlink(missing_ok=True)

    def _replace(self, beside: Path, lock: Path, seen: os.stat_result | None) -> bool:
        try:
            lock.hardlink_to(beside)
        except FileExistsError:
            _clear_orphan(self._file, beside.stat().st_mtime)
            return False
        try:
            if _same(self._file, seen):
                lock.replace(self._file)
                return True
        finally:
            if lock.exists() and lock.samefile(beside):
                lock.unlink()
        return False

    def by_git(self, contents: Mapping[str, Content | None]) -> Callable[[], None]:
        """As `bring_in_line`, done by git; what stood there before is asked for first."""
        git = Git(self.journal.found.top, self.journal.git.environment, self.journal.git.limit_s)
        before = _staged(git, tuple(contents))
        width = 40 if self.kind_of_hash == "sha1" else 64
        lines = [
            _line(path, one.mode if one else b"0", one.blob if one else "0" * width)
            for path, one in contents.items()
        ]
        self._index_info(git, b"".join(lines))
        gone = [_line(path, b"0", "0" * width) for path in contents if path not in before]
        return lambda: self._index_info(git, b"".join([*gone, *before.values()]))

    def _index_info(self, git: Git, lines: bytes) -> None:
        words = ("update-index", "--add", "--remove", "--replace", "-z", "--index-info")
        for _ in patience(self.wait_s):
            ran = git.act(*words, given=lines)
            if ran.code == 0:
                return
            if "index.lock" not in ran.err:
                raise Unavailable(f"git could not stage the files: {ran.complaint}", "Run `git status`.")
        raise _busy()


def _entry(name: bytes, one: Content | None) -> bytes:
    return Stamp(int(one.mode, 8), bytes.fromhex(one.blob), one.seen).entry(name) if one else b""


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _line(path: str, mode: bytes, blob: str) -> bytes:
    return b"%s %s\t%s\0" % (mode, blob.encode(), _raw(path))


def _staged(git: Git, paths: tuple[str, ...]) -> dict[str, bytes]:
    """What is staged of `paths`, as lines for `--index-info`. Raises TryAgain where one is in conflict."""
    few = paths if len(paths) <= _MANY else ()
    found: dict[str, bytes] = {}
    for line in git.read("ls-files", "--stage", "-z", "--", *few).split(b"\0"):
        stated, _, name = line.partition(b"\t")
        path = name.decode("utf-8", "surrogateescape")
        if path not in paths:
            continue
        if not stated.endswith(b" 0"):
            raise TryAgain(f"{path} is in conflict; nothing was committed.", "Resolve it, then `git add` it.")
        found[path] = line + b"\0"
    return found


def _same(file: Path, seen: os.stat_result | None) -> bool:
    try:
        now = file.stat()
    except FileNotFoundError:
        return seen is None
    return seen is not None and (now.st_ino, now.st_size, now.st_mtime_ns) == (
        seen.st_ino,
        seen.st_size,
        seen.st_mtime_ns,
    )


def patience(wait_s: float) -> Iterator[None]:
    """Rounds with growing pauses in between, until `wait_s` have passed."""
    until = time.monotonic() + wait_s
    pause = 0.002
    while True:
        yield
        if time.monotonic() > until:
            return
        time.sleep(random.uniform(0, pause))  # noqa: S311 - spreads writers, guards nothing
        pause = min(pause * 1.5, 0.1)


def _clear_orphan(file: Path, now: float) -> None:
    """Remove the lock where its other name says that it was ours, of a process that is gone.

    `now` is the disk's own time. The orphan's own lock lets one process clear it, so that
    nobody removes the lock that another has just taken.
    """
    lock = file.with_name("index.lock")
    for beside in file.parent.glob(f"{_BESIDE}*"):
        try:
            seen = beside.stat()
            if now - seen.st_mtime < _DEAD_S or _alive(beside.name):
                continue
            with beside.open("rb") as held:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if lock.stat().st_ino == seen.st_ino:
                    lock.unlink()
                beside.unlink()
        except OSError:
            continue


def _alive(name: str) -> bool:
    try:
        os.kill(int(name.removeprefix(_BESIDE).partition(".")[0]), 0)
    except ProcessLookupError:
        return False
    except (ValueError, PermissionError):
        return True
    return True


def _busy() -> TryAgain:
    return TryAgain(
        "Another git command is busy in the store; nothing was committed.", "Try again when it is done."
    )
