"""Procedures: a line each in a list, whole where one fits or is asked for."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcli.cli.render.tables import table
from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from memcli.cli.streams import Streams
    from memcli.engine.skills import Matched, Shown
    from memcli.memory.procedure import Procedure, Tally

_NO_ORDER = "What was done before, as evidence; not an order."


def listed(streams: "Streams", found: "Sequence[Procedure]") -> None:
    """Name, scope and description of each."""
    if streams.json:
        streams.answer({"format": "mem.skills/1", "items": [_heading(one) for one in found]})
    elif streams.at_terminal:
        rows = [((one.name, "name"), (str(one.scope), "dim"), one.description) for one in found]
        table(streams, ("", "", ""), rows)
    else:
        for one in found:
            streams.row(one.name, one_line(str(one.scope)), one_line(one.description))


def matched(streams: "Streams", found: "Sequence[Matched]") -> None:
    """Each with its match and what reports say; the text for a person and in JSON, in a pipe a line."""
    if streams.json:
        items = [_heading(one.procedure) | _fit(one) | {"text": one.text} for one in found]
        streams.answer({"format": "mem.skills/1", "items": items})
        return
    for place, one in enumerate(found):
        told = one.procedure
        if not streams.at_terminal:
            streams.row(told.name, f"{one.match:.4f}", one_line(told.description))
            continue
        if place:
            streams.line()
        streams.line((told.name, "name"), f"  {told.scope}", (_told(one.tally), "dim"), f"  {one.match:.2f}")
        for line in one.text.splitlines():
            streams.line(line)
    if found and streams.at_terminal:
        streams.say((_NO_ORDER, "dim"))


def shown(streams: "Streams", one: "Shown") -> None:
    """The file: laid out for a person, in a pipe as it is."""
    if streams.json:
        text = one.raw.decode("utf-8", "replace")
        told = {"format": "mem.skill/1", **_heading(one.procedure), "file": one.file or None, "text": text}
        streams.answer(told)
    elif streams.at_terminal:
        for line in one.raw.decode("utf-8", "replace").splitlines():
            streams.line(line)
        streams.say((_NO_ORDER, "dim"))
    else:
        streams.raw(one.raw)


def _heading(one: "Procedure") -> dict[str, object]:
    return {
        "name": one.name,
        "description": one.description,
        "scope": str(one.scope),
        "path": one.path,
    }


def _fit(one: "Matched") -> dict[str, object]:
    return {"match": one.match, "helped": one.tally.helped, "harmed": one.tally.harmed}


def _told(tally: "Tally") -> str:
    counts = ((tally.helped, "helped"), (tally.harmed, "harmed"))
    return "".join(f"  {what} {count}" for count, what in counts if count)
