"""Echoes: stretches of the record that say again what had been taken out, or what is forgotten now.

The guard judges what arrives by what is removed at that moment. Over a whole record that is
a question of overlaps: each pair of a live stretch and a removed claim is judged once, and
the row is withheld for as long as both stand. What is forgotten now overlaps with everything.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from memcli.engine import arrivals, filing, removals
from memcli.engine.beside import COUNTS
from memcli.engine.opened import Opened
from memcli.engine.recorded import blobs, gone, revisions
from memcli.engine.recorded.gone import Taken
from memcli.engine.recorded.revisions import Record, Stretch
from memcli.engine.removals import Removals, Removed
from memcli.engine.standing import LEAVES_A_TOMBSTONE, Confirmed
from memcli.index.rows import IndexRow
from memcli.memory import guard
from memcli.memory.schema import Status
from memcli.store import tombstones

if TYPE_CHECKING:
    import numpy as np

    from memcli.store.tombstones import Tombstone


@dataclass(frozen=True, slots=True)
class Spell:
    """How long a removed claim was removed, and by what the journal then said of it."""

    removed: Removed
    start: int
    end: int | None
    confirmed: Confirmed


@dataclass(frozen=True)
class Judge:
    """All removed claims of a record, with what is forgotten now, and rows judged by them."""

    opened: Opened
    spells: tuple[Spell, ...]
    never: frozenset[str]

    @cached_property
    def removals(self) -> Removals:
        """The claims of all spells, in their order."""
        return Removals(tuple(one.removed for one in self.spells))

    def rows(self, part: Sequence[Stretch], happened: Mapping[str, int | None]) -> Iterator[list[IndexRow]]:
        """For each stretch its rows: one, or several where it is withheld for a part of its time."""
        rows = [as_row(one, happened) for one in part]
        if not self.spells:
            yield from ([self._forgotten(row)] for row in rows)
            return
        removed = self.removals
        places = {id(one): spell for one, spell in zip(removed.found, self.spells, strict=True)}
        near = [
            removed.near(row, pieces) if self._judged(row) else []
            for row, pieces in zip(rows, self._vectors(rows), strict=True)
        ]
        compared = [row for row, found in zip(rows, near, strict=True) if found]
        removals.meanings(self.opened, [text for row in compared for text in guard.pieces(row.schema.claim)])
        for one, row, found in zip(part, rows, near, strict=True):
            if not self._judged(row):
                yield [self._forgotten(row)]
                continue
            spells = [places[id(each)] for each in found]
            meanwhile = [spell for spell in spells if one.overlaps(spell.start, spell.end)]
            yield _cut(row, [spell for spell in meanwhile if self._says(row, spell)])

    def _judged(self, row: IndexRow) -> bool:
        return row.effective in COUNTS and row.schema.id not in self.never

    def _vectors(self, rows: Sequence[IndexRow]) -> "list[np.ndarray | None]":
        return filing.vectors(self.opened, rows, workers=filing.WORKERS)

    def _says(self, row: IndexRow, spell: Spell) -> bool:
        return bool(arrivals.repeated(self.opened, as_filed(row), [spell.removed], spell.confirmed))

    def _forgotten(self, row: IndexRow) -> IndexRow:
        return replace(row, effective=Status.FORGOTTEN) if row.schema.id in self.never else row


def judging(opened: Opened, record: Record, found: Sequence[Stretch], forgotten: Taken) -> Judge:
    """Who judges the stretches `found` of `record`."""
    removed = [one for one in found if one.status in LEAVES_A_TOMBSTONE]
    rows = [as_filed(as_row(one, {})) for one in removed]
    claims = removals.all_of(opened, rows, Confirmed(), graves=()).found
    spells = [
        Spell(claim, one.start, one.end, one.confirmed) for claim, one in zip(claims, removed, strict=True)
    ]
    spells += _buried(opened, record)
    now = {(one.id, one.neighbour.schema.claim) for one in forgotten.removals.found}
    spells = [one for one in spells if not gone.covered(one.removed, now)]
    spells += [Spell(one, 0, None, forgotten.confirmed) for one in forgotten.removals.found]
    return Judge(opened, tuple(spells), gone.ids(forgotten))


def _buried(opened: Opened, record: Record) -> Iterator[Spell]:
    """The tombstones, for as long as they stood and nobody had brought back what they are of."""
    held: dict[Tombstone, list[tuple[int, int | None]]] = {}
    for one in record.graves:
        raw = blobs.content(opened, one.blob)
        for grave in tombstones.of_bytes(raw):
            held.setdefault(grave, []).append((one.start, one.end))
    for grave, times in held.items():
        for claim in removals.all_of(opened, (), Confirmed(), graves=[grave]).found:
            for start, end in times:
                yield from _unreturned(record, claim, start, end)


def _unreturned(record: Record, claim: Removed, start: int, end: int | None) -> Iterator[Spell]:
    told = record.standings.get(claim.id, ())
    turns = [at for at, _ in told if at > start and (end is None or at < end)]
    for begun, over in zip([start, *turns], [*turns, end], strict=True):
        confirmed = revisions.confirmed_at(record, claim.id, begun)
        if claim.id not in confirmed.returned:
            yield Spell(claim, begun, over, confirmed)


def happened(opened: Opened, found: Iterable[Stretch]) -> dict[str, int | None]:
    """When the founding events of these stretches happened in the world, by their ids."""
    founding = {one.schema.evidence[0].event for one in found if one.schema.evidence}
    return filing.happened(opened, founding)


def as_filed(row: IndexRow) -> IndexRow:
    """The row under the path of its file: as the guard looks for it in history."""
    return replace(row, path=row.path.rpartition("#")[0])


def as_row(one: Stretch, happened: Mapping[str, int | None]) -> IndexRow:
    """A stretch as the index holds it."""
    founding = one.schema.evidence[0].event if one.schema.evidence else ""
    return IndexRow(
        one.schema,
        named(one.revision.path, one.start),
        one.revision.blob,
        one.status,
        occurred_at=happened.get(founding),
        known_from=one.start,
        known_until=one.end,
    )


def named(path: str, start: int) -> str:
    """The name of a stretch in the index: its file, and the position at which it begins."""
    return f"{path}#{start:09d}"


def _cut(row: IndexRow, said: Sequence[Spell]) -> list[IndexRow]:
    """The row in parts between which what it says again begins or ends to be removed."""
    if not said:
        return [row]
    end = row.known_until
    edges = {edge for one in said for edge in (one.start, one.end) if edge is not None}
    inner = sorted(at for at in edges if at > row.known_from and (end is None or at < end))
    parts = []
    for start, over in zip([row.known_from, *inner], [*inner, end], strict=True):
        held = [one.removed for one in said if one.start <= start and (one.end is None or start < one.end)]
        path = named(row.path.rpartition("#")[0], start)
        parts.append(arrivals.held(replace(row, path=path, known_from=start, known_until=over), held))
    return parts
