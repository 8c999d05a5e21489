"""What an act did, what remains of the thing, and how to take it back."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.forget import Acted
    from memcli.engine.journaling import Line
    from memcli.engine.reviewing.reopen import Reopened
    from memcli.engine.supersede import Superseded
    from memcli.engine.undo import Undone

_DONE: Final = {"forget": "Forgotten", "unforget": "Taken back"}
_BACK: Final = {"forget": "unforget", "unforget": "forget"}


def lines(acted: "Acted") -> Iterator[tuple[Piece, ...]]:
    """For a person: what was done to which memory."""
    if acted.commit is None:
        yield (acted.id, "name"), f" is {acted.status} already: nothing was changed."
        return
    yield (
        f"{_DONE.get(acted.op, acted.op)}: ",
        (acted.id, "name"),
        f", {acted.prior_status} → {acted.status}.",
    )


def aside(acted: "Acted") -> Iterator[tuple[Piece, ...]]:
    """Beside the answer: what remains, the commit, the way back."""
    for remains in acted.remains:
        yield "Remains: ", remains
    if acted.commit:
        yield (
            (
                f"Commit {acted.commit[:10]}. Take it back: mem {_BACK.get(acted.op, 'undo')} {acted.id}",
                "dim",
            ),
        )


def as_json(acted: "Acted") -> dict[str, object]:
    """The object of `mem.act/1`."""
    told: dict[str, object] = {
        "format": "mem.act/1",
        "op": acted.op,
        "id": acted.id,
        "prior_status": acted.prior_status,
        "commit": acted.commit,
        "remains": list(acted.remains),
        "status": acted.status,
    }
    if acted.notices:
        told["notices"] = list(acted.notices)
    return told


def superseded_json(done: "Superseded") -> dict[str, object]:
    """The object of `mem.supersede/1`."""
    told: dict[str, object] = {
        "format": "mem.supersede/1",
        "old": done.old,
        "new": done.new,
        "until": moments.rfc3339(done.until),
        "path": done.path,
        "text": done.claim,
        "commit": done.commit,
    }
    if done.notices:
        told["notices"] = list(done.notices)
    return told


def reopened(done: "Reopened") -> tuple[Piece, ...]:
    """For a person: what counts again, and as what."""
    if done.commit is None:
        return (done.id, "name"), f" is {done.status} already: nothing was changed."
    return "Reopened: ", (done.id, "name"), f", {done.prior_status} → {done.status}."


def reopened_notices(done: "Reopened") -> Iterator[str]:
    """What a person should know beside it."""
    if done.commit and done.successor:
        yield f"{done.successor}, which had superseded {done.id}, goes on counting beside it."
    if done.overrides:
        yield f"It was let past {', '.join(done.overrides)}, which was removed."


def reopened_json(done: "Reopened") -> dict[str, object]:
    """The object of `mem.act/1` for what counts again."""
    return {
        "format": "mem.act/1",
        "op": "reopen",
        "id": done.id,
        "prior_status": done.prior_status,
        "commit": done.commit,
        "remains": [],
        "status": done.status,
        "overrides": list(done.overrides),
    }


def undone(done: "Undone", zone: "tzinfo", *, dry_run: bool) -> tuple[Piece, ...]:
    """One line on what was, or would be, taken back."""
    entry = done.entry
    said = "Would take back " if dry_run else "Took back "
    what = f"{entry.op} of {moments.minute(entry.at, zone)}"
    return said, (what, "strong"), f": {one_line(entry.claim)} ", (f"({entry.commit[:10]})", "dim")


def undone_json(done: "Undone") -> dict[str, object]:
    """The object of `mem.undo/1`."""
    return {
        "format": "mem.undo/1",
        "undone": line_json(done.entry),
        "paths": list(done.paths),
        "commit": done.commit,
        "needs_person": done.needs_person,
    }


def line_json(line: "Line") -> dict[str, object]:
    """One operation of the journal."""
    told: dict[str, object] = {
        "commit": line.commit,
        "at": moments.rfc3339(line.at),
        "op": line.op,
        "actor": line.actor,
        "author": line.author,
        "reason": line.reason,
        "text": line.claim,
        "changes": [{"id": id_, "prior_status": prior, "status": now} for id_, prior, now in line.changes],
        "rule": line.rule or None,
        "score": line.score or None,
        "session": line.session or None,
    }
    if line.moves:
        told["moves"] = [
            {"id": one.id, "from": one.prior, "to": one.stage, "why": one.why} for one in line.moves
        ]
    return told
