"""The keys of a frontmatter block, asked one by one for the kind of value that is expected.

A mistake is never repaired by a guess, and never the first one alone: all of a file are
collected with their places, so that a person mends it once.
"""

import re
from collections.abc import Callable, Iterable
from datetime import tzinfo
from enum import StrEnum
from typing import Final, NamedTuple, TypeVar

from memcli.memory import times
from memcli.store.head import NOTHING, Keyed, Listed, Text, Value, line_at

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")

ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
# Names that open a device on Windows whatever follows the first dot (P-SEC-01).
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE | re.ASCII)
_SHOWN: Final = 40  # characters of a wrong value that a message repeats


def is_id(text: str) -> bool:
    """Whether `text` may be the id of a schema or an event; it is checked before any path is built."""
    return bool(ID.fullmatch(text)) and not _DEVICE.fullmatch(text)


class Mistake(NamedTuple):
    """What is wrong with which key, on which line of the block (from 1)."""

    line: int
    key: str
    what: str


class Keys:
    """The keys of one block, asked one by one; `mistakes` and `remarks` fill while they answer."""

    def __init__(self, head: Keyed, block: str, zone: tzinfo, prefix: str = "") -> None:
        self._head = head
        self._block = block
        self._zone = zone
        self._prefix = prefix
        self.mistakes: list[Mistake] = []
        self.remarks: list[Mistake] = []

    def wrong(self, key: str, what: str) -> None:
        """Note a mistake about `key`, on its line if it is there."""
        self.mistakes.append(self._mistake(key, what))

    def text(self, key: str) -> str:
        """The text of `key`, empty where it is left out."""
        value = self._head.members.get(key)
        if value is None or isinstance(value, Text):
            return value.value if value else ""
        self.wrong(key, "one value is expected, not several")
        return ""

    def parsed(self, key: str, parse: Callable[[str], T], default: T) -> T:
        """`parse` of the text of `key`; its ValueError is the mistake."""
        text = self.text(key)
        if not text:
            return default
        try:
            return parse(text)
        except ValueError as error:
            self.wrong(key, str(error))
            return default

    def choice(self, key: str, kind: type[E], default: T) -> E | T:
        """One word of an enumeration, spelt as it is spelt there."""
        text = self.text(key)
        if not text:
            return default
        try:
            return kind(text)
        except ValueError:
            self.wrong(key, not_one_of(text, kind))
            return default

    def moment(self, key: str) -> int | None:
        """A time in seconds, None where it is left out."""
        return self.parsed(key, lambda text: times.parse(text, self._zone), None)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, like the tags."""
        members = self._members(key)
        texts = tuple(member.value for member in members if isinstance(member, Text))
        if len(texts) < len(members) or "" in texts:
            self.wrong(key, "every member has to be one text")
        return texts

    def ids(self, key: str) -> tuple[str, ...]:
        """A list of ids."""
        ids = self.texts(key)
        for text in ids:
            if not is_id(text):
                self.wrong(key, f"{shown(text)} is not an id")
        return ids

    def inner(self, key: str) -> "Keys":
        """The keys below `key`; none where it is left out."""
        value = self._head.members.get(key)
        if isinstance(value, Keyed):
            return self._below(key, value)
        if value is not None and not _left_out(value):
            self.wrong(key, "lines `key: value` are expected below it")
        return self._below(key, NOTHING)

    def each(self, key: str) -> "tuple[Keys, ...]":
        """The keys of every member of a list."""
        members = self._members(key)
        keyed = tuple(member for member in members if isinstance(member, Keyed))
        if len(keyed) < len(members):
            self.wrong(key, "every member has to be made of lines `key: value`")
        return tuple(self._below(key, member) for member in keyed)

    def has(self, key: str) -> bool:
        """Whether `key` stands there and is not empty."""
        value = self._head.members.get(key)
        return value is not None and not _left_out(value)

    def names(self) -> tuple[str, ...]:
        """The keys as written, known and unknown."""
        return tuple(self._head.keys)

    def remark(self, key: str, what: str) -> None:
        """Note something about `key` that does not set the file aside."""
        self.remarks.append(self._mistake(key, what))

    def _mistake(self, key: str, what: str) -> Mistake:
        place = self._head.keys.get(key, self._head)
        return Mistake(line_at(self._block, place.start), self._prefix + key, what)

    def _below(self, key: str, head: Keyed) -> "Keys":
        keys = Keys(head, self._block, self._zone, f"{self._prefix}{key}.")
        keys.mistakes, keys.remarks = self.mistakes, self.remarks
        return keys

    def _members(self, key: str) -> tuple[Value, ...]:
        value = self._head.members.get(key)
        if isinstance(value, Listed):
            return value.members
        if value is not None and not _left_out(value):
            self.wrong(key, "a list is expected, like [one, two]")
        return ()


def _left_out(value: Value) -> bool:
    return isinstance(value, Text) and not value.value


def shown(text: str) -> str:
    """`text` quoted for a message: cut, and without characters that a terminal would obey."""
    cut = text if len(text) <= _SHOWN else text[:_SHOWN] + "\u2026"
    return '"' + "".join(c if c.isprintable() else "\ufffd" for c in cut) + '"'


def not_one_of(text: str, words: Iterable[str]) -> str:
    """The sentence for a word outside an enumeration."""
    return f"{shown(text)} is not one of {', '.join(words)}"
