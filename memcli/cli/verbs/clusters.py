"""Eval retract: whether a retraction finds what falls with it."""

from pathlib import Path

from memcli.cli.opening import open_for
from memcli.cli.render import clusters as render
from memcli.cli.streams import Streams
from memcli.engine.evaluating import retracting as engine


def retract(streams: Streams) -> int:
    """`mem eval retract`."""
    opened = open_for(streams)
    here = streams.surroundings.cwd or Path()
    found = engine.run(opened, [here / one for one in streams.call.texts("files")])
    streams.notices(opened.notices)
    streams.looks(lambda: render.as_json(found), lambda: render.lines(found), lambda: render.rows(found))
    return 0
