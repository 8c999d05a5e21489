"""Which of some rows hold which stem, and how often: the words of rows that are kept in memory.

A few questions are counted by walking over all stems; from then on they lie sorted, so that
a question costs what its own stems hold and not what all rows say.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from memcli.index.arrow import lists
from memcli.index.candidates import WORDS
from memcli.index.rows import number

FEW_QUESTIONS: Final = 3  # asserted: so many are counted stem by stem before sorting them has paid


class Counted:
    """The rows that hold one of the stems asked for: `rows` int64 [n] in order, `counts` int32 [n, stems]."""

    def __init__(self, rows: np.ndarray, counts: np.ndarray) -> None:
        self.rows = rows
        self.counts = counts

    def of(self, rows: np.ndarray) -> np.ndarray:
        """The counts of these rows, int32 [rows, stems]; zeros for one that holds none of the stems."""
        if not len(self.rows):
            return np.zeros((len(rows), self.counts.shape[1]), np.int32)
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        found: np.ndarray = self.counts[places] * (self.rows[places] == rows)[:, None]
        return found


class Postings:
    """The words of `found`, a table with the columns WORDS."""

    def __init__(self, found: pa.Table) -> None:
        (self._stems, lengths), (self._times, _) = (lists(found.column(name)) for name in WORDS)
        self._rows = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        self._many = len(lengths)
        self._questions = 0
        self._counted: tuple[tuple[str, ...], Counted] | None = None

    def counted(self, asked: tuple[str, ...]) -> Counted:
        """The rows that hold one of these stems; the same question is counted once."""
        if self._counted is None or self._counted[0] != asked:
            self._questions += 1
            if self._questions == FEW_QUESTIONS + 1:
                self._sort()
            self._counted = asked, self._count(asked)
        return self._counted[1]

    def _count(self, asked: Sequence[str]) -> Counted:
        holding = [self._holding(number(stem)) for stem in asked]
        places = np.full(self._many, -1, np.int32)
        for held, _ in holding:
            places[held] = 0
        rows = np.flatnonzero(places + 1)
        places[rows] = np.arange(len(rows), dtype=np.int32)
        counts = np.zeros((len(rows), len(asked)), np.int32, order="F")  # a stem is weighed at a time
        for column, (held, times) in enumerate(holding):
            counts[places[held], column] = times
        return Counted(rows, counts)

    def _holding(self, stem: int) -> tuple[np.ndarray, np.ndarray]:
        """The rows that hold the stem, and how often each."""
        if self._questions <= FEW_QUESTIONS:
            here: np.ndarray | slice = np.flatnonzero(self._stems == stem)
        else:
            here = slice(*np.searchsorted(self._stems, (stem, stem + 1)))
        return self._rows[here], self._times[here]

    def _sort(self) -> None:
        order = np.argsort(self._stems)
        self._stems, self._rows, self._times = self._stems[order], self._rows[order], self._times[order]
