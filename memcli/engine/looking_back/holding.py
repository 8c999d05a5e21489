"""What held at each time: the windows of the world's time, with the claim that answers in each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcli.engine import journaling, reconcile
from memcli.engine.looking_back import present
from memcli.engine.looking_back.timeline import Request, words
from memcli.engine.opened import Opened
from memcli.engine.recalling.by_files import seen
from memcli.engine.recorded import by_tree, gone, points
from memcli.memory import two_times
from memcli.memory.schema import Status, Validity, fold_concept
from memcli.memory.tokens import stems
from memcli.memory.visibility import Verdict, Viewer, verdict

if TYPE_CHECKING:
    from memcli.engine.looking_back.present import Present
    from memcli.index.rows import IndexRow


@dataclass(frozen=True, slots=True)
class Held:
    """One claim with the window in which it is the answer, in seconds since 1970; None is unbounded.

    `conflict` are others of its concept that hold at some moment of it too, `now`: it holds when asked.
    """

    id: str
    path: str
    scope: str
    status: str
    start: int | None
    end: int | None
    claim: str
    conflict: tuple[str, ...]
    now: bool


def run(opened: Opened, request: Request) -> tuple[Held, ...]:
    """Every claim that answers at some time between the bounds, as they begin to hold.

    As it is known now, or as it was at `request.known_at`. Raises Refused, and as `points.resolve`.
    """
    now = present.look(opened, every=request.every)
    rows, moment = _now(opened, now) if request.known_at is None else _then(opened, request.known_at)
    asked = [row for row in rows if now.sees(row.schema) and _asked(row, request)]
    counted = now.judged(asked) if request.known_at is None else asked
    found = [row for row in counted if _answers(now, row, moment)]
    bounds = Validity(request.since, request.until)
    ordered = sorted((row for row in found if row.schema.validity.overlaps(bounds)), key=_order)
    held = [_held(row, found, moment) for row in ordered]
    return tuple(held if request.limit is None else held[-request.limit :])


def _now(opened: Opened, now: "Present") -> "tuple[Sequence[IndexRow], int]":
    """The rows as the files state them; that history was rewritten takes nothing from them, and is said."""
    opened.notices += journaling.rewritten(opened)
    return now.counted, opened.now


def _then(opened: Opened, known_at: str) -> "tuple[Sequence[IndexRow], int]":
    """The rows of that point of the record, less what is forgotten now, and its moment."""
    point = points.resolve(opened, known_at)
    return by_tree.read(opened, point.commit, gone.now(opened, reconcile.freshen(opened))).rows, point.at


def _answers(now: "Present", row: "IndexRow", asked_at: int) -> bool:
    """Whether recall would give it for some moment: the rule of visibility itself is asked."""
    moment = two_times.inside(row.schema.validity, asked_at)
    return verdict(Viewer(now.scopes, moment), seen(row)) is Verdict.ADMITTED


def _asked(row: "IndexRow", request: Request) -> bool:
    concept = fold_concept(request.concept)
    named = not concept or fold_concept(row.schema.concept) == concept
    return named and frozenset(stems(request.query)) <= words(row.schema)


def _order(row: "IndexRow") -> tuple[float, float, str]:
    window = row.schema.validity
    start = float("-inf") if window.start is None else window.start
    return start, float("inf") if window.end is None else window.end, row.schema.id


def _held(row: "IndexRow", beside: Sequence["IndexRow"], moment: int) -> Held:
    schema = row.schema
    return Held(
        schema.id,
        row.path,
        str(schema.scope),
        row.effective.value,
        schema.validity.start,
        schema.validity.end,
        schema.claim,
        tuple(sorted(other.schema.id for other in beside if _rivals(row, other))),
        schema.validity.holds_at(moment),
    )


def _rivals(one: "IndexRow", other: "IndexRow") -> bool:
    """Whether both are believed of one concept and scope for a common moment."""
    mine, theirs = one.schema, other.schema
    return (
        mine.id != theirs.id
        and one.effective is other.effective is Status.ACTIVE
        and mine.topic == theirs.topic is not None
        and mine.validity.overlaps(theirs.validity)
    )
