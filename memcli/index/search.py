"""Reading the index: words, nearness, and whole rows, each within what the viewer may see.

Every filter acts before any cut to a number of rows, and nothing that LanceDB scores is
handed on: words are counted here and cosines are computed by memcli.memory.pool, because
LanceDB's own figures depend on how a table came to be. A call to it costs a millisecond or
more: a small set of rows is read whole, once, and a large one is asked each question by one
call, or by two at the same time.
"""

from collections import Counter, deque
from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import pyarrow as pa

from memcli.index import arrow, rest
from memcli.index import filter as sql
from memcli.index.arrow import matrix, numbers
from memcli.index.candidates import WORDS, candidates, occurrences
from memcli.index.lance import Table
from memcli.index.port import DISTANCE, ROWID, Query
from memcli.index.view import nearest
from memcli.index.views import VIEWS, Views, Written, columns_of
from memcli.memory import confidence
from memcli.memory.confidence import Retracted
from memcli.memory.pool import Candidate, Near, WordHits
from memcli.memory.schema import Status
from memcli.memory.visibility import Verdict, Viewer, verdict

# Up to so many visible rows a vector search looks at each of them; beyond, at the cells of IVF_SQ nearest to
# the query. Measured at 100,000 rows: 180 ms against 10, the best 200 equal but for a few at their end.
EXACT_ROWS: Final = 50_000
APART: Final = 1e-6  # LanceDB orders by a float32 distance: cosines nearer to each other may stand either way
SPARE: Final = 32  # asserted: rows fetched beyond a limit, so that equal distances at its edge are all there


_SHOWN_OR_UNSEEN: Final = (Verdict.ADMITTED, Verdict.INVISIBLE)
Made = TypeVar("Made")


