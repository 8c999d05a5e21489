"""How far a memory may travel, and the evidence for it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.strict_json import number
from memcli.memory.numerals import counted

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.use.pinning import Pinned
    from memcli.engine.use.why import Why

_MISSED = "it was beside the point again and again"
_REACH = {
    "scoped": "seen from its own scope alone",
    "portable": "let into other scopes of its kind where it fits a question well",
    "contextual": "let into any scope where it fits a question very well",
    "global": "seen from every scope",
}


def pinned(done: "Pinned") -> tuple[Piece, ...]:
    """For a person: what is pinned where."""
    if done.commit is None:
        return (done.id, "name"), f" is pinned to {done.stage.word} already: nothing was changed."
    return "Pinned: ", (done.id, "name"), f", {done.prior.word} → {done.stage.word}."


def pinned_json(done: "Pinned") -> dict[str, object]:
    """The object of `mem.stage/1` after a pin."""
    return {
        "format": "mem.stage/1",
        "op": "pin",
        "id": done.id,
        "prior_stage": done.prior.word,
        "stage": done.stage.word,
        "commit": done.commit,
    }


def why(one: "Why", zone: "tzinfo") -> Iterator[tuple[Piece, ...]]:
    """Lines for a person: the stage, what speaks for it, and what the journal says of it."""
    stage = one.stage.word
    yield ("stage", "dim"), f"  {stage}, ", (_REACH[stage], "dim")
    yield ("because", "dim"), f"  {one.because}"
    if one.earned is not one.stage:
        yield ("earned", "dim"), f"  {one.earned.word}"
    counts = one.counts
    kin, every = counted(counts.kin_scopes, "other scope"), counted(counts.scopes, "scope")
    beside = f"  ({kin} of its kind; {every} of {counted(counts.kinds, 'kind')} in all)"
    own = f"  in {counted(counts.own_sessions, 'session')} of its own scope"
    yield ("used", "dim"), own, (beside, "dim")
    misses = counted(counts.misses, "answer")
    yield ("beside the point", "dim"), f"  in {misses} elsewhere since it was last used"
    if counts.stale:
        yield ("stale", "dim"), f"  reported {counted(counts.stale, 'time')} of late"
    if one.next:
        yield ("for more", "dim"), f"  {one.next}"
    if one.labile:
        because = "a retraction casts doubt on it" if one.left < one.confidence else _MISSED
        yield ("labile", "warn"), f"  {because}: it stands further down"
    if one.left < one.confidence:
        yield ("confidence", "dim"), f"  {one.left:.2f} of {one.confidence:.2f}"
    for taken in one.taken:
        yield ("less", "dim"), f"  {taken.penalty:.2f}  {taken.by} was retracted"
    for move in one.moves:
        yield (moments.minute(move.at, zone), "dim"), f"  {move.prior} → {move.stage}  ", (move.why, "dim")


def why_row(one: "Why") -> tuple[str, ...]:
    """The same for a pipe: stage, earned, reason, and the counts in the order of `mem.show/1`."""
    counts = one.counts
    numbers = (
        counts.own_sessions,
        counts.kin_scopes,
        counts.scopes,
        counts.kinds,
        counts.misses,
        counts.stale,
    )
    return one.stage.word, one.earned.word, one.because, *map(str, numbers)


def why_json(one: "Why") -> dict[str, object]:
    """The object `why` in `mem.show/1`."""
    counts = one.counts
    return {
        "stage": one.stage.word,
        "because": one.because,
        "earned": one.earned.word,
        "pinned": one.pinned,
        "labile": one.labile,
        "confidence": {
            "stated": number(one.confidence),
            "left": number(one.left),
            "less": [{"by": taken.by, "penalty": number(taken.penalty)} for taken in one.taken],
        },
        "own_sessions": counts.own_sessions,
        "kin_scopes": counts.kin_scopes,
        "scopes": counts.scopes,
        "kinds": counts.kinds,
        "misses": counts.misses,
        "stale": counts.stale,
        "moves": [
            {"at": moments.rfc3339(move.at), "from": move.prior, "to": move.stage, "why": move.why}
            for move in one.moves
        ],
    }
