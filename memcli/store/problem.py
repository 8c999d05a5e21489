"""One thing that is wrong with one file, as `mem check` prints it."""

from typing import NamedTuple


class Problem(NamedTuple):
    """What is wrong, and where: `line` counts from 1 (0: the file as a whole), `key` may be empty."""

    path: str
    line: int
    key: str
    what: str

    def __str__(self) -> str:
        place = f"{shown(self.path)}:{self.line}" if self.line else shown(self.path)
        return ": ".join(part for part in (place, _short(self.key, 60), _short(self.what, 300)) if part)


def _short(text: str, limit: int) -> str:
    """A message repeats what stands in the file, which may be long and may be hostile to a terminal."""
    return shown(text if len(text) <= limit else text[:limit] + "\u2026")


def shown(path: str) -> str:
    r"""`path` on one printable line: line breaks, controls and undecodable bytes as `\n`, `\x1b`, `\xff`."""
    if path.isprintable():
        return path
    return "".join(c if c.isprintable() else _escaped(c) for c in path)


def _escaped(character: str) -> str:
    if 0xDC80 <= ord(character) <= 0xDCFF:  # noqa: PLR2004 - how Python carries a byte that is not UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
