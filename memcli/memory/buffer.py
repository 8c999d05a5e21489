"""The queue as one text: what it says when it is closed is what shall be.

Each memory is a block under a line `== wait ID  why`. A block that is as it was goes on
waiting; one whose word says accept, reject or forget is decided so; one with other words is
accepted in those; one that is gone is rejected; a block under `== new` is remembered. What
cannot be told for certain is a mistake with its line, and nothing is done.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

_HEAD: Final = re.compile(r"==[ \t]+(?P<words>\S.*?)[ \t]*")
_MARK: Final = "=="
_COMMENT: Final = "#"
_REMARK: Final = "#>"
_KEPT: Final = "\\"  # before a line of a claim that begins like one of ours


class Word(StrEnum):
    """What the head line of a block says shall become of it."""

    WAIT = "wait"
    ACCEPT = "accept"
    REJECT = "reject"
    FORGET = "forget"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Block:
    """One memory as it is shown: `about` goes on its head line, `remarks` below it, neither is read back."""

    id: str
    text: str
    about: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One decision: `word` wait never comes; `text` are other words, or those of a new memory.

    `of` says for a new one its scope, "" for the usual one.
    """

    word: Word
    id: str = ""
    text: str = ""
    of: str = ""


@dataclass(frozen=True, slots=True)
class Mistake:
    """What cannot be told for certain, at a line counted from 1."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Read:
    """What a closed buffer says: all decisions in its order, those by absence last, or why not."""

    steps: tuple[Step, ...]
    mistakes: tuple[Mistake, ...]


@dataclass
class _Found:
    line: int
    words: list[str]
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What the block says, without our own lines and the blanks around it."""
        kept = [line.removeprefix(_KEPT) for line in self.lines if not line.startswith(_REMARK)]
        return "\n".join(kept).strip()


def written(blocks: Sequence[Block], guide: Sequence[str]) -> str:
    """The text of the whole queue, under lines that say how it is read."""
    head = [f"{_COMMENT} {line}".rstrip() for line in guide]
    return "\n".join([*head, "", *(line for block in blocks for line in _lines(block))]) + "\n"


def _lines(block: Block) -> Iterator[str]:
    yield f"{_MARK} {Word.WAIT} {block.id}  {block.about}".rstrip()
    yield from (f"{_REMARK} {line}" for line in block.remarks)
    yield from (_protected(line) for line in block.text.split("\n"))
    yield ""


def _protected(line: str) -> str:
    return _KEPT + line if line.startswith((_MARK, _REMARK, _KEPT)) else line


def read(text: str, blocks: Sequence[Block]) -> Read:
    """What `text`, edited from `written(blocks, …)`, says shall be."""
    found, mistakes = _blocks(text)
    shown = {block.id: block for block in blocks}
    steps: list[Step] = []
    seen: set[str] = set()
    for one in found:
        step = _step(one, shown, seen)
        if isinstance(step, Mistake):
            mistakes.append(step)
        elif step is not None:
            steps.append(step)
    if blocks and not found and not mistakes:  # an editor that failed leaves nothing too
        mistakes.append(Mistake(1, "nothing is left; to reject everything say reject instead of wait"))
    gone = [Step(Word.REJECT, block.id) for block in blocks if block.id not in seen]
    return Read((*steps, *gone), tuple(mistakes))


def _blocks(text: str) -> tuple[list[_Found], list[Mistake]]:
    found: list[_Found] = []
    mistakes: list[Mistake] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        head = _HEAD.fullmatch(line)
        if head is not None:
            found.append(_Found(number, head["words"].split()))
        elif found:
            found[-1].lines.append(line)
        elif line.strip() and not line.startswith(_COMMENT):
            mistakes.append(Mistake(number, "begin a new memory with a line `== new`"))
    return found, mistakes


def _step(one: _Found, shown: Mapping[str, Block], seen: set[str]) -> Step | Mistake | None:
    word, *rest = one.words
    if word not in set(Word):
        return Mistake(one.line, f"{word!r} is not one of {', '.join(Word)}")
    if word == Word.NEW:
        if not one.text:
            return Mistake(one.line, "there is nothing to remember below this line")
        return Step(Word.NEW, text=one.text, of=rest[0] if rest else "")
    id_ = rest[0] if rest else ""
    if id_ not in shown:
        return Mistake(one.line, f"{id_ or 'this block'} names nothing of this queue; a new one is `== new`")
    if id_ in seen:
        return Mistake(one.line, f"{id_} stands here twice")
    seen.add(id_)
    return _decided(one, Word(word), shown[id_])


def _decided(one: _Found, word: Word, block: Block) -> Step | Mistake | None:
    reworded = one.text != block.text.strip()
    if word in (Word.REJECT, Word.FORGET):
        return Step(word, block.id)
    if reworded and not one.text:
        return Mistake(one.line, f"{block.id} says nothing; delete its block to reject it")
    if word is Word.WAIT and not reworded:
        return None
    return Step(Word.ACCEPT, block.id, one.text if reworded else "")
