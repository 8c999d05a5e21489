"""Stage: staged memories listed, swept, promoted and dropped, and the reach of any memory pinned."""

from collections.abc import Callable

from memcli.cli import moments, person
from memcli.cli.opening import open_for, scope_of
from memcli.cli.render import waiting as render
from memcli.cli.streams import EMPTY, Streams
from memcli.engine.opened import Opened
from memcli.engine.reviewing import staging as engine
from memcli.engine.reviewing.staging import Staged, Swept
from memcli.errors import Usage

_ASK = "Tell the person which staged memories should count, or go, and why."
_NAMES = {engine.PROMOTE: "Promoting a staged memory", engine.DROP: "Dropping a staged memory"}


def stage(streams: Streams) -> int:
    """`mem stage`."""
    action = streams.call.text("action") or "list"
    _refuse_contradictions(streams, action)
    if action == "pin":
        from memcli.cli.verbs import pinning

        return pinning.pin(streams)
    opened = open_for(streams)
    if action == "list":
        return _list(streams, opened)
    if action == "sweep":
        return _sweep(streams, opened)
    return _decide(streams, opened, action)


def _refuse_contradictions(streams: Streams, action: str) -> None:
    """Raise Usage for words that this action does not take."""
    call = streams.call
    named = bool(call.texts("ids"))
    if named and action in ("list", "sweep"):
        raise Usage(f"mem stage {action} takes no ID.", "See mem stage --help.")
    if not named and action in _NAMES:
        raise Usage(f"mem stage {action} needs ID: which memories.", "`mem stage list` shows them.")
    if call.text("reason") is not None and action == "list":
        raise Usage("--reason goes not with mem stage list.", "See mem stage --help.")
    for option in ("as_of", "dry_run"):
        if call.values.get(option) and action != "sweep":
            raise Usage(
                f"--{option.replace('_', '-')} goes only with mem stage sweep.", "See mem stage --help."
            )


def _list(streams: Streams, opened: Opened) -> int:
    found = engine.listed(opened, scope_of(streams, opened))
    if streams.json:
        streams.answer({"format": "mem.stage/1", "staged": [render.staged_json(one) for one in found]})
    for one in () if streams.json else found:
        _show(streams, opened, one)
    streams.notices(opened.notices)
    if not found and not streams.json:
        streams.say("Nothing is staged here.")
    return 0 if found else EMPTY


def _show(streams: Streams, opened: Opened, one: Staged) -> None:
    if streams.at_terminal:
        streams.line(*render.staged(one, streams.width, opened.settings.timezone))
    else:
        streams.row(*render.staged_row(one))


def _sweep(streams: Streams, opened: Opened) -> int:
    text = streams.call.text("as_of")
    as_of = opened.now if text is None else moments.read(text, "--as-of", opened.settings.timezone)
    person.refuse_ahead(streams, as_of, opened.now)
    dry_run = streams.call.flag("dry_run")
    reason = streams.call.text("reason") or ""
    done = engine.sweep(opened, as_of, scope_of(streams, opened), reason, dry_run=dry_run)
    return _told(streams, opened, done, dry_run=dry_run)


def _decide(streams: Streams, opened: Opened, action: str) -> int:
    acts: dict[str, Callable[..., Swept]] = {engine.PROMOTE: engine.promote, engine.DROP: engine.drop}
    found = engine.named(opened, streams.call.texts("ids"))
    about = [person.Act(_NAMES[action], one.schema.id, one.schema.claim, "staged", _ASK) for one in found]
    person.word_for(streams, *about)
    ids = tuple(one.schema.id for one in found)
    done = acts[action](opened, ids, streams.call.text("reason") or "")
    return _told(streams, opened, done, dry_run=False)


def _told(streams: Streams, opened: Opened, done: Swept, *, dry_run: bool) -> int:
    streams.notices(opened.notices)
    if streams.json:
        streams.answer(render.swept_json(done))
        return 0
    for moved in done.moved:
        if streams.at_terminal:
            streams.line(*render.moved(moved, dry_run=dry_run))
        else:
            streams.row(*render.moved_row(moved))
    if not done.moved:
        streams.say("Nothing is staged so long that it is given up.")
    streams.committed(done.commit)
    return 0
