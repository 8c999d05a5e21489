"""The file of settings as flat keys with their lines, whoever wrote it.

It may come with a received store, so it is bounded, never followed out of the store, and
what TOML cannot read becomes one `path:line: key: what`. A file of comments alone, which is
what a new store has, is read without a TOML parser.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NoReturn

from memcli.errors import BadFile, Unavailable
from memcli.store.place import Place
from memcli.store.problem import Problem, shown

Key = tuple[str, ...]

LIMIT_BYTES: Final = 1 << 20
_PART: Final = r"""(?:"[^"\n]*"|'[^'\n]*'|[\w-]+)"""
_DOTTED: Final = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
# Compiled at the first use: a file of comments alone needs neither.
_HEADER: Final = rf"[ \t]*\[\[?[ \t]*({_DOTTED})[ \t]*\]"
_ASSIGNED: Final = rf"[ \t]*({_DOTTED})[ \t]*="


@dataclass(frozen=True, slots=True)
class Document:
    """What a settings file says: `values` and `lines` (from 1) by key, `name` the file's name."""

    name: str
    values: Mapping[Key, object]
    lines: Mapping[Key, int]

    def problem(self, key: Key, what: str) -> Problem:
        """`what` is wrong with `key`."""
        return Problem(self.name, self._line(key), shown(".".join(key)), what)

    def where(self, key: Key) -> str:
        """The file and the line that set `key`."""
        return f"{self.name}:{self._line(key)}"

    def _line(self, key: Key) -> int:
        """The line of `key`, or of what stands around it."""
        around = (key[:end] for end in range(len(key), 0, -1))
        return next((self.lines[part] for part in around if part in self.lines), 0)


def read(place: Place) -> Document:
    """The settings of the store as they are written; empty without a file. Raises BadFile, Unavailable."""
    file = place.settings_file
    return of_bytes(file.name, _raw(str(file), file.name))


@lru_cache(maxsize=4)  # a resident reads the file at every question, and it is the same
def of_bytes(name: str, raw: bytes) -> Document:
    """The settings in the bytes of the file called `name`. Raises BadFile."""
    prefix = ("tool", "mem") if name == "pyproject.toml" else ()
    text = _decoded(name, raw)
    if all(line[:1] in ("", "#") for line in map(str.strip, text.split("\n"))):
        return Document(name, MappingProxyType({}), MappingProxyType({}))
    values: object = _parsed(name, text)
    for part in prefix:
        values = values.get(part, {}) if isinstance(values, dict) else {}
    values = values if isinstance(values, dict) else {}
    lines = {key[len(prefix) :]: line for key, line in _lines(text) if key[: len(prefix)] == prefix}
    return Document(name, MappingProxyType(dict(_leaves((), values))), MappingProxyType(lines))


def _raw(path: str, name: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return b""
    except OSError as error:
        if os.path.islink(path):  # noqa: PTH114 - a plain path is at hand
            _refuse(name, 0, "a link; a store's settings are a file of its own")
        raise Unavailable(f"{name} cannot be read: {error.strerror}.", "Check its permissions.") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            _refuse(name, 0, "not a file")
        raw = os.read(descriptor, LIMIT_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(raw) > LIMIT_BYTES:
        _refuse(name, 0, "larger than 1 MiB")
    return raw


def _decoded(name: str, raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse(name, raw.count(b"\n", 0, error.start) + 1, "not UTF-8")


def _parsed(name: str, text: str) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what, _, at = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", at)
        _refuse(
            name, int(line[1]) if line else text.count("\n") + 1, f"not TOML ({what[:1].lower()}{what[1:]})"
        )
    except RecursionError:
        _refuse(name, 0, "nested too deeply")


def _refuse(name: str, line: int, what: str) -> NoReturn:
    raise BadFile(
        f"The settings of the store cannot be read: {name} is {what}.",
        f"Correct {name}; `mem config` lists what it can say.",
        (str(Problem(name, line, "", f"is {what}")),),
    )


def _leaves(key: Key, value: object) -> Iterator[tuple[Key, object]]:
    if not isinstance(value, dict):
        yield key, value
        return
    for name, inner in value.items():
        yield from _leaves((*key, name), inner)


def _lines(text: str) -> Iterator[tuple[Key, int]]:
    """Where tables begin and keys are set; good enough to point at a mistake, not a TOML parser."""
    table: Key = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if header := re.match(_HEADER, line):
            table = _split(header[1])
            yield table, number
        elif assigned := re.match(_ASSIGNED, line):
            yield (*table, *_split(assigned[1])), number


def _split(dotted: str) -> Key:
    return tuple(part.strip("\"'") for part in re.findall(_PART, dotted))
