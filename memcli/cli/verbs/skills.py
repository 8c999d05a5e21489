"""Skills: list, match and show procedures."""

from memcli.cli.opening import EVERY, open_for
from memcli.cli.render import skills as render
from memcli.cli.streams import EMPTY, Streams
from memcli.engine import skills as engine
from memcli.engine.opened import Opened
from memcli.errors import Usage


def skills(streams: Streams) -> int:
    """`mem skills list|match|show`."""
    act = streams.call.text("act") or ""
    words = " ".join(streams.call.texts("words"))
    if act == "list" and words:
        raise Usage("mem skills list takes no words.", f"To find one: mem skills match {words}")
    if act == "show" and not words:
        raise Usage("mem skills show needs a name.", "mem skills list shows the names.")
    if streams.call.text("file") and act != "show":
        raise Usage("--file goes only with mem skills show.", "See mem skills --help.")
    opened = open_for(streams)
    return {"list": _list, "match": _match, "show": _show}[act](streams, opened, words)


def _list(streams: Streams, opened: Opened, _: str) -> int:
    found = engine.list_(opened, every=streams.call.text("scope") == EVERY)
    streams.notices(opened.notices)
    render.listed(streams, found)
    if not found and not streams.json:
        streams.say("There is no procedure here yet: mem commit --procedure FILE keeps one.")
    return 0 if found else EMPTY


def _match(streams: Streams, opened: Opened, words: str) -> int:
    found = engine.match(opened, streams.read_text() if words == "-" else words)
    streams.notices(opened.notices)
    render.matched(streams, found)
    if not found and not streams.json:
        streams.say("No procedure here matches.")
    return 0 if found else EMPTY


def _show(streams: Streams, opened: Opened, words: str) -> int:
    shown = engine.show(opened, words, streams.call.text("file") or "")
    streams.notices(opened.notices)
    render.shown(streams, shown)
    return 0
