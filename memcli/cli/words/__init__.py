"""The words of the command line: every verb, declared once and read by both readers.

Each family is a module, imported when one of its verbs is called, so that a short command
does not pay for the whole vocabulary.
"""

from importlib import import_module
from typing import Final

from memcli.cli.grammar import Verb
from memcli.cli.words.common import COMMON

__all__ = ["COMMON", "FAMILY", "GROUPS", "all_verbs", "find", "near"]

# In the order in which help and reference list them.
FAMILY: Final = {
    "init": "setup",
    "demo": "setup",
    "status": "setup",
    "doctor": "setup",
    "config": "setup",
    "trust": "setup",
    "help": "setup",
    "activate": "cycle",
    "recall": "task",
    "remember": "task",
    "feedback": "cycle",
    "commit": "cycle",
    "observe": "cycle",
    "forget": "lifecycle",
    "unforget": "lifecycle",
    "supersede": "lifecycle",
    "retract": "retracting",
    "unretract": "retracting",
    "reopen": "lifecycle",
    "review": "lifecycle",
    "stage": "lifecycle",
    "undo": "lifecycle",
    "purge": "lifecycle",
    "show": "reading",
    "list": "reading",
    "log": "reading",
    "history": "looking_back",
    "believed": "recorded",
    "timeline": "looking_back",
    "diff": "looking_back",
    "blame": "looking_back",
    "receipt": "receipts",
    "stats": "reading",
    "skills": "reading",
    "eval": "measuring",
    "gate": "measuring",
    "new": "files",
    "edit": "files",
    "check": "files",
    "save": "files",
    "move": "files",
    "watch": "machinery",
    "setup": "machinery",
    "index": "machinery",
    "consolidate": "machinery",
    "replay": "machinery",
    "audit": "machinery",
    "export": "moving",
    "import": "moving",
    "onboard": "moving",
    "sync": "moving",
    "merge-driver": "moving",
}
GROUPS: Final = (
    "set up",
    "the task cycle",
    "the lifecycle",
    "reading",
    "measuring",
    "files",
    "machinery",
    "in and out",
)
# Whoever mistypes one of these meant it, or something else: neither is to be led to it.
_PERSONS: Final = frozenset({"trust", "forget", "unforget", "retract", "unretract", "reopen", "purge"})
_ELSEWHERE: Final = {"add": "remember", "find": "recall", "search": "recall"}


def near(name: str) -> tuple[str, ...]:
    """Verbs that somebody who typed `name` may have meant; never one whose act is a person's."""
    if name in _ELSEWHERE:
        return (_ELSEWHERE[name],)
    from difflib import get_close_matches

    others = [verb for verb in FAMILY if verb not in _PERSONS]
    return tuple(get_close_matches(name, others, cutoff=0.7))  # asserted: `recal` is not `eval`


def find(name: str) -> Verb | None:
    """The verb called `name`, or None."""
    family = FAMILY.get(name)
    if family is None:
        return None
    return next(verb for verb in _family(family) if verb.name == name)


def all_verbs() -> tuple[Verb, ...]:
    """Every verb, in the order of the reference."""
    return tuple(verb for family in dict.fromkeys(FAMILY.values()) for verb in _family(family))


def _family(name: str) -> tuple[Verb, ...]:
    verbs: tuple[Verb, ...] = import_module(f"memcli.cli.words.{name}").VERBS
    return verbs
