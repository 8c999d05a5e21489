"""The plan of a queue that was edited as one text: which decision about which memory."""

from collections.abc import Sequence
from dataclasses import dataclass

from memcli.engine.reviewing.queue import Waiting
from memcli.memory import buffer
from memcli.memory.buffer import Block, Mistake, Step, Word
from memcli.memory.reviewing import DECISIONS
from memcli.store import rewording

_ACCEPTING = frozenset({"accept", "reopen"})
_REJECTING = frozenset({"reject", "leave"})


@dataclass(frozen=True, slots=True)
class Planned:
    """One step; `about` is the memory that it decides, None for a new one."""

    step: Step
    about: Waiting | None

    @property
    def waiting(self) -> Waiting:
        """The memory that it decides. Raises AssertionError for a new one."""
        if self.about is None:
            raise AssertionError("a new memory waits for nothing")
        return self.about


@dataclass(frozen=True, slots=True)
class Plan:
    """The queue as it was put into the editor."""

    waiting: Sequence[Waiting]
    blocks: Sequence[Block]

    def of(self, after: bytes) -> tuple[Planned, ...]:
        """What the closed text says shall be."""
        by_id = {one.id: one for one in self.waiting}
        read = buffer.read(after.decode("utf-8", "replace"), self.blocks)
        return tuple(Planned(step, by_id.get(step.id)) for step in read.steps)

    def problems(self, after: bytes) -> tuple[str, ...]:
        """`line 4: what` for everything that cannot be carried out; empty when all can."""
        try:
            text = after.decode()
        except UnicodeDecodeError:
            return ("is not UTF-8",)
        read = buffer.read(text, self.blocks)
        wrong = [_told(one) for one in read.mistakes]
        return tuple(wrong or filter(None, (_impossible(one) for one in self.of(after))))


def _told(one: Mistake) -> str:
    return f"line {one.line}: {one.what}"


def _impossible(one: Planned) -> str:
    """Why this cannot be done with that memory, or ""."""
    step = one.step
    if one.about is None or step.word is Word.FORGET:
        return ""
    possible = set(DECISIONS[one.about.why])
    if step.text:
        if "edit" not in possible:
            return f"{step.id} waits because it was {one.about.why.value}: its words cannot be changed here"
        return (
            "" if rewording.is_claim(step.text) else f"{step.id}: a claim is one paragraph, without a heading"
        )
    if step.word is Word.ACCEPT and not possible & _ACCEPTING:
        return f"{step.id} counts already; change its words, reject it, or let it wait"
    return "" if step.word is Word.ACCEPT or possible & _REJECTING else f"{step.id} cannot be rejected here"
