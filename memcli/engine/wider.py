"""The command that shows what an answer held back: the same question, one option wider.

It is printed to be pasted, so everything else about the question stays as it was asked,
and running it must show the best of what was held back instead of saying so again.
"""

import shlex
from typing import TYPE_CHECKING

from memcli.memory import times
from memcli.memory.schema import Status
from memcli.memory.visibility import ADMITTED, Mode

if TYPE_CHECKING:
    from memcli.engine.recall import Request


def command(request: "Request", reason: str, status: Status, needed: int) -> str:
    """The command for `reason`, where the best that it holds back has `status` and takes `needed` tokens."""
    words = ["mem", "recall"]
    dashed = request.query.startswith("-")
    words += [] if dashed else [request.query]
    for option, values in {**_given(request), **_changed(reason, status, needed)}.items():
        words += [word for value in values for word in (option, value)]
    words += ["--", request.query] if dashed else []
    return " ".join(shlex.quote(word) for word in words)


def _given(request: "Request") -> dict[str, tuple[str, ...]]:
    """The options of the question, as they are written."""
    single = {
        "--store": request.store,
        "--scope": request.scope,
        "--as-of": None if request.as_of is None else times.show(request.as_of),
        "--mode": None if request.mode is Mode.DEFAULT else request.mode.value,
        "--floor": request.floor,
        "--budget": request.budget,
    }
    written = {option: (str(value),) for option, value in single.items() if value is not None}
    return {**written, "--type": request.types, "--tag": request.tags}


def _changed(reason: str, status: Status, needed: int) -> dict[str, tuple[str, ...]]:
    """The one option that must be another."""
    mode = Mode.WIDE if status in ADMITTED[Mode.WIDE] and reason == "status" else Mode.HISTORY
    option, values = {
        "floor": ("--floor", ["0"]),
        "budget": ("--budget", [str(needed)]),
        "validity": ("--mode", [mode.value]),
        "status": ("--mode", [mode.value]),
        "type": ("--type", []),
        "tag": ("--tag", []),
    }[reason]
    return {option: tuple(values)}
