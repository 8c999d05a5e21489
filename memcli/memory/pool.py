"""What a search hands to ranking: candidates with their parts, and the statistics of the visible rows.

Two paths fill these values, the index and a plain reading of files (or of a commit); both
must lead to the same bytes. So cosines are computed here, in float64 and rounded to
1e-6, never taken from the index's own distance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcli.memory.schema import Schema
from memcli.memory.visibility import Row

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Candidate:
    """One schema that may answer, as the index or a file gives it.

    `row` is what visibility looks at; `schema` carries the keys that an answer shows (its
    `claim` may be empty when the text is still to be read from the file). `vectors` holds
    the unit vectors of the claim and of further pieces, float32 [n, d], or None.
    `counts` maps a stem of the query to its occurrences here, `length` is the number of
    tokens of the whole text; `subjects` and `asks` are what memory.subject reads off it. `day`
    is that on which it happened, in days since 1970 by UTC, None where nothing says when.
    """

    path: str
    digest: str
    row: Row
    schema: Schema
    counts: Mapping[str, int]
    length: int
    vectors: "np.ndarray | None" = None
    subjects: tuple[str, ...] = ()
    asks: bool = False
    day: int | None = None

    def asked(self, counts: Mapping[str, int], *, vectors: bool) -> "Candidate":
        """The same with what another question counts in it, and its vectors only if they are wanted."""
        return Candidate(
            self.path,
            self.digest,
            self.row,
            self.schema,
            counts,
            self.length,
            self.vectors if vectors else None,
            self.subjects,
            self.asks,
            self.day,
        )


@dataclass(frozen=True, slots=True)
class WordHits:
    """All visible rows that hold a stem of the query, and what words weigh among the visible.

    `paths` names the rows, `counts` is int32 [rows, stems], `lengths` int32 [rows],
    `stems` the columns; `document_counts` int64 [stems]; `visible` rows in all with
    `total_length` tokens together.
    """

    paths: Sequence[str]
    stems: tuple[str, ...]
    counts: "np.ndarray"
    lengths: "np.ndarray"
    document_counts: "np.ndarray"
    visible: int
    total_length: int


@dataclass(frozen=True, slots=True)
class Near:
    """A row near the query by vector; `cosine` only orders the pool, it is not shown."""

    path: str
    cosine: float


def cosines(vectors: "np.ndarray", query: "np.ndarray") -> "np.ndarray":
    """Cosine of the unit vector `query` [d] with each unit row of `vectors` [n, d], float64 [n].

    Summed row by row in float64 and rounded to 1e-6, so that neither the number of rows nor
    a matrix kernel can move a result.
    """
    exact = (vectors.astype("float64") * query.astype("float64")).sum(axis=1)
    rounded: np.ndarray = exact.round(6)
    return rounded


def cosine(vectors: "np.ndarray | None", query: "np.ndarray | None") -> float:
    """The best of `cosines`; 0 where there is no vector on either side."""
    if vectors is None or query is None or not len(vectors):
        return 0.0
    return float(cosines(vectors, query).max())
