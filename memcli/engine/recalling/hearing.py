"""What was said about a question: turns found, ranked, and read, under the same rules as claims.

Nothing here believes what it finds. A turn is shown only where nothing that rested on it was
taken back (memory.backing), and where it says nothing again that was removed, which its
index already knows.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from memcli.engine.opened import Opened
from memcli.engine.recalling import heard, searching, turns
from memcli.engine.recalling.asking import Asked
from memcli.engine.recalling.sayings import NOTHING, Heard, Said
from memcli.engine.view import View
from memcli.memory import backing, hearing, ranking
from memcli.memory.constants import Constants
from memcli.memory.pool import Candidate, WordHits
from memcli.memory.ranking import Divided, Scored
from memcli.memory.visibility import Verdict, Viewer, verdict
from memcli.store import events
from memcli.store.event import Event

if TYPE_CHECKING:
    import numpy as np

    from memcli.engine.recalling.source import Source
    from memcli.index.tables import Index


def listened(opened: Opened, view: View, asked: Asked) -> Heard:
    """The turns that answer `asked`, best first; a damaged index of them is made anew.

    None without the index of claims: what was taken back could not be told from what was not.
    """
    if asked.viewer.types or asked.viewer.tags or view.index is None:
        return NOTHING
    from memcli.index.lance import Damaged

    try:
        return _listened(opened, view, asked)
    except Damaged:
        heard.doubt(opened)
        return _listened(opened, view, asked)


def _listened(opened: Opened, view: View, asked: Asked) -> Heard:
    ears = heard.freshen(opened, view)
    index, stale = ears.index, ears.stale
    if index is None or view.index is None:
        if stale:
            opened.notices.append("What was said is not searched: another process is taking it in.")
        return replace(NOTHING, stale=stale)
    gone = _gone(view.index, index, viewer_of(asked))
    return replace(among(opened, index, asked, gone, there=ears.holds), stale=stale)


def viewer_of(asked: Asked) -> Viewer:
    """Who asks, as what was said is filtered: by scope alone."""
    return Viewer(asked.viewer.scopes, asked.viewer.as_of)


def among(
    opened: Opened, index: "Source", asked: Asked, gone: Sequence[Candidate], *, there: Callable[[str], bool]
) -> Heard:
    """The turns of `index` that answer `asked`, less those `gone`; `there` knows which names it has."""
    rules = opened.settings.constants
    viewer = viewer_of(asked)
    hits = hearing.without(index.words(viewer, asked.query.stems), gone)
    if not hits.visible:
        return NOTHING
    vector = searching.query_vector(opened, hits, asked)
    found = _pool(index, viewer, asked, hits, vector=vector, rules=rules, there=there)
    taken = index.take(found - {one.path for one in gone}, asked.query.stems)
    candidates = {one.path: one for one in taken if _seen(viewer, one)}
    every = list(candidates.values())
    ranked = hearing.rank(asked.query, hits, every, vector, beside=turns.beside, rules=rules)
    return Heard(_divided(ranked, asked, rules), candidates, ranked=ranked)


def _divided(ranked: Sequence[Scored], asked: Asked, rules: Constants) -> Divided:
    """Whether what was said answers at all is decided by its best turn; the rank says how many follow.

    Turns lean on each other: a floor for each loses one full answer in twelve (measured on
    LoCoMo), and lets strangers in as often. So whatever scores half as well as the best one
    follows it, and whatever passes the floor alone. A floor that was asked for holds for every turn.
    """
    best = max((one.match for one in ranked), default=0)
    if asked.request.floor is not None or best < round(asked.floor * ranking.SCALE):
        return ranking.divide(ranked, asked.floor, rules.notice)
    least, floor = rules.turn_share * ranked[0].score, round(asked.floor * ranking.SCALE)
    return Divided(tuple(one for one in ranked if one.score >= least or one.match >= floor), ())


def _seen(viewer: Viewer, one: Candidate) -> bool:
    """A neighbour is taken by its name, past the filter: it too must be the viewer's to see."""
    return verdict(viewer, one.row) is Verdict.ADMITTED


def _gone(claims: "Index", index: "Index", viewer: Viewer) -> tuple[Candidate, ...]:
    """The visible turns that only claims cite which no longer count."""
    dead = claims.reading.once(viewer, _dead, partial(_dead, claims))
    if not dead:
        return ()
    return tuple(one for one in index.with_ids(dead) if _seen(viewer, one))


def _dead(claims: "Index", viewer: Viewer) -> frozenset[str]:
    from memcli.index import around

    scopes, as_of = viewer.scopes, viewer.as_of
    unsettled = around.unsettled(claims, scopes, as_of, vectors=False)
    return backing.dead_among(
        ((one.schema, one.row.status) for one in unsettled),
        lambda cited: [(one.schema, one.row.status) for one in claims.citing(scopes, cited)],
        as_of,
    )


def _pool(  # noqa: PLR0913 - where to look, and for what
    index: "Source",
    viewer: Viewer,
    asked: Asked,
    hits: WordHits,
    *,
    vector: "np.ndarray | None",
    rules: Constants,
    there: Callable[[str], bool],
) -> set[str]:
    """The names of the turns that may answer, and of those beside them."""
    depth = max(rules.turn_pool, asked.k)
    found = searching.best_by_words(hits, asked, rules, depth)
    if vector is not None:
        found |= {near.path for near in index.nearest(viewer, vector, depth)}
    return found | {name for path in found for name in turns.beside(path) if there(name)}


def read(opened: Opened, scored: Scored, candidate: Candidate) -> Said | None:
    """An admitted turn with what it says; None where its event is gone."""
    said = _event(opened, candidate)
    if said is None:
        return None
    vectors = candidate.vectors
    return Said(scored, said, None if vectors is None or not len(vectors) else vectors[0])


def _event(opened: Opened, candidate: Candidate) -> Event | None:
    """The event itself: where the index says that it stands, else wherever it is."""
    path = candidate.path.rpartition("#")[0]
    start, _, end = candidate.digest.partition("-")
    found = events.at(opened.place, path, (int(start), int(end)))
    if found is not None and found.id == candidate.schema.id:
        return found
    return events.find(opened.place, candidate.schema.id)
