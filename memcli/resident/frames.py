"""What a client sends, taken apart: nothing of it is trusted to be well formed.

The other half of the frame, its making, is the client's, which must not import this.
"""

from dataclasses import dataclass
from typing import Final

from memcli.resident.client import ANSWERED, KIN

LIMIT: Final = 1 << 25  # bytes of a whole request: stdin, words and environment
LENGTH: Final = 4  # bytes of a length, the big end first
_FIXED: Final = 5  # parts before the words


class Unreadable(ValueError):
    """Bytes that are no request of ours."""


class Stranger(Unreadable):
    """A command of another version of mem than this."""


@dataclass(frozen=True, slots=True)
class Question:
    """One command of another process: its words and what that process stands in."""

    argv: tuple[str, ...]
    cwd: str
    ttys: tuple[bool, bool, bool]
    columns: int
    stdin: bytes
    environment: dict[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """How a command ends: its exit code and the very bytes that it prints."""

    code: int
    out: bytes = b""
    err: bytes = b""

    def framed(self) -> bytes:
        """As the client reads it."""
        lengths = len(self.out).to_bytes(LENGTH, "big") + len(self.err).to_bytes(LENGTH, "big")
        return ANSWERED + bytes([self.code]) + lengths + self.out + self.err


def read(whole: bytes) -> tuple[str, list[bytes]]:
    """What is asked (`run`, `status` or `stop`) and its parts. Raises Unreadable.

    Status and stop are asked alike in every version.
    """
    kind, *parts = _parts(whole)
    return kind.decode("ascii", "replace"), parts


def question(parts: list[bytes]) -> Question:
    """The command that the parts of a `run` make. Raises Unreadable, Stranger."""
    kin, *parts = parts or [b""]
    if kin != KIN:
        raise Stranger(repr(kin)) if kin.startswith(b"mem ") else Unreadable("no version")
    try:
        cwd, ttys, columns, stdin, many = parts[:_FIXED]
        words, rest = parts[_FIXED : _FIXED + int(many)], parts[_FIXED + int(many) :]
        first, second, third = (mark == ord("1") for mark in ttys)
        return Question(
            argv=tuple(map(_text, words)),
            cwd=_text(cwd),
            ttys=(first, second, third),
            columns=int(columns),
            stdin=stdin,
            environment=dict(zip(map(_text, rest[::2]), map(_text, rest[1::2]), strict=True)),
        )
    except ValueError as error:
        raise Unreadable(str(error)) from error


def _parts(whole: bytes) -> list[bytes]:
    parts, at = [], 0
    while at < len(whole):
        length = int.from_bytes(whole[at : at + LENGTH], "big")
        at += LENGTH
        parts.append(whole[at : at + length])
        at += length
    if at != len(whole) or not parts:
        raise Unreadable("cut short")
    return parts


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
