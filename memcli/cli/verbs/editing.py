"""New and edit: an editor on a memory's file, kept as one act."""

from memcli.cli import editor, person
from memcli.cli.opening import open_for
from memcli.cli.render.files import written
from memcli.cli.streams import Streams
from memcli.engine import configured
from memcli.engine import writing as engine
from memcli.engine.opened import Opened
from memcli.engine.writing import Draft, Written
from memcli.surroundings import Permit


def new(streams: Streams) -> int:
    """`mem new`."""
    opened = open_for(streams, make_own=True)
    draft = engine.draft(opened, scope=streams.call.text("scope"), type_=streams.call.text("type") or "fact")
    return _edited(streams, opened, draft)


def edit(streams: Streams) -> int:
    """`mem edit`."""
    opened = open_for(streams)
    return _edited(streams, opened, engine.take(opened, streams.call.text("id") or ""))


def _edited(streams: Streams, opened: Opened, draft: Draft) -> int:
    stands = streams.surroundings
    run = editor.command(stands.environment, lambda: configured.editor(opened), terminal=stands.terminal)
    done: list[Written] = []
    streams.finish()
    changed = editor.edited(
        run,
        draft.path.rpartition("/")[2],
        draft.before,
        lambda after: engine.problems(opened, draft, after),
        lambda after: done.append(engine.keep(opened, draft, after, person=_is_person(streams))),
    )
    streams.notices(opened.notices)
    if not changed:
        done.append(Written(draft.id, draft.path, "edit", "", None))
    streams.notices(done[0].notices)
    written(streams, done[0])
    return 0


def _is_person(streams: Streams) -> bool:
    """Whether the one who sits at the editor can be asked: then what they wrote is their word."""
    return person.permit_for(streams) in (Permit.ASK, Permit.GRANTED)
