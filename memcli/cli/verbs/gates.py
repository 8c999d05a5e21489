"""Eval gate: the gate against labelled messages."""

from memcli.cli.opening import open_for, scope_of
from memcli.cli.render import gates as render
from memcli.cli.streams import EMPTY, Streams
from memcli.engine.evaluating import gates as engine
from memcli.errors import Usage

_HINT = 'One JSON object a line: {"text": "…", "needed": true}'


def gate(streams: Streams) -> int:
    """`mem eval gate`: 1 where a message that needs memory was shut out."""
    files = streams.call.texts("files")
    if not files:
        raise Usage("mem eval gate needs FILE: messages with whether each needs memory.", _HINT)
    told = [
        one
        for file in files
        for one in engine.read("stdin" if file == "-" else file, streams.read_source(file, _HINT))
    ]
    opened = open_for(streams)
    found = engine.run(opened, told, scope_of(streams, opened))
    streams.notices(opened.notices)
    streams.looks(lambda: render.as_json(found), lambda: render.lines(found), lambda: render.rows(found))
    return EMPTY if found.missed else 0
