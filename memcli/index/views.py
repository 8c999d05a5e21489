"""What of a table's rows is held in memory, filter by filter, and kept in line with what is written.

Most scopes are small: their rows are read whole at the first question. Larger ones are read
at the second, since a process that asks once would not get its time back. What this process
writes is put into the views as it was written, judged by the rule that the filter stands
for; what others write makes all of them be read anew.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import pyarrow as pa

from memcli.index import filter as sql
from memcli.index.arrow import mask
from memcli.index.candidates import READ, WORDS, candidates
from memcli.index.lance import Table
from memcli.index.moments import Moments
from memcli.index.port import Query
from memcli.index.view import View
from memcli.memory.visibility import Row, Viewer

# Up to so many rows are read whole, once. Measured: the questions of a recall then take 6 ms instead of 25
# where 200 rows of 10,000 are visible, 40 instead of 52 where all are, and as long where 20,000 are.
FEW_ROWS: Final = 10_000
# Up to so many rows are read whole where they are asked about again; asserted: each takes 2 KB. What one
# question would gain does not pay for reading them.
MANY_ROWS: Final = 150_000
VIEWS: Final = 4  # answers kept in memory; asserted: what is visible and what is withheld, twice
FEW_CHANGED: Final = 64  # asserted: of more changed files the rows of a scope are read anew

_RULES: Final = 64  # asserted: of more conditions that were asked for the rules without a view go

Rule = Callable[[Row], bool]


@dataclass(frozen=True, slots=True)
class Written:
    """What one write left: the rows `found` stand for these paths, in the version after `before`."""

    before: int
    paths: frozenset[str]
    found: pa.Table


class Views:
    """The views of one version of the table; with vectors where it is `embedded`."""

    def __init__(self, table: Table, *, embedded: bool) -> None:
        self._table = table
        self._embedded = embedded
        self.forget()

    def forget(self) -> None:
        """Hold nothing any more: the table is another one."""
        self._many: dict[str, int] = {}
        self._views: dict[str, View] = {}
        self._rules: dict[str, Rule] = {}
        self._questions: Counter[str] = Counter()
        self._changed: list[Written] = []  # what the views do not have yet
        self._moments = Moments(self._table)

    def of(self, table: Table) -> Self:
        """All that is held, of `table`, which holds the same rows."""
        self._table = table
        self._moments = self._moments.of(table)
        return self

    def wrote(self, written: Written) -> None:
        """Mind what was written; it is put in when somebody asks."""
        self._changed.append(written)
        if sum(len(one.paths) for one in self._changed) > FEW_CHANGED:
            self.forget()

    def means(self, condition: str, rule: Rule) -> None:
        """`condition` admits the schemas of which `rule` is true."""
        if len(self._rules) > _RULES:
            self._rules = {known: one for known, one in self._rules.items() if known in self._views}
        self._rules.setdefault(condition, rule)

    def settled(self, viewer: Viewer) -> Viewer:
        """`viewer` at the earliest moment since which nothing has begun or ended to hold."""
        self._catch_up()
        return self._moments.settled(viewer)

    def many(self, condition: str) -> int:
        """How many rows the condition of a view, or of one that would be too large, admits."""
        return self._many[condition]

    def all(self) -> Collection[View]:
        """The views there are."""
        self._catch_up()
        return self._views.values()

    def asked(self, condition: str) -> View | None:
        """As `of_rows`, for a question of its own: rows that are asked about again are read whole."""
        self._questions[condition] += 1
        view = self.of_rows(condition)
        if view is None and self._questions[condition] > 1 and self._many[condition] <= MANY_ROWS:
            view = self._views[condition] = self._read(condition)
        return view

    def of_rows(self, condition: str) -> View | None:
        """All rows of `condition` in memory, or None where they are too many for that."""
        self._catch_up()
        if condition not in self._many:
            while len(self._many) >= VIEWS:
                oldest = next(iter(self._many))
                del self._many[oldest], self._questions[oldest]
                self._views.pop(oldest, None)
                self._rules.pop(oldest, None)
            self._look(condition)
        return self._views.get(condition)

    def _look(self, condition: str) -> None:
        """Count the rows of `condition`, and read them if they are few; a small table is not even counted."""
        whole = self._table.count()
        self._many[condition] = whole if whole <= FEW_ROWS else self._table.count(condition)
        if self._many[condition] <= FEW_ROWS:
            self._views[condition] = self._read(condition)

    def _read(self, condition: str) -> View:
        return View.of(self._table.search(Query(columns_of(WORDS, vectors=self._embedded), condition)))

    def _catch_up(self) -> None:
        """Bring the views to the rows that were written."""
        if not self._changed:
            return
        for written in self._changed:
            self._moments.add(written.found)
            seen = {one.path: one.row for one in candidates(written.found, ())}
            for condition in self._views.keys() & self._rules.keys():
                rows = _admitted(written.found, seen, self._rules[condition])
                self._views[condition] = self._views[condition].patched(written.paths, rows)
        self._search_for(frozenset().union(*(one.paths for one in self._changed)))
        self._many.update((condition, view.rows) for condition, view in self._views.items())
        self._changed.clear()

    def _search_for(self, paths: frozenset[str]) -> None:
        """Bring the views whose condition is known as SQL alone to the rows of these paths, by one call."""
        conditions = [condition for condition in self._views if condition not in self._rules]
        columns, here = columns_of(WORDS, vectors=self._embedded), sql.among("path", paths)
        asked = [Query(columns, sql.both(condition, here)) for condition in conditions]
        found = self._table.searches(asked) if asked else ()
        for condition, rows in zip(conditions, found, strict=True):
            self._views[condition] = self._views[condition].patched(paths, rows)


def columns_of(stems: Sequence[str], *, vectors: bool) -> tuple[str, ...]:
    """The columns that a candidate is made of; words where `stems` are asked for."""
    words = WORDS if stems else ()
    return (*READ, *words, *(("vector",) if vectors else ()))


def _admitted(found: pa.Table, seen: Mapping[str, Row], rule: Rule) -> pa.Table:
    """The rows of `found` whose schema the rule admits, further pieces included."""
    paths = {path for path, row in seen.items() if rule(row)}
    return found.filter(mask(np.array([path in paths for path in found.column("path").to_pylist()], bool)))
