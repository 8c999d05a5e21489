"""Which turns say nothing that could become knowledge: sifted out before anything is learnt from them.

The danger is a memory that feeds on itself: an agent repeats what recall has just shown it,
talks about the memory, prints what a tool said, and all of it comes back as if somebody had
said it anew. So these are sifted out by name, and counted, and the rest goes through.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from memcli.memory import claim, pool
from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.tokens import STOP, words

if TYPE_CHECKING:
    import numpy as np


class Sieve(StrEnum):
    """Why a turn was sifted out."""

    ECHO = "echo"  # it repeats what recall returned in its session
    MACHINE = "machine"  # a tool or the system said it
    NOISE = "noise"  # greetings, thanks, what is being done just now
    MEMORY = "memory"  # it is about the memory itself


MACHINES: Final = frozenset({"tool", "system"})  # roles
LONGEST: Final = 4000  # characters of a turn that are looked at; asserted
FEWEST_WORDS: Final = 3  # words that carry a topic below which a turn says nothing; asserted
_NOISE: Final = re.compile(
    r"^(?:ok(?:ay)?|yes|yep|no|nope|sure|thanks?|thank you|great|perfect|cool|done|hi|hello|hey|got it|right"
    r"|sounds good|nice|awesome|bye|good (?:morning|night|evening|bye)|see you|lgtm)\b\W*(?:\w+\W*){0,3}$"
    r"|^(?:let me|i'?ll|i will now|i am going to|i'?m going to|now i|next,? i)\b.{0,120}$"
    r"|^(?:running|checking|reading|looking|searching|opening|loading)\b.{0,80}(?:\.\.\.|\u2026)$"
    r"|^traceback \(most recent|^\s*(?:\$|>>>) |\bexit (?:code|status) \d+\b|^error: ",
    re.IGNORECASE,
)
_MEMORY: Final = re.compile(
    r"\bmem (?:recall|remember|observe|feedback|commit|activate|forget|consolidate|review|show|list|status)\b"
    r"|\b(?:do|did|can|could|will) you (?:still )?(?:remember|recall|store|save|keep)\b"
    r"|\b(?:what|anything) (?:do|did) you (?:know|remember|recall)\b"
    r"|\b(?:your|my|the) memor(?:y|ies)\b(?! (?:leak|limit|usage|footprint|error|address|pool|of\b))"
    r"|\bi(?:'ve| have)? (?:saved|stored|noted|recorded) (?:it|that|this|them)\b"
    r"|\bfrom (?:my )?memory\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A claim that recall returned in the session, and when (seconds since 1970; 0 where nobody says).

    `id` is that of the memory.
    """

    claim: str
    vector: "np.ndarray | None"
    at: int = 0
    id: str = ""


def caught(text: str, role: str = "") -> Sieve | None:
    """Why a turn says nothing to learn from, by its words and its role alone; None where it may."""
    if role in MACHINES:
        return Sieve.MACHINE
    text = text[:LONGEST]
    if _MEMORY.search(text):
        return Sieve.MEMORY
    telling = [word for word in words(text) if word not in STOP]
    return Sieve.NOISE if len(telling) < FEWEST_WORDS or _NOISE.search(text.strip()) else None


def echoed(
    text: str, at: int, vector: "np.ndarray | None", shown: Sequence[Shown], rules: Constants = DEFAULTS
) -> Shown | None:
    """The claim that a turn said at `at` repeats, of those that its session had been shown by then.

    One that says it with another number, name or the reverse is an answer, and no echo.
    """
    before = (one for one in shown if one.at <= at)
    return next((one for one in before if _repeats(text[:LONGEST], vector, one, rules)), None)


def _repeats(text: str, vector: "np.ndarray | None", one: Shown, rules: Constants) -> bool:
    if claim.normalise(text) == claim.normalise(one.claim):
        return True
    if vector is None or one.vector is None or pool.cosine(vector[None], one.vector) < rules.echo:
        return False
    return not claim.differs(text, one.claim)
