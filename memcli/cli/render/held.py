"""What held at each time, in each of its looks."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.tables import Cell
from memcli.cli.render.text import one_line
from memcli.engine.recalling.told import window

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.looking_back.holding import Held

HEADS: Final = ("true from", "true until", "", "", "")


def table_rows(found: "Sequence[Held]", zone: "tzinfo") -> Iterator[tuple[Cell, ...]]:
    """Rows for a person: from, until, whether it holds now, which memory, what it claims."""
    for one in found:
        clash = f" (conflict {' '.join(one.conflict)})" if one.conflict else ""
        yield (
            moments.bound(one.start, zone),
            moments.bound(one.end, zone),
            ("now", "good") if one.now else "",
            (one.id, "name"),
            one_line(one.claim) + clash,
        )


def row(one: "Held") -> tuple[str, ...]:
    """A row for a pipe: true from, true until, id, status, claim."""
    cells = (moments.rfc3339(one.start), moments.rfc3339(one.end), one.id, one.status, one.claim)
    return tuple(one_line(cell or "") for cell in cells)


def as_json(found: "Sequence[Held]") -> dict[str, object]:
    """The object of `mem.timeline/1` about the world's time."""
    return {
        "format": "mem.timeline/1",
        "held": [
            {
                "id": one.id,
                "path": one.path,
                "scope": one.scope,
                "status": one.status,
                "validity": window(one.start, one.end),
                "text": one.claim,
                "conflict": list(one.conflict),
                "now": one.now,
            }
            for one in found
        ],
    }
