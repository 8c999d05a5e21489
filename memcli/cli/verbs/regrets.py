"""Eval regret: what was put aside and wanted after all."""

from memcli.cli.opening import open_for, scope_of
from memcli.cli.render import regrets as render
from memcli.cli.streams import Streams
from memcli.engine.evaluating import regrets as engine


def regret(streams: Streams) -> int:
    """`mem eval regret`."""
    opened = open_for(streams)
    found = engine.run(opened, scope_of(streams, opened))
    streams.notices((*opened.notices, *found.notices))
    suggest = streams.call.flag("suggest")
    if streams.json:
        streams.answer(render.as_json(found, suggest=suggest))
        return 0
    for line in render.lines(found, suggest=suggest) if streams.at_terminal else ():
        streams.line(*line)
    for row in () if streams.at_terminal else render.rows(found, suggest=suggest):
        streams.row(*row)
    return 0
