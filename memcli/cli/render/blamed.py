"""Whose word each line of a memory is, in each of its looks."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line, visible
from memcli.cli.render.width import cells

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.looking_back.blame import Blame, Line

_STYLE: Final = {"agent": "warn", "consolidator": "warn", "import": "warn", "unsaved": "bad"}


def lines(found: "Blame", zone: "tzinfo") -> Iterator[tuple[Piece, ...]]:
    """Lines for a person: when, who and by which act, once for lines that belong together, then the line."""
    heads = [_head(line, zone) for line in found.lines]
    widths = [max((cells(head[place]) for head in heads), default=0) for place in range(3)]
    before: tuple[str, ...] | None = None
    for line, head in zip(found.lines, heads, strict=True):
        shown = head if head != before else ("", "", "")
        before = head
        when, who, act = (
            cell + " " * (width - cells(cell)) for cell, width in zip(shown, widths, strict=True)
        )
        styled: Piece = (who, _STYLE[line.voice]) if line.voice in _STYLE else who
        yield (when, "dim"), "  ", styled, "  ", (act, "dim"), "  ", ("│ ", "dim"), visible(line.text)


def _head(line: "Line", zone: "tzinfo") -> tuple[str, str, str]:
    when = "not saved" if line.at is None else moments.minute(line.at, zone)
    return when, one_line(_who(line)), line.op


def _who(line: "Line") -> str:
    """The actor; who consolidated or imported stands behind what speaks."""
    if line.voice in ("consolidator", "import"):
        return str(line.voice)
    return line.actor


def row(line: "Line") -> tuple[str, ...]:
    """A row for a pipe: line, recorded, whose, actor, act, commit, text."""
    when = moments.rfc3339(line.at) or ""
    told = (str(line.number), when, str(line.voice), line.actor, line.op, line.commit or "")
    return (*(one_line(cell) for cell in told), visible(line.text).replace("\t", " "))


def as_json(found: "Blame") -> dict[str, object]:
    """The object of `mem.blame/1`."""
    return {
        "format": "mem.blame/1",
        "id": found.id,
        "path": found.path,
        "lines": [
            {
                "line": line.number,
                "at": moments.rfc3339(line.at),
                "voice": str(line.voice),
                "actor": line.actor or None,
                "op": line.op or None,
                "commit": line.commit,
                "text": line.text,
            }
            for line in found.lines
        ],
    }
