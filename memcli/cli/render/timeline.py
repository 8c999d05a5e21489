"""The timeline in each of its looks: what happened to memories, and what was said."""

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render import differences
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.engine.looking_back.said import Said

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.looking_back.committed_claims import Happened
    from memcli.engine.looking_back.timeline import Timeline

SAID: Final = "said"
_INDENT: Final = " " * 7  # below a clock and its gap


def _in_order(found: "Timeline") -> "list[Happened | Said]":
    """Both kinds in order of time; of one moment what was said comes first, as it may be the reason."""
    told = [(one.at, 0, place) for place, one in enumerate(found.said)]
    done = [(one.at, 1, place) for place, one in enumerate(found.changes)]
    return [(found.changes if kind else found.said)[place] for _, kind, place in sorted([*told, *done])]


def lines(found: "Timeline", zone: "tzinfo") -> Iterator[tuple[Piece, ...]]:
    """Lines for a person: a day, then what happened on it, each with its claim below."""
    for day, group in groupby(_in_order(found), lambda one: moments.minute(one.at, zone).split()[0]):
        yield ((day, "strong"),)
        for one in group:
            clock = moments.minute(one.at, zone).split()[1]
            yield from _said(clock, one) if isinstance(one, Said) else _change(clock, one, zone)


def _said(clock: str, one: Said) -> Iterator[tuple[Piece, ...]]:
    yield f"{clock}  ", (SAID, "dim"), "  ", (one.event.id, "name"), f"  {_who(one)}"
    yield _INDENT, one_line(one.event.text)


def _who(one: Said) -> str:
    subject = one.event.data.get("subject")
    return one_line(subject) if isinstance(subject, str) and subject else one.event.actor


def _change(clock: str, one: "Happened", zone: "tzinfo") -> Iterator[tuple[Piece, ...]]:
    what = one.difference.what
    reason = f'  "{one_line(one.entry.reason)}"' if one.entry.reason else ""
    head: tuple[Piece, ...] = (f"{clock}  ", (what.value, differences.STYLE.get(what, "strong")))
    yield *head, "  ", (one.difference.id, "name"), f"  {one_line(one.entry.actor)}", reason
    yield from differences.told(one.difference, zone, _INDENT)


def rows(found: "Timeline") -> Iterator[tuple[str, ...]]:
    """Rows for a pipe: recorded, what happened, id, status, actor, claim."""
    for one in _in_order(found):
        when = moments.rfc3339(one.at) or ""
        if isinstance(one, Said):
            cells = (when, SAID, one.event.id, "", _who(one), one.event.text)
        else:
            made = one.difference
            status = made.after.status.value if made.after else "none"
            cells = (when, made.what.value, made.id, status, one.entry.actor, made.state.schema.claim)
        yield tuple(one_line(cell) for cell in cells)


def as_json(found: "Timeline") -> dict[str, object]:
    """The object of `mem.timeline/1`."""
    return {
        "format": "mem.timeline/1",
        "entries": [_turn(one) if isinstance(one, Said) else _entry(one) for one in _in_order(found)],
    }


def _entry(one: "Happened") -> dict[str, object]:
    return {
        "kind": "change",
        "at": moments.rfc3339(one.at),
        "commit": one.commit,
        "op": one.entry.op,
        "actor": one.entry.actor,
        "reason": one.entry.reason or None,
        **differences.difference_json(one.difference),
    }


def _turn(one: Said) -> dict[str, object]:
    return {
        "kind": "event",
        "at": moments.rfc3339(one.at),
        "id": one.event.id,
        "path": one.path,
        "session": one.event.session or None,
        "scope": str(one.event.scope),
        "subject": _who(one),
        "text": one.event.text,
    }
