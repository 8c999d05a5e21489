"""The one decision about a claim, wherever it comes from: said before, taken out, replacing, or new.

`remember`, an import, a consolidation and a merge must never decide differently, or what
one of them refuses comes in by the other. So ENGINE section 1's order stands here once, as
a pure function from values to a `Decision`; the engine fills the values from the index and
carries the decision out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from memcli.memory import claim, guard, lifecycle, salience
from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.guard import HELD_AGAINST, Claimed, Neighbour, Reach, Ruling, Verdict
from memcli.memory.salience import Salience
from memcli.memory.schema import (
    Review,
    ReviewReason,
    Schema,
    Status,
    Trust,
    Type,
    Validity,
    fold_concept,
)
from memcli.memory.scope import Scope


class Kind(StrEnum):
    """What is done with the candidate."""

    CREATED = "created"  # a new file with `status`
    REINFORCED = "reinforced"  # evidence goes to `of`; with `status` given it gets that too
    SUPERSEDED = "superseded"  # a new file, and `of` ends where it begins
    REVIEW = "review"  # a new file that waits for a person
    SKIPPED = "skipped"  # nothing is stored: exit 5
    REPEATED = "repeated"  # the earlier result of the same key
    REFUSED = "refused"  # nothing is stored: exit 5, `rule` says key or secret


@dataclass(frozen=True, slots=True)
class Candidate:
    """A claim before the decision. Moments are seconds since 1970, `as_of` the operation's.

    `payload` is a digest of everything that a repeated key must repeat. `events` and
    `evidence_at`: see guard.Claimed. `explicit`: said by remember. `secret`: name of the pattern
    that store.secrets found in the text, "" for none or where a person allowed it.
    `supersedes`: id of the schema that it replaces by name; `supersede_concept`: replaces the
    newest active one of its scope and concept that has `required_tags`. One that is not explicit
    must be salient: `salience` where that is known already, else it is weighed by its `type`
    and what is near. `proposal`: nobody said that it is to be kept, so a person decides.
    """

    text: str
    scope: Scope
    as_of: int
    evidence_at: int
    concept: str = ""
    validity: Validity = field(default_factory=Validity)
    events: frozenset[str] = frozenset()
    explicit: bool = True
    person: bool = False
    trust: Trust = Trust.TRUSTED
    key: str = ""
    payload: str = ""
    secret: str = ""
    supersedes: str = ""
    supersede_concept: bool = False
    required_tags: tuple[str, ...] = ()
    overrides: frozenset[str] = frozenset()
    arrived: bool = False
    type: Type = Type.FACT
    salience: float | None = None
    proposal: bool = False

    @property
    def replacing(self) -> bool:
        """Whether a supersession is asked for."""
        return bool(self.supersedes) or self.supersede_concept


@dataclass(frozen=True, slots=True)
class Earlier:
    """What the same key in the same scope led to: the schema's id and the payload's digest then."""

    id: str
    payload: str


@dataclass(frozen=True, slots=True)
class Known:
    """What the store holds around a candidate.

    `neighbours`: rows near to it, live or not, as guard.Neighbour says, of the reaches own, seen
    and narrower; of its own scope also every active row of its concept (index: `same_concept`)
    and every row with a digest of `claim.digests(text)`; the one that `supersedes` names; tombstones
    by `guard.buried`.
    `chain`: superseded id -> successor. `idf`: weights of stems among the rows that the scope
    sees. In a batch the lines before this one are neighbours too.
    """

    neighbours: Sequence[Neighbour] = ()
    chain: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    idf: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    earlier: Earlier | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do, by which rule, with which score, because of which schema.

    `of`: the schema reinforced, superseded, repeated, or said again. `status`: what the new file
    gets (or the reinforced one, where it changes). `conflicts`: active claims of the same
    concept that hold at the same time. `told`, `hidden_in`: see guard.Ruling. `salience`: why a
    claim that was not explicit got its status. `stays`: what it asked to replace, where it does not.
    """

    kind: Kind
    rule: str
    score: float | None = None
    of: str = ""
    because: str = ""
    status: Status | None = None
    review: Review | None = None
    conflicts: tuple[str, ...] = ()
    told: bool = False
    hidden_in: tuple[str, ...] = ()
    salience: Salience | None = None
    stays: str = ""


