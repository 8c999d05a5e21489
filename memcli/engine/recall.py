"""Recall: what the store knows that answers a question, what was held back, and why.

A pure read. The answer is a value; how it looks is for cli.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from memcli.engine import reconcile
from memcli.engine.opened import Opened
from memcli.engine.source import Source
from memcli.engine.view import View
from memcli.errors import MemError, Refused, Usage
from memcli.memory import ranking, tokens
from memcli.memory.constants import Constants
from memcli.memory.pool import Candidate, WordHits
from memcli.memory.ranking import Scored
from memcli.memory.schema import Schema, Status
from memcli.memory.visibility import Mode, Row, Verdict, Viewer, verdict
from memcli.surroundings import Kind

if TYPE_CHECKING:
    import numpy as np

    from memcli.memory.packing import Entry, Packed

READ_FROM_FILES: Final = 3000  # asserted: reading more files than this takes longer than a prompt can wait
TRIED: Final = 64  # asserted: how many admitted memories are read to fill an answer


@dataclass(frozen=True, slots=True)
class Request:
    """A question. `scope` None is every scope; `as_of` None is now; `floor` None the store's own.

    `overhead_tokens` is what the frame around the answer costs, `line_overhead_tokens` what
    each memory costs beside its claim. `store` is how the store was named, for the command
    that shows more; None where it was found.
    """

    query: str
    scope: str | None
    as_of: int | None = None
    mode: Mode = Mode.DEFAULT
    k: int | None = None
    budget: int | None = None
    floor: float | None = None
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    evidence: str = "refs"
    overhead_tokens: int = 0
    line_overhead_tokens: int = 0
    store: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One memory in an answer. `score` ranks within the answer, `match` is absolute.

    `since` is when the first event that it rests on was taken in, seconds since 1970; None
    where its evidence does not say.
    """

    schema: Schema
    path: str
    score: float
    match: float
    vector: float
    lexical: float
    via: str = "direct"
    conflict: tuple[str, ...] = ()
    tokens: int = 0
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Withheld:
    """What matched and was not shown, by the first reason why."""

    count: int = 0
    top_score: float | None = None
    threshold: float = 0.0
    by: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """`outcome` is found, absent, withheld or over_budget; `hint` is the command that shows more."""

    outcome: str
    query: str
    scope: str
    mode: str
    as_of: int
    commit: str | None
    dirty: bool
    items: tuple[Item, ...]
    withheld: Withheld
    tokens: int
    stale: bool
    root: str
    store: str
    notices: tuple[str, ...] = ()
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question with everything that the search needs."""

    request: Request
    viewer: Viewer
    query: ranking.Query
    floor: float
    k: int
    budget: int


@dataclass(frozen=True, slots=True)
class _Held:
    """One that matches and that a filter other than the floor holds back."""

    match: int
    reason: Verdict
    row: Row


@dataclass(frozen=True, slots=True)
class _Searched:
    """The candidates in order, and those held back, the best first."""

    hits: WordHits
    source: Source
    candidates: dict[str, Candidate]
    ranked: Sequence[Scored]
    held: Sequence[_Held]


def run(opened: Opened, request: Request) -> Answer:
    """Answer `request`. Raises Usage for a blank query, Refused for an agent that asks every scope."""
    asked = _asked(opened, request)
    view = reconcile.freshen(opened)
    searched, stale = _searched(opened, view, asked)
    return _answer(opened, view, asked, searched, stale=stale)


def _asked(opened: Opened, request: Request) -> _Asked:
    if tokens.blank(request.query):
        raise Usage("The query is blank.", "Say what to look for: mem recall refund window")
    if request.scope == "*" and opened.actor.kind is not Kind.HUMAN:
        raise Refused("Recalling every scope is a person's choice.", "Name one scope: --scope project:shop")
    scope = None if request.scope == "*" else opened.parse_scope(request.scope)
    as_of = opened.now if request.as_of is None else request.as_of
    viewer = Viewer(None if scope is None else scope.seen, as_of, request.mode, request.types, request.tags)
    chosen = opened.settings
    return _Asked(
        request,
        viewer,
        ranking.query(request.query),
        chosen.floor if request.floor is None else request.floor,
        chosen.k if request.k is None else request.k,
        chosen.budget_tokens if request.budget is None else request.budget,
    )


def _searched(opened: Opened, view: View, asked: _Asked) -> tuple[_Searched, bool]:
    """Search the index; where it fails, the files."""
    from memcli.index.lance import Damaged

    if view.stale:
        opened.notices.extend(view.notices)
    if view.index is not None:
        try:
            return _search(opened, view.index, asked), view.stale
        except Damaged:
            view = reconcile.heal(opened)
            if view.index is not None:
                return _search(opened, view.index, asked), view.stale
    elif len(view.known) > READ_FROM_FILES and (index := reconcile.open_index(opened, writable=False)):
        opened.notices.append("The index is behind the files and another process is busy with it.")
        return _search(opened, index, asked), True
    from memcli.engine import by_files  # and with it the guard, which the index spares most questions

    opened.notices.extend(view.notices)
    return _search(opened, by_files.read(opened, view.confirmed), asked), False


def _search(opened: Opened, source: Source, asked: _Asked) -> _Searched:
    rules = opened.settings.constants
    hits = source.words(asked.viewer, asked.query.stems)
    vector = _query_vector(opened, hits, asked)
    depth = max(rules.pool, asked.k)
    paths = _best_by_words(hits, asked, rules)
    if vector is not None:
        paths |= {near.path for near in source.nearest(asked.viewer, vector, depth)}
    stems = asked.query.stems
    candidates = {one.path: one for one in source.take(paths | _named(source, asked), stems)}
    ranked = ranking.rank(asked.query, hits, list(candidates.values()), vector, rules)
    return _Searched(hits, source, candidates, ranked, _held(source, asked, hits, vector, rules))


def _best_by_words(hits: WordHits, asked: _Asked, rules: Constants) -> set[str]:
    weights = ranking.bm25(hits, asked.query, rules)
    order = sorted(range(len(hits.paths)), key=lambda at: (-weights[at], hits.paths[at]))
    return {hits.paths[at] for at in order[: max(rules.pool, asked.k)]}


def _query_vector(opened: Opened, hits: WordHits, asked: _Asked) -> "np.ndarray | None":
    encoder = opened.encoder
    if encoder is None:
        return None
    rules = opened.settings.constants
    text = ranking.cut_names(asked.query.text, ranking.frequencies(hits), hits.visible, rules)
    found: np.ndarray = encoder.encode([text])[0]
    return found


def _named(source: Source, asked: _Asked) -> set[str]:
    """The visible schema whose very id was asked for, if the query can be one."""
    text = asked.query.text.strip()
    if len(text.split()) != 1 or not text.isascii():
        return set()
    found = source.by_id(text, asked.viewer)
    return {
        one.path
        for one in found
        if one.schema.id == text and verdict(asked.viewer, one.row) is Verdict.ADMITTED
    }


def _held(
    source: Source, asked: _Asked, hits: WordHits, vector: "np.ndarray | None", rules: Constants
) -> list[_Held]:
    held = source.held(asked.viewer, asked.query.stems, vector, rules.pool)
    rows = {one.path: one.row for one in held}
    ranked = ranking.rank(asked.query, hits, list(held), vector, rules)
    least = round(max(asked.floor, rules.notice) * ranking.SCALE)
    return [
        _Held(one.match, verdict(asked.viewer, rows[one.path]), rows[one.path])
        for one in ranked
        if one.match >= least
    ]


def _answer(opened: Opened, view: View, asked: _Asked, searched: _Searched, *, stale: bool) -> Answer:
    rules = opened.settings.constants
    named = {one.path for one in searched.ranked if one.id == asked.query.text.strip()}
    found = [replace(one, match=ranking.SCALE) if one.path in named else one for one in searched.ranked]
    divided = ranking.divide(found, asked.floor, rules.notice)
    admitted = sorted(divided.admitted, key=lambda one: one.path not in named)
    told = _told(opened, asked, admitted[: max(TRIED, 2 * asked.k)], searched)
    packed = _packed(asked, told, rules)
    items = _items(asked, told, packed, searched)
    withheld = _withheld(asked, divided.withheld, searched.held, packed)
    outcome = _outcome(items, withheld, packed)
    more = _hint(asked, searched.held, packed.needed) if withheld.count and not items else None
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
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """An admitted memory with its text as the file has it now."""

    scored: Scored
    schema: Schema
    vectors: "np.ndarray | None"
    named: bool


def _told(opened: Opened, asked: _Asked, admitted: Sequence[Scored], searched: _Searched) -> list[_Told]:
    """Read the claims; a file that vanished or changed since it was indexed is looked at again."""
    told = []
    for scored in admitted:
        candidate = searched.candidates[scored.path]
        schema = _schema(opened, asked, candidate)
        if schema is not None:
            named = scored.id == asked.query.text.strip()
            told.append(_Told(scored, schema, candidate.vectors, named))
    return told


def _schema(opened: Opened, asked: _Asked, candidate: Candidate) -> Schema | None:
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


def _packed(asked: _Asked, told: Sequence[_Told], rules: Constants) -> "Packed":
    from memcli.memory import packing

    entries = (_entry(asked, one) for one in told)
    return packing.pack(entries, asked.k, asked.budget, asked.request.overhead_tokens, rules.near_duplicate)


def _entry(asked: _Asked, one: _Told) -> "Entry":
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


def _items(asked: _Asked, told: Sequence[_Told], packed: "Packed", searched: _Searched) -> tuple[Item, ...]:
    by_path = {one.scored.path: one for one in told}
    chosen = [by_path[path] for path in packed.chosen]
    rivals = {one.scored.path: _rivals(asked, one.schema, searched.source) for one in chosen}
    return tuple(_later_first([_item(one, rivals[one.scored.path]) for one in chosen]))


def _rivals(asked: _Asked, schema: Schema, source: Source) -> tuple[str, ...]:
    """Ids of the other active claims of its scope and concept that hold at the same time."""
    if not schema.concept or schema.status is not Status.ACTIVE:
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


def _withheld(asked: _Asked, below: Sequence[Scored], held: Sequence[_Held], packed: "Packed") -> Withheld:
    by = dict.fromkeys(_REASONS, 0)
    by["floor"] = len(below)
    for one in held:
        by[one.reason.value] += 1
    by["budget"] = len(packed.skipped_by_budget)
    best = max([*(one.match for one in below), *(one.match for one in held)], default=None)
    top = None if best is None else best / ranking.SCALE
    return Withheld(sum(by.values()), top, asked.floor, by)


def _outcome(items: tuple[Item, ...], withheld: Withheld, packed: "Packed") -> str:
    if items:
        return "found"
    if packed.skipped_by_budget:
        return "over_budget"
    return "withheld" if withheld.count else "absent"


def _hint(asked: _Asked, held: Sequence[_Held], needed: int) -> str:
    """The command that shows the best of what was held back; what a filter holds lies above the floor."""
    from memcli.engine import wider

    if needed:
        return wider.command(asked.request, wider.budget(needed))
    best = max(held, key=lambda one: one.match, default=None)
    changes = wider.admitting(asked.viewer, best.row) if best else wider.floor()
    return wider.command(asked.request, changes)
