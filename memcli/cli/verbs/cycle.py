"""Activate, feedback and commit: a task from its beginning to its end."""

from memcli.cli import moments
from memcli.cli.opening import open_for
from memcli.cli.render import cycle as render
from memcli.cli.streams import Streams
from memcli.engine.opened import Opened
from memcli.engine.task import feedback as telling
from memcli.errors import Usage
from memcli.memory.reporting import Effect


def activate(streams: Streams) -> int:
    """`mem activate`."""
    from memcli.engine.task import activate as engine

    call = streams.call
    _refuse_every_scope(streams)
    task = call.text("task")
    if task is None:
        raise Usage("mem activate needs --task.", 'Say what is to be done: mem activate --task "…"')
    opened = open_for(streams, make_own=True)
    done = engine.run(opened, engine.Request(task, call.text("goal") or "", call.text("continuity") or ""))
    streams.notices((*opened.notices, *done.notices))
    if streams.json:
        streams.answer(render.activated_json(done))
        return 0
    if streams.at_terminal:
        for pieces in render.activated(done, streams.width, opened.settings.timezone):
            streams.line(*pieces)
    else:
        for row in render.activated_rows(done):
            streams.row(*row)
    for pieces in render.activated_aside(done):
        streams.say(*pieces)
    return 0


def _refuse_every_scope(streams: Streams) -> None:
    if streams.call.text("scope") == "*":
        raise Usage("A task has one scope.", "Name it: mem activate --scope project:shop --task …")


def feedback(streams: Streams) -> int:
    """`mem feedback`."""
    opened = open_for(streams)
    done = telling.run(opened, _told(streams, opened))
    streams.notices((*opened.notices, *done.notices))
    if streams.json:
        streams.answer(render.given_json(done))
        return 0
    if streams.at_terminal:
        for pieces in render.given(done, opened.settings.timezone):
            streams.line(*pieces)
    else:
        for row in render.given_rows(done):
            streams.row(*row)
    for pieces in render.given_aside(done):
        streams.say(*pieces)
    return 0


def _told(streams: Streams, opened: Opened) -> telling.Request:
    call = streams.call
    at = call.text("occurred_at")
    return telling.Request(
        receipt=call.text("receipt") or "",
        used=call.texts("used"),
        irrelevant=call.texts("irrelevant"),
        stale=_stale(streams),
        procedures=tuple(_effect(text) for text in call.texts("procedure")),
        coverage=call.text("coverage") or "",
        refines=call.text("refines") or "",
        shadow=call.flag("shadow"),
        occurred_at=None if at is None else moments.read(at, "--occurred-at", opened.settings.timezone),
    )


def _stale(streams: Streams) -> tuple[telling.Stale, ...]:
    ids = streams.call.texts("stale")
    reasons = _along(ids, streams.call.texts("reason"), "--reason")
    by = _along(ids, streams.call.texts("superseded_by"), "--superseded-by")
    return tuple(telling.Stale(*one) for one in zip(ids, reasons, by, strict=True))


def _along(ids: tuple[str, ...], said: tuple[str, ...], option: str) -> tuple[str, ...]:
    """What goes with each of `ids`: a single one with all of them. Raises Usage."""
    if len(said) <= 1:
        return (said or ("",)) * len(ids)
    if len(said) != len(ids):
        raise Usage(
            f"There are {len(ids)} --stale and {len(said)} {option}.", "Give one for all, or one for each."
        )
    return said


def _effect(text: str) -> tuple[str, str]:
    name, _, effect = text.rpartition(":")
    if not name or effect not in set(Effect):
        raise Usage(
            f"--procedure {text!r} does not say what following it came to.",
            f"Write NAME:EFFECT, with one of {', '.join(Effect)}.",
        )
    return name, effect


def commit(streams: Streams) -> int:
    """`mem commit`."""
    from memcli.cli.render.progress import progress
    from memcli.engine.task import commit as engine

    call = streams.call
    opened = open_for(streams)
    request = engine.Request(
        outcome=call.text("outcome") or "done",
        goal=call.text("goal") or "",
        verification=call.text("verification") or "",
        procedure=_procedure(streams),
    )
    with progress(streams, "Consolidating") as report:
        done = engine.run(opened, request, report)
    streams.notices(opened.notices)
    if streams.json:
        streams.answer(render.committed_json(done, opened.scope.seen))
        return 0
    if streams.at_terminal:
        for pieces in render.committed(done):
            streams.line(*pieces)
    else:
        streams.row(done.session, done.outcome, str(done.events), done.commit)
    for pieces in render.committed_aside(done):
        streams.say(*pieces)
    return 0


def _procedure(streams: Streams) -> str | None:
    source = streams.call.text("procedure")
    return None if source is None else streams.read_source(source, "Name a SKILL.md, or - for stdin.")
