"""History, timeline, diff and blame."""

from memcli.cli import moments
from memcli.cli.opening import EVERY, open_for
from memcli.cli.streams import EMPTY, Streams
from memcli.engine.looking_back.timeline import Request
from memcli.engine.opened import Opened


def history(streams: Streams) -> int:
    """`mem history`."""
    from memcli.cli.render import recorded as look
    from memcli.engine.looking_back import history as engine

    opened = open_for(streams)
    found = engine.run(opened, streams.call.text("id") or "")
    streams.notices((*opened.notices, *found.notices))
    if streams.json:
        streams.answer(look.as_json(found))
    elif streams.at_terminal:
        zone = opened.settings.timezone
        for pieces in (*look.lines(found, zone, streams.width), *look.grid(found, zone, streams.width)):
            streams.line(*pieces)
    else:
        for version in found.versions:
            streams.row(*look.row(version))
    return 0


def timeline(streams: Streams) -> int:
    """`mem timeline`."""
    from memcli.cli.render import timeline as look
    from memcli.engine.looking_back import timeline as engine

    opened = open_for(streams)
    request = _request(streams, opened)
    if streams.call.flag("active"):
        return _active(streams, opened, request)
    found = engine.run(opened, request)
    streams.notices((*opened.notices, *found.notices))
    streams.looks(
        lambda: look.as_json(found),
        lambda: look.lines(found, opened.settings.timezone),
        lambda: look.rows(found),
    )
    if found.changes or found.said:
        return 0
    return _nothing(streams, "Nothing of that kind was recorded.")


def _active(streams: Streams, opened: Opened, request: Request) -> int:
    from memcli.cli.render import held as look
    from memcli.cli.render.tables import table
    from memcli.engine.looking_back import holding

    found = holding.run(opened, request)
    streams.notices(opened.notices)
    if streams.json:
        streams.answer(look.as_json(found))
    elif streams.at_terminal and found:
        table(streams, look.HEADS, list(look.table_rows(found, opened.settings.timezone)))
    else:
        for one in found:
            streams.row(*look.row(one))
    return 0 if found else _nothing(streams, "Nothing held then.")


def _request(streams: Streams, opened: Opened) -> Request:
    call, zone = streams.call, opened.settings.timezone
    since, until = call.text("from"), call.text("to")
    return Request(
        query=" ".join(call.texts("query")),
        concept=call.text("concept") or "",
        since=None if since is None else moments.read(since, "--from", zone),
        until=None if until is None else moments.read(until, "--to", zone, end_of_day=True) + 1,
        events=call.text("events") or "auto",
        limit=call.whole("limit"),
        every=call.text("scope") == EVERY,
        known_at=call.text("known_at"),
    )


def diff(streams: Streams) -> int:
    """`mem diff`."""
    from memcli.cli.render import differences as look
    from memcli.engine.looking_back import diff as engine

    opened = open_for(streams)
    found = engine.run(opened, streams.call.texts("places"), every=streams.call.text("scope") == EVERY)
    streams.notices(opened.notices)
    streams.looks(
        lambda: look.as_json(found),
        lambda: look.lines(found, opened.settings.timezone),
        lambda: (look.row(found, one) for one in found.differences),
    )
    return 0 if found.differences else _nothing(streams, "No memory differs.")


def blame(streams: Streams) -> int:
    """`mem blame`."""
    from memcli.cli.render import blamed as look
    from memcli.engine.looking_back import blame as engine

    opened = open_for(streams)
    found = engine.run(opened, streams.call.text("id") or "")
    streams.notices(opened.notices)
    streams.looks(
        lambda: look.as_json(found),
        lambda: look.lines(found, opened.settings.timezone),
        lambda: (look.row(line) for line in found.lines),
    )
    return 0


def _nothing(streams: Streams, sentence: str) -> int:
    if not streams.json:
        streams.say(sentence)
    return EMPTY
