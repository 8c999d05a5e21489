"""The queue as one text for an editor, and the plan that comes of it."""

from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.cli.render.waiting import WORDS
from memcli.memory.buffer import Block, Word
from memcli.memory.reviewing import Why

if TYPE_CHECKING:
    from memcli.engine.remember import Remembered
    from memcli.engine.reviewing.background import Background, Beside, Line
    from memcli.engine.reviewing.queue import Waiting
    from memcli.engine.reviewing.review_plan import Planned

_SHOWN: Final = 100  # characters of what stands behind a memory
_DONE: Final = {Word.ACCEPT: "accept", Word.REJECT: "reject", Word.FORGET: "forget", Word.NEW: "remember"}


def guide(many: int) -> tuple[str, ...]:
    """How the text is read, at its top."""
    waits = "One memory waits" if many == 1 else f"{many} memories wait"
    return (
        f"{waits} for a decision. What stands here when you close the editor is what shall be:",
        "",
        "  left as it is                    it goes on waiting",
        "  accept instead of wait           it counts from now on",
        "  other words                      it counts, in these words",
        "  reject, or the block deleted     it is archived, and nobody proposes it again",
        "  forget instead of wait           it is forgotten",
        "  a block under a line == new      it is remembered (== new KIND:ID for another scope)",
        "",
        "A memory that was reported is out of the answers: accept lets it count again.",
        "Lines that begin with #> are only to read. You see the plan before anything is done.",
    )


def block(one: "Waiting", behind: "Background") -> Block:
    """One memory of the queue."""
    said = [_line(line) for line in behind.said]
    beside = [_beside(each) for each in behind.beside]
    by = [f"by {behind.by}" + (f": {one_line(behind.reason)}" if behind.reason else "")] if behind.by else []
    return Block(one.id, one.claim, f"{WORDS[one.why]}, {one_line(one.scope)}", (*by, *said, *beside))


def _line(line: "Line") -> str:
    day = moments.minute(line.at).split()[0]
    return f"{day}  {one_line(line.text)[:_SHOWN]}"


def _beside(one: "Beside") -> str:
    near = "" if one.cosine is None else f"near {one.cosine:.2f} "
    return f"{one.id}  {near}{one.status}  {one_line(one.claim)[:_SHOWN]}".rstrip()


def planned(one: "Planned") -> tuple[Piece, ...]:
    """One step of the plan, for a person."""
    word, id_, rest = _told(one)
    return (f"{word:<9}", "strong"), (id_, "name"), f"  {rest}"


def planned_text(one: "Planned") -> str:
    """The same without looks."""
    word, id_, rest = _told(one)
    return f"{word:<9}{id_}  {one_line(rest)}"


def _told(one: "Planned") -> tuple[str, str, str]:
    step = one.step
    if one.about is None:
        return _DONE[Word.NEW], step.of or "new", one_line(step.text)
    word = _DONE[step.word]
    if one.about.why is Why.REPORTED:
        word = {Word.ACCEPT: "reopen", Word.REJECT: "leave out"}.get(step.word, word)
    elif step.text:
        word = "reword"
    return word, step.id, one_line(step.text or one.about.claim)


def remembered(done: "Remembered") -> tuple[Piece, ...]:
    """What became of a new block."""
    return (done.decision, "good"), ": ", (done.id or "", "name"), f"  {one_line(done.claim)}"
