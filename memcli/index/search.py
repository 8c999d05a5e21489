"""Reading the index: words, nearness, and whole rows, each within what the viewer may see.

Every filter acts before any cut to a number of rows, and nothing that LanceDB scores is
handed on: words are counted here and cosines are computed by memcli.memory.pool, because
LanceDB's own figures depend on how a table came to be. A call to it costs a millisecond or
more, so each question here is one call, or two made at the same time.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from memcli.index import arrow
from memcli.index import filter as sql
from memcli.index.arrow import matrix, numbers
from memcli.index.candidates import READ, WORDS, candidates, occurrences
from memcli.index.lance import Table
from memcli.index.port import DISTANCE, ROWID, Query
from memcli.memory.pool import Candidate, Near, WordHits
from memcli.memory.visibility import Viewer

# Up to so many visible rows a vector search looks at each of them; beyond, at the cells of IVF_SQ nearest to
# the query. Measured at 100,000 rows: 180 ms against 10, the best 200 equal but for a few at their end.
EXACT_ROWS: Final = 50_000
SPARE: Final = 32  # asserted: rows fetched beyond a limit, so that equal distances at its edge are all there


class Reading:
    """One version of the table, as it is asked for an answer.

    It remembers where the rows that it named stand, so that taking them whole is no second
    search. Raises Damaged where the table cannot be read.
    """

    def __init__(self, table: Table, *, embedded: bool) -> None:
        self._table = table
        self._embedded = embedded
        self._places: dict[str, int] = {}

    def refresh(self) -> None:
        """Go on with the newest version of the table."""
        self._places.clear()
        self._table.refresh()

    def words(self, viewer: Viewer, stems: Sequence[str]) -> WordHits:
        """All visible rows that hold one of `stems`, and the statistics of the visible rows."""
        asked = tuple(dict.fromkeys(stems))
        visible = sql.both(sql.where(viewer), sql.CLAIM)
        hit = sql.both(visible, sql.where_any_stem(asked))
        lengths, found = self._table.searches(
            [Query(("length",), visible), Query(("path", "pieces", "length", *WORDS), hit, rowid=True)],
        )
        self._remember(found)
        counts = occurrences(found, asked)
        return WordHits(
            paths=found.column("path").to_pylist(),
            stems=asked,
            counts=counts,
            lengths=numbers(found.column("length")),
            document_counts=(counts > 0).sum(axis=0, dtype=np.int64),
            visible=lengths.num_rows,
            total_length=int(numbers(lengths.column("length")).sum(dtype=np.int64)),
        )

    def nearest(self, condition: str, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
        """The `limit` schemas nearest to the unit `vector` among those of `condition`, nearest first.

        A schema counts once, by its nearest piece; equally near ones stand by path.
        """
        if not self._embedded or limit <= 0:
            return ()
        near = arrow.vector(vector)
        exact = self._table.count() <= EXACT_ROWS or self._table.count(condition) <= EXACT_ROWS
        asked = limit + SPARE
        while True:
            found = self._table.search(_near(condition, near, asked, exact=exact))
            best = _best(found)
            if found.num_rows < asked or _settled(best, limit):
                self._remember(found)
                return best[:limit]
            asked *= 4

    def take(self, paths: Iterable[str], stems: Sequence[str], *, vectors: bool) -> tuple[Candidate, ...]:
        """The schemas of these files, by path, those that are not there left out."""
        wanted = set(paths)
        known = {path: self._places[path] for path in wanted if path in self._places}
        made = self._placed(known, stems, vectors=vectors)
        rest = wanted - {one.path for one in made}
        if rest:
            made += self.rows(sql.among("path", rest), stems, vectors=vectors)
        return tuple(sorted(made, key=_path))

    def _placed(self, known: dict[str, int], stems: Sequence[str], *, vectors: bool) -> tuple[Candidate, ...]:
        if not known:
            return ()
        columns = _columns(stems, vectors=vectors and self._embedded)
        found = self._table.take(list(known.values()), columns)
        return tuple(one for one in candidates(found, stems) if one.path in known)

    def rows(
        self, condition: str, stems: Sequence[str] = (), *, vectors: bool = False
    ) -> tuple[Candidate, ...]:
        """The schemas that `condition` admits, by path."""
        pieces = vectors and self._embedded
        condition = condition if pieces else sql.both(condition, sql.CLAIM)
        found = self._table.search(Query(_columns(stems, vectors=pieces), condition))
        return tuple(sorted(candidates(found, stems), key=_path))

    def held(
        self,
        viewer: Viewer,
        stems: Sequence[str],
        vector: "np.ndarray | None",
        limit: int,
    ) -> tuple[Candidate, ...]:
        """The rows in reach that are withheld, but hold a stem or are among the `limit` nearest of them."""
        condition = sql.where_held(viewer)
        count = self._table.count(sql.both(condition, sql.CLAIM))
        if not count:
            return ()
        if count <= limit and vector is not None:  # then all of them are
            return self.rows(condition, stems, vectors=True)
        hit = self._table.search(Query(("path",), sql.both(condition, sql.where_any_stem(stems))))
        found = set(hit.column("path").to_pylist())
        if vector is not None:
            found |= {near.path for near in self.nearest(condition, vector, limit)}
        return self.take(found, stems, vectors=True)

    def columns(self, names: Sequence[str], condition: str) -> list[list[Any]]:
        """These columns of the schemas that `condition` admits, each a list, in no order."""
        found = self._table.search(Query(names, sql.both(condition, sql.CLAIM)))
        return [found.column(name).to_pylist() for name in names]

    def vectors(self, condition: str) -> tuple[list[str], np.ndarray]:
        """The schemas that `condition` admits: their paths, and their claims' vectors float32 [n, d]."""
        found = self._table.search(Query(("path", "vector"), sql.both(condition, sql.CLAIM)))
        return found.column("path").to_pylist(), matrix(found.column("vector"))

    def pieces(self) -> int:
        """Rows in all, further pieces included."""
        return self._table.count()

    def twice(self, names: Sequence[str]) -> list[str]:
        """Read every column `names` of every row, and say which rows are there more than once."""
        found = self._table.search(Query(names))
        places = zip(found.column("path").to_pylist(), numbers(found.column("piece")).tolist(), strict=True)
        return [f"{path}: {count} times" for (path, _), count in sorted(Counter(places).items()) if count > 1]

    def _remember(self, found: pa.Table) -> None:
        """Note the places of schemas that are one row; the others are looked up by path."""
        alone = numbers(found.column("pieces")) == 1
        paths, places = found.column("path").to_pylist(), numbers(found.column(ROWID)).tolist()
        self._places.update(
            (path, place) for path, place, one in zip(paths, places, alone.tolist(), strict=True) if one
        )


def _near(condition: str, near: pa.Array, limit: int, *, exact: bool) -> Query:
    return Query(("path", "pieces", DISTANCE), condition, limit, near, exact=exact, rowid=True)


def _best(found: pa.Table) -> tuple[Near, ...]:
    """Each schema once, nearest first, by cosines on which every build of a table agrees."""
    cosines = (1.0 - np.nan_to_num(numbers(found.column(DISTANCE)).astype(np.float64), nan=1.0)).round(6)
    best: dict[str, float] = {}
    for path, cosine in zip(found.column("path").to_pylist(), cosines.tolist(), strict=True):
        best[path] = max(cosine, best.get(path, cosine))
    return tuple(
        Near(path, cosine) for path, cosine in sorted(best.items(), key=lambda one: (-one[1], one[0]))
    )


def _settled(best: Sequence[Near], limit: int) -> bool:
    """Whether what was not fetched is farther than the last that counts."""
    return len(best) > limit and best[-1].cosine < best[limit - 1].cosine


def _columns(stems: Sequence[str], *, vectors: bool) -> tuple[str, ...]:
    words = WORDS if stems else ()
    return (*READ, *words, *(("vector",) if vectors else ()))


def _path(one: Candidate) -> str:
    return one.path
