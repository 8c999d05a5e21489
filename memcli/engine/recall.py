"""Recall: what the store knows that answers a question, what was held back, and why.

A pure read. The answer is a value; how it looks is for cli.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memcli.engine import asking, hearing, reconcile, searching
from memcli.engine.answer import Answer, Item, Saying, Withheld
from memcli.engine.asking import Asked, Request
from memcli.engine.hearing import Heard, Said
from memcli.engine.opened import Opened
from memcli.engine.searching import Held, Searched
from memcli.engine.source import Source
from memcli.engine.view import View
from memcli.errors import MemError
from memcli.memory import ranking, tokens
from memcli.memory.constants import Constants
from memcli.memory.pool import Candidate
from memcli.memory.ranking import Scored
from memcli.memory.schema import Schema, Status
from memcli.memory.visibility import Verdict, verdict

if TYPE_CHECKING:
    import numpy as np

    from memcli.memory.packing import Entry, Packed

TRIED: Final = 64  # asserted: how many admitted memories are read to fill an answer


def run(opened: Opened, request: Request) -> Answer:
    """Answer `request`. Raises Usage for a blank query, Refused for an agent that asks every scope."""
    asked = asking.asked(opened, request)
    view = reconcile.freshen(opened)
    searched, stale = searching.searched(opened, view, asked)
    heard = hearing.listened(opened, view, asked)
    return _answer(opened, view, asked, searched, heard, stale=stale or heard.stale)


def _answer(  # noqa: PLR0913 - the question, and what was found for it
    opened: Opened, view: View, asked: Asked, searched: Searched, heard: Heard, *, stale: bool
) -> Answer:
    rules = opened.settings.constants
    named = {one.path for one in searched.ranked if one.id == asked.query.text.strip()}
    found = [replace(one, match=ranking.SCALE) if one.path in named else one for one in searched.ranked]
    divided = ranking.divide(found, asked.floor, rules.notice)
    admitted = sorted(divided.admitted, key=lambda one: one.path not in named)
    told = _told(opened, asked, admitted[: max(TRIED, 2 * asked.k)], searched)
    packed, shown = _packed(asked, told, _Turns(opened, heard), rules)
    items = _items(asked, shown.told, packed, searched)
    said = tuple(_saying(shown.said[path]) for path in packed.chosen if path in shown.said)
    below = (*divided.withheld, *heard.divided.withheld)
    withheld = _withheld(asked, below, searched.held, packed)
    outcome = _outcome(packed, withheld)
    more = _hint(asked, searched.held, packed.needed) if withheld.count and not packed.chosen else None
    return Answer(
        outcome=outcome,
        query=asked.request.query,
        scope="*" if asked.viewer.scopes is None else str(asked.viewer.scopes[0]),
        mode=asked.viewer.mode.value,
        as_of=asked.viewer.as_of,
        commit=view.head,
        dirty=bool(view.dirty),
        items=items,
        withheld=withheld,
        tokens=packed.tokens,
        stale=stale,
        root=str(opened.place.root),
        store=opened.name,
        notices=tuple(opened.notices),
        hint=more,
        said=said,
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """An admitted memory with its text as the file has it now."""

    scored: Scored
    schema: Schema
    vectors: "np.ndarray | None"
    named: bool


def _told(opened: Opened, asked: Asked, admitted: Sequence[Scored], searched: Searched) -> Iterator[_Told]:
    """Read the claims as they are wanted; a file that vanished or changed is looked at again."""
    for scored in admitted:
        candidate = searched.candidates[scored.path]
        schema = _schema(opened, asked, candidate)
        if schema is not None:
            named = scored.id == asked.query.text.strip()
            yield _Told(scored, schema, candidate.vectors, named)


def _schema(opened: Opened, asked: Asked, candidate: Candidate) -> Schema | None:
    from memcli.store import atomic, format

    try:
        raw = atomic.read(opened.place, candidate.path)
    except (MemError, OSError):
        return None
    if format.digest(raw) == candidate.digest and asked.request.evidence != "full":
        return replace(candidate.schema, claim=format.claim_of(raw))
    from memcli.engine import filing

    schema = filing.understand(opened, candidate.path, raw).schema
    if schema is None or (schema.status is not candidate.schema.status):
        return None
    return schema


@dataclass(frozen=True, slots=True)
class _Turns:
    """The turns that may be shown, read as they are wanted."""

    opened: Opened
    heard: Heard

    def beyond(self, told: Iterable[_Told]) -> Iterator[Said]:
        """Those that no memory of `told` rests on, and that come after these."""
        carried = {one.event for memory in told for one in memory.schema.evidence}
        return hearing.read(self.opened, self.heard, carried)


@dataclass(frozen=True, slots=True)
class _Shown:
    """By path, what was read while the answer was filled."""

    told: dict[str, _Told]
    said: dict[str, Said]


def _packed(asked: Asked, told: Iterable[_Told], turns: _Turns, rules: Constants) -> tuple["Packed", _Shown]:
    """What fits, and what was read for it: no more than it takes to fill the answer."""
    from memcli.memory import packing

    read = _Shown({}, {})

    def entries() -> "Iterator[Entry]":
        for one in told:
            read.told[one.scored.path] = one
            yield _entry(asked, one)
        for said in turns.beyond(read.told.values()):
            read.said[said.scored.path] = said
            yield _entry_of_turn(asked, said)

    overhead = asked.request.overhead_tokens
    return packing.pack(entries(), asked.k, asked.budget, overhead, rules.near_duplicate), read


def _entry_of_turn(asked: Asked, said: Said) -> "Entry":
    from memcli.memory import claim, packing, wording

    text = said.event.text
    return packing.Entry(
        path=said.scored.path,
        tokens=asked.request.line_overhead_tokens + tokens.estimate_tokens(text),
        claim=wording.digest(text),
        vector=said.vector,
        marks=lambda: claim.marks(text) | {Status.ACTIVE},
    )


def _saying(said: Said) -> Saying:
    scored, scale = said.scored, ranking.SCALE
    return Saying(
        event=said.event,
        path=scored.path.rpartition("#")[0],
        score=scored.score / scale,
        match=scored.match / scale,
        vector=scored.vector / scale,
        lexical=scored.lexical / scale,
        tokens=tokens.estimate_tokens(said.event.text),
    )


def _entry(asked: Asked, one: _Told) -> "Entry":
    from memcli.memory import packing, wording

    cost = asked.request.line_overhead_tokens + tokens.estimate_tokens(one.schema.claim)
    if cost > asked.budget:  # never shown, so nothing to compare: reading a megabyte takes seconds
        return packing.Entry(one.scored.path, cost)
    return packing.Entry(
        path=one.scored.path,
        tokens=cost,
        claim=wording.digest(one.schema.claim),
        vector=None if one.vectors is None else one.vectors[0],
        marks=lambda: _marks(one.schema),
    )


def _marks(schema: Schema) -> frozenset[str]:
    from memcli.memory import claim

    return claim.marks(schema.claim) | {schema.status}


def _items(asked: Asked, read: Mapping[str, _Told], packed: "Packed", searched: Searched) -> tuple[Item, ...]:
    chosen = [read[path] for path in packed.chosen if path in read]
    rivals = {one.scored.path: _rivals(asked, one.schema, searched.source) for one in chosen}
    return tuple(_later_first([_item(one, rivals[one.scored.path]) for one in chosen]))


def _rivals(asked: Asked, schema: Schema, source: Source | None) -> tuple[str, ...]:
    """Ids of the other active claims of its scope and concept that hold at the same time."""
    if source is None or not schema.concept or schema.status is not Status.ACTIVE:
        return ()
    found = [
        one.schema.id
        for one in source.same_concept(schema.scope, schema.concept)
        if one.schema.id != schema.id
        and one.row.status is Status.ACTIVE
        and verdict(asked.viewer, one.row) is Verdict.ADMITTED
        and one.schema.validity.overlaps(schema.validity)
    ]
    return tuple(sorted(set(found)))


def _later_first(items: list[Item]) -> list[Item]:
    """Of claims that contradict each other the one recorded later first; ids of events sort by time."""
    for at, item in enumerate(items):
        for behind in range(at + 1, len(items)):
            other = items[behind]
            if other.schema.id in item.conflict and _recorded(other) > _recorded(item):
                items[at], items[behind] = other, item
                return _later_first(items)
    return items


def _recorded(item: Item) -> str:
    return item.schema.evidence[0].event if item.schema.evidence else ""


def _item(one: _Told, rivals: tuple[str, ...]) -> Item:
    scale = ranking.SCALE
    return Item(
        schema=one.schema,
        path=one.scored.path,
        score=one.scored.score / scale,
        match=one.scored.match / scale,
        vector=one.scored.vector / scale,
        lexical=one.scored.lexical / scale,
        via="id" if one.named else "direct",
        conflict=rivals,
        tokens=tokens.estimate_tokens(one.schema.claim),
        since=_since(one.schema),
    )


def _since(schema: Schema) -> int | None:
    """Since when it is believed, as the ids of its events tell without reading them."""
    from memcli.store import event

    moments = [event.moment_of(one.event) // 1000 for one in schema.evidence]
    return min(filter(None, moments), default=None)


_REASONS: Final = ("floor", "validity", "status", "type", "tag", "budget")


def _withheld(asked: Asked, below: Sequence[Scored], held: Sequence[Held], packed: "Packed") -> Withheld:
    by = dict.fromkeys(_REASONS, 0)
    by["floor"] = len(below)
    for one in held:
        by[one.reason.value] += 1
    by["budget"] = len(packed.skipped_by_budget)
    best = max([*(one.match for one in below), *(one.match for one in held)], default=None)
    top = None if best is None else best / ranking.SCALE
    return Withheld(sum(by.values()), top, asked.floor, by)


def _outcome(packed: "Packed", withheld: Withheld) -> str:
    if packed.chosen:
        return "found"
    if packed.skipped_by_budget:
        return "over_budget"
    return "withheld" if withheld.count else "absent"


def _hint(asked: Asked, held: Sequence[Held], needed: int) -> str:
    """The command that shows the best of what was held back; what a filter holds lies above the floor."""
    from memcli.engine import wider

    if needed:
        return wider.command(asked.request, wider.budget(needed))
    best = max(held, key=lambda one: one.match, default=None)
    changes = wider.admitting(asked.viewer, best.row) if best else wider.floor()
    return wider.command(asked.request, changes)
