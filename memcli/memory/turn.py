"""A turn: one thing that somebody said, as it is taken in, wherever it was written down."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

_ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "human": "user",
        "ai": "assistant",
        "agent": "assistant",
        "model": "assistant",
        "bot": "assistant",
        "developer": "system",
        "function": "tool",
    }
)


class Role(StrEnum):
    """Who speaks. What a tool prints is nobody's word, so nothing believes it without review."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said: by which role, by whom (`subject`) and when (seconds since 1970), if known.

    `key` makes a repetition harmless. A `claim` is no mere turn: somebody holds it to be worth
    keeping, as `type`, about `concept`, with `tags`; `valid_from` and `valid_to` as they were written.
    """

    text: str
    role: Role = Role.USER
    subject: str = ""
    said_at: int | None = None
    key: str = ""
    claim: bool = False
    type: str = "fact"
    concept: str = ""
    tags: tuple[str, ...] = ()
    valid_from: str = ""
    valid_to: str = ""


def role_of(text: str) -> Role:
    """The role that `text` names, in any of its usual spellings. Raises ValueError."""
    folded = text.strip().lower()
    return Role(_ALIASES.get(folded, folded))
