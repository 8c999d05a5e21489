"""LanceDB without its front door: its compiled module, entered through a stub of its package.

`import lancedb` takes more than a second, most of it for a client of a server that we never
talk to; the compiled module alone is there in milliseconds. It is private: the version is
pinned, only this module knows its calls, and memcli.index.lance tries whatever fails here
again through the public interface (memcli.index.public).
"""

import importlib
import importlib.util
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import pyarrow as pa

from memcli.index.port import BATCH_ROWS, CELLS_BYTES, VERSIONS_BYTES, Handle, Kind, Merge, Query

PACKAGE: Final = "lancedb"
MODULE: Final = "lancedb._lancedb"


def load() -> ModuleType:
    """The compiled module, without running its package. Raises ImportError."""
    os.environ.setdefault("LANCEDB_LOG", "error")  # else its warnings reach the user's terminal
    _somewhere_to_spill()
    if MODULE in sys.modules:
        return sys.modules[MODULE]
    if PACKAGE in sys.modules:
        return importlib.import_module(MODULE)
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ImportError("lancedb is not installed")
    stub = ModuleType(PACKAGE)
    stub.__path__ = list(found.submodule_search_locations)
    sys.modules[PACKAGE] = stub
    try:
        return importlib.import_module(MODULE)
    finally:
        del sys.modules[PACKAGE]  # whoever imports lancedb later gets the real one


def _somewhere_to_spill() -> None:
    """A merge of LanceDB's fails where TMPDIR names no folder; Python's own choice is one that is there."""
    named = os.environ.get("TMPDIR")
    if named and not os.path.isdir(named):  # noqa: PTH112 - pathlib would cost more than the question
        import tempfile

        with suppress(OSError):  # there is none at all: LanceDB says so itself
            os.environ["TMPDIR"] = tempfile.gettempdir()


class Native:
    """The private calls, as lancedb 0.40 takes them."""

    def __init__(self) -> None:
        self._module: Any = load()

    async def open(self, folder: str, name: str) -> Handle:
        """As `Way.open`."""
        return await (await self._connect(folder)).open_table(name)

    async def create(self, folder: str, name: str, layout: pa.Schema) -> Handle:
        """As `Way.create`."""
        return await (await self._connect(folder)).create_empty_table(name, "overwrite", layout)

    async def _connect(self, folder: str) -> Handle:
        # One for each: a table that is made anew counts its versions from one again.
        kept = self._module.Session(CELLS_BYTES, VERSIONS_BYTES)
        return await self._module.connect(folder, None, None, None, None, None, None, None, kept)

    async def append(self, table: Handle, batch: pa.RecordBatch) -> None:
        """As `Way.append`."""
        await table.add(_Rows(batch.schema, batch.num_rows, batch), "append")

    async def merge(self, table: Handle, merge: Merge) -> None:
        """As `Way.merge`."""
        reader = pa.RecordBatchReader.from_batches(merge.batch.schema, [merge.batch])
        await table.execute_merge_insert(reader, _merge_options(merge))

    async def delete(self, table: Handle, where: str) -> None:
        """As `Way.delete`."""
        await table.delete(where)

    async def search(self, table: Handle, query: Query) -> pa.Table:
        """As `Way.search`."""
        return await _collected(await _asked(table, query).execute(None, None))

    async def batches(self, table: Handle, query: Query) -> AsyncIterator[pa.RecordBatch]:
        """As `Way.batches`."""
        stream: AsyncIterator[pa.RecordBatch] = await _asked(table, query).execute(BATCH_ROWS, None)
        return stream

    async def take(self, table: Handle, rowids: list[int], columns: Sequence[str]) -> pa.Table:
        """As `Way.take`."""
        asked = table.take_row_ids(rowids)
        asked.select([(column, column) for column in columns])
        return await _collected(await asked.execute())

    async def count(self, table: Handle, where: str) -> int:
        """As `Way.count`."""
        counted: int = await table.count_rows(where or None)
        return counted

    async def latest(self, table: Handle) -> int:
        """As `Way.latest`."""
        await table.checkout_latest()
        version: int = await table.version()
        return version

    async def index(self, table: Handle, column: str, kind: Kind) -> None:
        """As `Way.index`."""
        await table.create_index(column, _INDEXES[kind](), True, None, name=None, train=True)


def _asked(table: Handle, query: Query) -> Handle:
    asked = table.query()
    if query.near is not None:
        asked = asked.nearest_to(query.near)
        asked.distance_type("cosine")
        if query.exact:
            asked.bypass_vector_index()
    if query.where:
        asked.where(query.where)
    if query.rowid:
        asked.with_row_id()
    asked.limit(query.limit)
    asked.select([(column, column) for column in query.columns])
    return asked


async def _collected(stream: Handle) -> pa.Table:
    batches: AsyncIterator[pa.RecordBatch] = stream
    return pa.Table.from_batches([batch async for batch in batches], schema=stream.schema)


def _merge_options(merge: Merge) -> dict[str, Any]:
    return {
        "on": list(merge.on),
        "when_matched_update_all": True,
        "when_matched_update_all_condition": None,
        "when_not_matched_insert_all": True,
        "when_not_matched_by_source_delete": bool(merge.gone),
        "when_not_matched_by_source_condition": merge.gone or None,
        "when_not_matched_by_source_condition_expr": None,
        "timeout": None,
        "use_index": True,
        "use_lsm": None,
        "validate_single_shard": None,
    }


@dataclass(frozen=True, slots=True)
class _Rows:
    """What `add` wants to be given: rows that may be read more than once."""

    schema: pa.Schema
    num_rows: int
    batch: pa.RecordBatch
    rescannable: bool = True

    def reader(self) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(self.schema, [self.batch])


# The compiled module tells an index by the name of the class that describes it.
class Bitmap:
    """An index of few distinct values."""


class LabelList:
    """An index of lists of words."""


class IvfSq:
    """Vectors in cells, a byte a dimension; the public defaults but for the distance."""

    distance_type = "cosine"
    num_partitions = None
    max_iterations = 50
    sample_rate = 256
    target_partition_size = None


_INDEXES: Final = {Kind.VALUES: Bitmap, Kind.LABELS: LabelList, Kind.VECTORS: IvfSq}
