"""Rows of the index as the guard sees them: the claim read from its file, and what stands for it by now."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.errors import TryAgain
from memcli.memory.guard import Neighbour, Reach
from memcli.memory.pool import Candidate
from memcli.memory.schema import ArchiveReason, Schema, Status
from memcli.memory.scope import GLOBAL, USER, Scope
from memcli.store import atomic, event, format
from memcli.store.place import Place

if TYPE_CHECKING:
    from memcli.index.tables import Index

PAUSES_S: Final = (0.01, 0.03, 0.1)  # asserted: between two looks at a file that somebody is saving

DUPLICATE_OF: Final = "duplicate_of"  # the link from an archived duplicate to what it repeats


@dataclass
class RowsForGuard:
    """What one operation looks up for rows; each thing once."""

    opened: Opened
    view: View
    _named: dict[str, Candidate | None] = field(default_factory=dict)
    _times: dict[str, int] | None = None

    @property
    def index(self) -> "Index":
        """The index, which a writer's view always has."""
        if self.view.index is None:
            raise AssertionError("a writer's view always has an index")
        return self.view.index

    def neighbours(
        self, found: Sequence[Candidate], scope: Scope
    ) -> list[tuple[Candidate | None, Neighbour]]:
        """The rows with what the guard sees of them, those left out that are gone by now."""
        self._look_up(found)
        near = [(one, self._neighbour(one, scope)) for one in found]
        return [(one, neighbour) for one, neighbour in near if neighbour is not None]

    def _look_up(self, found: Sequence[Candidate]) -> None:
        """Fetch at once what stands behind each of `found`: a search for each would take seconds."""
        asked = {id_ for one in found for id_ in _behind(one.schema)} - self._named.keys()
        if asked:
            self._named |= dict.fromkeys(asked)
            self._named |= {one.schema.id: one for one in reversed(self.index.with_ids(asked))}

    def _neighbour(self, one: Candidate, scope: Scope) -> Neighbour | None:
        """The row as the guard sees it, its claim read from the file."""
        try:
            claim = format.claim_of(_at_rest(self.opened.place, one.path, one.digest))
        except TryAgain:
            return None
        schema = replace(one.schema, status=one.row.status, claim=claim)
        return Neighbour(
            schema,
            one.path,
            None,
            reach(scope, schema.scope),
            self._since(schema),
            order(schema),
            self._canonical(schema),
        )

    def _canonical(self, schema: Schema) -> str:
        """The live schema that an archived duplicate stands behind, if it names one."""
        found = [one for id_ in _repeated(schema) if (one := self._named.get(id_)) is not None]
        return next((one.schema.id for one in found if one.row.status is Status.ACTIVE), "")

    def _since(self, schema: Schema) -> int | None:
        """The moment that newer evidence must be later than."""
        if schema.status is Status.SUPERSEDED and schema.superseded_by:
            successor = self._named.get(schema.superseded_by)
            return None if successor is None else _latest(successor.schema)
        if schema.status is Status.STALE:
            return schema.validity.end
        removal = self.view.confirmed.removed.get(schema.id)
        return self._recorded(removal.commit) if schema.status is Status.RETRACTED and removal else None

    def _recorded(self, commit: str) -> int:
        """The record time of a commit; one pass through history tells those of all."""
        from memcli.journal import history

        journal = self.opened.journal
        if self._times is None:
            head = journal.head()
            self._times = history.record_times(journal, head) if head else {}
        known = self._times.get(commit)
        return history.record_time(journal, commit) if known is None else known


def _behind(schema: Schema) -> tuple[str, ...]:
    """The ids of what stands for it now: its successor, what it repeats."""
    return (*filter(None, (schema.superseded_by,)), *_repeated(schema))


def _repeated(schema: Schema) -> tuple[str, ...]:
    """The ids that an archived duplicate says it repeats."""
    if schema.archive_reason is not ArchiveReason.DUPLICATE:
        return ()
    return tuple(link.to for link in schema.links if link.rel == DUPLICATE_OF)


def _at_rest(place: Place, path: str, digest: str) -> bytes:
    """The bytes of a file; of one that is another than was indexed, once two looks at it agree.

    An editor that saves in place empties the file first, and a claim that is half there would be
    compared as if it were whole. Raises TryAgain where the file is gone.
    """
    raw = atomic.read(place, path)
    for pause_s in PAUSES_S:
        if format.digest(raw) == digest:
            break
        time.sleep(pause_s)
        before, raw = raw, atomic.read(place, path)
        if raw == before:
            break
    return raw


def reach(scope: Scope, other: Scope) -> Reach:
    """How a schema of `other` bears on a claim of `scope`."""
    if scope == other:
        return Reach.OWN
    return Reach.SEEN if other in (GLOBAL, USER) else Reach.NARROWER


def order(schema: Schema) -> int:
    """A number that grows with record time: the moment in the founding event's id, 0 for a file by hand."""
    return event.moment_of(schema.evidence[0].event) if schema.evidence else 0


def _latest(schema: Schema) -> int | None:
    moments = [event.moment_of(one.event) for one in schema.evidence]
    return max(moments) // 1000 if moments else None
