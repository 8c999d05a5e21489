"""What became of one claim that was to be taken in."""

from collections.abc import Sequence
from dataclasses import dataclass

from memcli.engine.drafting import Draft
from memcli.errors import MemError
from memcli.memory.admission import Decision
from memcli.memory.schema import Schema, Type, Validity, fold_concept


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was decided about one draft, and what it came to; `error` where it was refused.

    `until` is the end of what it superseded, seconds since 1970; `known` the memory that it was
    taken for, as that stands.
    """

    draft: Draft
    decision: Decision | None
    id: str | None = None
    path: str | None = None
    status: str = ""
    until: int | None = None
    error: MemError | None = None
    known: Schema | None = None

    @property
    def own(self) -> tuple[str, ...]:
        """What was stated with a claim that was known already and is not so there; left out says nothing."""
        said, known = self.draft.schema, self.known
        if known is None:
            return ()
        stated = {
            "type": said.type not in (Type.FACT, known.type),
            "concept": bool(said.concept) and fold_concept(said.concept) != fold_concept(known.concept),
            "tags": not set(said.tags) <= set(known.tags),
            "validity": said.validity not in (Validity(), known.validity),
        }
        return tuple(key for key, differs in stated.items() if differs)


def keeps_own(keys: Sequence[str]) -> str:
    """What a memory that was known already does not take over, in words."""
    return f"keeps its own {', '.join(keys)}"
