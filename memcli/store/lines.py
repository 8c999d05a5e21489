"""Files that only grow, one JSON object a line: events and tombstones.

The danger is a line that is half there: a crash or a full disk in the middle of a write, a
merge that left its marks. Lines are written whole or taken back, a torn one is never glued
to the next, and what cannot be read is reported while everything else is. A file is only
written under the store's lock, so that nobody appends between the look and the write.
"""

import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final

from memcli.errors import BadFile, TryAgain
from memcli.store import inside
from memcli.store.place import Place
from memcli.store.problem import Problem, shown

_GROW: Final = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LINE_BYTES: Final = 4 << 20  # asserted: four of the largest schemas; a longer line is passed over
_SEPARATORS: Final = (",", ":")
_TAIL_BYTES: Final = 64  # asserted: two lines that end alike so far end alike in an id, which is no chance


@dataclass(frozen=True, slots=True)
class Addition:
    """What is to be appended to `path`, whose length in bytes was `length` (0: no such file)."""

    path: str
    length: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Line:
    """One object, the number of its line from 1, and where `since` found it: its bytes `[start, end)`."""

    number: int
    value: Mapping[str, Any]
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Lines:
    """All objects of a file, and what could not be read in it."""

    found: tuple[Line, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a file that only grows was read: so many bytes, the last of which are `tail`."""

    end: int
    tail: bytes


START: Final = Mark(0, b"")


def plan(place: Place, path: str, values: Sequence[Mapping[str, object]]) -> Addition:
    """How `values` would be appended to `path`; begins a new line where the last one is torn."""
    raw = b"".join(encoded(value) for value in values)
    opened = _opened(place, path)
    if opened is None:
        return Addition(path, 0, raw)
    try:
        length = os.fstat(opened).st_size
        torn = length > 0 and os.pread(opened, 1, length - 1) != b"\n"
    finally:
        os.close(opened)
    return Addition(path, length, b"\n" + raw if torn else raw)


def add(place: Place, addition: Addition) -> None:
    """Append as planned, in one write, and sync it to the disk.

    Raises TryAgain where the file has changed since, Unavailable where the disk does not take
    it; then nothing of it is left.
    """
    with inside.parent(place, addition.path, make=True) as (folder, name):
        made = _made(folder, name)
        try:
            _grow(folder, name, addition)
        except BaseException:
            if made:
                os.unlink(name, dir_fd=folder)
            raise
        if made:
            inside.sync(folder)


def length(place: Place, path: str) -> int:
    """How many bytes `path` holds; 0 where there is no such file."""
    opened = _opened(place, path)
    if opened is None:
        return 0
    try:
        return os.fstat(opened).st_size
    finally:
        os.close(opened)


def restore(place: Place, path: str, raw: bytes) -> int:
    """Put the lines of `raw`, which `path` held once, back before what it holds beside them; how many.

    Written whole beside the file and renamed over it, with the mode that it had. Only under the store's lock.
    """
    now = after(place, path, 0) or b""
    kept = now.splitlines(keepends=True)
    lost = [line for line in raw.splitlines(keepends=True) if line not in set(kept)]
    if not lost:
        return 0
    known = set(raw.splitlines(keepends=True))
    whole = (
        raw + (b"" if raw.endswith(b"\n") else b"\n") + b"".join(line for line in kept if line not in known)
    )
    with inside.parent(place, path, make=True) as (folder, name):
        temporary = f".mem-write-{name}"
        opened = inside.opened(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, folder
        )
        with os.fdopen(opened, "wb") as file:
            _as_open(opened, folder, name)
            file.write(whole)
            file.flush()
            inside.sync(file.fileno())
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        inside.sync(folder)
    return len(lost)


def _as_open(opened: int, folder: int, name: str) -> None:
    """Let others do with the open file what they may do with the one called `name`, where there is one."""
    with suppress(OSError):  # it was deleted; or the disk keeps no modes
        os.fchmod(opened, os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode & 0o777)


def cut(place: Place, path: str, length: int) -> None:
    """Take back what was appended after `length` bytes; a file that had none is removed."""
    with inside.parent(place, path) as (folder, name):
        opened = os.open(name, _GROW, dir_fd=folder)
        try:
            os.ftruncate(opened, length)
            inside.sync(opened)
        finally:
            os.close(opened)
        if not length:
            os.unlink(name, dir_fd=folder)
        inside.sync(folder)


def after(place: Place, path: str, length: int) -> bytes | None:
    """What stands in `path` after its first `length` bytes; None where it has not that many."""
    opened = _opened(place, path)
    if opened is None:
        return None
    with os.fdopen(opened, "rb") as file:
        if os.fstat(opened).st_size < length:
            return None
        file.seek(length)
        return file.read()


def read(place: Place, path: str, holding: bytes = b"") -> Lines:
    """The objects in `path`; none where there is no such file.

    With `holding`, only lines in which these bytes occur are looked at at all. Raises BadFile
    for what is no regular file of the store.
    """
    found: list[Line] = []
    problems: list[Problem] = []
    for number, raw in _raw_lines(place, path):
        if holding not in raw or not raw.strip():
            continue
        value = _decoded(raw)
        if value is None:
            what = "is no JSON object" if raw.endswith(b"\n") else "is torn"
            problems.append(Problem(path, number, "", f"the line {what} and was passed over"))
        else:
            found.append(Line(number, value))
    return Lines(tuple(found), tuple(problems))


def of_bytes(path: str, raw: bytes, any_of: Sequence[bytes] = ()) -> Lines:
    """The objects in the whole lines of a file called `path` with the bytes `raw`.

    With `any_of` only lines in which one of these occurs are looked at.
    """
    found: list[Line] = []
    problems: list[Problem] = []
    start = 0
    for number, part in enumerate(raw[: raw.rfind(b"\n") + 1].splitlines(keepends=True), 1):
        if part.strip() and (not any_of or any(one in part for one in any_of)):
            value = _decoded(part)
            if value is None:
                problems.append(Problem(path, number, "", "the line is no JSON object and was passed over"))
            else:
                found.append(Line(number, value, start, start + len(part)))
        start += len(part)
    return Lines(tuple(found), tuple(problems))


def since(place: Place, path: str, mark: Mark = START) -> tuple[Lines, Mark]:
    """The whole lines after `mark`, and the mark after them; a last line that is torn is left.

    Line numbers count from there. Raises ValueError where other bytes than before stand
    before the mark (a merge, another branch): all of the file is to be read again.
    """
    raw = after(place, path, max(mark.end - len(mark.tail), 0))
    if raw is None or not raw.startswith(mark.tail):
        if mark == START:
            return Lines((), ()), START
        raise ValueError(path)
    whole = raw[len(mark.tail) : raw.rfind(b"\n") + 1]
    found: list[Line] = []
    problems: list[Problem] = []
    start = mark.end
    for number, line in enumerate(whole.splitlines(keepends=True), 1):
        value = _decoded(line) if line.strip() else {}
        if value is None:
            problems.append(Problem(path, number, "", "the line is no JSON object and was passed over"))
        elif value:
            found.append(Line(number, value, start, start + len(line)))
        start += len(line)
    end = Mark(mark.end + len(whole), (mark.tail + whole)[-_TAIL_BYTES:])
    return Lines(tuple(found), tuple(problems)), end


def mark(place: Place, path: str, end: int) -> Mark:
    """The mark of `path` after its first `end` bytes, which it must hold."""
    start = max(end - _TAIL_BYTES, 0)
    raw = after(place, path, start) or b""
    return Mark(end, raw[: end - start])


def at(place: Place, path: str, start: int, end: int) -> Mapping[str, Any] | None:
    """The object in the bytes `[start, end)` of `path`; None where they hold none any more."""
    opened = _opened(place, path)
    if opened is None:
        return None
    try:
        return _decoded(os.pread(opened, min(end - start, _LINE_BYTES), start))
    finally:
        os.close(opened)


def _raw_lines(place: Place, path: str) -> Iterator[tuple[int, bytes]]:
    opened = _opened(place, path)
    if opened is None:
        return
    with os.fdopen(opened, "rb") as file:
        number = 1
        while raw := file.readline(_LINE_BYTES):
            yield number, raw
            while raw and not raw.endswith(b"\n"):  # the rest of a line that is too long
                raw = file.readline(_LINE_BYTES)
            number += 1


def _opened(place: Place, path: str) -> int | None:
    """The open file, None where it is missing."""
    with suppress(TryAgain), inside.parent(place, path) as (folder, name):
        opened = os.open(name, inside.READ, dir_fd=folder)
        if stat.S_ISREG(os.fstat(opened).st_mode):
            return opened
        os.close(opened)
        raise BadFile(f"{shown(path)} is not a regular file.", "Move it out of the store.")
    return None


def _made(folder: int, name: str) -> bool:
    try:
        os.close(inside.opened(name, _GROW | os.O_CREAT | os.O_EXCL, folder))
    except FileExistsError:
        return False
    return True


def _grow(folder: int, name: str, addition: Addition) -> None:
    opened = os.open(name, _GROW, dir_fd=folder)
    try:
        state = os.fstat(opened)
        if state.st_size != addition.length or not stat.S_ISREG(state.st_mode):
            raise TryAgain(
                f"{shown(addition.path)} was changed meanwhile.", "Nothing was written; try again."
            )
        _whole(opened, addition)
        inside.sync(opened)
    finally:
        os.close(opened)


def _whole(opened: int, addition: Addition) -> None:
    """All of it in one write; after a short one the rest is tried, and all is taken back where that fails."""
    left = memoryview(addition.raw)
    try:
        while left:
            left = left[os.write(opened, left) :]
    except OSError:
        with suppress(OSError):
            os.ftruncate(opened, addition.length)
        raise


def encoded(value: Mapping[str, object]) -> bytes:
    """The line that says `value`."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=_SEPARATORS)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:  # half a surrogate pair, from an argument that was no UTF-8
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode() + b"\n"


def finite(word: str) -> float:
    """The number that JSON spells so. Raises ValueError for NaN and what has no end: no line holds it."""
    number = float(word)
    if not isfinite(number):
        raise ValueError(word)
    return number


def _decoded(raw: bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(raw.decode("utf-8-sig"), parse_float=finite, parse_constant=finite)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
