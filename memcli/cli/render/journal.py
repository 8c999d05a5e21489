"""The journal read back, for a person, a pipe or a program."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.tables import Cell
from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.journaling import Line

_COMMIT: Final = re.compile(r"\b[0-9a-f]{40,64}\b")
_SHORT: Final = 10  # characters of a commit that a person is shown
LOG_HEADS = ("", "", "", "", "", "")


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
    """Why it was done, else what it was about; of a session's end both; and by which rule, how surely."""
    if line.session and line.reason and not line.changes:
        return f"{line.claim} ({line.reason})"
    said = f'"{line.reason}"' if line.reason else line.claim
    rule = _COMMIT.sub(lambda found: found[0][:_SHORT], line.rule)
    by = " ".join(filter(None, (rule, line.score)))
    return f"{said}  [{by}]" if by else said


def _changed(line: "Line") -> tuple[str, str]:
    """The memory that a line is about, and what it was before where that says something."""
    if not line.changes:
        return "", ""
    id_, prior, _ = line.changes[0]
    if len(line.changes) > 1:
        return id_, f"and {len(line.changes) - 1} more"
    return id_, f"was {prior}" if prior not in ("", "none") else ""


def log_lines(line: "Line") -> Iterator[tuple[str, ...]]:
    """Rows for a pipe, one a changed memory.

    Time, act, id, earlier status, status, actor, reason, claim, rule, score.
    """
    when = str(moments.rfc3339(line.at))
    changes = line.changes or (("", "", ""),)
    claims = line.claims or (line.claim,) * len(changes)
    for (id_, prior, status), claim in zip(changes, claims, strict=True):
        cells = (when, line.op, id_, prior, status, line.actor, line.reason, claim, line.rule, line.score)
        yield tuple(one_line(cell) for cell in cells)
