"""Show, list and log."""

from collections.abc import Callable, Iterator

from memcli.cli import moments
from memcli.cli.given import ids
from memcli.cli.opening import EVERY, open_for, scope_of
from memcli.cli.render import memories
from memcli.cli.render.paths import absolute, path_of
from memcli.cli.render.text import one_line
from memcli.cli.streams import EMPTY, Streams
from memcli.engine import reading as engine
from memcli.engine.opened import Opened
from memcli.engine.reading import Listed, Shown


def show(streams: Streams) -> int:
    """`mem show`."""
    wanted = ids(streams)
    opened = open_for(streams)
    found = engine.show(opened, wanted)
    if streams.call.flag("why"):
        return _why(streams, opened, found)
    for place, one in enumerate(found):
        if streams.json:
            streams.answer(memories.shown_json(one))
        elif streams.at_terminal:
            if place:
                streams.line()
            for pieces in memories.shown(one, opened.settings.timezone):
                streams.line(*pieces)
        else:
            streams.raw(one.raw)
    streams.notices((*opened.notices, *(notice for one in found for notice in one.notices)))
    return 0


def _why(streams: Streams, opened: Opened, found: tuple[Shown, ...]) -> int:
    from memcli.cli.render import reach
    from memcli.engine.use import why as reasons

    for place, one in enumerate(found):
        why = reasons.of(opened, one.path, one.schema)
        if streams.json:
            streams.answer(memories.shown_json(one) | {"why": reach.why_json(why)})
        elif streams.at_terminal:
            if place:
                streams.line()
            streams.line((one.schema.id, "name"), f"  {one_line(one.schema.claim)}")
            for pieces in reach.why(why, opened.settings.timezone):
                streams.line(*pieces)
        else:
            streams.row(one.schema.id, *reach.why_row(why))
    streams.notices((*opened.notices, *(notice for one in found for notice in one.notices)))
    return 0


def list_(streams: Streams) -> int:
    """`mem list`."""
    call = streams.call
    show_one = _look(streams)
    opened = open_for(streams)
    found = engine.list_(
        opened,
        engine.ListRequest(
            scope=scope_of(streams, opened),
            statuses=call.texts("status"),
            types=call.texts("type"),
            tags=call.texts("tag"),
            concept=call.text("concept") or "",
        ),
    )
    count = _listed_json(streams, found) if streams.json else _listed(opened, found, show_one)
    streams.notices(opened.notices)
    if not count and not streams.json:
        streams.say("There is no such memory." if _filtered(streams) else _nothing(scope_of(streams, opened)))
    return 0 if count else EMPTY


def _nothing(scope: str) -> str:
    return "There is no memory yet." if scope == EVERY else f"There is no memory of {scope} yet."


def _listed(opened: Opened, found: Iterator[Listed], show_one: Callable[[Opened, Listed], None]) -> int:
    """Show each as it is read, so that a long list starts at once; how many there were."""
    count = 0
    for one in found:
        show_one(opened, one)
        count += 1
    return count


def _listed_json(streams: Streams, found: Iterator[Listed]) -> int:
    """One object, written as it grows: a hundred thousand memories need not stand in memory."""
    from memcli.cli.render.strict_json import dumps

    streams.json_text('{"format": "mem.list/1", "items": [')
    count = 0
    for one in found:
        streams.json_text((", " if count else "") + dumps(memories.listed_json(one)))
        count += 1
    streams.json_text("]}\n")
    return count


def _filtered(streams: Streams) -> bool:
    return any(streams.call.values.get(name) for name in ("status", "type", "tag", "concept"))


def _look(streams: Streams) -> Callable[[Opened, Listed], None]:
    """How one memory of a list is shown."""
    call = streams.call
    end = b"\0" if call.flag("null") else b"\n"
    template = call.text("format")
    if template is not None:
        from memcli.cli.render.template import compiled

        fill = compiled(template)
        return lambda opened, one: streams.raw(fill(_fields(opened, one)).encode() + end)
    if call.flag("ids"):
        return lambda _, one: streams.raw(one.id.encode() + end)
    if call.flag("paths") or call.flag("null"):
        return lambda opened, one: streams.raw(path_of(streams, str(opened.place.root), one.path) + end)
    if streams.at_terminal:
        return lambda opened, one: streams.line(*memories.listed(one, streams.width, scope=str(opened.scope)))
    return lambda _, one: streams.row(*memories.listed_row(one))


def _fields(opened: Opened, one: Listed) -> dict[str, str]:
    id_, status, type_, scope, text = memories.listed_row(one)
    return {
        "id": id_,
        "status": status,
        "type": type_,
        "scope": scope,
        "text": text,
        "path": absolute(str(opened.place.root), one.path),
        "from": moments.rfc3339(one.valid_from) or "",
        "to": moments.rfc3339(one.valid_to) or "",
        "stage": one.stage,
        "concept": one_line(one.concept),
        "tags": one_line(",".join(one.tags)),
        **dict.fromkeys(("score", "match"), ""),  # of an answer alone
    }


def log(streams: Streams) -> int:
    """`mem log`."""
    from memcli.cli.render import acts, journal
    from memcli.cli.render.tables import table
    from memcli.engine import journaling

    call = streams.call
    opened = open_for(streams)
    found = journaling.log(
        opened,
        journaling.LogRequest(
            ids=call.texts("ids"),
            op=call.text("op") or "",
            actor=call.text("by") or "",
            since=call.text("since"),
            limit=call.whole("limit"),
            every=call.text("scope") == EVERY,
        ),
    )
    streams.notices((*opened.notices, *found.notices))
    if streams.json:
        streams.answer({"format": "mem.log/1", "entries": [acts.line_json(line) for line in found.lines]})
    elif streams.at_terminal:
        table(streams, journal.LOG_HEADS, list(journal.log_rows(found.lines, opened.settings.timezone)))
    else:
        for line in found.lines:
            for row in journal.log_lines(line):
                streams.row(*row)
    if not found.lines and not streams.json:
        streams.say("The journal has no such entry.")
    return 0 if found.lines else EMPTY
