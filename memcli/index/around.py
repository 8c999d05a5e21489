"""What stands around a claim: the rows that no longer count, and the vectors of those that do."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from memcli.index import filter as sql
from memcli.index.tables import Index
from memcli.memory.pool import Candidate
from memcli.memory.schema import Status
from memcli.memory.scope import Scope
from memcli.memory.visibility import Viewer

MARGIN: Final = 0.01  # cosine: what LanceDB's float32 distance may be off, and far more
FIRST: Final = 64  # asserted: nearest rows asked for at first


@dataclass(frozen=True, slots=True)
class Sought:
    """What a row must have in common with a claim: a share of its words, a cosine, or an event."""

    stems: frozenset[str]
    share: float
    vector: "np.ndarray | None"
    cosine: float
    events: frozenset[str]


def unsettled(
    index: Index, scopes: Iterable[Scope] | None, as_of: int, *, vectors: bool = True
) -> tuple[Candidate, ...]:
    """Every row of `scopes` (None: of all) that is not live at `as_of`, by path.

    The guard compares with all of them: a cut to the nearest would let a long text that
    contains a removed claim pass.
    """
    where = sql.both(sql.where_unsettled(as_of), sql.where_any_scope(scopes))
    return index.reading.rows(where, vectors=vectors)


def removed(index: Index) -> tuple[Candidate, ...]:
    """Every forgotten or retracted row of the store, by path, without vectors."""
    return index.reading.rows(sql.where_status([Status.FORGOTTEN, Status.RETRACTED]))


def put_away(index: Index) -> set[str]:
    """The paths of the rows whose file may leave a tombstone: removed, or archived for whatever reason."""
    (paths,) = index.reading.columns(
        ("path",), sql.where_status([Status.FORGOTTEN, Status.RETRACTED, Status.ARCHIVED])
    )
    return set(paths)


def withheld(index: Index) -> set[str]:
    """The paths of rows that do not count as their files say."""
    (paths,) = index.reading.columns(("path",), sql.WITHHELD)
    return set(paths)


def near(
    index: Index, scopes: Iterable[Scope] | None, statuses: Iterable[Status], sought: Sought
) -> set[str]:
    """The paths of the rows of `scopes` (None: of all) and `statuses` that are near to what is sought.

    Of what has no words every row is near.
    """
    condition = sql.both(sql.where_any_scope(scopes), sql.where_status(statuses))
    if not sought.stems:
        (paths,) = index.reading.columns(("path",), condition)
        return set(paths)
    return (
        _by_words(index, condition, sought)
        | _by_meaning(index, condition, sought)
        | _by_event(index, condition, sought)
    )


def _by_words(index: Index, condition: str, sought: Sought) -> set[str]:
    asked = sorted(sought.stems)
    found = index.reading.rows(sql.both(condition, sql.where_any_stem(asked)), asked)
    return {one.path for one in found if len(one.counts) / len(asked) >= sought.share}


def _by_meaning(index: Index, condition: str, sought: Sought) -> set[str]:
    if sought.vector is None:
        return set()
    least, limit = sought.cosine - MARGIN, FIRST
    while True:
        found = index.reading.nearest(condition, sought.vector, limit)
        if len(found) < limit or found[-1].cosine < least:
            return {one.path for one in found if one.cosine >= least}
        limit *= 4


def _by_event(index: Index, condition: str, sought: Sought) -> set[str]:
    if not sought.events:
        return set()
    paths, kept = index.reading.columns(("path", "rest"), condition)
    return {path for path, text in zip(paths, kept, strict=True) if any(one in text for one in sought.events)}


def live_vectors(index: Index, viewer: Viewer) -> tuple[list[str], np.ndarray]:
    """The paths of all rows that `viewer` gets and the unit vectors of their claims, float32 [n, d]."""
    if not index.about.dimensions:
        return [], np.zeros((0, 0), np.float32)
    return index.reading.vectors(sql.where(viewer))
