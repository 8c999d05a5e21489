"""Which commit brought each line of a file into the state that HEAD holds."""

from dataclasses import dataclass
from typing import Final

from memcli.journal.repository import Journal

_HASHES: Final = (40, 64)
_HEX: Final = frozenset(b"0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Brought:
    """One line without its end, and the commit that brought it."""

    text: bytes
    commit: str


def brought(journal: Journal, commit: str, path: str) -> tuple[Brought, ...]:
    """The lines of `path` in `commit` (a full id), each with where it came from; runs no program of git's.

    Renames are followed, as git does: a file that was moved keeps whose its lines are.
    """
    neutral = journal.configuration.no_filters
    words = ("blame", "--porcelain", "--no-textconv", "--no-progress", commit, "--", path)
    out = journal.git.read(*words, neutral=neutral)
    return tuple(_read(out.split(b"\n")))


def _read(lines: list[bytes]) -> list[Brought]:
    """Each line of the file follows, after a tab, the lines that tell of its commit."""
    found, commit = [], ""
    for line in lines:
        head = line.split(b" ", 1)[0]
        if line.startswith(b"\t"):
            found.append(Brought(line[1:], commit))
        elif len(head) in _HASHES and set(head) <= _HEX:
            commit = head.decode()
    return found
