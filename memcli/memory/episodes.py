"""Episodes: runs of turns of one session about one thing, cut at a pause or a shift of topic.

What somebody says ten times in a row is said once; so a prototype counts episodes, and
sessions, and never turns.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memcli.memory.constants import DEFAULTS, Constants

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Episode:
    """A run that may go on: its first event, when it was last heard (seconds), the sum of its vectors [d].

    The sum is float64, so that it does not depend on how often it was put away and taken up.
    """

    first: str
    last_at: int
    total: "np.ndarray"
    turns: int = 1

    def goes_on(self, at: int, vector: "np.ndarray", rules: Constants = DEFAULTS) -> bool:
        """Whether a turn at `at` with the unit `vector` [d] belongs to it."""
        if abs(at - self.last_at) > rules.pause_s:
            return False
        length = float((self.total * self.total).sum()) ** 0.5
        cosine = float((self.total * vector).sum()) / length if length else 1.0
        return round(cosine, 6) >= rules.shift

    def extended(self, at: int, vector: "np.ndarray") -> "Episode":
        """The episode with one more turn."""
        return replace(self, last_at=max(at, self.last_at), total=self.total + vector, turns=self.turns + 1)


def begun(event: str, at: int, vector: "np.ndarray") -> Episode:
    """A new episode of one turn."""
    return Episode(event, at, vector.astype("float64"))
