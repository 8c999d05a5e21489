"""What ties memories together, as a retraction follows it: links, use, and events that both rest on.

Ties are followed both ways, and the strongest of several between two memories counts. Read
from the index where it can be used, else from the files: both give the same ties.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from memcli.engine import counting, filing
from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.memory import account, contamination
from memcli.memory.account import NOTHING, Account
from memcli.memory.constants import Constants
from memcli.memory.contamination import Around, Node
from memcli.memory.schema import Schema, Status

_COLUMNS: Final = ("id", "scope", "status", "tags", "rest")


class Ties:
    """The memories of a store that may be believed at some time, and what ties each to others."""

    def __init__(
        self, schemas: Sequence[Schema], accounts: Mapping[str, Account], as_of: int, rules: Constants
    ) -> None:
        self.nodes = {one.id: Node(one.id, one.scope, frozenset(one.tags)) for one in schemas}
        self._accounts = accounts
        self._as_of = as_of
        self._rules = rules
        self._links = _linked(schemas)
        self._events = {one.id: tuple(each.event for each in one.evidence) for one in schemas}
        self._resting: defaultdict[str, list[str]] = defaultdict(list)
        for one in schemas:
            for event in dict.fromkeys(self._events[one.id]):
                self._resting[event].append(one.id)
        self.around: Around = cache(self._around)

    def _around(self, id_: str) -> Mapping[str, float]:
        """The memories tied to this one, each by its strongest tie."""
        found: defaultdict[str, float] = defaultdict(float)
        for other, weight in self._ties(id_):
            found[other] = max(found[other], weight)
        found.pop(id_, None)
        return found

    def _ties(self, id_: str) -> Iterator[tuple[str, float]]:
        yield from self._links.get(id_, ())
        for event in self._events.get(id_, ()):
            yield from ((other, self._rules.retract_evidence) for other in self._resting[event])
        yield from self._together(id_)

    def _together(self, id_: str) -> Iterator[tuple[str, float]]:
        """What was shown with it, whichever came first; a bond of any strength stays below 1."""
        mine = self._accounts.get(id_, NOTHING)
        bonds = account.bonds(mine, self._as_of, self._rules)
        shown = {other for answer in mine.answers for other in answer.shown} - {id_}
        for other in sorted(shown):
            theirs = account.bonds(self._accounts.get(other, NOTHING), self._as_of, self._rules)
            strength = max(bonds.get(other, 0.0), theirs.get(id_, 0.0))
            yield other, strength / (1 + strength)


def _linked(schemas: Sequence[Schema]) -> Mapping[str, list[tuple[str, float]]]:
    found: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
    for one in schemas:
        for link in one.links:
            found[one.id].append((link.to, link.weight))
            found[link.to].append((one.id, link.weight))
    return found


def of(opened: Opened, view: View, also: Schema) -> Ties:
    """The ties of the whole store around `also`, the memory to be retracted, whatever its status."""
    found = every(opened, view)
    schemas = [one for one, status in found if status in contamination.REACHED or one.id == also.id]
    accounts: Mapping[str, Account] = {}
    if opened.place.events.is_dir():
        from memcli.engine.use import accounts as use

        accounts = use.load(opened)
    return Ties(schemas, accounts, opened.now, opened.settings.constants)


def every(opened: Opened, view: View) -> Iterator[tuple[Schema, Status]]:
    """Every memory with the status that counts; of those in the index without claim and window."""
    if view.index is None:
        yield from _filed(opened, view)
        return
    from memcli.index import rest
    from memcli.memory import scope

    for row in view.index.all_rows(_COLUMNS):
        told = dict(rest.unpack(row["rest"]))
        schema = Schema(row["id"], scope.parse(row["scope"]), "", tags=tuple(row["tags"]), **told)
        yield schema, Status(row["status"])


def _filed(opened: Opened, view: View) -> Iterator[tuple[Schema, Status]]:
    for filed in filing.every(opened):
        if filed.schema is None:
            continue
        held = filed.path in view.confirmed.withheld
        status = counting.effective(filed.schema.id, filed.schema.status, view.confirmed)
        yield filed.schema, Status.FORGOTTEN if held else status
