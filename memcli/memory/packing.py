"""The working set: which of the ranked memories fit an answer of k items and so many tokens.

Best first; what does not fit is skipped and the next is tried; nothing is cut. A claim
that says the same as a better one takes no place, and is named instead of silently lost.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcli.memory import pool
from memcli.memory.constants import DEFAULTS

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Entry:
    """One ranked memory as packing sees it.

    `tokens` is all that showing it costs, its id and separators included; `claim` the
    digest of its normalised claim; `vector` the unit vector of the claim, float32 [d], or
    None. `marks` gives whatever keeps near claims apart: memory.claim.marks, and in an answer
    that shows history also what became of each. It is asked for only where two claims come
    near: to read a claim so closely takes longer than to pack it. `text` is the claim itself.
    """

    path: str
    tokens: int
    claim: str = ""
    vector: "np.ndarray | None" = None
    marks: Callable[[], frozenset[str]] = frozenset
    text: str = ""


@dataclass(frozen=True, slots=True)
class Packed:
    """The paths shown, best first, with what they cost, and why others are not.

    `tokens` counts the overhead too; it is 0 where nothing is shown. `needed` is the budget
    that the best of those skipped asks for, 0 where none was. `duplicates` pairs a path that
    was left out with the shown one that says the same.
    """

    chosen: tuple[str, ...]
    skipped_by_budget: tuple[str, ...]
    duplicates: tuple[tuple[str, str], ...]
    tokens: int
    needed: int = 0


def pack(
    entries: Iterable[Entry],
    k: int,
    budget: int,
    overhead: int = 0,
    near: float = DEFAULTS.near_duplicate,
) -> Packed:
    """At most `k` of `entries`, best first, within `budget` tokens; `overhead` is header and footer."""
    shown = _Shown(near)
    skipped: list[str] = []
    duplicates: list[tuple[str, str]] = []
    spent, needed = overhead, 0
    for entry in entries if k > 0 else ():
        if twin := shown.twin(entry):
            duplicates.append((entry.path, twin))
        elif spent + entry.tokens > budget:
            skipped.append(entry.path)
            needed = needed or spent + entry.tokens
        else:
            shown.entries.append(entry)
            spent += entry.tokens
            if len(shown.entries) >= k:
                break  # before the next one is read
    chosen = tuple(entry.path for entry in shown.entries)
    return Packed(chosen, tuple(skipped), tuple(duplicates), spent if chosen else 0, needed)


class _Shown:
    """What is chosen so far."""

    def __init__(self, near: float) -> None:
        self.near = near
        self.entries: list[Entry] = []

    def twin(self, entry: Entry) -> str | None:
        """The path of the best shown entry that says all that `entry` says, with equal marks."""
        same = [other for other in self.entries if other.claim and other.claim == entry.claim]
        alike = (*same, *(other for other in self._nearby(entry) if not _says_more(entry, other)))
        return next((other.path for other in alike if other.marks() == entry.marks()), None)

    def _nearby(self, entry: Entry) -> list[Entry]:
        comparable = [(other, other.vector) for other in self.entries if other.vector is not None]
        if entry.vector is None or not comparable:
            return []
        import numpy as np

        cosines = pool.cosines(np.stack([vector for _, vector in comparable]), entry.vector)
        return [other for (other, _), cosine in zip(comparable, cosines, strict=True) if cosine >= self.near]


def _says_more(entry: Entry, other: Entry) -> bool:
    from memcli.memory.beyond import says_more

    return says_more(entry.text, other.text)
