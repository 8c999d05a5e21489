"""Who answers for a point of the record: the index of revisions, or the tree of the commit itself."""

from memcli.engine.opened import Opened
from memcli.engine.recorded import by_tree, gone
from memcli.engine.recorded.points import Point
from memcli.engine.recorded.source import Recorded
from memcli.engine.view import View


def of(opened: Opened, view: View, point: Point) -> Recorded:
    """The store as it stood at `point`."""
    return by_tree.read(opened, point.commit, gone.now(opened, view))
