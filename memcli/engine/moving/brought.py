"""What became of one memory that another store sent, as a value, and the words for it."""

from dataclasses import dataclass
from typing import Final

from memcli.memory.admission import Kind

FORGOTTEN_TEXT: Final = "(forgotten)"  # what stands in the place of its claim, whoever imports
BY_ID: Final = "id"  # the rule by which what was removed here under the same id stays out
REFUSED: Final = Kind.REFUSED.value
UNCHANGED, KEPT, LEFT, TAKEN_OVER = "unchanged", "kept", "left", "taken_over"


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of one memory.

    `decision` is one of remember's, or unchanged (it stands here so), kept (it stands here
    otherwise and stays so), left (it needs a person's word), taken_over (the status that it has
    there). `of` is the memory because of which, `on_trust` that the lines' word alone makes it count,
    `fresh` that its id was drawn just now: another run draws another one. `own` are the keys that
    what was known already keeps for its own, though the line states them otherwise.
    """

    id: str
    decision: str
    status: str = ""
    claim: str = ""
    rule: str = ""
    score: float | None = None
    of: str = ""
    path: str | None = None
    error: str = ""
    changes: bool = False
    on_trust: bool = False
    fresh: bool = False
    line: int = 0
    own: tuple[str, ...] = ()
