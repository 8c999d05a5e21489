"""What was recorded later comes first, of claims that say otherwise about the same.

Asked who organised a meeting, an old claim and the new one come equally near, and the old one is as
often the nearer: of 200 updates that nobody named as such it stood first in 109
(docs/figures/updates-first.json), and in 29 by this rule (docs/figures/updates.json). Two claims
speak of the same where they come near each other, share most of their words, and the later one
answers the question nearly as well. Only the order within an answer changes: nothing is shown or
hidden by it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memcli.memory import pool, tokens
from memcli.memory.constants import DEFAULTS, Constants

if TYPE_CHECKING:
    import numpy as np

COMPARED: Final = 50  # asserted: of what is shown, the first so many are compared with each other


@dataclass(frozen=True, slots=True)
class Spoken:
    """One thing shown. `recorded` sorts by time, empty where nothing says when; `coverage` in 1/SCALE.

    `vector` is the unit vector of the text, float32 [d], or None; `conflict` are ids that it is
    known to contradict.
    """

    id: str
    text: str
    recorded: str
    coverage: int
    vector: "np.ndarray | None" = None
    conflict: tuple[str, ...] = ()


def first(shown: Sequence[Spoken], rules: Constants = DEFAULTS) -> list[int]:
    """The places of `shown` in a new order: each later claim before the earlier ones it speaks against."""
    order = list(range(len(shown)))
    for place, earlier in enumerate(shown[:COMPARED]):
        for behind in range(place + 1, min(len(shown), COMPARED)):
            if _replaces(shown[behind], earlier, rules) and order.index(behind) > order.index(place):
                order.remove(behind)
                order.insert(order.index(place), behind)
    return order


def _replaces(later: Spoken, earlier: Spoken, rules: Constants) -> bool:
    if not earlier.recorded or later.recorded <= earlier.recorded:
        return False
    return later.id in earlier.conflict or _of_the_same(later, earlier, rules)


def _of_the_same(later: Spoken, earlier: Spoken, rules: Constants) -> bool:
    """Whether both speak of the same, as far as their vectors and their words tell."""
    if later.vector is None or earlier.vector is None:
        return False
    if later.coverage < rules.later_answers * earlier.coverage:
        return False
    if pool.cosine(later.vector[None, :], earlier.vector) < rules.later_cosine:
        return False
    new, old = tokens.content_words(later.text), tokens.content_words(earlier.text)
    return len(new & old) >= rules.later_words * max(len(new), len(old), 1)
