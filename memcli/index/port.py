"""What the index asks of LanceDB, and nothing else: the surface that both ways to it provide."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol, TypeAlias

import pyarrow as pa

ROWID: Final = "_rowid"
DISTANCE: Final = "_distance"
Handle: TypeAlias = Any  # a table as LanceDB knows it; only the way that made it looks inside
BATCH_ROWS: Final = 8192  # asserted: 16 MB with their vectors; more fragments are slower to search
EVERYTHING: Final = 2**31 - 1  # LanceDB gives ten rows unless told otherwise
# What an open table may keep in memory. LanceDB's own bounds are 6 GB and 1 GB, and it never lets go of what
# it knows of a version that is over: a process that merged 400 rows into 1,000, one by one, went from 121 MB
# to 271, and with these bounds to 176.
CELLS_BYTES: Final = 512 << 20  # asserted: the vectors of a million memories as bytes, in their cells
VERSIONS_BYTES: Final = 16 << 20  # asserted: what is known of some hundred versions


class Kind(StrEnum):
    """Kinds of index on a column."""

    VALUES = "bitmap"
    LABELS = "label list"
    VECTORS = "ivf sq"


@dataclass(frozen=True, slots=True)
class Query:
    """One reading of a table: a filter, the columns wanted, and perhaps a vector to be near to.

    `where` is text that memcli.index.filter made ("" for every row). With `near` [d] the rows
    come nearest first by cosine, `limit` at most; `exact` passes by the approximate index.
    """

    columns: Sequence[str]
    where: str = ""
    limit: int = EVERYTHING
    near: "pa.Array | None" = None
    exact: bool = True
    rowid: bool = False


@dataclass(frozen=True, slots=True)
class Merge:
    """Rows that replace those with equal `on`; of the rows that `gone` holds for, the rest goes."""

    batch: "pa.RecordBatch"
    on: Sequence[str]
    gone: str = ""


class Way(Protocol):
    """One way to LanceDB. A table is opaque to the caller; every call may raise anything."""

    async def open(self, folder: str, name: str) -> Handle:
        """The table `name` in `folder`, as it stands now; later versions only after `latest`."""

    async def create(self, folder: str, name: str, layout: "pa.Schema") -> Handle:
        """An empty table."""

    async def append(self, table: Handle, batch: "pa.RecordBatch") -> None:
        """Add rows that are known to be new."""

    async def merge(self, table: Handle, merge: Merge) -> None:
        """Add or replace rows in one version of the table."""

    async def delete(self, table: Handle, where: str) -> None:
        """Remove the rows that `where` holds for."""

    async def search(self, table: Handle, query: Query) -> "pa.Table":
        """The rows that `query` asks for."""

    async def batches(self, table: Handle, query: Query) -> AsyncIterator["pa.RecordBatch"]:
        """As `search`, some thousands of rows at a time."""

    async def take(self, table: Handle, rowids: list[int], columns: Sequence[str]) -> "pa.Table":
        """Rows by the ids that a search of the same version gave."""

    async def count(self, table: Handle, where: str) -> int:
        """How many rows `where` holds for."""

    async def latest(self, table: Handle) -> int:
        """Bring the table to its newest version; the number of that."""

    async def index(self, table: Handle, column: str, kind: Kind) -> None:
        """Build the index of `column` anew."""
