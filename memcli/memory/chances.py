"""Shares with their uncertainty, and whether one rule decides better than another on the same cases."""

import math
from dataclasses import dataclass
from typing import Final

Z: Final = 1.959964  # 95 %
SURE: Final = 0.05  # asserted, as everybody does: a chance below it is called a difference


@dataclass(frozen=True, slots=True)
class Share:
    """`hits` of `of`, with the ends of its 95 % Wilson interval."""

    hits: int
    of: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share itself, 0 of nothing."""
        return self.hits / self.of if self.of else 0.0


def share(hits: int, of: int) -> Share:
    """`hits` of `of` with its interval; of nothing everything is possible."""
    if not of:
        return Share(0, 0, 0.0, 1.0)
    middle = hits / of + Z * Z / (2 * of)
    spread = Z * math.sqrt(hits / of * (1 - hits / of) / of + Z * Z / (4 * of * of))
    whole = 1 + Z * Z / of
    return Share(hits, of, round((middle - spread) / whole, 6), round((middle + spread) / whole, 6))


def by_chance(one: int, other: int) -> float:
    """How likely it is that two rules which decide alike differ so unevenly: the two-sided sign test.

    `one` cases were decided better by the first, `other` by the second; ties are left out.
    """
    many = one + other
    if not many:
        return 1.0
    tail: float = sum(math.comb(many, at) for at in range(min(one, other) + 1)) / 2**many
    return min(1.0, 2 * tail)
