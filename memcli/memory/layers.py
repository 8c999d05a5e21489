"""Whether a candidate says a neighbour again: by digest, by lineage, near enough to block, or to hold.

Each layer is there for what the one before misses: a digest for other punctuation, lineage for
other words about the same event, cosine and coverage for a paraphrase. The veto stands
before the last two, since vectors hardly see a number or a "not".
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memcli.memory import claim
from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.schema import ArchiveReason, Evidence, Schema, Status, Validity
from memcli.memory.scope import Scope


class Rule(StrEnum):
    """Which layer found a match; all but hold are certain."""

    DIGEST = "digest"
    LINEAGE = "lineage"
    BLOCK = "block"
    HOLD = "hold"


class Reach(StrEnum):
    """How a neighbour's scope stands to the candidate's: its own, one that it sees, one that would see it."""

    OWN = "own"
    SEEN = "seen"
    NARROWER = "narrower"


@dataclass(frozen=True, slots=True)
class Claimed:
    """The candidate as the guard looks at it.

    `evidence_at`: the latest moment at which its evidence occurred (for a remember without
    --occurred-at: as_of). `events`: all that it rests on; an explicit remember rests on its own
    new event, which no removed schema has. `spared`: ids that it may say again: those it
    overrides, and what it supersedes with all forerunners (`admission.may_say_again`); after a
    removal also a schema that was live beside it in the commit before, or was accepted in
    review since. `arrived`: a live schema that a merge brought.
    """

    text: str
    as_of: int
    evidence_at: int
    events: frozenset[str] = frozenset()
    validity: Validity = field(default_factory=Validity)
    explicit: bool = False
    person: bool = False
    spared: frozenset[str] = frozenset()
    arrived: bool = False


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A schema or tombstone that the candidate may say again.

    `schema.status` is the effective one. `cosines` stand in the order of `pieces(text)`: of each
    piece with the best of the neighbour's vectors (index: `nearest` for every piece over the
    rows that are not live, joined with the rows that share words, an event or a digest of
    `claim.digests`; exact values from `pool.cosine`); None without an encoder. `since`: the
    moment that newer evidence must be later than: record time of the retraction, the
    successor's latest evidence, the stale report; None where unknown (nothing is newer).
    `order`: a number that grows with record time. `canonical`: the live schema of which it is an
    archived duplicate.
    `digest`: what a tombstone keeps when the claim itself is purged (with a key then: its id).
    """

    schema: Schema
    path: str = ""
    cosines: tuple[float, ...] | None = None
    reach: Reach = Reach.OWN
    since: int | None = None
    order: int = 0
    canonical: str = ""
    digest: str = ""


# Against these a mere resemblance holds the candidate.
HELD_AGAINST: Final = frozenset((Status.FORGOTTEN, Status.RETRACTED))
_ACTS: Final[Mapping[str, tuple[Status, ArchiveReason | None]]] = MappingProxyType(
    {
        "forgotten": (Status.FORGOTTEN, None),
        "purged": (Status.FORGOTTEN, None),
        "retracted": (Status.RETRACTED, None),
        "rejected": (Status.ARCHIVED, ArchiveReason.REJECTED),
    }
)


def pieces(text: str) -> tuple[str, ...]:
    """What of a candidate is compared: the whole first, then each sentence where there are several."""
    parts = claim.sentences(text)
    return (text, *parts) if len(parts) > 1 else (text,)


def buried(id_: str, scope: Scope, act: str, events: Sequence[str] = (), text: str = "") -> Schema:
    """A tombstone as the schema that it stands for; an unknown act counts as forgotten."""
    status, archived = _ACTS.get(act, (Status.FORGOTTEN, None))
    evidence = tuple(Evidence(event) for event in events)
    return Schema(id_, scope, text, status=status, archive_reason=archived, evidence=evidence)


def match(
    candidate: Claimed,
    near: Neighbour,
    idf: Mapping[str, float],
    constants: Constants = DEFAULTS,
) -> tuple[Rule | None, float]:
    """The first layer that finds `near` said again by `candidate`, with its score in [0, 1]."""
    whole = _takes_in(near.schema, candidate.as_of)
    if _said_again(candidate.text, near, whole=whole):
        return Rule.DIGEST, 1.0
    if candidate.events and candidate.events <= {one.event for one in near.schema.evidence}:
        return Rule.LINEAGE, 1.0
    paired = _paired(candidate, near)[: 1 if whole else None]
    layers = [_layer(pair, near.schema, idf, constants, whole=whole) for pair in paired]
    found = [layer for layer in layers if layer[0] is not None]
    return min(found, key=lambda layer: (layer[0] is Rule.HOLD, -layer[1]), default=(None, 0.0))


def _takes_in(schema: Schema, as_of: int) -> bool:
    """Whether a match adds the candidate to `schema`: then the whole must match, or the rest is lost."""
    if schema.status is Status.ARCHIVED:
        return schema.archive_reason is not ArchiveReason.REJECTED
    waits = schema.live and schema.validity.start is not None and as_of < schema.validity.start
    return waits or schema.status in (Status.STAGED, Status.NEEDS_REVIEW)


def _said_again(text: str, near: Neighbour, *, whole: bool) -> bool:
    """Whether `text` is the neighbour's claim word for word, or (unless `whole`) contains it."""
    if near.digest and near.digest in _digests(text, near, whole=whole):
        return True
    if whole:
        return claim.normalise(text) == claim.normalise(near.schema.claim)
    return bool(near.schema.claim) and claim.contains(text, near.schema.claim)


def _digests(text: str, near: Neighbour, *, whole: bool) -> Collection[str]:
    """The digests of `text` as the neighbour's was made: by its id where a purge left it."""
    if near.digest.startswith(claim.KEYED):
        key = near.schema.id
        return (claim.keyed_digest(text, key),) if whole else claim.keyed_digests(text, key)
    return (claim.digest(text),) if whole else claim.digests(text)


def _paired(candidate: Claimed, near: Neighbour) -> list[tuple[str, float | None]]:
    """Each piece with its cosine; nothing to compare where a purge left no claim."""
    if not near.schema.claim:
        return []
    parts = pieces(candidate.text)
    if near.cosines is None:
        return [(piece, None) for piece in parts]
    return list(zip(parts, near.cosines, strict=True))


def _layer(
    pair: tuple[str, float | None],
    removed: Schema,
    idf: Mapping[str, float],
    constants: Constants,
    *,
    whole: bool,
) -> tuple[Rule | None, float]:
    """Block, hold or nothing for one piece: near enough, and no veto."""
    rule, score = _near(pair, removed, idf, constants)
    unlike = claim.lost if whole else claim.veto
    return (None, 0.0) if rule is None or unlike(pair[0], removed.claim) else (rule, score)


def _near(
    pair: tuple[str, float | None],
    removed: Schema,
    idf: Mapping[str, float],
    constants: Constants,
) -> tuple[Rule | None, float]:
    """How near a piece comes to a removed claim: by cosine, else (or without vectors) by words."""
    piece, cosine = pair
    if cosine is not None and cosine >= constants.block:
        return Rule.BLOCK, cosine
    if removed.status not in HELD_AGAINST or (cosine is not None and cosine < constants.hold_cosine):
        return None, 0.0
    if cosine is not None and cosine >= constants.hold:
        return Rule.HOLD, cosine
    covered = claim.coverage(removed.claim, piece, idf)
    if covered < constants.hold_coverage:
        return None, 0.0
    return Rule.HOLD, covered if cosine is None else cosine
