"""Recall: what the store knows that answers a question, what was held back, and why.

A pure read. The answer is a value; how it looks is for cli.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memcli.engine import reconcile
from memcli.engine.opened import Opened
from memcli.engine.recalling import asking, filling, searching
from memcli.engine.recalling.answer import Answer, Item, Saying, Withheld, bare
from memcli.engine.recalling.asking import Asked, Request
from memcli.engine.recalling.filling import Filled, Told
from memcli.engine.recalling.sayings import NOTHING, Heard, Said
from memcli.engine.recalling.searching import Held, Searched
from memcli.engine.recalling.source import Source
from memcli.engine.view import View
from memcli.memory import later, ranking, tokens
from memcli.memory.constants import Constants
from memcli.memory.later import Spoken
from memcli.memory.ranking import Scored
from memcli.memory.schema import Schema, Status
from memcli.memory.visibility import Verdict, verdict

if TYPE_CHECKING:
    from memcli.engine.recorded.sources import Progress
    from memcli.memory.packing import Packed


def run(opened: Opened, request: Request, progress: "Progress | None" = None) -> Answer:
    """Answer `request`. Raises Usage for a blank query, Refused for an agent that asks every scope.

    `progress` hears how far the index of another time is, where that has to be made first.
    """
    if request.known_at is not None:
        from memcli.engine.recorded import answering

        return answering.run(opened, request, progress=progress)
    asked = asking.asked(opened, request)
    view = reconcile.freshen(opened)
    found, stale = _unsearched(opened, asked), view.stale
    if found is None:
        searched, stale = searching.searched(opened, view, asked)
        heard = listened(opened, view, asked)
        found, stale = answer(opened, asked, searched, heard), stale or heard.stale
    dirty = tuple(sorted(view.dirty))
    return replace(found, commit=view.head, dirty=bool(dirty), stale=stale, uncommitted=dirty)


def _unsearched(opened: Opened, asked: Asked) -> Answer | None:
    """The answer to a text that needs no memory by its words alone; None where it has to be searched."""
    if not asked.request.gate:
        return None
    from memcli.engine.recalling import gating

    return gating.unsearched(opened, asked)


def listened(opened: Opened, view: View, asked: Asked) -> Heard:
    """The turns that answer `asked`; nothing is even loaded for them where nothing ever happened."""
    if asked.request.events == "none" or not opened.place.events.is_dir():
        return NOTHING
    from memcli.engine.recalling import hearing

    return hearing.listened(opened, view, asked)


def answer(opened: Opened, asked: Asked, searched: Searched, heard: Heard) -> Answer:
    """What was found, filled into an answer that does not say yet which commit it is from."""
    if not asked.request.gate:
        return filled(opened, asked, searched, heard)
    from memcli.engine.recalling import gating

    return gating.answered(opened, asked, searched, heard)


def filled(opened: Opened, asked: Asked, searched: Searched, heard: Heard) -> Answer:
    """The answer, whether the text needs one or not."""
    rules = opened.settings.constants
    named = {one.path for one in searched.ranked if one.id == asked.query.text.strip()}
    found = [replace(one, match=ranking.SCALE) if one.path in named else one for one in searched.ranked]
    divided = ranking.divide(found, asked.floor, rules.notice)
    admitted = sorted(divided.admitted, key=lambda one: one.path not in named)
    full = filling.filled(opened, asked, admitted, searched, heard)
    packed = full.packed
    said = tuple(map(_saying, _said([full.said[path] for path in packed.chosen if path in full.said], rules)))
    below = (*divided.withheld, *heard.divided.withheld)
    withheld = _withheld(asked, below, searched.held, packed)
    more = _hint(asked, searched.held, packed.needed) if withheld.count and not packed.chosen else None
    return replace(
        bare(opened, asked, _outcome(packed, withheld)),
        items=_items(asked, full, searched, rules),
        withheld=withheld,
        tokens=packed.tokens,
        hint=more,
        said=said,
        below=searching.noted(asked, searched, divided.withheld),
        shadows=searching.shadows(asked, searched),
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


def _items(asked: Asked, filled: Filled, searched: Searched, rules: Constants) -> tuple[Item, ...]:
    chosen = [one for path, one in filled.told.items() if path in filled.packed.chosen]
    rivals = [_rivals(asked, one.schema, searched.source) for one in chosen]
    items = [
        replace(_item(one, known), confidence=_left(one, searched, rules))
        for one, known in zip(chosen, rivals, strict=True)
    ]
    spoken = [_spoken(one, known) for one, known in zip(chosen, rivals, strict=True)]
    return tuple(items[place] for place in later.first(spoken, rules))


def _said(chosen: list[Said], rules: Constants) -> list[Said]:
    """The turns of an answer, what was said later before what it speaks against."""
    spoken = [
        Spoken(one.scored.id, one.event.text, one.event.id, one.scored.coverage, one.vector) for one in chosen
    ]
    return [chosen[place] for place in later.first(spoken, rules)]


def _spoken(one: Told, rivals: tuple[str, ...]) -> Spoken:
    """What tells of a memory which of two is the later one; ids of events sort by time."""
    recorded = one.schema.evidence[0].event if one.schema.evidence else ""
    return Spoken(one.scored.id, one.schema.claim, recorded, one.scored.coverage, one.vector, rivals)


def _left(one: Told, searched: Searched, rules: Constants) -> float | None:
    """What retractions left of its confidence, None where none concerns it."""
    doubt = searched.doubts.get(one.schema.id)
    if doubt is None:
        return None
    from memcli.memory import confidence

    return confidence.left(one.schema.confidence, doubt.penalty, rules)


def _rivals(asked: Asked, schema: Schema, source: Source | None) -> tuple[str, ...]:
    """Ids of the other active claims of its scope and concept that hold at the same time."""
    if source is None or schema.topic is None or not schema.live:
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


def _item(one: Told, rivals: tuple[str, ...]) -> Item:
    scale = ranking.SCALE
    return Item(
        schema=one.schema,
        path=one.scored.path,
        score=one.scored.score / scale,
        match=one.scored.match / scale,
        vector=one.scored.vector / scale,
        lexical=one.scored.lexical / scale,
        via=one.via,
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
    from memcli.engine.recalling import wider

    if needed:
        return wider.command(asked.request, wider.budget(needed))
    best = max(held, key=lambda one: one.match, default=None)
    changes = wider.admitting(asked.viewer, best.row) if best else wider.floor()
    return wider.command(asked.request, changes)
