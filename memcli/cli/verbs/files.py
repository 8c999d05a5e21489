"""Check, save and move: memories as files."""

from memcli.cli import person
from memcli.cli.given import paths
from memcli.cli.opening import open_for
from memcli.cli.render import files as render
from memcli.cli.streams import Streams
from memcli.engine import checking, saving
from memcli.engine.opened import Opened
from memcli.engine.saving import HandEdit, Saved
from memcli.errors import BadFile, Refused

BAD_FILE = BadFile.code
REFUSED = Refused.code
OBSERVE = "observe"  # events that were saved: they happened, and stay
BURY = "bury"  # so does what was taken out
_TO_SAVE = "Ask the person to look at these files and to run `mem save`."


def check(streams: Streams) -> int:
    """`mem check`."""
    opened = open_for(streams)
    found = checking.run(opened, streams.call.texts("paths"), fix=streams.call.flag("fix"))
    streams.notices(opened.notices)
    if streams.json:
        streams.answer(render.checked_json(found))
    else:
        for finding in found.findings:
            streams.line(*render.finding(finding))
        for path in found.fixed:
            streams.say("Put right: ", path)
        streams.say(render.counts(found))
        streams.committed(found.commit)
    return BAD_FILE if found.set_aside or any(one.severity == "error" for one in found.findings) else 0


def save(streams: Streams) -> int:
    """`mem save`."""
    opened = open_for(streams)
    edits = saving.plan(opened, paths(streams, opened))
    if streams.call.flag("dry_run"):
        return _planned(streams, opened, edits)
    if gone := saving.missing(opened, edits):
        person.word_for(streams, _mass(gone))
    agreed = tuple(edit for edit in edits if not edit.needs_person)
    asked = tuple(edit for edit in edits if edit.needs_person)
    refusal = _asked(streams, asked)
    if refusal is not None and not agreed:
        streams.notices(opened.notices)
        raise refusal
    done = saving.run(opened, agreed if refusal else edits, streams.call.text("reason") or "")
    streams.notices(opened.notices)
    _saved(streams, done)
    if refusal is not None:
        raise refusal
    if not done.left:
        return 0
    return REFUSED if any(edit.status for edit in done.left) else BAD_FILE


def _asked(streams: Streams, edits: tuple[HandEdit, ...]) -> Refused | None:
    """A person's word for what comes back from being removed; without it those files stay as they are."""
    if not edits:
        return None
    try:
        person.word_for(streams, *(_act(edit) for edit in edits))
    except Refused as refusal:
        return Refused(
            refusal.message,
            refusal.hint,
            tuple(f"{edit.path}: {edit.needs_person}" for edit in edits),
        )
    return None


def _mass(gone: int) -> person.Act:
    about = "Is the disk mounted, and is this the right store? Git keeps what was committed."
    return person.Act(f"Recording that {gone} memories were deleted", "deleted", about, ask=_TO_SAVE)


def _act(edit: HandEdit) -> person.Act:
    about = f"{edit.prior_status} → {edit.status}  {edit.path}"
    shown = f"{edit.claim}\n{edit.needs_person}"
    return person.Act("Bringing back what was removed", edit.id, shown, about, _TO_SAVE)


def _planned(streams: Streams, opened: Opened, edits: tuple[HandEdit, ...]) -> int:
    streams.notices(opened.notices)
    if streams.json:
        streams.answer(render.planned_json(edits))
        return 0
    for edit in edits:
        streams.line(*render.edit(edit))
    if not edits:
        streams.say("Nothing to save: every file is as it was committed.")
    return 0


def _saved(streams: Streams, done: Saved) -> None:
    if streams.json:
        streams.answer(render.saved_json(done))
        return
    for edit in done.edits:
        streams.line(*render.edit(edit))
    for edit in done.left:
        streams.say("Left as it is: ", *render.edit(edit))
    commits = done.commits or ((done.commit,) if done.commit else ())
    if commits:
        back = " Undo: mem undo" if any(edit.op not in (OBSERVE, BURY) for edit in done.edits) else ""
        streams.say((f"Commit {' '.join(commit[:10] for commit in commits)}.{back}", "dim"))
    elif not done.left:
        streams.say("Nothing to save: every file is as it was committed.")


def move(streams: Streams) -> int:
    """`mem move`."""
    from memcli.engine import writing

    opened = open_for(streams)
    done = writing.move(opened, streams.call.text("id") or "", streams.call.text("to") or "")
    streams.notices((*opened.notices, *done.notices))
    render.written(streams, done)
    return 0