class Reading:
    """One version of the table, as it is asked for an answer; of rows `within` a condition alone.

    It remembers where the rows that it named stand, so that taking them whole is no second
    search. Raises Damaged where the table cannot be read.
    """

    def __init__(self, table: Table, *, embedded: bool, within: str = "") -> None:
        self._table = table
        self._within = within
        self._embedded = embedded
        self._seen: deque[pa.Table] = deque(maxlen=VIEWS)
        self._views = Views(table, embedded=embedded)
        self._version = 0  # not known yet
        self._retracted: tuple[Retracted, ...] | None = None
        self._made: dict[Hashable, Any] = {}

    def at(self, position: int) -> "Reading":
        """The same version of the table, of what the record held at `position` alone."""
        return Reading(self._table, embedded=self._embedded, within=sql.where_known(position))

    def refresh(self) -> None:
        """Go on with the newest version of the table."""
        version = self._table.refresh()
        if version != self._version:
            self._version = version
            self._retracted = None
            self._forget()

    def wrote(self, written: Written) -> None:
        """Go on with the newest version, which differs from the one before in what was `written` alone."""
        version = self._table.refresh()
        self._seen.clear()
        self._made.clear()
        self._retracted = None
        if written.before == self._version:
            self._views.wrote(written)
        else:
            self._views.forget()
        self._version = version

    def copied(self, table: Table, version: int) -> "Reading":
        """The same of `table`, a copy of this one as it stood in `version`."""
        copy = Reading(table, embedded=self._embedded, within=self._within)
        if version == self._version:
            copy.go_on(self._views)
        return copy

    def go_on(self, views: Views) -> None:
        """Go on with what is held in memory of a table with the same rows as this one's newest version."""
        self._views = views.of(self._table)
        self._version = self._table.refresh()

    def _forget(self) -> None:
        self._made.clear()
        self._seen.clear()
        self._views.forget()

    def once(self, viewer: Viewer, key: Hashable, make: Callable[[Viewer], Made]) -> Made:
        """What `make` gives for `viewer`, made once for all moments between which nothing begins or ends."""
        viewer = self._settled(viewer)
        if (viewer, key) not in self._made:
            if len(self._made) >= VIEWS:
                self._made.clear()
            self._made[viewer, key] = make(viewer)
        made: Made = self._made[viewer, key]
        return made

    def words(self, viewer: Viewer, stems: Sequence[str]) -> WordHits:
        """All visible rows that hold one of `stems`, and the statistics of the visible rows."""
        asked = tuple(dict.fromkeys(stems))
        condition = self._where(self._settled(viewer))
        view = self._views.asked(condition)
        return self._searched(condition, asked) if view is None else view.words(asked)

    def _where(self, viewer: Viewer) -> str:
        condition = sql.both(sql.where(viewer), self._within)
        if not self._within:
            self._views.means(condition, lambda row: verdict(viewer, row) is Verdict.ADMITTED)
        return condition

    def _searched(self, condition: str, asked: tuple[str, ...]) -> WordHits:
        visible = sql.both(condition, sql.CLAIM)
        hit = sql.both(visible, sql.where_any_stem(asked))
        lengths, found = self._table.searches(
            [Query(("length",), visible), Query(("path", "pieces", "length", *WORDS), hit, rowid=True)],
        )
        self._seen.append(found)
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

    def nearest_for(self, viewer: Viewer, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
        """As `nearest`, among the schemas that `viewer` gets."""
        return self.nearest(self._where(self._settled(viewer)), vector, limit)

    def nearest(self, condition: str, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
        """The `limit` schemas nearest to the unit `vector` among those of `condition`, nearest first.

        A schema counts once, by its nearest piece; equally near ones stand by path.
        """
        if not self._embedded or limit <= 0:
            return ()
        view = self._views.of_rows(condition)
        return self._nearest(condition, vector, limit) if view is None else view.nearest(vector, limit)

    def _nearest(self, condition: str, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
        exact = self._views.many(condition) <= EXACT_ROWS
        near, asked = arrow.vector(vector), limit + SPARE
        while True:
            found = self._table.search(_near(condition, near, asked, exact=exact))
            best = nearest(found.column("path").to_pylist(), matrix(found.column("vector")), vector)
            if found.num_rows < asked or _settled(best, limit):
                self._seen.append(found)
                return best[:limit]
            asked *= 4

    def take(self, paths: Iterable[str], stems: Sequence[str], *, vectors: bool) -> tuple[Candidate, ...]:
        """The schemas of these files, by path, those that are not there left out."""
        wanted = set(paths)
        made: tuple[Candidate, ...] = ()
        for step in (self._viewed, self._placed, self._sought):
            if wanted:
                made += step(wanted, stems, vectors=vectors and self._embedded)
                wanted -= {one.path for one in made}
        return tuple(sorted(made, key=_path))

    def _settled(self, viewer: Viewer) -> Viewer:
        return self._views.settled(viewer)

    def _viewed(self, wanted: set[str], stems: Sequence[str], *, vectors: bool) -> tuple[Candidate, ...]:
        made: tuple[Candidate, ...] = ()
        for view in self._views.all():
            made += view.take(wanted - {one.path for one in made}, stems, vectors=vectors)
        return made

    def _placed(self, wanted: set[str], stems: Sequence[str], *, vectors: bool) -> tuple[Candidate, ...]:
        places = {place for found in self._seen for place in _places(found, wanted)}
        if not places:
            return ()
        found = self._table.take(sorted(places), columns_of(stems, vectors=vectors))
        return tuple(one for one in candidates(found, stems) if one.path in wanted)

    def _sought(self, wanted: set[str], stems: Sequence[str], *, vectors: bool) -> tuple[Candidate, ...]:
        return self.rows(sql.among("path", wanted), stems, vectors=vectors)

    def rows(
        self, condition: str, stems: Sequence[str] = (), *, vectors: bool = False
    ) -> tuple[Candidate, ...]:
        """The schemas that `condition` admits, by path."""
        pieces = vectors and self._embedded
        condition = sql.both(condition, self._within)
        condition = condition if pieces else sql.both(condition, sql.CLAIM)
        found = self._table.search(Query(columns_of(stems, vectors=pieces), condition))
        return tuple(sorted(candidates(found, stems), key=_path))

    def held(
        self,
        viewer: Viewer,
        stems: Sequence[str],
        vector: "np.ndarray | None",
        limit: int,
    ) -> tuple[Candidate, ...]:
        """The rows in reach that are withheld, but hold a stem or are among the `limit` nearest of them."""
        condition = self._where_held(self._settled(viewer))
        view, asked = self._views.asked(condition), tuple(dict.fromkeys(stems))
        if view is None:
            hit = sql.both(condition, sql.CLAIM, sql.where_any_stem(asked))
            found = set(self._table.search(Query(("path",), hit)).column("path").to_pylist())
        else:
            found = set(view.words(asked).paths)
        if vector is not None:
            found |= {near.path for near in self.nearest(condition, vector, limit)}
        return self.take(found, stems, vectors=True)

    def _where_held(self, viewer: Viewer) -> str:
        condition = sql.both(sql.where_held(viewer), self._within)
        if not self._within:
            self._views.means(condition, lambda row: verdict(viewer, row) not in _SHOWN_OR_UNSEEN)
        return condition

    def retractions(self) -> tuple[Retracted, ...]:
        """What retracted schemas say of their retraction, by id; read once a version."""
        if self._retracted is None:
            names = ("id", "scope", "stated", "rest")
            found = zip(*self.columns(names, sql.where_status([Status.RETRACTED])), strict=True)
            told = [(one, rest.retraction(text)) for *one, text in found]
            self._retracted = confidence.of_rows((*one, said) for one, said in told if said is not None)
        return self._retracted

    def columns(self, names: Sequence[str], condition: str) -> list[list[Any]]:
        """These columns of the schemas that `condition` admits, each a list, in no order."""
        found = self._table.search(Query(names, sql.both(condition, self._within, sql.CLAIM)))
        return [found.column(name).to_pylist() for name in names]

    def vectors(self, condition: str) -> tuple[list[str], np.ndarray]:
        """The schemas that `condition` admits: their paths, and their claims' vectors float32 [n, d]."""
        found = self._table.search(Query(("path", "vector"), sql.both(condition, sql.CLAIM)))
        return found.column("path").to_pylist(), matrix(found.column("vector"))

    def holds(self, viewer: Viewer) -> bool:
        """Whether the rows that `viewer` gets are held in memory."""
        return self._views.of_rows(self._where(self._settled(viewer))) is not None

    def pieces(self) -> int:
        """Rows in all, further pieces included."""
        return self._table.count()

    def count(self, condition: str) -> int:
        """How many rows the condition admits."""
        return self._table.count(condition)

    def twice(self, names: Sequence[str]) -> list[str]:
        """Read every column `names` of every row, and say which rows are there more than once."""
        found = self._table.search(Query(names))
        places = zip(found.column("path").to_pylist(), numbers(found.column("piece")).tolist(), strict=True)
        return [f"{path}: {count} times" for (path, _), count in sorted(Counter(places).items()) if count > 1]


def _places(found: pa.Table, wanted: Container[str]) -> list[int]:
    """Where the rows of the paths `wanted` stand, of schemas that are one row; others are sought by path."""
    rows = [row for row, path in enumerate(found.column("path").to_pylist()) if path in wanted]
    alone = numbers(found.column("pieces"))[rows] == 1
    places: list[int] = numbers(found.column(ROWID))[rows][alone].tolist()
    return places


def _near(condition: str, near: pa.Array, limit: int, *, exact: bool) -> Query:
    return Query(("path", "pieces", "vector", DISTANCE), condition, limit, near, exact=exact, rowid=True)


def _settled(best: Sequence[Near], limit: int) -> bool:
    """Whether what was not fetched is farther than the last that counts."""
    return len(best) > limit and best[-1].cosine < best[limit - 1].cosine - APART


def _path(one: Candidate) -> str:
    return one.path
