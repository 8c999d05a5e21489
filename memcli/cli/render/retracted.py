"""What a retraction did, or would do: to the memory, and to the confidence of its neighbours."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli.render.paint import Piece
from memcli.cli.render.strict_json import number
from memcli.cli.render.text import one_line
from memcli.cli.render.width import cells, cut
from memcli.memory.numerals import counted

if TYPE_CHECKING:
    from memcli.engine.retracting.losing import Lost
    from memcli.engine.retracting.retract import Retracting
    from memcli.engine.retracting.unretract import Unretracted

_NARROWEST: Final = 12  # columns, asserted: with less room a claim is not worth showing


def lines(done: "Retracting", width: int) -> Iterator[tuple[Piece, ...]]:
    """For a person: what was done, what is right instead, and who loses by it."""
    if done.prior_status == done.status:
        yield (done.id, "name"), f" is {done.status} already: nothing was changed."
        return
    said = "Retracted: " if done.commit else "Would retract: "
    yield said, (done.id, "name"), f", {done.prior_status} → {done.status}."
    if done.correction:
        passed = f", with {counted(done.passed_on, 'link')} of it" if done.passed_on else ""
        yield "Right instead: ", (done.correction, "name"), passed, "."
    if not done.lost:
        yield (("No memory that can be seen from here loses by it.", "dim"),)
        return
    have = counted(len(done.lost), "memory has", "memories have")
    yield (f"{have} less confidence (cohesion {done.cohesion:.2f}):", "dim"), ""
    for one in done.lost:
        yield _lost(one, width)


def _lost(one: "Lost", width: int) -> tuple[Piece, ...]:
    change = f"{one.before:.2f} → {one.after:.2f}"
    review = "  review" if one.review else ""
    before = f"  {one.id}  {change}{review}  "
    room = max(width - cells(before), _NARROWEST)
    return "  ", (one.id, "name"), f"  {change}", (review, "warn"), "  ", cut(one_line(one.claim), room)


def rows(done: "Retracting") -> Iterator[tuple[str, ...]]:
    """The same for a pipe: the memory, then a line for each neighbour."""
    yield done.id, "retract", done.prior_status, done.status
    for one in done.lost:
        yield one.id, "affected", _share(one.before), _share(one.after)


def _share(confidence: float) -> str:
    return f"{confidence:.4f}"


def aside(done: "Retracting") -> Iterator[tuple[Piece, ...]]:
    """Beside the answer: what waits, what remains, the commit, the way back."""
    many = sum(1 for one in done.lost if one.review)
    if many and done.commit:
        yield f"{counted(many, 'of them waits', 'of them wait')} in `mem review`.", ""
    if done.waits:
        yield "The correction resembles what was removed before: it counts once a person accepts it.", ""
    for remains in done.remains:
        yield "Remains: ", remains
    if done.commit:
        yield ((f"Commit {done.commit[:10]}. Take it back: mem unretract {done.id}", "dim"),)


def as_json(done: "Retracting") -> dict[str, object]:
    """The object of `mem.retract/1`."""
    told: dict[str, object] = {
        "format": "mem.retract/1",
        "op": "retract",
        "id": done.id,
        "prior_status": done.prior_status,
        "status": done.status,
        "commit": done.commit,
        "correction": done.correction or None,
        "correction_waits": done.waits,
        "links_passed_on": done.passed_on,
        "cohesion": number(done.cohesion),
        "affected": [_lost_json(one) for one in done.lost],
        "remains": list(done.remains),
    }
    if done.notices:
        told["notices"] = list(done.notices)
    return told


def _lost_json(one: "Lost") -> dict[str, object]:
    return {
        "id": one.id,
        "text": one.claim,
        "scope": one.scope,
        "penalty": number(one.penalty),
        "hop": one.hop,
        "path": number(one.path),
        "confidence": {"before": number(one.before), "after": number(one.after)},
        "review": one.review,
    }


def unretracted(done: "Unretracted") -> tuple[Piece, ...]:
    """For a person: what counts again, and as what."""
    if done.commit is None:
        return (done.id, "name"), f" is {done.status}, not retracted: nothing was changed."
    return "Taken back: ", (done.id, "name"), f", {done.prior_status} → {done.status}."


def unretracted_notices(done: "Unretracted") -> Iterator[str]:
    """What a person should know beside it."""
    if done.commit and done.correction:
        yield f"{done.correction}, its correction, goes on counting; see `mem review` for conflicts."


def unretracted_json(done: "Unretracted") -> dict[str, object]:
    """The object of `mem.act/1` for what counts again."""
    return {
        "format": "mem.act/1",
        "op": "unretract",
        "id": done.id,
        "prior_status": done.prior_status,
        "commit": done.commit,
        "remains": [],
        "status": done.status,
    }
