"""The working set: which of the ranked memories fit an answer of k items and so many tokens.

Best first; what does not fit is skipped and the next is tried; nothing is cut. A claim
that says the same as a better one takes no place, and is named instead of silently lost.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
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
    None. `marks` is whatever keeps near claims apart: memory.claim.marks, and in an answer
    that shows history also what became of each.
    """

    path: str
    tokens: int
    claim: str = ""
    vector: "np.ndarray | None" = None
    marks: frozenset[str] = frozenset()


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
    for entry in entries:
        if len(shown.paths) >= k:
            break
        if twin := shown.twin(entry):
            duplicates.append((entry.path, twin))
        elif spent + entry.tokens > budget:
            skipped.append(entry.path)
            needed = needed or spent + entry.tokens
        else:
            shown.add(entry)
            spent += entry.tokens
    return Packed(tuple(shown.paths), tuple(skipped), tuple(duplicates), spent if shown.paths else 0, needed)


class _Shown:
    """What is chosen so far, by marks: only claims with equal marks can say the same."""

    def __init__(self, near: float) -> None:
        self.near = near
        self.paths: list[str] = []
        self._by_marks: defaultdict[frozenset[str], list[Entry]] = defaultdict(list)

    def add(self, entry: Entry) -> None:
        self.paths.append(entry.path)
        self._by_marks[entry.marks].append(entry)

    def twin(self, entry: Entry) -> str | None:
        """The path of the best shown entry that says what `entry` says."""
        alike = self._by_marks.get(entry.marks, ())
        same = (other.path for other in alike if other.claim and other.claim == entry.claim)
        return next(same, None) or self._nearby(entry, alike)

    def _nearby(self, entry: Entry, alike: Sequence[Entry]) -> str | None:
        if entry.vector is None:
            return None
        comparable = [(other.path, other.vector) for other in alike if other.vector is not None]
        for path, vector in comparable:
            if float(pool.cosines(vector[None, :], entry.vector)[0]) >= self.near:
                return path
        return None
