"""What stands around a claim: the rows that no longer count, and the vectors of those that do."""

from collections.abc import Iterable

import numpy as np

from memcli.index import filter as sql
from memcli.index.tables import Index
from memcli.memory.pool import Candidate
from memcli.memory.schema import Status
from memcli.memory.scope import Scope
from memcli.memory.visibility import Viewer


def unsettled(index: Index, scopes: Iterable[Scope] | None, as_of: int) -> tuple[Candidate, ...]:
    """Every row of `scopes` (None: of all) that is not live at `as_of`, with its vectors, by path.

    The guard compares with all of them: a cut to the nearest would let a long text that
    contains a removed claim pass.
    """
    where = sql.both(sql.where_unsettled(as_of), sql.where_any_scope(scopes))
    return index.reading.rows(where, vectors=True)


def removed(index: Index) -> tuple[Candidate, ...]:
    """Every forgotten or retracted row of the store, by path, without vectors."""
    return index.reading.rows(sql.where_status([Status.FORGOTTEN, Status.RETRACTED]))


def live_vectors(index: Index, viewer: Viewer) -> tuple[list[str], np.ndarray]:
    """The paths of all rows that `viewer` gets and the unit vectors of their claims, float32 [n, d]."""
    if not index.about.dimensions:
        return [], np.zeros((0, 0), np.float32)
    return index.reading.vectors(sql.where(viewer))
