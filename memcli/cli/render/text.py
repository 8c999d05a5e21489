"""Stored text made fit to print: it is data, and never commands a terminal or breaks a line.

The danger is a memory that moves the cursor, hides what follows, turns the reading order
round or speaks to a model in characters that nobody sees. Such characters are written as
their escapes; everything else is printed as it is.
"""

from typing import Final

from memcli.memory.hidden import RANGES

ESCAPES: Final = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - the widths of the three forms
    for first, last in ((0, 0), *RANGES)
    for code in range(first, last + 1)
}


def visible(text: str) -> str:
    """`text` with what a terminal would obey, and what nobody would see, as escapes; lines stay lines."""
    if text.isascii() and text.isprintable():
        return text
    return _whole(text.translate(ESCAPES))


def one_line(text: str) -> str:
    """`text` on one line, with single spaces: for lists, pipes and prompts."""
    return visible(squeezed(text))


def glimpse(text: str, longest: int) -> str:
    """The first `longest` characters of `text` on one line, and a sign where more follows."""
    return one_line(text if len(text) <= longest else f"{text[:longest]}\u2026")


def squeezed(text: str) -> str:
    """`text` on one line, with what a terminal would obey still in it."""
    return " ".join(text.split())


def _whole(text: str) -> str:
    """`text` with lone surrogates as escapes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text
