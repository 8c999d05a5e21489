"""What a document states: its sentences that can be read alone, and what kind of claim each is.

Documents for agents and newcomers (CLAUDE.md, AGENTS.md) hold rules and facts among headings,
tables and code. The danger is half of something: a cell, a caption, a "this" without what it
points to. So only whole sentences are taken, word for word but for their marks, and nothing
of it counts before a person has said so.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memcli.memory import claim, proposals
from memcli.memory.schema import Type

_FENCE: Final = re.compile(r"\s*(```|~~~)")
_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
# Headings, tables, quotes, rules and underlines, HTML: what is no prose.
_NO_PROSE: Final = re.compile(r"\s*(?:#{1,6}\s|\||>|<|=+\s*$|[-*_]{3,}\s*$|\[[^\]]*\]:\s)")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_FRONT: Final = re.compile(r"\A---\r?\n.*?^---\s*$", re.DOTALL | re.MULTILINE)
_IMAGE: Final = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_MARKED: Final = re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1")
_BOUND: Final = re.compile(r"\b(?:must|never|always|shall|may not|only)\b", re.IGNORECASE)
_ORDER: Final = re.compile(
    r"(?:do|don't|do not|use|run|keep|avoid|prefer|write|make|ensure|add|put|ask|commit|check|test|follow"
    r"|name|format|read|call|set|install|build|update|start|stop|leave|remove|create|open|treat|pin)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence of a document: the line where its block begins, from 1, and the kind of claim it is."""

    line: int
    text: str
    type: Type


def stated(text: str) -> tuple[Stated, ...]:
    """Every sentence of a markdown text that can stand alone, each once, in its order."""
    found: dict[str, Stated] = {}
    for line, block in _blocks(text):
        for sentence in claim.sentences(_plain(block)):
            if _stands(sentence):
                found.setdefault(claim.digest(sentence), Stated(line, sentence, _type(sentence)))
    return tuple(found.values())


def _stands(sentence: str) -> bool:
    return not sentence.endswith(":") and proposals.stands_alone(sentence.replace("`", ""))


def _type(sentence: str) -> Type:
    if _BOUND.search(sentence):
        return Type.CONSTRAINT
    return Type.INSTRUCTION if _ORDER.match(sentence) else Type.FACT


def _plain(block: str) -> str:
    """A block without the marks of emphasis and links; what stands in backticks stays as it is."""
    return _MARKED.sub(r"\2", _LINK.sub(r"\1", _IMAGE.sub("", block))).strip()


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs and items of lists, each with its first line; code and what is no prose left out."""
    begun, lines, fenced = 0, list[str](), False
    for number, line in enumerate(_blanked(text).splitlines(), 1):
        fence = _FENCE.match(line) is not None
        item = _ITEM.match(line)
        ends = fenced or fence or not line.strip() or _NO_PROSE.match(line) is not None
        if lines and (ends or item):
            yield begun, " ".join(lines)
            lines = []
        fenced ^= fence
        if not ends:
            begun = begun if lines else number
            lines.append((line[item.end() :] if item else line).strip())
    if lines:
        yield begun, " ".join(lines)


def _blanked(text: str) -> str:
    """The text with frontmatter and comments emptied, line by line, so that later lines keep theirs."""
    for pattern in (_FRONT, _COMMENT):
        text = pattern.sub(lambda found: "\n" * found.group().count("\n"), text)
    return text
