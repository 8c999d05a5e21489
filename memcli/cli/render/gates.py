"""How the gate did with labelled messages, for a person, a program and a pipe."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memcli.cli.render import gate
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from memcli.engine.evaluating.gates import Judged, Measured


def lines(found: "Measured") -> Iterator[tuple[Piece, ...]]:
    """What was wrong, then the counts."""
    for name, wrong in (("missed", found.missed), ("opened", found.opened)):
        for one in wrong:
            yield (f"{name:<8}", "warn" if name == "missed" else "dim"), one_line(one.message.text)
            yield ((f"        {one.message.place}; {gate.because(one.decision)}", "dim"),)
    other = len(found.judged) - found.needed
    yield (
        (f"{len(found.missed)} of {found.needed} that need memory were missed, ", "strong"),
        f"{len(found.opened)} of {other} that need none were let through.",
    )


def rows(found: "Measured") -> Iterator[tuple[str, ...]]:
    """What was wrong: how, where, why, and the message; then the counts."""
    for name, wrong in (("missed", found.missed), ("opened", found.opened)):
        for one in wrong:
            yield name, one.message.place, one.decision.reason.value, one_line(one.message.text)
    yield "gate.missed", f"{len(found.missed)}/{found.needed}"
    yield "gate.opened", f"{len(found.opened)}/{len(found.judged) - found.needed}"


def as_json(found: "Measured") -> dict[str, object]:
    """The object of `mem.eval/1` for this part."""
    return {
        "format": "mem.eval/1",
        "part": "gate",
        "needed": found.needed,
        "not_needed": len(found.judged) - found.needed,
        "missed": _wrong(found.missed),
        "opened": _wrong(found.opened),
    }


def _wrong(judged: "Sequence[Judged]") -> list[dict[str, object]]:
    from memcli.cli.render.strict_json import number

    return [
        {
            "place": one.message.place,
            "text": one.message.text,
            "reason": one.decision.reason.value,
            "evidence": number(one.decision.evidence),
        }
        for one in judged
    ]
