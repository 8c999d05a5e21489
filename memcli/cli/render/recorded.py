"""The recorded states of one memory in each of their looks, with both times."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.cli.render.width import cells
from memcli.engine.recalling.told import window

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.looking_back.history import History, Version

HEADS: Final = ("recorded", "true from", "true until", "status", "by")
_UNSAVED: Final = "not saved"
_GAP: Final = "  "
_HELD: Final = "true"
_NOT: Final = "·"


def lines(history: "History", zone: "tzinfo", width: int) -> Iterator[tuple[Piece, ...]]:
    """Lines for a person: both times of each state; beside it, or below, the claim where it changed."""
    rows = [_cells(version, zone) for version in history.versions]
    rest = list(_rest(history))
    sizes = [max(cells(row[place]) for row in (HEADS, *rows)) for place in range(len(HEADS))]
    room = width - sum(size + len(_GAP) for size in sizes)
    beside = all(cells(text) <= room for text in rest)
    yield ((_GAP.join(_laid(*one) for one in zip(HEADS, sizes, strict=True)).rstrip(), "dim"),)
    for row, text in zip(rows, rest, strict=True):
        *left, status, by = (_laid(*one) for one in zip(row, sizes, strict=True))
        last = by + _GAP + text if beside and text else by.rstrip()
        yield _GAP.join(left) + _GAP, (status, "strong"), _GAP + last
        if text and not beside:
            yield _GAP, text
    if history.gone:
        yield (("No file holds it any more.", "dim"),)


def _cells(version: "Version", zone: "tzinfo") -> tuple[str, ...]:
    schema = version.schema
    return (
        _recorded(version, zone),
        moments.bound(schema.validity.start, zone),
        moments.bound(schema.validity.end, zone),
        schema.status.value,
        one_line(version.entry.actor) if version.entry else "",
    )


def _rest(history: "History") -> Iterator[str]:
    """What each state adds: by what it is replaced, or its claim where that changed."""
    claim = successor = ""
    for version in history.versions:
        by, says = version.schema.superseded_by, version.claim
        yield f"→ {by}" if by and by != successor else "" if says == claim else one_line(says)
        claim, successor = says, by


def _recorded(version: "Version", zone: "tzinfo") -> str:
    return moments.minute(version.entry.at, zone) if version.entry else _UNSAVED


def grid(history: "History", zone: "tzinfo", width: int) -> Iterator[tuple[Piece, ...]]:
    """Both times as a grid for a person: a row for what was known since when, a column from each bound on.

    Nothing where one column or one row would say it all, or where it would be wider than the terminal.
    """
    bounds = [moments.bound(one, zone) for one in history.grid.bounds]
    rows = list(zip(history.versions, history.grid.rows, strict=True))
    if len(bounds) == 1 or len({row for _, row in rows}) == 1:
        return
    sizes = [max(cells(one), len(_HELD)) for one in bounds]
    first = max(cells(_recorded(version, zone)) for version, _ in rows)
    if first + sum(size + len(_GAP) for size in sizes) > width:
        return
    yield ()
    yield (_laid("known from", first), "dim"), (_GAP + "about the time from …", "dim")
    yield (" " * first, *((_GAP + _laid(one, size), "dim") for one, size in zip(bounds, sizes, strict=True)))
    for version, row in rows:
        held: list[Piece] = []
        for holds, size in zip(row, sizes, strict=True):
            held.append((_GAP + _laid(_HELD if holds else _NOT, size), "good" if holds else "dim"))
        yield (_laid(_recorded(version, zone), first), *held)


def _laid(text: str, size: int) -> str:
    return text + " " * (size - cells(text))


def row(version: "Version") -> tuple[str, ...]:
    """A row for a pipe: recorded, true from, true until, status, actor, act, claim."""
    schema, entry = version.schema, version.entry
    told = (
        moments.rfc3339(entry.at if entry else None),
        moments.rfc3339(schema.validity.start),
        moments.rfc3339(schema.validity.end),
        schema.status.value,
        entry.actor if entry else "",
        entry.op if entry else "",
        version.claim,
    )
    return tuple(one_line(cell or "") for cell in told)


def as_json(history: "History") -> dict[str, object]:
    """The object of `mem.history/1`, oldest first."""
    told: dict[str, object] = {
        "format": "mem.history/1",
        "id": history.id,
        "path": history.path,
        "gone": history.gone,
        "versions": [_version(one) for one in history.versions],
        "grid": {
            "from": [moments.rfc3339(bound) for bound in history.grid.bounds],
            "holds": [list(each) for each in history.grid.rows],
        },
    }
    if history.notices:
        told["notices"] = list(history.notices)
    return told


def _version(one: "Version") -> dict[str, object]:
    entry = one.entry
    return {
        "at": moments.rfc3339(entry.at if entry else None),
        "commit": entry.commit if entry else None,
        "op": entry.op if entry else None,
        "actor": entry.actor if entry else None,
        "reason": (entry.reason or None) if entry else None,
        "status": one.schema.status.value,
        "validity": window(one.schema.validity.start, one.schema.validity.end),
        "text": one.claim,
        "superseded_by": one.schema.superseded_by or None,
    }
