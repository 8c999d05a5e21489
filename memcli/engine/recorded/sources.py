"""Who answers for a point of the record: the index of revisions, or the tree of the commit itself."""

from collections.abc import Callable

from memcli.engine.opened import Opened
from memcli.engine.recorded import line
from memcli.engine.recorded.points import Point
from memcli.engine.recorded.source import Recorded
from memcli.engine.view import View
from memcli.errors import TryAgain, Unavailable

Progress = Callable[[int, int], None]


def of(opened: Opened, view: View, point: Point, progress: Progress | None = None) -> Recorded:
    """The store as it stood at `point`; its tree is read where HEAD's line, or a free lease, is missing."""
    if point.position is not None and view.index is not None and not opened.by_tree:
        from memcli.engine.recorded import by_revisions, recording

        found = line.current(opened)
        try:
            if found is not None:
                index = recording.index(opened, view, found, progress)
                return by_revisions.ByRevisions(opened, index, point.position)
        except (TryAgain, Unavailable):
            pass
    return by_the_tree(opened, view, point)


def doubt(opened: Opened) -> None:
    """Have the index of revisions made anew by the next question."""
    from memcli.engine.recorded import recording

    recording.doubt(opened)


def by_the_tree(opened: Opened, view: View, point: Point) -> Recorded:
    """The same from the commit's tree alone: slower, and equal."""
    from memcli.engine.recorded import by_tree, gone

    return by_tree.read(opened, point.commit, gone.now(opened, view))