def decide(candidate: Candidate, known: Known, constants: Constants = DEFAULTS) -> Decision:
    """The decision about `candidate`, the first that applies in ENGINE section 1's order."""
    early = _by_key(candidate, known.earlier) or _by_secret(candidate)
    if early is None and not candidate.replacing:
        early = _same_claim(candidate, known.neighbours, constants)
    if early is not None:
        return early
    target = replaced(candidate, known.neighbours)
    if target is not None and (twin := _twin(candidate, target, known.neighbours)):
        return twin
    ruling = guard.judge(_claimed(candidate, target, known), known.neighbours, known.idf, constants)
    if ruling.verdict is not Verdict.PASS and ruling.verdict is not Verdict.REVIVE:
        return replace(_ruled(ruling), stays=target.id if target else "")
    if target is not None and candidate.trust is Trust.TRUSTED:
        return Decision(
            Kind.SUPERSEDED,
            "concept" if candidate.supersede_concept else "id",
            of=target.id,
            status=Status.ACTIVE,
            conflicts=_conflicts(candidate, known.neighbours, target),
            hidden_in=ruling.hidden_in,
        )
    return _admitted(candidate, known.neighbours, ruling, constants)


def replaced(candidate: Candidate, neighbours: Sequence[Neighbour]) -> Schema | None:
    """The schema that the candidate asks to replace, or None where nothing matches."""
    own = [near for near in neighbours if near.reach is Reach.OWN and near.schema.scope == candidate.scope]
    if candidate.supersedes:
        return next((near.schema for near in own if near.schema.id == candidate.supersedes), None)
    if not candidate.supersede_concept:
        return None
    ordered = [(near.schema, near.order) for near in own]
    return lifecycle.superseded_by_concept(ordered, candidate.concept, candidate.required_tags)


def may_say_again(id_: str, known: Known) -> frozenset[str]:
    """The ids that a claim in the place of `id_` may say again: that one, and what it had replaced.

    Not what was taken out since: who replaces the one that stands now brings that back by no detour.
    """
    out = {near.schema.id for near in known.neighbours if near.schema.status in HELD_AGAINST}
    return frozenset({id_} | (lifecycle.forerunners(id_, known.chain) - out))


def _by_key(candidate: Candidate, earlier: Earlier | None) -> Decision | None:
    if not candidate.key or earlier is None:
        return None
    kind = Kind.REPEATED if earlier.payload == candidate.payload else Kind.REFUSED
    return Decision(kind, "key", of=earlier.id)


def _by_secret(candidate: Candidate) -> Decision | None:
    return Decision(Kind.REFUSED, "secret", because=candidate.secret) if candidate.secret else None


def _same_claim(
    candidate: Candidate, neighbours: Sequence[Neighbour], constants: Constants
) -> Decision | None:
    """Reinforce the nearest live schema of the scope that says the same."""
    normal = claim.normalise(candidate.text)
    found = [
        (score, near.schema.id)
        for near in neighbours
        if _comparable(candidate, near)
        and (score := _sameness(candidate.text, normal, near, constants.same_claim))
    ]
    if not found:
        return None
    score, id_ = min(found, key=lambda one: (-one[0], one[1]))
    return Decision(Kind.REINFORCED, "equal" if score > 1 else "cosine", min(score, 1.0), of=id_)


def _twin(candidate: Candidate, target: Schema, neighbours: Sequence[Neighbour]) -> Decision | None:
    """Reinforce another live schema that is the claim word for word, rather than make a second copy."""
    normal = claim.normalise(candidate.text)
    found = [
        near.schema
        for near in neighbours
        if near.schema.id != target.id
        and _comparable(candidate, near)
        and claim.normalise(near.schema.claim) == normal
    ]
    if not found:
        return None
    first = min(found, key=lambda one: one.id)
    return Decision(Kind.REINFORCED, "equal", 1.0, of=first.id, because=first.status.value, stays=target.id)


def _comparable(candidate: Candidate, near: Neighbour) -> bool:
    """Whether `near` is a live claim of the same scope, subject and time.

    "30 days" of another concept is another claim; so is one that states a window which the
    existing one does not cover, since reinforcing would lose the window.
    """
    schema = near.schema
    ended = schema.validity.end is not None and schema.validity.end <= candidate.as_of
    if near.reach is not Reach.OWN or schema.scope != candidate.scope or not schema.live or ended:
        return False
    concepts = {fold_concept(candidate.concept), fold_concept(schema.concept)} - {""}
    stated = candidate.validity != Validity()
    return len(concepts) < 2 and (not stated or guard.covers(schema.validity, candidate.validity))  # noqa: PLR2004


