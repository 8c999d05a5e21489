"""What purges left in history: which head each replaced, and where the two histories part."""

from dataclasses import dataclass
from typing import Final

from memcli.journal import message as messages
from memcli.journal.history import descends
from memcli.journal.log import walk
from memcli.journal.repository import Journal

OP: Final = "purge"
RULE: Final = "replaces"  # how the Mem-Rule of a purge begins
_MANY: Final = 20  # asserted: places where histories part that a trailer names; one in most stores


@dataclass(frozen=True, slots=True)
class Purge:
    """One purge: its commit, the ids that went, the head that it replaced, the first commits it rewrote."""

    commit: str
    ids: tuple[str, ...]
    actor: str
    replaced: str
    first: tuple[str, ...]


def rule(replaced: str, first: tuple[str, ...]) -> str:
    """What the trailer says."""
    return " ".join([RULE, replaced, "from", *first[:_MANY]])


def between(journal: Journal, known: str | None, tip: str) -> tuple[Purge, ...]:
    """The purges that `tip` has in its history and `known` (None: nothing) has not, newest first."""
    less = (f"^{known}",) if known else ()
    words = ("--fixed-strings", f"--grep=Mem-Op: {OP}", "--end-of-options", tip, *less)
    found = (_read(one.text) for one in walk(journal.git, "%H%n%B", *words))
    return tuple(one for one in found if one is not None)


def _read(text: str) -> Purge | None:
    commit, _, body = text.partition("\n")
    said = messages.read(body)
    words = said.rule.split() if said else []
    if said is None or said.op != OP or words[:1] != [RULE] or len(words) < 3:  # noqa: PLR2004 - RULE, head, from
        return None
    ids = tuple(dict.fromkeys(one.id for one in said.changes))
    return Purge(commit, ids, said.actor, words[1], tuple(words[3:]))


def kept_by(journal: Journal, purge: Purge, tip: str) -> bool:
    """Whether the history of `tip` still holds what `purge` took out."""
    return any(descends(journal, tip, one) for one in purge.first)


def own(journal: Journal, tip: str, head: str) -> str | None:
    """The commit on which `head` has gone on by itself since `tip` was rewritten; None where it has not.

    A rewritten commit is known by who made it, when, and in which operation: these stay.
    """
    theirs = set(_marks(journal, tip, head).values())
    ours = _marks(journal, head, tip)
    fresh = [commit for commit, mark in ours.items() if mark not in theirs]
    return f"{fresh[-1]}^" if fresh else None


def _marks(journal: Journal, tip: str, known: str) -> dict[str, str]:
    """Commit → its mark, of those that `tip` has and `known` has not, newest first."""
    logged = walk(journal.git, "%H%n%an %at%n%B", "--topo-order", "--end-of-options", tip, f"^{known}")
    parts = (one.text.split("\n", 2) for one in logged)
    return {commit: f"{who} {dict(messages.trailers(body)).get('Mem-Tx', '')}" for commit, who, body in parts}
