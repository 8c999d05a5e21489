"""What the gate decided, for a person, a program and a pipe."""

from typing import TYPE_CHECKING, Final

from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from memcli.memory.gate import Decision

_BECAUSE: Final = {
    "evidence": "something known comes near it",
    "held back": "something that is held back comes near it",
    "another language": "it is in a language that the vectors do not read",
    "words only": "there are no vectors to judge by",
    "failed open": "the gate failed, and what is doubtful is asked",
    "acknowledgement": "it says nothing that could be known",
    "nothing near": "nothing known comes near it",
    "no memories": "there is no memory to ask",
}


def because(decided: "Decision") -> str:
    """The reason as the end of a sentence."""
    near = "" if decided.evidence is None else f" ({decided.evidence:.2f} of {decided.threshold:.2f})"
    return _BECAUSE[decided.reason.value] + near


def line(decided: "Decision") -> tuple[Piece, ...]:
    """One line for a person."""
    return ("ask" if decided.retrieve else "no need", "strong"), f": {because(decided)}."


def row(decided: "Decision") -> tuple[str, str, str]:
    """Yes or no, the reason, and what to ask."""
    return "yes" if decided.retrieve else "no", decided.reason.value, one_line(decided.query)
