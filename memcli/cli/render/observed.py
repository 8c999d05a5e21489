"""What was taken in, how much of it was known, and what was taken out or passed over."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.memory.numerals import counted

if TYPE_CHECKING:
    from memcli.engine.task.observe import Observed


def line(done: "Observed") -> tuple[Piece, ...]:
    """For a person: how much, and for which session."""
    where: tuple[Piece, ...] = (" in session ", (done.session, "name")) if done.session else ()
    return (f"Observed {turns(done.events)}", *where, f", {done.scope}", *_known(done), ".")


def _known(done: "Observed") -> tuple[Piece, ...]:
    return ((f" ({done.known} known already)", "dim"),) if done.known else ()


def transcript(done: "Observed") -> tuple[Piece, ...]:
    """One transcript, for a person."""
    return (done.session, "name"), f"  {done.scope}  {turns(done.events)}", *_known(done)


def total(done: "Sequence[Observed]") -> str:
    """What all transcripts came to."""
    return f"{turns(sum(one.events for one in done))} of {counted(len(done), 'transcript')}."


def turns(count: int) -> str:
    """`count` in words."""
    return counted(count, "turn")


def aside(done: "Observed") -> Iterator[tuple[Piece, ...]]:
    """Beside the answer: secrets, lines that were refused, lines that nobody understands."""
    if done.secrets:
        what = counted(sum(done.secrets.values()), "secret was", "secrets were")
        yield ("Note: ", "warn"), f"{what} taken out ({', '.join(done.secrets)})."
    for error in done.refused:
        yield ("Refused: ", "warn"), one_line(error.message)
    if done.passed_over:
        lines = counted(done.passed_over, "line was", "lines were")
        yield f"{lines} no JSON object and passed over.", ""


def as_json(done: "Observed") -> dict[str, object]:
    """The object of `mem.observe/1` for one text."""
    return {
        "format": "mem.observe/1",
        "events": done.events,
        "known": done.known,
        "ids": list(done.ids),
        "session": done.session or None,
        "scope": done.scope,
        "secrets": dict(done.secrets),
        "refused": _refused([done]),
        "transcripts": None,
    }


def _refused(done: "Sequence[Observed]") -> list[dict[str, object]]:
    return [
        {"code": error.code, "message": error.message, "hint": error.hint}
        for one in done
        for error in one.refused
    ]


def transcripts_json(done: "Sequence[Observed]") -> dict[str, object]:
    """The object of `mem.observe/1` for transcripts: sums, and each by itself."""
    masks: dict[str, int] = {}
    for one in done:
        for name, count in one.secrets.items():
            masks[name] = masks.get(name, 0) + count
    return {
        "format": "mem.observe/1",
        "events": sum(one.events for one in done),
        "known": sum(one.known for one in done),
        "ids": None,
        "session": None,
        "scope": None,
        "secrets": dict(sorted(masks.items())),
        "refused": _refused(done),
        "transcripts": [
            {
                "path": one.path,
                "session": one.session,
                "scope": one.scope,
                "events": one.events,
                "known": one.known,
                "passed_over": one.passed_over,
            }
            for one in done
        ],
    }
