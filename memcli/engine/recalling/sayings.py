"""Turns as a search finds them: values, so that an answer can be filled without what searches."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memcli.memory.ranking import Divided, Scored

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from memcli.memory.pool import Candidate
    from memcli.store.event import Event


@dataclass(frozen=True, slots=True)
class Said:
    """An admitted turn with the event that it is and the vector of what it says, float32 [d] or None."""

    scored: Scored
    event: "Event"
    vector: "np.ndarray | None"


@dataclass(frozen=True, slots=True)
class Heard:
    """The turns that a question found, against the floor and all `ranked`; the candidates they came from."""

    divided: Divided
    candidates: "dict[str, Candidate]"
    stale: bool = False
    ranked: "Sequence[Scored]" = ()


NOTHING: Final = Heard(Divided((), ()), {})
