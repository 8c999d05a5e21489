"""A schema: one durable claim with its status, scope, validity and evidence, as values."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import Final

from memcli.memory.scope import Scope

ID_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford base32, lower case
ID_LENGTH: Final = 12
PREFIX_LENGTH: Final = 4  # the shortest prefix of an id that the command line takes
GONE: Final = "none"  # in place of a status: what the journal says of a schema that has no file
RELATES_TO: Final = "relates_to"  # what a link says that names no relation


class Type(StrEnum):
    """What kind of claim it is."""

    FACT = "fact"
    PREFERENCE = "preference"
    DECISION = "decision"
    CONSTRAINT = "constraint"
    INSTRUCTION = "instruction"
    LESSON = "lesson"
    WARNING = "warning"
    OPEN_QUESTION = "open_question"
    TASK = "task"
    ARTIFACT = "artifact"


class Status(StrEnum):
    """Whether it counts now."""

    STAGED = "staged"
    ACTIVE = "active"
    NEEDS_REVIEW = "needs_review"
    SUPERSEDED = "superseded"
    STALE = "stale"
    RETRACTED = "retracted"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"


class StaleReason(StrEnum):
    """Why it is no longer vouched for."""

    CONTRADICTED = "contradicted"
    OUTDATED = "outdated"
    UNSUPPORTED = "unsupported"
    WITHDRAWN = "withdrawn"


class ArchiveReason(StrEnum):
    """Why it is kept without counting."""

    DUPLICATE = "duplicate"
    LOW_SALIENCE = "low_salience"
    NEVER_RESONATED = "never_resonated"
    REJECTED = "rejected"


class ReviewReason(StrEnum):
    """Why it waits for a person."""

    PROPOSAL = "proposal"
    RESEMBLES = "resembles"
    CONFLICT = "conflict"
    CONTAMINATED = "contaminated"
    NEWER_EVIDENCE = "newer_evidence"
    REPORTED = "reported"


class Stage(IntEnum):
    """How far it may travel."""

    SCOPED = 0
    PORTABLE = 1
    CONTEXTUAL = 2
    GLOBAL = 3

    @property
    def word(self) -> str:
        """The word that files carry, like `scoped`."""
        return self.name.lower()


class Origin(StrEnum):
    """Who first said it."""

    HUMAN = "human"
    AGENT = "agent"
    CONSOLIDATOR = "consolidator"
    IMPORT = "import"


class Trust(StrEnum):
    """Whether it may found an active schema without review."""

    TRUSTED = "trusted"
    UNTRUSTED = "untrusted"


# Prior confidence by origin: asserted (FORMAT section 2).
CONFIDENCE: Final[Mapping[Origin, float]] = MappingProxyType(
    {Origin.HUMAN: 0.8, Origin.AGENT: 0.65, Origin.IMPORT: 0.7, Origin.CONSOLIDATOR: 0.45},
)


@dataclass(frozen=True, slots=True)
class Validity:
    """Half-open window [start, end) in seconds since 1970; None is unbounded."""

    start: int | None = None
    end: int | None = None

    def holds_at(self, moment: int) -> bool:
        """Whether the claim is true of the world at `moment`."""
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)

    def overlaps(self, other: "Validity") -> bool:
        """Whether some moment lies in both windows."""
        return _before(self.start, other.end) and _before(other.start, self.end)


def _before(start: int | None, end: int | None) -> bool:
    return start is None or end is None or start < end


@dataclass(frozen=True, slots=True)
class Evidence:
    """One event that the claim rests on, with the words that say so."""

    event: str
    quote: str = ""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Review:
    """Why a schema waits, and for which other schemas' sake."""

    reason: ReviewReason
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A typed link to another schema."""

    to: str
    rel: str = RELATES_TO
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Affected:
    """What a retraction takes from another schema's confidence: along how many steps, how strong a path.

    `cleared`: a person looked at it since, and found that it stands.
    """

    id: str
    penalty: float
    hop: int = 1
    path: float = 1.0
    cleared: bool = False


@dataclass(frozen=True, slots=True)
class Retraction:
    """Why a schema was never right, what is right instead (an id), and what else it casts doubt on."""

    reason: str = ""
    correction: str = ""
    cohesion: float = 0.0
    affected: tuple[Affected, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """One claim as its file states it; keys that mem does not know stay in the file alone.

    `claim` is the first paragraph of the body, `title` its leading heading without `#`,
    `detail` the rest. All times are seconds since 1970.
    """

    id: str
    scope: Scope
    claim: str
    title: str = ""
    detail: str = ""
    type: Type = Type.FACT
    status: Status = Status.ACTIVE
    stage: Stage = Stage.SCOPED
    stage_pinned: bool = False
    validity: Validity = field(default_factory=Validity)
    concept: str = ""
    evidence: tuple[Evidence, ...] = ()
    stale_reason: StaleReason | None = None
    archive_reason: ArchiveReason | None = None
    review: Review | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    retraction: Retraction | None = None
    overrides: tuple[str, ...] = ()
    confidence: float = CONFIDENCE[Origin.HUMAN]
    origin: Origin = Origin.HUMAN
    trust: Trust = Trust.TRUSTED
    tags: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    key: str = ""

    @property
    def live(self) -> bool:
        """Whether it is believed (status active)."""
        return self.status is Status.ACTIVE

    @property
    def topic(self) -> tuple[str, str] | None:
        """Scope and concept as they are compared, None where nothing is left of its concept.

        Two active ones of one topic are at odds where both hold at some moment.
        """
        folded = fold_concept(self.concept)
        return (str(self.scope), folded) if folded else None


def fold_concept(concept: str) -> str:
    """`concept` as it is compared: NFKC, casefolded, runs of spaces as one (FORMAT section 2)."""
    return " ".join(unicodedata.normalize("NFKC", concept).casefold().split())
