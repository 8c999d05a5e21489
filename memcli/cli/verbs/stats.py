"""Stats: how healthy the memories of a scope are, and the numbers by which mem decides."""

from memcli.cli.opening import open_for, scope_of
from memcli.cli.render import figures as render
from memcli.cli.streams import Streams
from memcli.engine.health import stats as engine
from memcli.engine.opened import Opened


def stats(streams: Streams) -> int:
    """`mem stats`."""
    opened = open_for(streams)
    if streams.call.flag("constants"):
        return _constants(streams, opened)
    found = engine.run(opened, scope_of(streams, opened))
    streams.notices((*opened.notices, *found.notices))
    streams.looks(lambda: render.as_json(found), lambda: render.lines(found), lambda: render.rows(found))
    return 0


def _constants(streams: Streams, opened: Opened) -> int:
    found = engine.constants(opened)
    streams.notices(opened.notices)
    if streams.json:
        streams.answer({"format": "mem.stats/1", "constants": [render.constant_json(one) for one in found]})
    elif streams.at_terminal:
        from memcli.cli.render.tables import table

        table(streams, render.CONSTANT_HEADS, [render.constant_row(one) for one in found])
    else:
        for one in found:
            streams.row(*render.constant_row(one))
    return 0
