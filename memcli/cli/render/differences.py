"""What differs between two states of memories, in each of its looks."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.engine.looking_back.present import FORGOTTEN
from memcli.memory.difference import Difference, Key, State, Value, What, rewording

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.looking_back.diff import Compared, Side

STYLE: Final = {
    What.ADDED: "good",
    What.BELIEVED: "good",
    What.RESTORED: "good",
    What.FORGOTTEN: "bad",
    What.RETRACTED: "bad",
    What.REMOVED: "bad",
    What.SET_ASIDE: "bad",
    What.MENDED: "good",
    What.SUPERSEDED: "warn",
    What.STALE: "warn",
    What.ARCHIVED: "warn",
    What.WAITS: "warn",
    What.STAGED: "warn",
}
_MOMENTS: Final = {"validity.from": "true from", "validity.to": "true until"}
_SAID_ELSEWHERE: Final = ("status", "claim")  # by what happened, and by the two lines of a claim
_LONG: Final = ("detail", "title")  # texts: that they differ is said, not how


def lines(found: "Compared", zone: "tzinfo") -> Iterator[tuple[Piece, ...]]:
    """Lines for a person: what was compared, then each memory with what became of it."""
    if not found.differences:
        return
    yield ((f"From {_side(found.before, zone)} to {_side(found.after, zone)}: {_counts(found)}.", "dim"),)
    for one in found.differences:
        schema = one.state.schema
        yield ()
        yield (
            (one.what.value, STYLE.get(one.what, "strong")),
            "  ",
            (one.id, "name"),
            f"  {schema.type}  {schema.scope}",
            (f"  {_by(found, one, zone)}", "dim"),
        )
        yield from told(one, zone)


def _by(found: "Compared", one: Difference, zone: "tzinfo") -> str:
    entry = found.by.get(one.id)
    return f"{one_line(entry.actor)}, {moments.minute(entry.at, zone)}" if entry else "not saved"


def told(one: Difference, zone: "tzinfo", indent: str = "") -> Iterator[tuple[Piece, ...]]:
    """The claim, or what it was and is, then the other keys that differ, for a person."""
    if one.reworded and one.before and one.after:
        yield from _reworded(one.before, one.after, indent)
    else:
        claim = one_line(one.state.schema.claim)
        yield indent, (claim, "dim") if claim == FORGOTTEN else claim
    rest = [_key(key, zone) for key in one.keys if key.name not in _SAID_ELSEWHERE]
    if rest:
        yield indent, ("  " + "; ".join(rest), "dim")


def _reworded(before: State, after: State, indent: str) -> Iterator[tuple[Piece, ...]]:
    """The claim as it was and as it is; the words that differ stand out."""
    words = rewording(before.schema.claim, after.schema.claim)
    for sign, side, style in (("-", "before", "bad"), ("+", "after", "good")):
        shown = [piece for piece in words if piece.side in ("same", side)]
        yield (
            indent,
            (sign, style),
            " ",
            *((one.text, style if one.side == side else "") for one in shown),
        )


def _key(key: Key, zone: "tzinfo") -> str:
    """The key with what it was and is, like `stage scoped → portable`."""
    name = _MOMENTS.get(key.name, key.name.replace("_", " "))
    if key.name in _LONG:
        return f"{name} changed"
    before, after = (_value(key, value, zone) for value in (key.before, key.after))
    if not before:
        return f"{name} {after}"
    return f"{name} {before} → {after or moments.ALWAYS}"


def _value(key: Key, value: Value, zone: "tzinfo") -> str:
    if key.name in _MOMENTS:
        return moments.bound(value if isinstance(value, int) else None, zone)
    return one_line(str(value or ""))


def _side(side: "Side", zone: "tzinfo") -> str:
    if side.commit is None:
        return "the files"
    end = f"{side.asked} 23:59" if side.at is not None else ""
    name = (
        f"the end of {side.asked}"
        if end and moments.minute(side.at or 0, zone) == end
        else one_line(side.asked)
    )
    return f"{name} (commit {side.commit[:7]})"


def _counts(found: "Compared") -> str:
    counts = dict.fromkeys(What, 0)
    for one in found.differences:
        counts[one.what] += 1
    return ", ".join(f"{count} {what.value}" for what, count in counts.items() if count)


def row(found: "Compared", one: Difference) -> tuple[str, ...]:
    """A row for a pipe: what, id, earlier status, status, keys that differ, actor, earlier claim, claim."""
    states = (one.before, one.after)
    statuses = (state.status.value if state else "none" for state in states)
    claims = (state.schema.claim if state else "" for state in states)
    keys = ",".join(key.name for key in one.keys if key.name != "status")
    actor = found.by[one.id].actor if one.id in found.by else ""
    return tuple(one_line(cell) for cell in (one.what.value, one.id, *statuses, keys, actor, *claims))


def as_json(found: "Compared") -> dict[str, object]:
    """The object of `mem.diff/1`."""
    return {
        "format": "mem.diff/1",
        "from": _side_json(found.before),
        "to": _side_json(found.after),
        "memories": [difference_json(one) | _by_json(found, one) for one in found.differences],
    }


def _by_json(found: "Compared", one: Difference) -> dict[str, object]:
    entry = found.by.get(one.id)
    return {
        "commit": entry and entry.commit,
        "at": entry and moments.rfc3339(entry.at),
        "op": entry and entry.op,
        "actor": entry and entry.actor,
    }


def _side_json(side: "Side") -> dict[str, object]:
    return {
        "asked": side.asked or None,
        "commit": side.commit,
        "at": moments.rfc3339(side.at),
    }


def difference_json(one: Difference) -> dict[str, object]:
    """What happened to one memory, for a program; of what is forgotten no text."""
    schema = one.state.schema
    return {
        "what": one.what.value,
        "id": one.id,
        "path": one.state.path or None,
        "scope": str(schema.scope),
        "type": schema.type.value,
        "prior_status": one.before and one.before.status.value,
        "status": one.after and one.after.status.value,
        "prior_text": _text(one.before),
        "text": _text(one.after),
        "keys": [_key_json(key) for key in one.keys],
    }


def _text(state: State | None) -> str | None:
    return None if state is None or state.schema.claim == FORGOTTEN else state.schema.claim


def _key_json(key: Key) -> dict[str, object]:
    values = {"from": key.before, "to": key.after}
    if key.name in _MOMENTS:
        values = {
            name: moments.rfc3339(value if isinstance(value, int) else None) for name, value in values.items()
        }
    return {"key": key.name, **{name: value if value != "" else None for name, value in values.items()}}
