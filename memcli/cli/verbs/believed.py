"""Believed: a question to the record, or all that it held."""

from memcli.cli.given import refuse_blank
from memcli.cli.opening import open_for, scope_of
from memcli.cli.render import believed as look
from memcli.cli.render.progress import progress
from memcli.cli.streams import EMPTY, Streams
from memcli.engine.opened import Opened
from memcli.engine.recalling.asking import Request
from memcli.engine.recorded import believed as engine
from memcli.errors import Usage

WORK = "Reading the record"  # what a person waits for who is the first to ask about another time


def believed(streams: Streams) -> int:
    """`mem believed`."""
    on = streams.call.text("on")
    if on is None:
        raise Usage("mem believed needs --on: the day that it is about.", "mem believed --on 2026-11-30")
    words = streams.call.texts("query")
    if words:
        refuse_blank(" ".join(words), "Without one all is listed.")
    opened = open_for(streams)
    request = _request(streams, opened, on)
    return _answered(streams, opened, request) if request.query else _listed(streams, opened, request)


def _request(streams: Streams, opened: Opened, on: str) -> Request:
    call = streams.call
    return Request(
        query=" ".join(call.texts("query")).strip(),
        scope=scope_of(streams, opened),
        types=call.texts("type"),
        tags=call.texts("tag"),
        store=call.text("store"),
        events="none",
        known_at=on,
    )


def _answered(streams: Streams, opened: Opened, request: Request) -> int:
    with progress(streams, WORK) as report:
        found = engine.answer(opened, request, report)
    streams.notices((*opened.notices, *found.notices))
    if streams.json:
        streams.answer(look.answer_json(found))
    elif found.items and found.then is not None:
        _show(streams, opened, look.of_answer(found, found.then))
    else:
        streams.say(look.nothing(found))
    return 0 if found.items else EMPTY


def _listed(streams: Streams, opened: Opened, request: Request) -> int:
    with progress(streams, WORK) as report:
        found = engine.list_(opened, request, report)
    streams.notices(opened.notices)
    if streams.json:
        streams.answer(look.list_json(found))
    elif found.items:
        _show(streams, opened, look.of_list(found))
    else:
        streams.say(found.then.nothing or f"Nothing was believed in {found.scope} then.")
    return 0 if found.items else EMPTY


def _show(streams: Streams, opened: Opened, found: look.Page) -> None:
    if not streams.at_terminal:
        for row in found.rows:
            streams.row(*row)
        return
    for pieces in look.page(found, opened.settings.timezone):
        streams.line(*pieces)
