"""Brings git's staging area in line for exactly the paths of a commit, beside other git commands.

The user's staged changes stay as they are. The lock that another git command holds on the
staging area is waited for, and never removed.
"""

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memcli.errors import TryAgain, Unavailable
from memcli.journal import swap
from memcli.journal.content import Content
from memcli.journal.process import Git, Ran
from memcli.journal.repository import Journal
from memcli.journal.stagingfile import Amended, Entries, NotPlain, Stamp, amended, empty
from memcli.journal.swap import patience

_MANY: Final = 200  # paths on one command line: asserted, far below the kernel's limit of 2 MiB
_SAME: Final = ("st_ino", "st_size", "st_mtime_ns")


@dataclass(frozen=True, slots=True)
class Staging:
    """The staging area of the working tree of `journal`."""

    journal: Journal
    kind_of_hash: str = "sha1"

    @property
    def _file(self) -> Path:
        return self.journal.found.git_dir / "index"

    @property
    def _none(self) -> tuple[bytes, bytes]:
        """Mode and blob by which git is told that there is no such file."""
        return b"0", b"0" * (40 if self.kind_of_hash == "sha1" else 64)

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
        for _ in patience(self.journal.wait_s):
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
        mode = stat.S_IMODE(seen.st_mode) if seen else 0o666
        beside = self.journal.found.git_dir
        file = swap.New(new.pieces, mode)
        try:
            return swap.replace(self._file, file, beside=beside, still=lambda: self._is(seen))
        except OSError as error:
            raise NotPlain from error  # no links on this disk, or no space: git will say it

    def _is(self, seen: os.stat_result | None) -> bool:
        """Whether the file is the one that was `seen`."""
        try:
            now = self._file.stat()
        except FileNotFoundError:
            return seen is None
        return seen is not None and all(getattr(now, field) == getattr(seen, field) for field in _SAME)

    def by_git(self, contents: Mapping[str, Content | None]) -> Callable[[], None]:
        """As `bring_in_line`, done by git; what stood there before is asked for first."""
        git = Git(self.journal.found.top, self.journal.git.environment, self.journal.git.limit_s)
        before = _staged(git, tuple(contents))
        lines = [
            _line(path, (one.mode, one.blob.encode()) if one else self._none)
            for path, one in contents.items()
        ]
        self._index_info(git, b"".join(lines))
        gone = [_line(path, self._none) for path in contents if path not in before]
        return lambda: self._index_info(git, b"".join([*gone, *before.values()]))

    def as_at_head(self, paths: Iterable[str]) -> None:
        """Make it hold `paths` (in the repository) as HEAD does: a crash staged them and made no commit.

        Writes nothing where it holds them so already. Raises TryAgain, Unavailable.
        """
        git = Git(self.journal.found.top, self.journal.git.environment, self.journal.git.limit_s)
        head, named = self.journal.head(), tuple(paths)
        staged = _staged(git, named)
        listed = git.read("ls-tree", "-r", "-z", head, "--", *named) if head else b""
        there = {_name(line): line.replace(b" blob ", b" ") for line in listed.split(b"\0") if line}
        wanted = {path: _what(there.get(path, b"")) for path in named}
        wanted = {path: what for path, what in wanted.items() if what != _what(staged.get(path, b""))}
        if wanted:
            self._stage(git, wanted)

    def _stage(self, git: Git, wanted: Mapping[str, Sequence[bytes]]) -> None:
        """Make it hold mode and blob of each path, none where that is empty.

        git does it only where it must: killed, it would leave a lock that nobody may remove.
        """
        try:
            self._splice({_raw(path): _unseen(_raw(path), what) for path, what in wanted.items()})
        except NotPlain:
            lines = [_line(path, what or self._none) for path, what in wanted.items()]
            self._index_info(git, b"".join(lines))

    def _index_info(self, git: Git, lines: bytes) -> None:
        words = ("update-index", "--add", "--remove", "--replace", "-z", "--index-info")
        for _ in patience(self.journal.wait_s):
            ran = git.act(*words, given=lines)
            if ran.code == 0:
                return
            if not busy(ran):
                raise Unavailable(f"git could not stage the files: {ran.complaint}", "Run `git status`.")
        raise _busy()


def busy(ran: Ran) -> bool:
    """Whether git failed because somebody else holds a lock."""
    return ".lock" in ran.err and "File exists" in ran.err


def _entry(name: bytes, one: Content | None) -> bytes:
    return Stamp(int(one.mode, 8), bytes.fromhex(one.blob), one.seen).entry(name) if one else b""


def _unseen(name: bytes, what: Sequence[bytes]) -> bytes:
    """The entry of a file of which mode and blob are known; empty for none."""
    return Stamp(int(what[0], 8), bytes.fromhex(what[1].decode()), None).entry(name) if what else b""


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _line(path: str, what: Sequence[bytes]) -> bytes:
    return b"%s %s\t%s\0" % (*what, _raw(path))


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


def _name(line: bytes) -> str:
    """The path of a line that git lists."""
    return line.partition(b"\t")[2].decode("utf-8", "surrogateescape")


def _what(line: bytes) -> list[bytes]:
    """Mode and blob of such a line, empty for none."""
    return line.split(maxsplit=2)[:2]


def _busy() -> TryAgain:
    return TryAgain(
        "Another git command is busy in the store; nothing was committed.", "Try again when it is done."
    )
