"""What is forgotten now, so that no point of the record brings it back; and rows judged by it.

Two judgements meet in a row of another time: what had been taken out by then, as the guard
knew it then, and what is forgotten at HEAD, which is shown at no time at all.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memcli.engine import arrivals, counting, filing, removals
from memcli.engine.beside import COUNTS
from memcli.engine.opened import Opened
from memcli.engine.removals import Removals, Removed
from memcli.engine.standing import Confirmed
from memcli.engine.view import View
from memcli.memory.schema import Status

if TYPE_CHECKING:
    import numpy as np

    from memcli.index.rows import IndexRow


@dataclass(frozen=True, slots=True)
class Taken:
    """Claims that had been taken out, and the journal that says so."""

    removals: Removals
    confirmed: Confirmed

    def repeated(self, opened: Opened, row: "IndexRow", pieces: "np.ndarray | None") -> list[Removed]:
        """Those that `row`, whose pieces have these vectors float32 [n, d], says again."""
        near = self.removals.near(row, pieces) if self.removals.found else ()
        return arrivals.repeated(opened, row, near, self.confirmed) if near else []


def now(opened: Opened, view: View) -> Taken:
    """What is forgotten now: by its file, by the journal, or by a tombstone."""
    rows = () if view.index is not None else _rows(opened, view.confirmed)
    return of(removals.all_of(opened, rows, view.confirmed, view.index), view.confirmed)


def of(removed: Removals, confirmed: Confirmed) -> Taken:
    """Of what is removed now that which is forgotten."""
    forgotten = tuple(one for one in removed.found if one.neighbour.schema.status is Status.FORGOTTEN)
    return Taken(Removals(forgotten), confirmed)


def _rows(opened: Opened, confirmed: Confirmed) -> "list[IndexRow]":
    return counting.rows_of(opened, filing.every(opened), confirmed)


def besides(found: Iterable[Removed], forgotten: Taken) -> tuple[Removed, ...]:
    """What had been removed, without claims that are forgotten now: those are judged as of now."""
    claims = {(one.id, one.neighbour.schema.claim) for one in forgotten.removals.found}
    return tuple(one for one in found if not covered(one, claims))


def covered(one: Removed, forgotten: Collection[tuple[str, str]]) -> bool:
    """Whether this very claim of this memory is among (id, claim) pairs that are forgotten now."""
    claim = one.neighbour.schema.claim
    return bool(claim) and (one.id, claim) in forgotten


def ids(forgotten: Taken) -> frozenset[str]:
    """The ids that are forgotten now, whether a claim of theirs is left or not."""
    return forgotten.confirmed.forgotten | {one.id for one in forgotten.removals.found}


def judged(opened: Opened, rows: "Sequence[IndexRow]", then: Taken, forgotten: Taken) -> "list[IndexRow]":
    """The rows of one point of the record with the status that counts in an answer about it."""
    if not (then.removals.found or forgotten.removals.found or ids(forgotten)):
        return list(rows)
    vectors = filing.vectors(opened, rows)
    never = ids(forgotten)
    return [
        _judged(opened, row, pieces, (then, forgotten), never)
        for row, pieces in zip(rows, vectors, strict=True)
    ]


def _judged(
    opened: Opened,
    row: "IndexRow",
    pieces: "np.ndarray | None",
    taken: Sequence[Taken],
    never: frozenset[str],
) -> "IndexRow":
    if row.schema.id in never:
        return replace(row, effective=Status.FORGOTTEN)
    if row.effective not in COUNTS:
        return row
    return arrivals.held(row, [one for part in taken for one in part.repeated(opened, row, pieces)])
