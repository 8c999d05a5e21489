"""When anything begins or ends to hold: between two such moments every question sees the same rows.

A process that answers for hours is asked as of another second each time. Without this it
would read the rows of its scope anew for each.
"""

from dataclasses import replace
from typing import Final

import numpy as np
import pyarrow as pa

from memcli.index.arrow import numbers
from memcli.index.lance import Table
from memcli.index.port import Query
from memcli.memory.visibility import Viewer

MOMENTS: Final = ("valid_from", "valid_to")
EARLIEST: Final = -(2**62)  # before every moment that a file can name, and still a number that SQL can read


class Moments:
    """The moments of one version of a table, read when a second one is asked about."""

    def __init__(self, table: Table, first: int | None = None, turns: np.ndarray | None = None) -> None:
        self._table = table
        self._first = first
        self._turns = turns

    def settled(self, viewer: Viewer) -> Viewer:
        """`viewer` at the earliest moment since which nothing has begun or ended."""
        if self._turns is None:
            if self._first in (None, viewer.as_of):  # a command of its own asks about one moment
                self._first = viewer.as_of
                return viewer
            self._turns = _turns(self._table.search(Query(MOMENTS)))
        before = self._turns[: np.searchsorted(self._turns, viewer.as_of, side="right")]
        return replace(viewer, as_of=max(int(before[-1]), EARLIEST) if len(before) else EARLIEST)

    def of(self, table: Table) -> "Moments":
        """The same of `table`, which holds the same rows."""
        return Moments(table, self._first, self._turns)

    def add(self, found: pa.Table) -> None:
        """Mind the moments of these rows too; those of rows that went do no harm."""
        if self._turns is not None:
            self._turns = np.union1d(self._turns, _turns(found))


def _turns(found: pa.Table) -> np.ndarray:
    return np.unique(np.concatenate([numbers(found.column(name)) for name in MOMENTS]))
