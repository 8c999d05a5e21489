"""The command that shows the best of what an answer held back: the same question, no wider than needed.

It is printed to be pasted, so everything else about the question stays as it was asked,
and running it must show that memory instead of saying again that it is held back.
"""

import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.memory import times
from memcli.memory.schema import Validity
from memcli.memory.visibility import Mode, Row, Verdict, Viewer, verdict

if TYPE_CHECKING:
    from memcli.engine.recalling.asking import Request

Changes = dict[str, tuple[str, ...]]
"""Option -> its values in the printed command; none takes it away."""


def budget(needed: int) -> Changes:
    """What shows a memory that takes `needed` tokens."""
    return {"--budget": (str(needed),)}


def floor() -> Changes:
    """What shows a memory that lies below the floor."""
    return {"--floor": ("0",)}


def admitting(viewer: Viewer, row: Row) -> Changes:
    """What shows a memory that filters hold back: each of them that stands in its way is changed."""
    changes: Changes = {}
    if viewer.types and row.type not in viewer.types:
        changes["--type"] = ()
    if viewer.tags and not set(viewer.tags) <= set(row.tags):
        changes["--tag"] = ()
    return changes | _standing(replace(viewer, types=(), tags=()), row)


def _standing(viewer: Viewer, row: Row) -> Changes:
    """The least of mode and moment that has to be another."""
    for mode in dict.fromkeys((viewer.mode, Mode.WIDE, Mode.HISTORY)):
        if verdict(replace(viewer, mode=mode), row) is Verdict.ADMITTED:
            return {} if mode is viewer.mode else {"--mode": (mode.value,)}
    for mode in (viewer.mode, Mode.WIDE, Mode.HISTORY):
        for moment in _moments(row.validity):
            if verdict(replace(viewer, mode=mode, as_of=moment), row) is Verdict.ADMITTED:
                return {"--mode": (mode.value,), "--as-of": (times.show(moment),)}
    return {}


def _moments(window: Validity) -> Iterator[int]:
    """The last second of a window, or its first where it has no end."""
    if window.end is not None:
        yield window.end - 1
    elif window.start is not None:
        yield window.start


def command(request: "Request", changes: Changes) -> str:
    """The question as a command, with these options otherwise."""
    words = ["mem", "recall"]
    dashed = request.query.startswith("-")
    words += [] if dashed else [request.query]
    for option, values in {**_given(request), **changes}.items():
        words += [word for value in values for word in (option, value)]
    words += ["--", request.query] if dashed else []
    return " ".join(shlex.quote(word) for word in words)


def _given(request: "Request") -> Changes:
    """The options of the question, as they are written."""
    single = {
        "--store": request.store,
        "--scope": request.scope,
        "--known-at": request.known_at,
        "--as-of": None if request.as_of is None else times.show(request.as_of),
        "--mode": None if request.mode is Mode.DEFAULT else request.mode.value,
        "--floor": request.floor,
        "--budget": request.budget,
    }
    written = {option: (str(value),) for option, value in single.items() if value is not None}
    return {**written, "--type": request.types, "--tag": request.tags}
