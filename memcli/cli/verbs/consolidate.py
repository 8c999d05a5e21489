"""Consolidate and replay."""

from memcli.cli import moments, person
from memcli.cli.opening import open_for
from memcli.cli.render import consolidated
from memcli.cli.render.progress import progress
from memcli.cli.streams import Streams
from memcli.engine.consolidation import consolidate as engine
from memcli.engine.consolidation.consolidate import Consolidated, ConsolidateRequest
from memcli.engine.opened import Opened
from memcli.errors import TryAgain


def consolidate(streams: Streams) -> int:
    """`mem consolidate`."""
    call = streams.call
    session = call.text("session")
    opened = open_for(streams)
    request = ConsolidateRequest(
        as_of=_moment(streams, opened),
        dry_run=call.flag("dry_run"),
        explain=call.flag("explain"),
        sessions=None if session is None else frozenset({session}),
        if_due=call.flag("if_due"),
    )
    return _run(streams, opened, request, "Consolidating")


def replay(streams: Streams) -> int:
    """`mem replay`."""
    call = streams.call
    opened = open_for(streams)
    request = ConsolidateRequest(
        _moment(streams, opened), dry_run=call.flag("dry_run"), explain=call.flag("explain"), replay=True
    )
    return _run(streams, opened, request, "Replaying")


def _run(streams: Streams, opened: Opened, request: ConsolidateRequest, what: str) -> int:
    with progress(streams, what) as report:
        done = engine.run(opened, request, report)
    streams.notices((*opened.notices, *done.notices))
    if done.busy and not request.if_due:
        raise TryAgain("Another process consolidates this store now.", "Nothing is lost; try again later.")
    _show(streams, opened, done, explain=request.explain)
    return 0


def _show(streams: Streams, opened: Opened, done: Consolidated, *, explain: bool) -> None:
    if streams.json:
        streams.answer(consolidated.as_json(done, opened.scope.seen, explain=explain))
        return
    seen = opened.scope.seen if explain else ()
    if streams.at_terminal:
        for pieces in (*consolidated.lines(done), *(consolidated.told(done, seen) if explain else ())):
            streams.line(*pieces)
    else:
        for cells in (*consolidated.rows(done), *(consolidated.steps(done, seen) if explain else ())):
            streams.row(*cells)
    if done.commit:
        streams.say((f"Commit {done.commit[:10]}. A person takes it back with: mem undo", "dim"))


def _moment(streams: Streams, opened: Opened) -> int | None:
    """The moment that --as-of names."""
    text = streams.call.text("as_of")
    if text is None:
        return None
    as_of = moments.read(text, "--as-of", opened.settings.timezone)
    person.refuse_ahead(streams, as_of, opened.now)
    return as_of
