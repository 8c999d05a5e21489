"""Spelling: which known scopes a new one may have been meant for.

A slip of a letter would begin a second memory of the same thing, and neither half would
find the other. Names that differ in a number are different things: `app-1` and `app-2`.
"""

import unicodedata
from collections.abc import Iterable
from typing import Final

from memcli.memory.scope import Scope

_ONE_SLIP: Final = 4  # asserted: from so many letters on, one slip may be a misspelling
_TWO_SLIPS: Final = 9


def alike(scope: Scope, known: Iterable[Scope]) -> tuple[Scope, ...]:
    """Those of `known` that `scope` looks like a spelling of, in order; none where it is one of them."""
    others = sorted(set(known))
    if not scope.name or scope in others:
        return ()
    return tuple(one for one in others if one.name and _alike(scope, one))


def _alike(one: Scope, other: Scope) -> bool:
    left, right = _folded(one.name), _folded(other.name)
    if left == right:
        return True
    if one.kind != other.kind or _digits(left) != _digits(right):
        return False
    shorter = min(len(left), len(right))
    allowed = 2 if shorter >= _TWO_SLIPS else 1 if shorter >= _ONE_SLIP else 0
    return abs(len(left) - len(right)) <= allowed and slips(left, right) <= allowed


def _folded(name: str) -> str:
    """Without case, accents and whatever is neither letter nor digit."""
    apart = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in apart if letter.isalnum())


def _digits(name: str) -> str:
    return "".join(letter for letter in name if letter.isdigit())


def slips(one: str, other: str) -> int:
    """How many letters were left out, put in, changed or swapped with their neighbour between both."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        earlier, before, row = before, row, [i]
        for j, facing in enumerate(other, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != facing))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == facing:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
    return row[-1]
