"""Tables for a person; where the terminal is too narrow for columns, one block a row."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from rich.text import Text

    from memcli.cli.streams import Streams

NARROW: Final = 60  # columns, asserted: below this a claim has no room beside its id

Cell = str | tuple[str, str]  # text, or (text, style)


def table(streams: "Streams", heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """Print `rows`, the last column cut to the room that is left; no head where all heads are empty."""
    if streams.quiet:
        return
    if streams.width < NARROW:
        _blocks(streams, rows)
        return
    from rich.console import Console
    from rich.table import Table

    drawn = Table(box=None, show_header=any(heads), pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for place, head in enumerate(heads):
        last = place == len(heads) - 1
        drawn.add_column(
            head, no_wrap=True, overflow="ellipsis" if last else "ignore", ratio=1 if last else None
        )
    for row in rows:
        drawn.add_row(*(_text(cell) for cell in row))
    console = Console(
        file=streams.out,
        width=streams.width,
        force_terminal=streams.colour,
        no_color=not streams.colour,
        legacy_windows=False,
    )
    console.print(drawn)


def _text(cell: Cell) -> "Text":
    from rich.text import Text

    text, style = cell if isinstance(cell, tuple) else (cell, "")
    return Text(one_line(text), style=_STYLES.get(style, ""))


_STYLES: Final = {
    "name": "cyan",
    "dim": "dim",
    "warn": "yellow",
    "bad": "red",
    "good": "green",
    "strong": "bold",
}


def _blocks(streams: "Streams", rows: Sequence[Sequence[Cell]]) -> None:
    """Each row as lines: what is short together, the last cell below."""
    for row in rows:
        *short, last = row
        pieces: list[Cell] = []
        for cell in short:
            if cell and cell[0]:
                pieces += ["  ", cell] if pieces else [cell]
        streams.line(*pieces)
        streams.line("  ", last)
