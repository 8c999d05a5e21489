"""Review: the queue listed, decided key by key, as one text in an editor, or by id."""

from collections.abc import Sequence

from memcli.cli import person
from memcli.cli.opening import open_for, scope_of
from memcli.cli.render import decided as render
from memcli.cli.render import waiting as listing
from memcli.cli.streams import EMPTY, Streams
from memcli.engine.opened import Opened
from memcli.engine.reviewing import background, queue
from memcli.engine.reviewing import review as engine
from memcli.engine.reviewing.queue import Waiting
from memcli.engine.reviewing.review import Decided
from memcli.errors import NoSuchMemory, Usage
from memcli.memory.reviewing import Why
from memcli.memory.schema import PREFIX_LENGTH
from memcli.surroundings import Permit

ASK = "Tell the person what you would decide and why; `mem feedback` reports what is stale."
_NAMES = {"accept": "Accepting what waits for review", "reject": "Rejecting what waits for review"}


def review(streams: Streams) -> int:
    """`mem review`."""
    call = streams.call
    action = call.text("action")
    _refuse_contradictions(streams, action)
    opened = open_for(streams)
    if call.flag("edit"):
        from memcli.cli.verbs import review_text

        return review_text.edit(streams, opened)
    if action in _NAMES:
        return _decide(streams, opened, action)
    if action is None and _at_the_keys(streams):
        from memcli.cli import by_key

        return by_key.go_through(streams, opened)
    return _list(streams, opened)


def _refuse_contradictions(streams: Streams, action: str | None) -> None:
    """Raise Usage for words that do not go together."""
    named = bool(streams.call.texts("named"))
    if action in _NAMES and not named:
        raise Usage(f"mem review {action} needs ID: which memories.", "`mem review list` shows them.")
    if named and action not in _NAMES:
        raise Usage("mem review list takes no ID.", "`mem show ID` shows one memory.")
    if streams.call.flag("edit") and action:
        raise Usage(f"--edit and {action} contradict each other.", "See mem review --help.")
    if streams.call.flag("ids") and action in _NAMES:
        raise Usage(f"--ids goes not with mem review {action}.", "See mem review --help.")


def _at_the_keys(streams: Streams) -> bool:
    """Whether a person sits there who can be shown one memory after the other."""
    listed = streams.json or streams.call.flag("ids") or streams.quiet
    return streams.at_terminal and not listed and person.permit_for(streams) in (Permit.ASK, Permit.GRANTED)


def _list(streams: Streams, opened: Opened) -> int:
    if streams.call.text("reason") is not None:
        raise Usage("--reason goes only with a decision.", "mem review accept ID --reason …, or reject.")
    view = queue.view_of(opened)
    scope = scope_of(streams, opened)
    found = queue.waiting(opened, view, scope)
    if streams.json:
        entries = [listing.queued_json(one, background.of(opened, view, one, scope)) for one in found]
        streams.answer({"format": "mem.review/1", "items": entries})
    for one in () if streams.json else found:
        _show(streams, opened, one)
    streams.notices((*opened.notices, *view.notices))
    if not found and not streams.json:
        streams.say("Nothing waits for a decision here.")
    return 0 if found else EMPTY


def _show(streams: Streams, opened: Opened, one: Waiting) -> None:
    if streams.call.flag("ids"):
        streams.row(one.id or one.path)
    elif streams.at_terminal:
        streams.line(*listing.queued(one, streams.width, scope=str(opened.scope)))
    else:
        streams.row(*listing.queued_row(one))


def _decide(streams: Streams, opened: Opened, action: str) -> int:
    waits = queue.waiting(opened, queue.view_of(opened), scope_of(streams, opened))
    found = [_named(waits, text) for text in dict.fromkeys(streams.call.texts("named"))]
    about = [person.Act(_NAMES[action], one.id, one.claim, f"{one.why}  {one.scope}", ASK) for one in found]
    person.word_for(streams, *about)
    reason = streams.call.text("reason") or ""
    for one in found:
        tell(streams, decided(opened, one, action, reason))
    streams.notices(opened.notices)
    return 0


def _named(waits: Sequence[Waiting], text: str) -> Waiting:
    """What waits under this id. Raises NoSuchMemory."""
    exact = [one for one in waits if one.id == text]
    found = exact or [one for one in waits if len(text) >= PREFIX_LENGTH and one.id.startswith(text)]
    if len(found) != 1:
        several = tuple(f"{one.id}  {one.path}" for one in found)
        raise NoSuchMemory(
            f"{text!r} names nothing that waits.", "`mem review list` shows the queue.", several
        )
    return found[0]


def decided(opened: Opened, one: Waiting, action: str, reason: str = "", text: str = "") -> Decided:
    """The decision carried out; to accept what was reported is to let it count again."""
    if action == "reject":
        return engine.reject(opened, one, reason)
    if one.why is not Why.REPORTED:
        return engine.accept(opened, one, reason, text)
    from memcli.engine.reviewing import reopen

    (done,) = reopen.run(opened, (one.id,), reason)
    return Decided("reopen", done.id, done.claim, done.prior_status, done.status, done.commit, done.overrides)


def forgotten(opened: Opened, one: Waiting, reason: str = "") -> Decided:
    """It is forgotten; the caller has a person's word."""
    from memcli.engine import forget

    (done,) = forget.forget(opened, forget.targets(opened, (one.id,)), reason)
    said = (*done.remains, *done.notices)
    return Decided("forget", done.id, one.claim, done.prior_status, done.status, done.commit, remains=said)


def forgetting(one: Waiting) -> person.Act:
    """What a person is asked before it is forgotten."""
    return person.Act("Forgetting", one.id, one.claim, f"{one.status}  {one.scope}", ASK)


def tell(streams: Streams, done: Decided) -> None:
    """Say what was decided."""
    if streams.json:
        streams.answer(render.as_json(done))
        return
    if streams.at_terminal:
        streams.line(*render.line(done))
    else:
        streams.row(done.id, done.op, done.prior_status, done.status)
    for notice in render.notices(done):
        streams.say(("Note: ", "warn"), notice)
    streams.committed(done.commit)
