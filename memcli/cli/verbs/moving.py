"""Export and import."""

from memcli.cli import person
from memcli.cli.opening import EVERY, open_for
from memcli.cli.render import moved as render
from memcli.cli.render.progress import progress
from memcli.cli.streams import Streams
from memcli.engine.moving import exporting, importing
from memcli.engine.moving.importing import Imported, ImportRequest
from memcli.engine.opened import Opened
from memcli.errors import BadFile, Refused, Usage
from memcli.surroundings import Permit

_ASK = "Import for review instead: mem import --review …; a person decides with mem review."


def export(streams: Streams) -> int:
    """`mem export`."""
    from memcli.cli.render.strict_json import dumps

    opened = open_for(streams)
    told = exporting.run(opened, every=streams.call.text("scope") == EVERY)
    streams.notices(opened.notices)
    for line in told.lines:
        streams.json_text(dumps(line) + "\n")
    streams.say(render.exported(told.counts))
    return 0


def import_(streams: Streams) -> int:
    """`mem import`."""
    text = _lines(streams)
    opened = open_for(streams, make_own=True)
    request = ImportRequest(
        text,
        restore=_restores(streams, opened, text),
        dry_run=streams.call.flag("dry_run"),
        reason=streams.call.text("reason") or "",
    )
    told = len(opened.notices)
    streams.notices(opened.notices)
    with progress(streams, "Taking in") as report:
        done = importing.run(opened, request, report)
    streams.notices(opened.notices[told:])
    render.imported(streams, done, request)
    return _code(done)


def onboard(streams: Streams) -> int:
    """`mem onboard`."""
    from memcli.engine.moving import onboarding

    here = streams.surroundings.cwd
    names = streams.call.texts("files") or (onboarding.known(here) if here else ())
    if not names:
        raise Usage("No CLAUDE.md, AGENTS.md or the like lies here.", "Name the documents: mem onboard FILE…")
    hint = "Name a markdown file, or - for stdin."
    documents = [onboarding.Document(name, streams.read_source(name, hint)) for name in names]
    opened = open_for(streams, make_own=True)
    told = len(opened.notices)
    streams.notices(opened.notices)
    dry_run = streams.call.flag("dry_run")
    with progress(streams, "Taking in") as report:
        done = onboarding.run(opened, documents, dry_run=dry_run, progress=report)
    streams.notices(opened.notices[told:])
    render.imported(streams, done, ImportRequest("", dry_run=dry_run))
    return _code(done)


def _code(done: Imported) -> int:
    if any(one.rule == "secret" for one in done.memories):
        return Refused.code
    bad = any(one.decision == "refused" for one in done.memories)
    return BadFile.code if bad or done.wrong else 0


def _restores(streams: Streams, opened: Opened, text: str) -> bool:
    """Whether a person says that things count here as they counted there."""
    if streams.call.flag("review"):
        return False
    permit = person.permit_for(streams)
    if permit is not Permit.ASK:
        return permit is Permit.GRANTED
    plan = importing.run(opened, ImportRequest(text, restore=True, dry_run=True))
    count = importing.live(plan)
    if count and not streams.call.flag("dry_run"):
        shown = render.asked(plan)
        person.word_for(streams, person.Act("Taking over what counts elsewhere", "import", shown, "", _ASK))
    return True


def _lines(streams: Streams) -> str:
    """The JSON lines. Raises Usage where there is nothing to read."""
    source = streams.call.text("file") or ""
    text = streams.read_source(source, "Name what mem export wrote, or - for stdin.")
    if not text.strip():
        raise Usage("There is nothing to import: not one line.", "mem export writes what mem import reads.")
    return text
