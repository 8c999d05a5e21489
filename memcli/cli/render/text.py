"""Stored text made fit to print: it is data, and never commands a terminal or breaks a line.

The danger is a memory that moves the cursor, hides what follows, turns the reading order
round or speaks to a model in characters that nobody sees. Such characters are written as
their escapes; everything else is printed as it is.
"""

from typing import Final

_HIDDEN: Final = (
    (0x00, 0x08),
    (0x0B, 0x1F),  # all controls but tab and line feed
    (0x7F, 0x9F),
    (0x061C, 0x061C),  # turn the reading order
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2066, 0x2069),
    (0x2028, 0x2029),  # end a line for some readers and not for others
    (0x034F, 0x034F),  # no width: what they part reads as one word
    (0x115F, 0x1160),
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x2060, 0x2065),
    (0x206A, 0x206F),
    (0x3164, 0x3164),
    (0xFFA0, 0xFFA0),
    (0xD800, 0xDFFF),  # half a character
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),  # tag characters: text that only a machine reads
)
ESCAPES: Final = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - the widths of the three forms
    for first, last in _HIDDEN
    if first != 0xD800  # noqa: PLR2004 - two thousand entries that one check replaces
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
