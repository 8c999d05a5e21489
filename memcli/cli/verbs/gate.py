"""Gate: whether a text needs memory at all."""

from memcli.cli.opening import open_for, scope_of
from memcli.cli.render import gate as render
from memcli.cli.streams import EMPTY, Streams
from memcli.engine.recalling import gating as engine
from memcli.engine.recalling import told
from memcli.engine.recalling.asking import Request
from memcli.engine.task import exposure
from memcli.errors import Usage
from memcli.memory.tokens import blank


def gate(streams: Streams) -> int:
    """`mem gate`."""
    words = streams.call.texts("text")
    text = streams.read_text() if words == ("-",) else " ".join(words)
    if blank(text):
        raise Usage("There is nothing to decide about: the text is blank.", "Say what: mem gate thank you")
    opened = open_for(streams)
    answer = engine.run(opened, Request(text.strip(), scope_of(streams, opened), gate=True))
    decided = answer.gate
    if decided is None:
        raise AssertionError("the gate decides whatever it is asked")
    if not decided.retrieve:
        exposure.kept_shut(opened, answer)
    streams.notices((*opened.notices, *answer.notices))
    if streams.json:
        streams.answer({"format": "mem.gate/1", **told.gate(decided)})
    elif streams.at_terminal:
        streams.line(*render.line(decided))
    else:
        streams.row(*render.row(decided))
    return 0 if decided.retrieve else EMPTY
