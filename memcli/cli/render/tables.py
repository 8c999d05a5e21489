"""Tables for a person; where the terminal is too narrow for columns, one block a row."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.cli.render.width import cells, cut

if TYPE_CHECKING:
    from memcli.cli.streams import Streams

GAP: Final = "  "
NARROWEST_TEXT: Final = 12  # columns, asserted: with less room the last cell goes below the others

Cell = Piece  # text, or (text, style)


def table(streams: "Streams", heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """Print `rows`, the last column cut to the room that is left; no head where all heads are empty.

    All but the last cell are short: ids, dates, words of our own; they are never cut.
    """
    widths = [
        max((cells(_text(row[place])) for row in (heads, *rows)), default=0)
        for place in range(len(heads) - 1)
    ]
    room = streams.width - sum(width + len(GAP) for width in widths if width)
    if room < NARROWEST_TEXT:
        _blocks(streams, rows)
        return
    if any(heads):
        _line(streams, [(head, "dim") for head in heads], widths, room)
    for row in rows:
        _line(streams, row, widths, room)


def _line(streams: "Streams", row: Sequence[Cell], widths: Sequence[int], room: int) -> None:
    *short, last = row
    pieces: list[Piece] = []
    for cell, width in zip(short, widths, strict=True):
        if width:
            pieces += [_as(cell, _text(cell)), " " * (width - cells(_text(cell))) + GAP]
    end = cut(_text(last), room)
    streams.line(*(pieces if end or not pieces else _trimmed(pieces)), _as(last, end))


def _trimmed(pieces: list[Piece]) -> list[Piece]:
    """Without the blanks at the end of a line."""
    while pieces and not _text(pieces[-1]).strip():
        pieces = pieces[:-1]
    return pieces


def _blocks(streams: "Streams", rows: Sequence[Sequence[Cell]]) -> None:
    """Each row as lines: what is short together, the last cell below."""
    for row in rows:
        *short, last = row
        pieces: list[Piece] = []
        for cell in short:
            if _text(cell):
                pieces += [GAP, cell] if pieces else [cell]
        streams.line(*pieces)
        if _text(last):
            streams.line(GAP, _as(last, _text(last)))


def _text(cell: Cell) -> str:
    return one_line(cell if isinstance(cell, str) else cell[0])


def _as(cell: Cell, text: str) -> Piece:
    """`text` in the style of `cell`."""
    return text if isinstance(cell, str) else (text, cell[1])
