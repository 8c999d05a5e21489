"""Observe: text on stdin, a file, or the transcripts of a coding agent."""

from pathlib import Path

from memcli.cli import moments
from memcli.cli.opening import open_for
from memcli.cli.render import observed as render
from memcli.cli.render.progress import progress
from memcli.cli.streams import Streams
from memcli.engine.opened import Opened
from memcli.engine.task import observe as engine
from memcli.engine.task import spoken
from memcli.engine.task.observe import Observed
from memcli.errors import Refused, Usage
from memcli.memory.turn import Turn, role_of

REFUSED = Refused.code


def observe(streams: Streams) -> int:
    """`mem observe`."""
    if streams.call.text("from") is not None:
        return _transcripts(streams)
    text = _text(streams)
    _refuse_unused(streams, text)
    opened = open_for(streams, make_own=True)
    streams.notices(opened.notices)
    told = len(opened.notices)
    with progress(streams, "Taking in") as report:
        done = engine.run(opened, text, _usual(streams, opened), report)
    streams.notices(opened.notices[told:])
    if len(done.refused) == 1 and not done.ids:
        raise done.refused[0]
    _show(streams, done)
    return REFUSED if done.refused else 0


def _refuse_unused(streams: Streams, text: str) -> None:
    """Raise Usage for an option that this text has no use for: what it says would be lost."""
    call = streams.call
    unused: tuple[str, ...]
    if spoken.is_json(text):
        unused, why = ("role", "name", "at", "key"), "goes with plain text; JSON lines say it themselves"
    elif spoken.is_conversation(text):
        unused, why = (
            ("role", "key"),
            "goes with one turn; this conversation names its speakers",
        )
    else:
        return
    given = [name for name in unused if call.text(name) is not None]
    if given:
        hint = 'As JSON lines each turn has its own: {"role": "user", "text": "…", "key": "…"}.'
        raise Usage(f"--{given[0]} {why}.", hint)


def _usual(streams: Streams, opened: Opened) -> Turn:
    """What a line of plain text leaves open."""
    call = streams.call
    at = call.text("at")
    return Turn(
        text="",
        role=role_of(call.text("role") or "user"),
        subject=" ".join((call.text("name") or "").split()),
        said_at=None if at is None else moments.read(at, "--at", opened.settings.timezone),
        key=call.text("key") or "",
    )


def _text(streams: Streams) -> str:
    return streams.read_source(streams.call.text("source") or "", "Name a file of text, or - for stdin.")


def _show(streams: Streams, done: Observed) -> None:
    if streams.json:
        streams.answer(render.as_json(done))
        return
    if streams.at_terminal:
        streams.line(*render.line(done))
    else:
        streams.row(str(done.events))
    for pieces in render.aside(done):
        streams.say(*pieces)


def _folder(streams: Streams) -> Path:
    """Where the transcripts lie. Raises Usage where that depends on a folder that is gone."""
    source = Path(streams.call.text("source") or "")
    if source.is_absolute():
        return source
    if streams.surroundings.cwd is None:
        raise Usage(f"{source} is nowhere: the working directory is gone.", "Give the whole path.")
    return streams.surroundings.cwd / source


def _transcripts(streams: Streams) -> int:
    call = streams.call
    opened = open_for(streams, make_own=True)
    streams.notices(opened.notices)
    told = len(opened.notices)
    with progress(streams, "Taking in") as report:
        done = tuple(
            engine.transcripts(
                opened,
                call.text("from") or "",
                _folder(streams),
                every_scope=call.text("scope") is None,
                dry_run=call.flag("dry_run"),
                progress=report,
            )
        )
    streams.notices(opened.notices[told:])
    if streams.json:
        streams.answer(render.transcripts_json(done))
        return 0
    for one in done:
        if streams.at_terminal:
            streams.line(*render.transcript(one))
        else:
            streams.row(one.session, one.scope, str(one.events), one.path)
        for pieces in render.aside(one):
            streams.say(*pieces)
    if streams.at_terminal:
        streams.say(render.total(done))
    return 0