def _sameness(text: str, normal: str, near: Neighbour, least: float) -> float:
    """2 for an equal claim, else the cosine of the whole where nothing of `text` would be lost.

    0 where that is below `least`; the texts are read closely only where it is not, since a
    batch compares each claim with all before it.
    """
    if claim.normalise(near.schema.claim) == normal:
        return 2.0
    cosine = min(near.cosines[0] if near.cosines else 0.0, 1.0)
    return 0.0 if cosine < least or claim.lost(text, near.schema.claim) else cosine


def _claimed(candidate: Candidate, target: Schema | None, known: Known) -> Claimed:
    line = may_say_again(target.id, known) if target else frozenset()
    return Claimed(
        candidate.text,
        candidate.as_of,
        candidate.evidence_at,
        candidate.events,
        candidate.validity,
        candidate.explicit and candidate.trust is Trust.TRUSTED,
        candidate.person,
        candidate.overrides | line,
        candidate.arrived,
    )


def _ruled(ruling: Ruling) -> Decision:
    """A guard's ruling other than pass and revive as a decision."""
    kind = {Verdict.SKIP: Kind.SKIPPED, Verdict.REVIEW: Kind.REVIEW}.get(ruling.verdict, Kind.REINFORCED)
    status = {Verdict.PROMOTE: Status.ACTIVE, Verdict.REVIEW: Status.NEEDS_REVIEW}.get(ruling.verdict)
    review = Review(ruling.review, (ruling.of,)) if ruling.review else None
    rule = ruling.rule.value if ruling.rule else ""
    return Decision(
        kind,
        rule,
        round(ruling.score, 6),
        ruling.of,
        ruling.because,
        status,
        review,
        told=ruling.told,
        hidden_in=ruling.hidden_in,
    )


def _admitted(
    candidate: Candidate, neighbours: Sequence[Neighbour], ruling: Ruling, constants: Constants
) -> Decision:
    """A new claim, or an archived one revived: as salient as it is, unless a person must see it first."""
    unseen = candidate.trust is Trust.TRUSTED and not candidate.proposal
    revived = ruling.verdict is Verdict.REVIVE
    weighed = _weighed(candidate, neighbours, constants) if unseen else None
    status = salience.status_of(weighed.score, constants) if weighed else Status.ACTIVE
    return Decision(
        (Kind.REINFORCED if revived else Kind.CREATED) if unseen else Kind.REVIEW,
        _rule(candidate, ruling, weighed),
        round(ruling.score, 6) if revived else weighed.score if weighed else None,
        ruling.of,
        ruling.because,
        status if unseen else Status.NEEDS_REVIEW,
        None if unseen else Review(ReviewReason.PROPOSAL),
        _conflicts(candidate, neighbours, None),
        hidden_in=ruling.hidden_in,
        salience=weighed,
    )


def _weighed(candidate: Candidate, neighbours: Sequence[Neighbour], constants: Constants) -> Salience | None:
    """How salient a claim is that nobody asked to keep; None for one that was said on purpose."""
    if candidate.explicit:
        return None
    if candidate.salience is not None:
        return Salience(candidate.salience)
    return salience.weighed(candidate.text, candidate.type, neighbours, constants)


def _rule(candidate: Candidate, ruling: Ruling, weighed: Salience | None) -> str:
    if ruling.rule:
        return ruling.rule.value
    if candidate.trust is not Trust.TRUSTED:
        return "trust"
    if candidate.proposal:
        return "proposal"
    return "salience" if weighed else "new"


def _conflicts(
    candidate: Candidate, neighbours: Sequence[Neighbour], target: Schema | None
) -> tuple[str, ...]:
    """Active claims of the same scope and concept that hold at a moment at which this one does."""
    topic = str(candidate.scope), fold_concept(candidate.concept)
    return tuple(
        sorted(
            near.schema.id
            for near in neighbours
            if near.schema.topic == topic
            and near.schema.live
            and near.schema != target
            and near.schema.validity.overlaps(candidate.validity)
        ),
    )
