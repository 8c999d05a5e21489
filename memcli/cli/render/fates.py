"""What became of everything that an answer showed, in each of its looks."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.receipts import DIGEST, when
from memcli.cli.render.text import one_line
from memcli.engine.receipts.comparing import Became

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.receipts.comparing import Compared, Fate

Line = tuple[Piece, ...]
STYLE: Final = {
    Became.STABLE: "good",
    Became.RESTORED: "good",
    Became.FORGOTTEN: "bad",
    Became.RETRACTED: "bad",
    Became.GONE: "bad",
}


def compared(done: "Compared", zone: "tzinfo") -> Iterator[Line]:
    """For a person: what became of each, then what is new."""
    if done.same:
        yield ("Everything", "good"), f" is as it was {when(done.receipt, zone)}, and nothing is new."
    for one in done.fates:
        yield from _fate(one, one.became.value, STYLE.get(one.became, "warn"), zone)
    for one in done.new:
        yield from _fate(one, "new", "strong", zone)


def _fate(one: "Fate", word: str, style: str, zone: "tzinfo") -> Iterator[Line]:
    by = f" by {one.by}" if one.by else ""
    keys = f": {', '.join(one.keys)}" if one.keys and one.became is Became.EDITED else ""
    behind = "" if one.now or one.became is not Became.STABLE else "  (not among an answer today)"
    yield (word, style), f"{by}{keys}  ", (one_line(one.id), "name"), behind
    yield (f"  {one_line(one.claim)}" if one.claim else "  (its text is not told)",)
    if one.entry is not None:
        entry = one.entry
        why = f'  "{one_line(entry.reason)}"' if entry.reason else ""
        when = moments.minute(entry.at, zone)
        yield ((f"  {when}  {entry.op}  {one_line(entry.actor)}  {entry.commit[:DIGEST]}{why}", "dim"),)


def compared_rows(done: "Compared") -> Iterator[tuple[str, ...]]:
    """For a pipe: what became of it, id, earlier rank, rank, successor, commit, actor, claim."""
    for became, one in _all(done):
        yield (
            became,
            one_line(one.id),
            "" if one.rank is None else str(one.rank),
            "" if one.now is None else str(one.now),
            one.by,
            one.entry.commit if one.entry else "",
            one_line(one.entry.actor) if one.entry else "",
            one_line(one.claim),
        )


def _all(done: "Compared") -> Iterator[tuple[str, "Fate"]]:
    yield from ((one.became.value, one) for one in done.fates)
    yield from (("new", one) for one in done.new)


def compared_json(done: "Compared") -> dict[str, object]:
    """The object of `mem.fates/1`."""
    return {
        "format": "mem.fates/1",
        "id": done.receipt.id,
        "as_of": moments.rfc3339(done.as_of),
        "outcome": {"before": done.receipt.said["outcome"], "now": done.outcome},
        "same": done.same,
        "selected": [_fate_json(became, one) for became, one in _all(done) if became != "new"],
        "new": [_fate_json(became, one) for became, one in _all(done) if became == "new"],
    }


def _fate_json(became: str, one: "Fate") -> dict[str, object]:
    entry = one.entry
    return {
        "kind": one.kind,
        "id": one.id,
        "became": became,
        "by": one.by or None,
        "keys": list(one.keys),
        "rank": {"before": one.rank, "now": one.now},
        "text": one.claim or None,
        "commit": entry.commit if entry else None,
        "at": moments.rfc3339(entry.at) if entry else None,
        "actor": entry.actor if entry else None,
        "op": entry.op if entry else None,
        "reason": entry.reason or None if entry else None,
    }
