"""Retract and unretract."""

from memcli.cli import person
from memcli.cli.given import ids
from memcli.cli.opening import open_for
from memcli.cli.render import retracted as render
from memcli.cli.streams import Streams
from memcli.engine import forget
from memcli.engine.forget import Target
from memcli.engine.opened import Opened
from memcli.engine.retracting import retract as engine
from memcli.engine.retracting.retract import Request, Retracting

_REPORT = "Report it in a session (mem activate): mem feedback --stale ID --reason …; a person reviews it."
_ASK = "Tell the person what should count again and why."


def retract(streams: Streams) -> int:
    """`mem retract`."""
    call = streams.call
    request = Request(call.text("id") or "", call.text("reason") or "", streams.worded("correction"))
    opened = open_for(streams)
    if call.flag("dry_run"):
        _show(streams, engine.plan(opened, request))
        streams.notices(opened.notices)
        return 0
    (target,) = forget.targets(opened, (request.id,))
    person.word_for(streams, person.about("Retracting", target, _REPORT))
    done = engine.run(opened, Request(target.id, request.reason, request.correction))
    _show(streams, done)
    streams.notices((*opened.notices, *done.notices))
    return 0


def _show(streams: Streams, done: Retracting) -> None:
    if streams.json:
        streams.answer(render.as_json(done))
        return
    if streams.at_terminal:
        for pieces in render.lines(done, streams.width):
            streams.line(*pieces)
    else:
        for row in render.rows(done):
            streams.row(*row)
    for pieces in render.aside(done):
        streams.say(*pieces)


def unretract(streams: Streams) -> int:
    """`mem unretract`."""
    wanted = ids(streams)
    opened = open_for(streams)
    targets = forget.targets(opened, wanted)
    person.word_for(streams, *(person.about("Taking back a retraction", one, _ASK) for one in targets))
    _give_back(streams, opened, targets)
    return 0


def _give_back(streams: Streams, opened: Opened, targets: tuple[Target, ...]) -> None:
    from memcli.engine.retracting import unretract as giving_back

    done = giving_back.run(opened, [one.id for one in targets], streams.call.text("reason") or "")
    for one in done:
        if streams.json:
            streams.answer(render.unretracted_json(one))
        elif streams.at_terminal:
            streams.line(*render.unretracted(one))
        else:
            streams.row(one.id, "unretract", one.prior_status, one.status)
    for notice in (notice for one in done for notice in render.unretracted_notices(one)):
        streams.notices((notice,))
    streams.notices(opened.notices)
    commit = next((one.commit for one in done if one.commit), None)
    if not streams.json:
        streams.committed(commit)
