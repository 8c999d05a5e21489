"""Forget, unforget, supersede, reopen and undo."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from memcli.cli import moments, person
from memcli.cli.given import ids
from memcli.cli.opening import open_for
from memcli.cli.render import acts
from memcli.cli.streams import Streams
from memcli.engine import forget as engine
from memcli.engine.forget import Acted, Target
from memcli.engine.opened import Opened

if TYPE_CHECKING:
    from memcli.engine.journaling import Line

Carry = Callable[[Opened, tuple[Target, ...], str], tuple[Acted, ...]]
_REPORT = "Report it in a session (mem activate): mem feedback --stale ID --reason …; a person reviews it."


def forget(streams: Streams) -> int:
    """`mem forget`."""
    return _persons_act(streams, "Forgetting", engine.forget, _REPORT)


def unforget(streams: Streams) -> int:
    """`mem unforget`."""
    ask = "Tell the person what should come back and why."
    return _persons_act(streams, "Taking back what was forgotten", engine.unforget, ask)


def _persons_act(streams: Streams, name: str, carry: Carry, ask: str) -> int:
    """Show what is meant, have a person's word for it, do it."""
    wanted = ids(streams)
    opened = open_for(streams)
    targets = engine.targets(opened, wanted)
    person.word_for(streams, *(person.about(name, target, ask) for target in targets))
    done = carry(opened, targets, streams.call.text("reason") or "")
    for acted in done:
        _show(streams, acted)
    streams.notices((*opened.notices, *(notice for acted in done for notice in acted.notices)))
    return 0


def _show(streams: Streams, acted: Acted) -> None:
    if streams.json:
        streams.answer(acts.as_json(acted))
    elif streams.at_terminal:
        for pieces in acts.lines(acted):
            streams.line(*pieces)
    else:
        streams.row(acted.id, acted.op, acted.prior_status, acted.status)
    if not streams.json:
        for pieces in acts.aside(acted):
            streams.say(*pieces)


def supersede(streams: Streams) -> int:
    """`mem supersede`."""
    from memcli.engine import supersede as switching

    call = streams.call
    opened = open_for(streams)
    done = switching.run(
        opened,
        switching.Request(
            old=call.text("old") or "",
            new=call.text("new"),
            text=streams.worded("with"),
            start=call.text("from"),
            reason=call.text("reason") or "",
        ),
    )
    streams.notices((*opened.notices, *done.notices))
    if streams.json:
        streams.answer(acts.superseded_json(done))
        return 0
    until = moments.bound(done.until, opened.settings.timezone)
    if streams.at_terminal:
        streams.line("Superseded ", (done.old, "name"), f" (until {until}) by ", (done.new, "name"), ".")
    else:
        streams.row(done.old, "supersede", done.new, until)
    streams.committed(done.commit)
    return 0


def reopen(streams: Streams) -> int:
    """`mem reopen`."""
    from memcli.engine.reviewing import reopen as opening_again

    wanted = ids(streams)
    opened = open_for(streams)
    ask = "Tell the person what should count again and why."
    acts_ = [person.about("Reopening", target, ask) for target in engine.targets(opened, wanted)]
    person.word_for(streams, *acts_)
    done = opening_again.run(opened, wanted, streams.call.text("reason") or "")
    for one in done:
        if streams.json:
            streams.answer(acts.reopened_json(one))
        elif streams.at_terminal:
            streams.line(*acts.reopened(one))
        else:
            streams.row(one.id, "reopen", one.prior_status, one.status)
    streams.notices((*opened.notices, *(notice for one in done for notice in acts.reopened_notices(one))))
    streams.committed(next((one.commit for one in done if one.commit), None) if not streams.json else None)
    return 0


def undo(streams: Streams) -> int:
    """`mem undo`."""
    from memcli.engine import undo as taking_back

    opened = open_for(streams)
    dry_run = streams.call.flag("dry_run")
    done = taking_back.run(opened, dry_run=dry_run)
    if not dry_run and done.commit is None and done.needs_person:
        person.word_for(streams, *_taken_back(done.entry))
        done = taking_back.run(opened, confirmed=done.entry.commit)
    streams.notices(opened.notices)
    if streams.json:
        streams.answer(acts.undone_json(done))
        return 0
    streams.line(*acts.undone(done, opened.settings.timezone, dry_run=dry_run))
    for path in done.paths if dry_run else ():
        streams.line(f"  {path}")
    if done.commit:
        streams.say((f"Commit {done.commit[:10]}.", "dim"))  # another undo takes back what came before
    return 0


def _taken_back(entry: "Line") -> list[person.Act]:
    ask = "Tell the person which act should be taken back and why."
    return [
        person.Act(f"Undoing {entry.op}", id_, entry.claim, f"{status} → {prior}", ask)
        for id_, prior, status in entry.changes
    ]
