"""The bytes that a receipt is about: the answer as programs get it, in one spelling.

What says where an answer came from rather than what it is stays out: the receipt's own id,
where in the record it was read (the receipt names that itself), whether the index was
behind, notices, and the command that would show more.
"""

from dataclasses import replace
from typing import Final

from memcli.engine.recalling.answer import Answer, Item
from memcli.engine.recalling.told import as_json
from memcli.memory import receipt

KEYS: Final = ("format", "outcome", "query", "scope", "mode", "as_of", "items", "withheld", "tokens")


def of_recall(answer: Answer, evidence: str) -> bytes:
    """The answer of a recall: its object of `mem.recall/1` with KEYS alone, as canonical JSON."""
    return receipt.canonical(_value(answer, evidence))


def of_activate(answer: Answer, warnings: tuple[Item, ...]) -> bytes:
    """What a task was laid out with: its memories as a recall's, and its warnings beside them."""
    warned = as_json(replace(answer, items=warnings, said=()), "refs")["items"]
    return receipt.canonical({"memories": _value(answer, "refs"), "warnings": warned})


def _value(answer: Answer, evidence: str) -> dict[str, object]:
    told = as_json(answer, evidence)
    return {key: told[key] for key in KEYS}
