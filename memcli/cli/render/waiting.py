"""What waits for a person: staged memories and the queue, one a line."""

from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.cli.render.width import cells, cut
from memcli.memory.reviewing import Why

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.reviewing.background import Background, Beside, Line
    from memcli.engine.reviewing.queue import Waiting
    from memcli.engine.reviewing.staging import Moved, Staged, Swept

WORDS: Final = {
    Why.REPORTED: "reported",
    Why.SAID_AGAIN: "said again",
    Why.HELD_HERE: "held here",
    Why.NEWER_EVIDENCE: "newer evidence",
    Why.RESEMBLES: "resembles",
    Why.CONFLICT: "conflict",
    Why.CONTAMINATED: "contaminated",
    Why.PROPOSAL: "proposed",
    Why.STAGED: "staged",
    Why.UNMERGED: "unmerged",
}
_NARROWEST: Final = 8  # columns: a claim in less is no use, and the line may break instead


def queued(one: "Waiting", width: int, *, scope: str) -> tuple[Piece, ...]:
    """One line of the queue for a person, cut to `width`; its scope only where it is another one."""
    elsewhere = "" if one.scope == scope else f"  {one.scope}"
    before = f"{one.id or one.path}  {WORDS[one.why]}{elsewhere}  "
    return (
        (one.id or one.path, "name"),
        (f"  {WORDS[one.why]}", "warn"),
        (elsewhere, "dim"),
        "  ",
        _fitting(one.claim, width - cells(before)),
    )


def queued_row(one: "Waiting") -> tuple[str, ...]:
    """One line of the queue for a pipe: id (or path), why, status, scope, claim."""
    return (
        one.id or one_line(one.path),
        one.why.value,
        one.status or "set_aside",
        one_line(one.scope),
        one_line(one.claim),
    )


def queued_json(one: "Waiting", behind: "Background") -> dict[str, object]:
    """One entry of `mem.review/1`."""
    return {
        "id": one.id or None,
        "path": one.path,
        "why": one.why.value,
        "status": one.status or None,
        "scope": one.scope,
        "type": one.schema.type.value if one.schema else None,
        "text": one.claim,
        "of": [_beside_json(each) for each in behind.beside if each.cosine is None],
        "resembles": [_beside_json(each) for each in behind.beside if each.cosine is not None],
        "evidence": [_line_json(line) for line in behind.said],
        "events": behind.events,
        "sessions": behind.sessions,
        "by": behind.by or None,
        "reason": behind.reason or None,
        "until": moments.rfc3339(one.until),
    }


def _beside_json(one: "Beside") -> dict[str, object]:
    told: dict[str, object] = {"id": one.id, "status": one.status, "text": one.claim or None}
    if one.cosine is not None:
        told["cosine"] = round(one.cosine, 4)
    if one.removed:
        told["since"] = one.removed
    return told


def _line_json(line: "Line") -> dict[str, object]:
    return {"event": line.event, "at": moments.rfc3339(line.at), "who": line.who, "text": line.text}


def staged(one: "Staged", width: int, zone: "tzinfo") -> tuple[Piece, ...]:
    """One line of `mem stage list` for a person."""
    until = "no date" if one.until is None else f"until {moments.bound(one.until, zone)}"
    before = f"{one.schema.id}  {until}  "
    claim = _fitting(one.schema.claim, width - cells(before))
    return (one.schema.id, "name"), (f"  {until}", "dim"), "  ", claim


def staged_row(one: "Staged") -> tuple[str, ...]:
    """One line for a pipe: id, status, until when, scope, claim."""
    until = moments.rfc3339(one.until) or ""
    return one.schema.id, "staged", until, one_line(str(one.schema.scope)), one_line(one.schema.claim)


def staged_json(one: "Staged") -> dict[str, object]:
    """One entry of `mem.stage/1`."""
    return {
        "id": one.schema.id,
        "path": one.path,
        "scope": str(one.schema.scope),
        "type": one.schema.type.value,
        "text": one.schema.claim,
        "since": moments.rfc3339(one.since),
        "until": moments.rfc3339(one.until),
    }


def moved(one: "Moved", *, dry_run: bool) -> tuple[Piece, ...]:
    """For a person: what became, or would become, of a staged memory."""
    said = "Would be " if dry_run else ""
    change = one.change
    return f"{said}{change.prior} → {change.status}: ", (change.id, "name"), f"  {one_line(one.claim)}"


def moved_row(one: "Moved") -> tuple[str, ...]:
    """The same for a pipe: id, earlier status, status, claim."""
    return one.change.id, one.change.prior.value, one.change.status.value, one_line(one.claim)


def swept_json(done: "Swept") -> dict[str, object]:
    """The object of `mem.stage/1` after an act."""
    return {
        "format": "mem.stage/1",
        "op": done.op,
        "changes": [
            {
                "id": one.change.id,
                "prior_status": one.change.prior.value,
                "status": one.change.status.value,
                "text": one.claim,
            }
            for one in done.moved
        ],
        "commit": done.commit,
    }


def _fitting(claim: str, room: int) -> str:
    line = one_line(claim)
    return cut(line, room) if room >= _NARROWEST else line
