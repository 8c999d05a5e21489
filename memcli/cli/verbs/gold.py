"""Eval gold: questions whose answers are written down, asked of this store."""

from memcli.cli.opening import open_for
from memcli.cli.render import gold as render
from memcli.cli.streams import EMPTY, Streams
from memcli.engine.evaluating import gold as engine


def gold(streams: Streams) -> int:
    """`mem eval gold`."""
    opened = open_for(streams)
    asked = engine.run(opened, streams.call.texts("files"))
    streams.notices(opened.notices)
    streams.looks(lambda: render.as_json(asked), lambda: render.lines(asked), lambda: render.rows(asked))
    return 0 if all(one.held == len(one.cases) for one in asked) else EMPTY
