"""The store as it stands, which decides what of its past may be told.

What is forgotten now is told of no time: neither where it stood then, nor where another
memory once said the same. So whoever looks back looks at the present first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from memcli.engine import arrivals, counting, filing, removals, standing
from memcli.engine.opened import Opened
from memcli.engine.recorded import gone
from memcli.engine.recorded.gone import Taken
from memcli.engine.removals import Removals
from memcli.engine.standing import Confirmed
from memcli.engine.task import belonging
from memcli.memory.difference import Difference, State, What
from memcli.memory.schema import Schema, Status
from memcli.memory.scope import Scope
from memcli.store import tombstones
from memcli.surroundings import Kind

if TYPE_CHECKING:
    from memcli.index.rows import IndexRow


FORGOTTEN: Final = "(forgotten)"  # what stands in the place of a text that must not be told

_WORDLESS: Final = ("status", "validity.from", "validity.to")  # keys that hold none of its words


@dataclass(frozen=True, slots=True)
class Veil:
    """What must not be told: `ids` that are forgotten, and (id, claim) that say again what was."""

    ids: frozenset[str]
    claims: frozenset[tuple[str, str]]

    def covers(self, schema: Schema) -> bool:
        """Whether the text of `schema` stays untold."""
        return schema.id in self.ids or (schema.id, schema.claim) in self.claims

    def told(self, one: Difference) -> Difference:
        """The difference as it may be told: a state that is covered keeps no word of what it said."""
        states = [None if state is None else self._told(state) for state in (one.before, one.after)]
        if states == [one.before, one.after]:
            return one
        return replace(
            one,
            before=states[0],
            after=states[1],
            keys=tuple(key for key in one.keys if key.name in _WORDLESS),
        )

    def _told(self, state: State) -> State:
        if not self.covers(state.schema):
            return state
        bare = Schema(
            state.schema.id, state.schema.scope, FORGOTTEN, type=state.schema.type, status=state.status
        )
        return State(bare, "", state.status)


@dataclass(frozen=True)
class Present:
    """Every memory with the status that counts, for one who asks from `scopes` (None: all).

    `person` may be told that there is something forgotten, though not what it said.
    """

    opened: Opened
    scopes: tuple[Scope, ...] | None
    person: bool
    confirmed: Confirmed
    counted: "tuple[IndexRow, ...]"

    @cached_property
    def removed(self) -> Removals:
        """The claims that were taken out."""
        return removals.all_of(self.opened, self.counted, self.confirmed)

    @cached_property
    def rows(self) -> "tuple[IndexRow, ...]":
        """The memories, with those withheld that say again what was removed."""
        return self.judged(self.counted)

    def judged(self, rows: "Sequence[IndexRow]") -> "tuple[IndexRow, ...]":
        """Some of `counted`, with those withheld that say again what was removed."""
        if not self.removed.found or not rows:
            return tuple(rows)
        vectors = filing.vectors(self.opened, rows)
        return tuple(arrivals.withheld(self.opened, rows, vectors, self.removed, self.confirmed))

    @cached_property
    def forgotten(self) -> Taken:
        """What of it is forgotten."""
        return gone.of(self.removed, self.confirmed)

    def sees(self, schema: Schema) -> bool:
        """Whether it lies where the one who asks may look."""
        return self.scopes is None or schema.scope in self.scopes

    def in_view(self, one: Difference) -> Difference | None:
        """The difference as far as the one who asks may look: what came from elsewhere was added here."""
        before = one.before if one.before and self.sees(one.before.schema) else None
        after = one.after if one.after and self.sees(one.after.schema) else None
        if before is None and after is None:
            return None
        if (before is None, after is None) == (one.before is None, one.after is None):
            return one
        return Difference(What.ADDED if before is None else What.MOVED, before, after)

    def veil(self, states: Iterable[State]) -> Veil:
        """What of `states` must not be told. What recall would show as it reads today may be told."""
        ids = gone.ids(self.forgotten)
        if not self.forgotten.removals.found:
            return Veil(ids, frozenset())
        today = {(row.schema.id, row.schema.claim): row for row in self.counted}
        asked = {(one.schema.id, one.schema.claim): one for one in states}
        rows = [today.get(key) or _as_row(one) for key, one in asked.items()]
        nothing = Taken(Removals(()), self.confirmed)
        judged = gone.judged(self.opened, rows, nothing, self.forgotten)
        return Veil(ids, frozenset((row.schema.id, row.schema.claim) for row in judged if self.hides(row)))

    def hides(self, row: "IndexRow") -> bool:
        """Whether a row that was judged is, or says again, what is forgotten."""
        if row.effective is Status.FORGOTTEN:
            return True
        return str(self.scopes[0]) in row.hidden_in if self.scopes else bool(row.hidden_in)


def _as_row(one: State) -> "IndexRow":
    """A state as the guard judges it: as if it counted, whatever its status was."""
    from memcli.index.rows import IndexRow

    return IndexRow(one.schema, one.path, "", Status.ACTIVE)


def look(opened: Opened, *, every: bool = False) -> Present:
    """The store as it stands. Raises Refused for an agent whose session works in another scope."""
    belonging.refuse_other_scope(opened, opened.scope, reading=True)
    known = standing.current(opened)
    confirmed = replace(known, dirty=counting.dirty(opened, known))
    rows = tuple(counting.rows_of(opened, filing.every(opened), confirmed))
    scopes = None if every else opened.scope.seen
    return Present(opened, scopes, opened.actor.kind is Kind.HUMAN, confirmed, rows)


def veil_over(opened: Opened, states: Iterable[State]) -> Veil:
    """What of `states` must not be told, at little cost where nothing is forgotten anywhere."""
    if not standing.current(opened).forgotten and not tombstones.load(opened.place).tombstones:
        return Veil(frozenset(), frozenset())
    return look(opened, every=True).veil(states)
