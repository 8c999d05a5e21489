"""Whom or what a memory speaks of first, and whether it asks instead of telling.

Both are read off the text once, when it is indexed, because ranking sees no text. A name
that is cut from a question (see `asked`) no longer says whose answer is wanted; the first
word of a memory does: "Ana: I moved to Porto", "Ana owns billing". And what ends in a
question mark shares the words of a question without holding its answer.
"""

from typing import Final

from memcli.memory.schema import Schema
from memcli.memory.tokens import first_stem

_QUESTION_MARKS: Final = ("?", "\uff1f", "\u061f", "\u037e")  # latin, full width, arabic, greek
_CLOSERS: Final = "\"')]}*_ \t\r\n\u201d\u2019\u00bb"


def subjects(schema: Schema) -> tuple[str, ...]:
    """The first stem of each of concept, title and claim, each once, in that order."""
    first = (first_stem(part) for part in (schema.concept, schema.title, schema.claim))
    return tuple(dict.fromkeys(stem for found in first for stem in found))


def asks(claim: str) -> bool:
    """Whether `claim` ends as a question."""
    return claim.rstrip(_CLOSERS).endswith(_QUESTION_MARKS)
