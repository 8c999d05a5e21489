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
    if streams.json:
        streams.answer(render.as_json(found))
        return 0
    for line in render.lines(found) if streams.at_terminal else ():
        streams.line(*line)
    for row in () if streams.at_terminal else render.rows(found):
        streams.row(*row)
    return 0
