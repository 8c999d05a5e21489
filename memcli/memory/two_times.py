"""Both times of a memory as a grid: what was known when, about which time of the world.

One row a recorded state, one column a stretch of the world's time between two moments at
which any of the states begins or ends; a cell says whether that state answers there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memcli.memory.schema import Schema, Validity
from memcli.memory.visibility import Row, Verdict, Viewer, verdict


@dataclass(frozen=True, slots=True)
class Grid:
    """`bounds` are where the columns begin, in seconds since 1970 (None: unbounded); a row for each state."""

    bounds: tuple[int | None, ...]
    rows: tuple[tuple[bool, ...], ...]


def grid(states: Sequence[Schema]) -> Grid:
    """The grid of these states of one memory; a single column where none of them is bounded."""
    marks = {mark for one in states for mark in (one.validity.start, one.validity.end) if mark is not None}
    bounds = (None, *sorted(marks))
    moments = [bounds[1] - 1 if len(bounds) > 1 and bounds[1] is not None else 0, *sorted(marks)]
    return Grid(bounds, tuple(tuple(answers(one, moment) for moment in moments) for one in states))


def answers(schema: Schema, moment: int) -> bool:
    """Whether recall would give it for `moment`: the rule of visibility itself is asked."""
    row = Row(schema.scope, schema.status, schema.stale_reason, schema.validity, schema.type, schema.tags)
    return verdict(Viewer((schema.scope,), moment), row) is Verdict.ADMITTED


def inside(window: Validity, otherwise: int) -> int:
    """A moment of the window, in seconds since 1970; `otherwise` where it has no bound."""
    if window.start is not None:
        return window.start
    return otherwise if window.end is None else window.end - 1
