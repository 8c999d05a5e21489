"""The timeline: what changed in a scope's memories, in the order in which it became known."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memcli.engine import journaling
from memcli.engine.looking_back import committed_claims, present, said
from memcli.engine.looking_back.committed_claims import Happened
from memcli.engine.looking_back.present import Present, Veil
from memcli.engine.looking_back.said import Said
from memcli.engine.opened import Opened
from memcli.engine.recorded import points
from memcli.journal.history import Entry
from memcli.memory.difference import State
from memcli.memory.schema import Schema, fold_concept
from memcli.memory.tokens import stems

_NO_VEIL: Final = Veil(frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Request:
    """Which part of the past: memories whose words hold all of `query`, or those of `concept`.

    `since` (inclusive) and `until` (exclusive) are seconds since 1970, `events` is auto, only or
    none, `every` all scopes. `known_at` is the point of the record that `holding` asks, text.
    """

    query: str = ""
    concept: str = ""
    since: int | None = None
    until: int | None = None
    events: str = "auto"
    limit: int | None = None
    every: bool = False
    known_at: str | None = None


@dataclass(frozen=True, slots=True)
class Timeline:
    """Changes and what was said, the oldest first; `notices` say where history is cut."""

    changes: tuple[Happened, ...] = ()
    said: tuple[Said, ...] = ()
    notices: tuple[str, ...] = ()


def run(opened: Opened, request: Request) -> Timeline:
    """What happened, oldest first, the last `limit` of it. Raises Refused, HistoryCut, Unavailable."""
    now = present.look(opened, every=request.every)
    points.refuse_rewritten(opened.journal)
    head = opened.journal.head()
    past = list(committed_claims.happened(opened, head)) if head else []
    told = _told(now, past, request)
    within = [one for one in told if _within(one.at, request)]
    turns = _turns(now, request, told)
    found = _last(within if request.events != "only" else [], turns, request.limit)
    return replace(found, notices=journaling.notices(opened))


def _turns(now: Present, request: Request, told: Sequence[Happened]) -> list[Said]:
    """What was said of it, without what a memory that is told carries already."""
    if request.events == "none" or not (request.query or request.events == "only"):
        return []
    carried: set[str] = set()
    if request.events == "auto":
        carried = {one.event for change in told for one in change.difference.state.schema.evidence}
    found = said.about(now, frozenset(stems(request.query)))
    return [one for one in found if one.event.id not in carried and _within(one.at, request)]


def _last(changes: Sequence[Happened], turns: Sequence[Said], limit: int | None) -> Timeline:
    """The last `limit` of both together."""
    if limit is None:
        return Timeline(tuple(changes), tuple(turns))
    moments = sorted([one.at for one in changes] + [one.at for one in turns])[-limit:]
    first = moments[0] if moments else 0
    kept = [one for one in changes if one.at >= first][-limit:]
    room = limit - len(kept)
    return Timeline(tuple(kept), tuple([one for one in turns if one.at >= first][-room:] if room else ()))


def _told(now: Present, past: Sequence[Happened], request: Request) -> list[Happened]:
    """What of the past is about the request and may be told to whoever asks."""
    every = [(one, cut) for one in past if (cut := now.in_view(one.difference)) is not None]
    near = _wanted(request, _NO_VEIL, (state for _, cut in every for state in cut.states))
    seen = [(one, cut) for one, cut in every if near(cut.id)]  # the guard judges no more than must be
    veil = now.veil(state for _, cut in seen for state in cut.states)
    wanted = _wanted(request, veil, (state for _, cut in seen for state in cut.states))
    return [
        replace(one, difference=veil.told(cut), entry=_tellable(now, veil, one.entry))
        for one, cut in seen
        if wanted(cut.id) and (now.person or not veil.covers(cut.state.schema))
    ]


def _tellable(now: Present, veil: Veil, entry: Entry) -> Entry:
    """The operation, without a reason that may speak of other scopes, or to an agent of what is gone."""
    foreign = now.scopes is not None and not journaling.scopes_of(entry) <= set(now.scopes)
    silent = not now.person and any(change.id in veil.ids for change in entry.changes)
    return replace(entry, reason="") if foreign or silent else entry


def _wanted(request: Request, veil: Veil, states: Iterable[State]) -> Callable[[str], bool]:
    """Whether a memory is asked for: by the words of any of its states, and by its concept.

    Words are never compared with what is forgotten: that it answers would tell what it said.
    """
    asked, concept = frozenset(stems(request.query)), fold_concept(request.concept)
    if not asked and not concept:
        return lambda _: True
    found: set[str] = set()
    for state in states:
        schema = state.schema
        if schema.id in found:
            continue
        by_words = not asked or (not veil.covers(schema) and asked <= words(schema))
        if by_words and (not concept or fold_concept(schema.concept) == concept):
            found.add(schema.id)
    return found.__contains__


def words(schema: Schema) -> frozenset[str]:
    """The stems by which a memory is found in its past."""
    parts = (schema.title, schema.claim, schema.detail, schema.concept, *schema.tags)
    return frozenset(stems(" ".join(parts)))


def _within(at: int, request: Request) -> bool:
    return (request.since is None or at >= request.since) and (request.until is None or at < request.until)
