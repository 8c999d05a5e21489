"""The working set: which of the ranked memories fit an answer of k items and so many tokens.

Best first; what does not fit is skipped and the next is tried; nothing is cut. A claim
that says the same as a better one is left out and named, not silently lost.
"""

from collections.abc import Sequence
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
    None; `marks` whatever keeps two near claims apart: numbers, negation.
    """

    path: str
    tokens: int
    claim: str
    vector: "np.ndarray | None" = None
    marks: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Packed:
    """The paths shown, best first, with what they cost, and why others are not.

    `tokens` counts the overhead too; it is 0 where nothing is shown. `duplicates` maps a
    path that was left out to the shown one that says the same.
    """

    chosen: tuple[str, ...]
    skipped_by_budget: tuple[str, ...]
    duplicates: tuple[tuple[str, str], ...]
    tokens: int


def pack(
    entries: Sequence[Entry],
    k: int,
    budget: int,
    overhead: int = 0,
    near: float = DEFAULTS.near_duplicate,
) -> Packed:
    """At most `k` of `entries`, best first, within `budget` tokens; `overhead` is header and footer."""
    chosen: list[Entry] = []
    skipped: list[str] = []
    duplicates: list[tuple[str, str]] = []
    spent = overhead
    for entry in entries:
        if len(chosen) >= k:
            break
        twin = next((shown for shown in chosen if same(shown, entry, near)), None)
        if twin is not None:
            duplicates.append((entry.path, twin.path))
        elif spent + entry.tokens > budget:
            skipped.append(entry.path)
        else:
            chosen.append(entry)
            spent += entry.tokens
    paths = tuple(entry.path for entry in chosen)
    return Packed(paths, tuple(skipped), tuple(duplicates), spent if chosen else 0)


def same(one: Entry, other: Entry, near: float = DEFAULTS.near_duplicate) -> bool:
    """Whether two memories say the same: equal claims, or near vectors with equal marks."""
    if one.claim == other.claim:
        return True
    if one.marks != other.marks or one.vector is None or other.vector is None:
        return False
    return float(pool.cosines(one.vector[None, :], other.vector)[0]) >= near
