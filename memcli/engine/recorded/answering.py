"""A question about another time: what the store knew at a point of its record.

The same search, the same rules and the same packing as ever; only what is searched is the
store as it stood then. What is forgotten now is shown at no time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from memcli.engine import reconcile
from memcli.engine.opened import Opened
from memcli.engine.recalling import asking, recall, searching
from memcli.engine.recalling.answer import Answer, Item, Then, bare
from memcli.engine.recalling.asking import Asked, Request
from memcli.engine.recalling.sayings import NOTHING, Heard
from memcli.engine.recalling.searching import Searched
from memcli.engine.recorded import points, sources
from memcli.engine.recorded.points import Early, Point
from memcli.engine.recorded.source import Recorded
from memcli.engine.recorded.sources import Progress
from memcli.engine.view import View
from memcli.memory.account import Account
from memcli.memory.visibility import Viewer


def run(
    opened: Opened, request: Request, option: str = points.OPTION, progress: Progress | None = None
) -> Answer:
    """Answer `request` from the record. Raises as recall, and Usage, HistoryCut for its `known_at`.

    Without an `as_of` of its own the question is about the world at that same moment.
    `option` is what the point was given with, for whoever has to be told that it is none;
    `progress` hears how far the index of revisions is, where it has to be made first.
    """
    asked = asking.asked(opened, request)
    view = reconcile.freshen(opened)  # which also notices that history was rewritten
    try:
        point = points.resolve(opened, request.known_at or "", option)
    except Early as early:
        return _nothing(opened, asked, early)
    asked = replace(asked, viewer=then(asked.viewer, request, point.at))
    found = _found(opened, view, asked, point, progress)
    items = _standing(view, found.items)
    return replace(found, commit=point.commit, items=items, then=Then(point.asked, point.at))


def _found(opened: Opened, view: View, asked: Asked, point: Point, progress: Progress | None) -> Answer:
    """The answer by the index of revisions; a damaged one is made anew by the next question."""
    from memcli.index.lance import Damaged

    try:
        return _filled(opened, view, asked, point, sources.of(opened, view, point, progress))
    except Damaged:
        sources.doubt(opened)
        return _filled(opened, view, asked, point, sources.by_the_tree(opened, view, point))


def _filled(opened: Opened, view: View, asked: Asked, point: Point, source: Recorded) -> Answer:
    searched = _searched(opened, source, asked, point)
    return recall.answer(opened, asked, searched, _heard(opened, view, asked, point, source))


def then(viewer: Viewer, request: Request, moment: int) -> Viewer:
    """Who asks about the world at `moment`, unless the request names another."""
    return viewer if request.as_of is not None else replace(viewer, as_of=moment)


def _searched(opened: Opened, source: Recorded, asked: Asked, point: Point) -> Searched:
    if asked.request.events == "only":
        return Searched(None, {}, (), ())
    said: Mapping[str, Account] = {}
    if opened.place.events.is_dir():
        from memcli.engine.recorded import said_then

        said = said_then.use(opened, point.commit)
    return replace(searching.search(opened, source, asked, said), told=source.told)


def _heard(opened: Opened, view: View, asked: Asked, point: Point, claims: Recorded) -> Heard:
    if asked.request.events == "none" or not opened.place.events.is_dir():
        return NOTHING
    from memcli.engine.recorded import said_then

    commit = asked.request.heard_at or point.commit
    return said_then.listened(opened, view, asked, commit, claims)


def _standing(view: View, items: Iterable[Item]) -> tuple[Item, ...]:
    """The items with the path at which the file of each stands now."""
    now = {one.id: path for path, one in view.known.items() if one.id}
    return tuple(replace(item, now=now.get(item.schema.id)) for item in items)


def _nothing(opened: Opened, asked: Asked, early: Early) -> Answer:
    asked = replace(asked, viewer=then(asked.viewer, asked.request, early.at))
    told = Then(asked.request.known_at or "", early.at, early.message)
    return replace(bare(opened, asked, "absent"), then=told)
