"""What arrived without passing through `remember`: a merge, a pull, a file written by hand.

A live schema that says again what was forgotten or retracted must not come in by the back
door. It is withheld in the index, its file untouched, unless it names the removed one in
`overrides` or was live beside it when that was removed. A function of files and journal
alone, so that a rebuild withholds the same: whenever the set of removed claims changes,
the rows that it may concern are judged again.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from memcli.engine import beside, counting, filing, removals
from memcli.engine.beside import COUNTS
from memcli.engine.filing import Filed
from memcli.engine.opened import Opened
from memcli.engine.removals import Removals, Removed
from memcli.engine.standing import Confirmed
from memcli.memory import guard, pool
from memcli.memory.guard import Claimed, Verdict
from memcli.memory.schema import Schema
from memcli.memory.scope import GLOBAL, USER, Scope
from memcli.store.tombstones import Tombstone

if TYPE_CHECKING:
    import numpy as np

    from memcli.engine.view import View
    from memcli.index.rows import IndexRow
    from memcli.index.tables import Index

    Vectors = Sequence["np.ndarray | None"]


# Whether a row may say a removed claim again: the store, the row, the claim, the journal, what saying it is.
Spares = Callable[[Opened, "IndexRow", Removed, Confirmed, Callable[[Schema], bool]], bool]


@dataclass(frozen=True, slots=True)
class Judged:
    """Rows as the index must hold them, their vectors, and the marks of what they were judged by."""

    rows: "list[IndexRow]"
    vectors: "Vectors"
    guarded: frozenset[str]


def judged(
    opened: Opened, filed: Iterable[Filed], confirmed: Confirmed, index: "Index", gone: Collection[str]
) -> Judged:
    """The rows of `filed`, and of all others that a change of the removed claims concerns.

    `gone` are files whose rows are about to be dropped; `confirmed.guarded` is what the index
    was judged by so far.
    """
    rows = counting.rows_of(opened, filed, confirmed)
    removed = removals.all_of(opened, rows, confirmed, index, gone)
    again = concerned(index, removed, confirmed.guarded) - {row.path for row in rows} - set(gone)
    read = [one for path in sorted(again) if (one := filing.read(opened, path)) is not None]
    rows += counting.rows_of(opened, read, confirmed)
    vectors = filing.vectors(opened, rows)
    return Judged(withheld(opened, rows, vectors, removed, confirmed), vectors, removed.marks)


def concerned(index: "Index", removed: Removals, guarded: frozenset[str]) -> set[str]:
    """The paths of rows that were withheld, where a removal was taken back, and near to one that is new."""
    from memcli.index import around

    paths: set[str] = set(around.withheld(index)) if guarded - removed.marks else set()
    for one in removed.found:
        if one.mark not in guarded:
            reach = None if index.travels() else _reach(one.scope)
            paths |= around.near(index, reach, COUNTS, removals.sought(one))
    return paths


def _reach(scope: Scope) -> tuple[Scope, ...] | None:
    """The scopes in which a claim removed in `scope` must not be said again; None is every scope.

    Where memories travel, one of any scope may be seen from there.
    """
    return None if scope in (GLOBAL, USER) else (scope, GLOBAL, USER)


def withheld(  # noqa: PLR0913 - rows, and all that they are judged by
    opened: Opened,
    rows: "Sequence[IndexRow]",
    vectors: "Vectors",
    removed: Removals,
    confirmed: Confirmed,
    *,
    spares: Spares = beside.lived,
) -> "list[IndexRow]":
    """The rows, with those withheld that say again what was removed; `spares` may let one pass."""
    if not removed.found:
        return list(rows)
    return [
        _judged(opened, row, removed.near(row, pieces), confirmed, spares)
        for row, pieces in zip(rows, vectors, strict=True)
    ]


def _judged(
    opened: Opened, row: "IndexRow", near: Sequence[Removed], confirmed: Confirmed, spares: Spares
) -> "IndexRow":
    if row.effective not in COUNTS:
        return row
    return held(row, repeated(opened, row, near, confirmed, spares))


def held(row: "IndexRow", matches: Sequence[Removed]) -> "IndexRow":
    """The row, withheld where what it says again, `matches`, must not be said."""
    everywhere = [one for one in matches if one.scope in row.schema.scope.seen]
    if everywhere:
        return replace(row, effective=min(one.neighbour.schema.status for one in everywhere))
    hidden = tuple(sorted({str(one.scope) for one in matches}))
    return replace(row, hidden_in=hidden) if hidden else row


def said_again(
    opened: Opened, view: "View", filed: Sequence[Filed], here: Scope | None = None
) -> dict[str, tuple[str, ...]]:
    """Path → ids of the removed claims that a live file says again and does not override; others left out.

    A claim that was removed in a narrower scope is not named, since whoever writes must not learn of
    it, but for those of the scope `here`: where it was removed a person may.
    """
    live = [one for one in filed if one.schema is not None and one.schema.status in COUNTS]
    rows = counting.rows_of(opened, live, view.confirmed)
    removed = removals.all_of(opened, rows, view.confirmed, view.index)
    if not removed.found:
        return {}
    found = {}
    for row, pieces in zip(rows, filing.vectors(opened, rows), strict=True):
        told = {*row.schema.scope.seen, here}
        near = [one for one in removed.near(row, pieces) if one.scope in told]
        if matches := repeated(opened, row, near, view.confirmed):
            found[row.path] = tuple(one.id for one in matches)
    return found


def held_down(opened: Opened, view: "View", graves: Sequence[Tombstone]) -> frozenset[str]:
    """The ids of `graves`, which this store does not hold yet, whose claim a live file says."""
    removed = removals.of_graves(opened, graves, view.confirmed)
    if view.index is None or not removed.found:
        return frozenset()
    near = sorted(concerned(view.index, removed, frozenset()))
    filed = [one for path in near if (one := filing.read(opened, path)) is not None]
    rows = [row for row in counting.rows_of(opened, filed, view.confirmed) if row.effective in COUNTS]
    return frozenset(
        one.id
        for row, pieces in zip(rows, filing.vectors(opened, rows), strict=True)
        for one in repeated(opened, row, removed.near(row, pieces), view.confirmed)
    )


def repeated(
    opened: Opened,
    row: "IndexRow",
    near: Sequence[Removed],
    confirmed: Confirmed,
    spares: Spares = beside.lived,
) -> list[Removed]:
    """The removed claims in reach that the row says again, for certain, and was not spared."""
    return [
        one
        for one in near
        if one.id not in row.schema.overrides
        and (one.id != row.schema.id or one.buried)
        and one.reaches(row.schema.scope, row.schema.stage)
        and _says(opened, row.schema, one)
        and not spares(opened, row, one, confirmed, partial(_says, opened, one=one))
    ]


def _says(opened: Opened, schema: Schema, one: Removed) -> bool:
    """Whether the guard is certain that `schema` says `one` again."""
    candidate = Claimed(
        schema.claim,
        as_of=0,
        evidence_at=0,
        events=frozenset(evidence.event for evidence in schema.evidence),
        arrived=True,
    )
    parts = guard.pieces(schema.claim)
    held = None if one.vector is None else one.vector[None]
    vectors = None if held is None else removals.meanings(opened, parts)
    cosines = [0.0] * len(parts) if vectors is None else [pool.cosine(held, piece) for piece in vectors]
    near = replace(one.neighbour, cosines=tuple(cosines))
    return guard.judge(candidate, (near,), {}, opened.settings.constants).verdict is Verdict.SKIP
