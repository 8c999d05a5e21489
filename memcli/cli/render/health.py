"""What the doctor found: one line each for a person, cells for a pipe, an object for a program."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from memcli.cli.render.text import one_line
from memcli.engine.health.examining import Level

if TYPE_CHECKING:
    from memcli.cli.streams import Streams
    from memcli.engine.health.doctor import Health
    from memcli.engine.health.examining import Finding

_STYLES: Final = {Level.OK: "good", Level.WARN: "warn", Level.FAIL: "bad"}
_NAME: Final = 12  # columns that a name gets
_INDENT: Final = 6 + _NAME + 2


def told(streams: "Streams", health: "Health", fixed: Sequence["Finding"]) -> None:
    """Show it."""
    if streams.json:
        streams.answer(_as_json(health, fixed))
        return
    for one in fixed:
        streams.say(
            "Fixed: " if one.level is Level.OK else "Not fixed: ", (one.name, "strong"), f". {one.what}"
        )
    for one in health.findings:
        if streams.at_terminal:
            _line(streams, one)
        else:
            streams.row(*(one_line(cell) for cell in (one.level.value, one.name, one.what, one.todo)))
    streams.say(_summary(health))


def _line(streams: "Streams", one: "Finding") -> None:
    streams.line((f"{one.level.value:<6}", _STYLES[one.level]), f"{one.name:<{_NAME}}  ", one_line(one.what))
    if one.todo:
        streams.line(" " * _INDENT, ("→ ", "dim"), (one_line(one.todo), "strong"))


def _summary(health: "Health") -> str:
    warns, fails = len(health.at(Level.WARN)), len(health.at(Level.FAIL))
    if not warns and not fails:
        return "All is well."
    return f"{fails} to put right, {warns} to look at."


def _as_json(health: "Health", fixed: Sequence["Finding"]) -> dict[str, object]:
    """The object of `mem.doctor/1`."""
    return {
        "format": "mem.doctor/1",
        "store": health.store,
        "healthy": not health.at(Level.FAIL),
        "findings": [_finding(one) for one in health.findings],
        "fixed": [_finding(one) for one in fixed],
    }


def _finding(one: "Finding") -> dict[str, object]:
    return {"name": one.name, "level": one.level.value, "what": one.what, "todo": one.todo or None}
