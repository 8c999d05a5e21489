"""What a decision of a review came to."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from memcli.engine.reviewing.review import Decided

_DONE: Final = {
    "accept": "Accepted",
    "reject": "Rejected",
    "supersede": "Accepted",
    "reopen": "Reopened",
    "edit": "Reworded",
    "forget": "Forgotten",
}


def line(done: "Decided") -> tuple[Piece, ...]:
    """For a person: what was decided about which memory."""
    said = _DONE.get(done.op, done.op)
    if done.commit is None:
        return (done.id, "name"), f" is {done.status} already: nothing was changed."
    stays = done.prior_status == done.status
    change = f", stays {done.status}" if stays else f", {done.prior_status} → {done.status}"
    instead = f", in place of {done.superseded}" if done.superseded else ""
    return (said, "good"), ": ", (done.id, "name"), f"{change}{instead}."


def notices(done: "Decided") -> Iterator[str]:
    """What a person should know beside it."""
    if done.overrides:
        yield f"It was let past {', '.join(done.overrides)}, which was removed; that holds from now on."
    yield from _same(done)
    yield from done.remains


def _same(done: "Decided") -> Iterator[str]:
    if done.same:
        yield f"{done.same} says the same; `mem supersede {done.same} {done.id}` would join them."


def as_json(done: "Decided") -> dict[str, object]:
    """The object of `mem.review/1` for one decision."""
    return {
        "format": "mem.review/1",
        "op": done.op,
        "id": done.id,
        "prior_status": done.prior_status,
        "status": done.status,
        "text": one_line(done.claim),
        "commit": done.commit,
        "overrides": list(done.overrides),
        "superseded": done.superseded or None,
        "until": moments.rfc3339(done.until),
        "same": done.same or None,
        "remains": list(done.remains),
    }
