"""Filling an answer: what was found is read in order, and packed until the answer is full.

Memories and turns as they answer (memory.ordering), and after the last memory those that belong
to them. No more is read than it takes: most of what a search finds is never opened.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from memcli.engine.opened import Opened
from memcli.engine.recalling.asking import Asked
from memcli.engine.recalling.sayings import Heard, Said
from memcli.engine.recalling.searching import Searched
from memcli.errors import MemError
from memcli.memory import tokens
from memcli.memory.pool import Candidate
from memcli.memory.ranking import Scored
from memcli.memory.schema import Schema, Status

if TYPE_CHECKING:
    import numpy as np

    from memcli.engine.recalling.expanding import Reached
    from memcli.memory.packing import Entry, Packed

TRIED: Final = 64  # asserted: how many admitted memories are read to fill an answer


@dataclass(frozen=True, slots=True)
class Told:
    """An admitted memory with its text as the file has it now, and along what it was found."""

    scored: Scored
    schema: Schema
    via: str
    vector: "np.ndarray | None" = None


@dataclass(frozen=True, slots=True)
class Filled:
    """What fits, and by path what was read for it: memories, in the order of their rank, and turns."""

    packed: "Packed"
    told: dict[str, Told]
    said: dict[str, Said]


def filled(opened: Opened, asked: Asked, admitted: Sequence[Scored], found: Searched, heard: Heard) -> Filled:
    """The answer's working set: at most k within the budget, best first."""
    from memcli.memory import packing

    filling = _Filling(opened, asked, found)
    packed = packing.pack(
        filling.entries(admitted[: max(TRIED, 2 * asked.k)], heard),
        asked.k,
        asked.budget,
        asked.request.overhead_tokens,
        opened.settings.constants.near_duplicate,
    )
    ranked = {one.path: filling.told[one.path] for one in admitted if one.path in filling.told}
    return Filled(packed, ranked | filling.told, filling.said)


@dataclass
class _Filling:
    opened: Opened
    asked: Asked
    found: Searched
    told: dict[str, Told] = field(default_factory=dict)
    said: dict[str, Said] = field(default_factory=dict)

    def entries(self, admitted: Sequence[Scored], heard: Heard) -> "Iterator[Entry]":
        """Everything that may be shown, in the order in which it is tried."""
        left = len(admitted)
        for scored, said in self._together(admitted, heard):
            if said:
                yield from self._turn(scored, heard)
                continue
            yield from self._memory(scored, self.found.candidates[scored.path])
            left -= 1
            if not left:
                for one in self._reached(admitted):
                    yield from self._memory(one.scored, one.candidate, one.via)

    def _together(self, admitted: Sequence[Scored], heard: Heard) -> "Iterator[tuple[Scored, bool]]":
        """What is tried in turn; most stores hold no turn, and need no merging."""
        if not heard.divided.admitted:
            return ((scored, False) for scored in admitted)
        from memcli.memory import ordering

        carriers = {
            one.event: scored
            for scored in reversed(admitted)
            for one in self.found.candidates[scored.path].schema.evidence
        }
        return ordering.together(admitted, heard.divided.admitted, carriers)

    def _turn(self, scored: Scored, heard: Heard) -> "Iterator[Entry]":
        """A turn, unless a memory that was reached already says it."""
        if any(one.event == scored.id for memory in self.told.values() for one in memory.schema.evidence):
            return
        from memcli.engine.recalling import hearing

        said = hearing.read(self.opened, scored, heard.candidates[scored.path])
        if said is not None:
            self.said[scored.path] = said
            yield _entry(self.asked, scored.path, said.event.text, Status.ACTIVE, said.vector)

    def _memory(self, scored: Scored, candidate: Candidate, via: str = "") -> "Iterator[Entry]":
        """The memory with its claim; nothing of a file that vanished or no longer counts so."""
        schema = self._schema(candidate)
        if schema is not None:
            named = scored.id == self.asked.query.text.strip()
            vector = None if candidate.vectors is None else candidate.vectors[0]
            one = Told(scored, schema, via or ("id" if named else "direct"), vector)
            self.told[scored.path] = one
            yield _entry(self.asked, scored.path, schema.claim, schema.status, vector)

    def _reached(self, admitted: Sequence[Scored]) -> "tuple[Reached, ...]":
        linked = any(one.schema.links for one in self.told.values())
        if self.found.source is None or not (linked or self.found.accounts):
            return ()
        from memcli.engine.recalling import expanding
        from memcli.memory.expansion import Answering

        answer = [Answering(one.scored.id, one.scored.match, one.schema.links) for one in self.told.values()]
        known = [one.id for one in admitted]
        rules = self.opened.settings.constants
        accounts = self.found.accounts
        return expanding.reached(self.found.source, self.asked, answer, known, accounts=accounts, rules=rules)

    def _schema(self, candidate: Candidate) -> Schema | None:
        """The schema as its file has it now: one that changed is looked at again."""
        if self.found.told is not None:
            return self.found.told(candidate)
        from memcli.store import atomic, format

        try:
            raw = atomic.read(self.opened.place, candidate.path)
        except (MemError, OSError):
            return None
        if format.digest(raw) == candidate.digest and self.asked.request.evidence != "full":
            return replace(candidate.schema, claim=format.claim_of(raw))
        from memcli.engine import filing

        schema = filing.understand(self.opened, candidate.path, raw).schema
        before = candidate.schema
        if schema is None or schema.status is not before.status:
            return None
        travels = schema.scope == before.scope and schema.stage >= before.stage
        return schema if travels else None  # what moved or may be seen less far is not shown where it stood


def _entry(asked: Asked, path: str, text: str, status: Status, vector: "np.ndarray | None") -> "Entry":
    """A claim or a turn as packing sees it."""
    from memcli.memory import packing, wording

    cost = asked.request.line_overhead_tokens + tokens.estimate_tokens(text)
    if cost > asked.budget:  # never shown, so nothing to compare: reading a megabyte takes seconds
        return packing.Entry(path, cost)
    return packing.Entry(
        path=path,
        tokens=cost,
        claim=wording.digest(text),
        vector=vector,
        marks=lambda: _marks(text, status),
        text=text,
    )


def _marks(text: str, status: Status) -> frozenset[str]:
    from memcli.memory import claim

    return claim.marks(text) | {status}
