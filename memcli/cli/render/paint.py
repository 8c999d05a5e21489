"""Colour by hand: a list at a terminal must not wait for a library to load.

A painted line is made of pieces, plain text or text with a style. Text is made visible
here, so that no piece can bring its own escape sequences.
"""

from typing import Final

from memcli.cli.render.text import visible

_CODES: Final = {"dim": "2", "strong": "1", "name": "36", "good": "32", "warn": "33", "bad": "31"}

Piece = str | tuple[str, str]  # text, or (text, style)


def painted(pieces: tuple[Piece, ...], *, colour: bool) -> str:
    """The line that `pieces` make, with or without colour."""
    return "".join(_one(piece, colour=colour) for piece in pieces)


def bare(pieces: tuple[Piece, ...]) -> str:
    """The same line without colour, for measuring."""
    return painted(pieces, colour=False)


def _one(piece: Piece, *, colour: bool) -> str:
    text, style = (piece, "") if isinstance(piece, str) else piece
    seen = visible(text)
    return f"\x1b[{_CODES[style]}m{seen}\x1b[0m" if colour and style and seen else seen
