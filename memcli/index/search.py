"""Reading the index: words, nearness, and whole rows, each within what the viewer may see.

Every filter acts before any cut to a number of rows, and nothing that LanceDB scores is
handed on: words are counted here, cosines computed by memcli.memory.pool, because
LanceDB's own figures depend on how a table came to be.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from memcli.index import filter as sql
from memcli.index import layout
from memcli.index.lance import Table
from memcli.index.port import DISTANCE, ROWID, Query
from memcli.memory.pool import Candidate, Near, WordHits
from memcli.memory.visibility import Viewer

_WORD_COLUMNS = ("path", "length", "stems", "counts")


def words(table: Table, viewer: Viewer, stems: Sequence[str]) -> WordHits:
    """All visible rows that hold one of `stems`, and the statistics of the visible rows."""
    asked = tuple(dict.fromkeys(stems))
    visible = sql.both(sql.where(viewer), sql.CLAIM)
    queries = [Query(("length",), visible)]
    if asked:
        queries.append(Query(_WORD_COLUMNS, sql.both(visible, sql.where_any_stem(asked))))
    lengths, *found = table.searches(queries)
    return _hits(found[0] if found else None, asked, numbers(lengths, "length"))


def _hits(found: pa.Table | None, asked: tuple[str, ...], visible: np.ndarray) -> WordHits:
    rows = found.num_rows if found is not None else 0
    counts = np.zeros((rows, len(asked)), np.int32)
    if found is not None and rows:
        _count(found, asked, counts)
    return WordHits(
        paths=found.column("path").to_pylist() if found is not None else [],
        stems=asked,
        counts=counts,
        lengths=numbers(found, "length") if found is not None else np.zeros(0, np.int32),
        document_counts=(counts > 0).sum(axis=0, dtype=np.int64),
        visible=len(visible),
        total_length=int(visible.sum(dtype=np.int64)),
    )


def _count(found: pa.Table, asked: tuple[str, ...], counts: np.ndarray) -> None:
    column = {stem: place for place, stem in enumerate(asked)}
    for row, (stems, often) in enumerate(
        zip(found.column("stems").to_pylist(), found.column("counts").to_pylist(), strict=True)
    ):
        for stem, count in zip(stems, often, strict=True):
            if stem in column:
                counts[row, column[stem]] = count


def nearest(table: Table, condition: str, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
    """The `limit` rows nearest to the unit `vector` among those that `condition` admits.

    A schema counts once, by its nearest piece.
    """
    asked = limit
    while True:
        near = pa.array(np.ascontiguousarray(vector, np.float32))
        found = table.search(Query(("path", DISTANCE), condition, asked, near))
        best = _best(found, limit)
        if len(best) == limit or found.num_rows < asked:
            return best
        asked *= 4


def _best(found: pa.Table, limit: int) -> tuple[Near, ...]:
    best: dict[str, float] = {}
    for path, distance in zip(
        found.column("path").to_pylist(), numbers(found, DISTANCE).tolist(), strict=True
    ):
        best.setdefault(path, 1.0 - distance)
    return tuple(Near(path, cosine) for path, cosine in list(best.items())[:limit])


def rows(
    table: Table,
    condition: str,
    stems: Iterable[str] = (),
    *,
    vectors: bool = False,
) -> tuple[Candidate, ...]:
    """The schemas that `condition` admits, by path."""
    columns = ["piece", *layout.KEYS, "stems", "counts", "length"]
    if vectors:
        columns.append("vector")
    else:
        condition = sql.both(condition, sql.CLAIM)
    found = table.search(Query(columns, condition)).sort_by([("path", "ascending"), ("piece", "ascending")])
    pieces = _vectors(found) if vectors else {}
    claims = found.filter(pa.array(numbers(found, "piece") == 0))
    return layout.candidates(claims.drop_columns(["vector"]) if vectors else claims, pieces, tuple(stems))


def _vectors(found: pa.Table) -> dict[str, np.ndarray]:
    if not found.num_rows:
        return {}
    column = found.column("vector").combine_chunks()
    matrix = column.flatten().to_numpy(zero_copy_only=False).reshape(found.num_rows, -1)
    paths = found.column("path").to_pylist()
    starts = [place for place, path in enumerate(paths) if place == 0 or path != paths[place - 1]]
    ends = [*starts[1:], len(paths)]
    return {paths[start]: matrix[start:end] for start, end in zip(starts, ends, strict=True)}


def numbers(found: pa.Table, column: str) -> np.ndarray:
    """A column of numbers as numpy gives it."""
    values: np.ndarray = found.column(column).to_numpy()
    return values
