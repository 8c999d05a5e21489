"""LanceDB through its public interface: the slow way in, for when the private one does not work.

It must give what memcli.index.native gives; tests/index/test_native.py holds them equal.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pyarrow as pa

from memcli.index.port import BATCH_ROWS, CELLS_BYTES, VERSIONS_BYTES, Handle, Kind, Merge, Query


class Public:
    """The documented calls of lancedb."""

    def __init__(self) -> None:
        import lancedb  # a second and more: only where it is needed
        from lancedb import index

        self._lancedb: Any = lancedb
        self._indexes: dict[Kind, Callable[[], Any]] = {
            Kind.VALUES: index.Bitmap,
            Kind.LABELS: index.LabelList,
            Kind.VECTORS: lambda: index.IvfSq(distance_type="cosine"),
        }

    async def open(self, folder: str, name: str) -> Handle:
        """As `Way.open`."""
        return await (await self._connect(folder)).open_table(name)

    async def create(self, folder: str, name: str, layout: pa.Schema) -> Handle:
        """As `Way.create`."""
        return await (await self._connect(folder)).create_table(name, schema=layout, mode="overwrite")

    async def _connect(self, folder: str) -> Handle:
        kept = self._lancedb.Session(CELLS_BYTES, VERSIONS_BYTES)
        return await self._lancedb.connect_async(folder, session=kept)

    async def append(self, table: Handle, batch: pa.RecordBatch) -> None:
        """As `Way.append`."""
        await table.add(batch)

    async def merge(self, table: Handle, merge: Merge) -> None:
        """As `Way.merge`."""
        steps = table.merge_insert(list(merge.on)).when_matched_update_all().when_not_matched_insert_all()
        if merge.gone:
            steps = steps.when_not_matched_by_source_delete(merge.gone)
        await steps.execute(merge.batch)

    async def delete(self, table: Handle, where: str) -> None:
        """As `Way.delete`."""
        await table.delete(where)

    async def search(self, table: Handle, query: Query) -> pa.Table:
        """As `Way.search`."""
        return await _asked(table, query).to_arrow()

    async def batches(self, table: Handle, query: Query) -> AsyncIterator[pa.RecordBatch]:
        """As `Way.batches`."""
        stream: AsyncIterator[pa.RecordBatch] = await _asked(table, query).to_batches(
            max_batch_length=BATCH_ROWS
        )
        return stream

    async def take(self, table: Handle, rowids: list[int], columns: Sequence[str]) -> pa.Table:
        """As `Way.take`."""
        return await table.take_row_ids(rowids).select(list(columns)).to_arrow()

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
        await table.create_index(column, config=self._indexes[kind](), replace=True)


def _asked(table: Handle, query: Query) -> Handle:
    asked = table.query()
    if query.near is not None:
        asked = asked.nearest_to(query.near).distance_type("cosine")
        if query.exact:
            asked = asked.bypass_vector_index()
    if query.where:
        asked = asked.where(query.where)
    if query.rowid:
        asked = asked.with_row_id()
    return asked.limit(query.limit).select(list(query.columns))
