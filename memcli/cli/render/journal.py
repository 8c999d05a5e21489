"""The journal read back, for a person, a pipe or a program."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memcli.cli import moments
from memcli.cli.render.tables import Cell
from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.journaling import History, Line, Version

LOG_HEADS = ("", "", "", "", "", "")
HISTORY_HEADS = ("recorded", "true from", "true until", "status", "by", "")


def log_rows(lines: Sequence["Line"], zone: "tzinfo") -> Iterator[tuple[Cell, ...]]:
    """Rows for a person: when, what, which memory, what it was before, who, why or the claim."""
    for line in lines:
        id_, before = _changed(line)
        yield (
            moments.minute(line.at, zone),
            (line.op, "strong"),
            (id_, "name"),
            before,
            line.actor,
            _why(line),
        )


def _why(line: "Line") -> str:
    """Why it was done, else what it was about; of a session's end both."""
    if line.session and line.reason and not line.changes:
        return f"{line.claim} ({line.reason})"
    return f'"{line.reason}"' if line.reason else line.claim


def _changed(line: "Line") -> tuple[str, str]:
    """The memory that a line is about, and what it was before where that says something."""
    if not line.changes:
        return "", ""
    id_, prior, _ = line.changes[0]
    if len(line.changes) > 1:
        return id_, f"and {len(line.changes) - 1} more"
    return id_, f"was {prior}" if prior not in ("", "none") else ""


def log_lines(line: "Line") -> Iterator[tuple[str, ...]]:
    """Rows for a pipe, one a changed memory: time, act, id, earlier status, status, actor, reason, claim."""
    when = str(moments.rfc3339(line.at))
    changes = line.changes or (("", "", ""),)
    claims = line.claims or (line.claim,) * len(changes)
    for (id_, prior, status), claim in zip(changes, claims, strict=True):
        cells = (when, line.op, id_, prior, status, line.actor, line.reason, claim)
        yield tuple(one_line(cell) for cell in cells)


def history_rows(history: "History", zone: "tzinfo") -> Iterator[tuple[Cell, ...]]:
    """Rows for a person: both times of each recorded state; the claim where it changed."""
    claim = ""
    for version in history.versions:
        says = version.claim if version.claim != claim else ""
        claim = version.claim
        yield (
            moments.minute(version.at, zone),
            moments.bound(version.valid_from, zone),
            moments.bound(version.valid_to, zone),
            (version.status, "strong"),
            version.actor,
            f"→ {version.superseded_by}" if version.superseded_by else says,
        )


def history_line(version: "Version") -> tuple[str, ...]:
    """A row for a pipe: recorded, true from, true until, status, actor, act, claim."""
    cells = (
        moments.rfc3339(version.at),
        moments.rfc3339(version.valid_from),
        moments.rfc3339(version.valid_to),
        version.status,
        version.actor,
        version.op,
        version.claim,
    )
    return tuple(one_line(cell or "") for cell in cells)


def history_json(history: "History") -> dict[str, object]:
    """The object of `mem.history/1`, oldest first."""
    from memcli.engine.recalling.told import window

    told: dict[str, object] = {
        "format": "mem.history/1",
        "id": history.id,
        "path": history.path,
        "versions": [
            {
                "at": moments.rfc3339(version.at),
                "commit": version.commit,
                "op": version.op,
                "actor": version.actor,
                "status": version.status,
                "validity": window(version.valid_from, version.valid_to),
                "text": version.claim,
                "superseded_by": version.superseded_by or None,
            }
            for version in history.versions
        ],
    }
    if history.notices:
        told["notices"] = list(history.notices)
    return told
