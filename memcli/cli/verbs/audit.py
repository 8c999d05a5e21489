"""Audit: what the journal does not explain; and a person's word that it may stand."""

from typing import TYPE_CHECKING, Final

from memcli.cli import person
from memcli.cli.opening import EVERY, open_for
from memcli.cli.render import audited as render
from memcli.cli.render.progress import progress
from memcli.cli.streams import EMPTY, Streams
from memcli.engine.auditing import audit as engine
from memcli.engine.auditing.masking import Looks
from memcli.errors import HistoryCut

if TYPE_CHECKING:
    from memcli.engine.auditing.audit import Audit
    from memcli.engine.opened import Opened

REPLACED: Final = HistoryCut.code
_TYPED: Final = "accept"  # what a person types back, having seen what is accepted
_ASK: Final = "Tell the person what mem audit shows; it is theirs to accept."


def audit(streams: Streams) -> int:
    """`mem audit`."""
    opened = open_for(streams)
    with progress(streams, "Replaying the journal") as report:
        found = engine.run(opened, report, streams.call.text("signers") or "")
    looks = Looks(opened, every=streams.call.text("scope") == EVERY)
    if streams.call.flag("accept"):
        return _accept(streams, opened, found, looks)
    if streams.json:
        streams.answer(render.as_json(found, looks))
    else:
        _show(streams, found, looks)
    streams.notices((*opened.notices, *render.notices(found)))
    return _code(found)


def _show(streams: Streams, found: "Audit", looks: Looks) -> None:
    if streams.at_terminal:
        for pieces in render.shown(found, looks):
            streams.line(*pieces)
    else:
        for row in render.rows(found, looks):
            streams.row(*row)
    streams.say(render.summary(found))


def _code(found: "Audit") -> int:
    if found.replaced is not None or found.cut is not None:
        return REPLACED
    return EMPTY if found.findings else 0


def _accept(streams: Streams, opened: "Opened", found: "Audit", looks: Looks) -> int:
    """Show what would be accepted, have a person's word for it, make the entry."""
    if not found.findings and found.replaced is None:
        if streams.json:
            streams.answer(render.as_json(found, looks))
        streams.say("There is nothing to accept: the journal explains everything.")
        return 0
    act = person.Act("Accepting this", _TYPED, render.asked(found, looks), "what no entry explains", _ASK)
    person.word_for(streams, act)
    done = engine.accept(opened, found, streams.call.text("reason") or "", streams.call.text("signers") or "")
    if streams.json:
        streams.answer(render.accepted_json(done, looks))
    else:
        streams.line(render.accepted(done))
        for pieces in render.left(done, looks):
            streams.line(*pieces)
        streams.say((f"Commit {done.commit[:10]}.", "dim"))
    streams.notices(opened.notices)
    return EMPTY if done.left else 0
