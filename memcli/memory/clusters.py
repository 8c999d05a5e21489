"""Clusters of memories of which one was never right, to measure what a retraction should reach.

A person says of the others which fall with it and which stand. The rule is asked who should
be looked at; so is the rule with one of its parts taken out, on the same memories. What makes
no difference stays asserted.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from memcli.memory import chances, contamination, relations
from memcli.memory.chances import Share
from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.contamination import Node
from memcli.memory.scope import Scope


@dataclass(frozen=True, slots=True)
class Member:
    """One memory of a cluster; `stands` is None for the one that is retracted, and where nobody said."""

    id: str
    claim: str
    scope: Scope
    tags: frozenset[str] = frozenset()
    events: tuple[str, ...] = ()
    stands: bool | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """Memories that hang together, and the id of the one that was never right."""

    name: str
    retract: str
    members: tuple[Member, ...]


Cosines = Mapping[str, Mapping[str, float]]
"""Id → the other ids, each with the cosine of the two claims."""


def ties(members: Sequence[Member], cosines: Cosines, rules: Constants) -> dict[str, dict[str, float]]:
    """What ties the memories of one store, as consolidation and retraction would have it."""
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for one, other, weight in (*_related(members, cosines, rules), *_together(members, rules)):
        strongest = max(weight, found[one].get(other, 0.0))
        found[one][other] = found[other][one] = strongest
    return found


def _related(
    members: Sequence[Member], cosines: Cosines, rules: Constants
) -> Iterator[tuple[str, str, float]]:
    """Each linked with those before it that are about the same, as many as a file holds."""
    held: defaultdict[str, int] = defaultdict(int)
    for at, one in enumerate(members):
        before = {other.id: cosines[one.id][other.id] for other in members[:at] if other.scope == one.scope}
        for id_, cosine in relations.related(before, rules):
            if max(held[one.id], held[id_]) < relations.MOST:
                held[one.id] += 1
                held[id_] += 1
                yield one.id, id_, round(cosine, 2)


def _together(members: Sequence[Member], rules: Constants) -> Iterator[tuple[str, str, float]]:
    """Those that rest on one event."""
    for at, one in enumerate(members):
        for other in members[:at]:
            if set(one.events) & set(other.events):
                yield one.id, other.id, rules.retract_evidence


@dataclass(frozen=True, slots=True)
class Verdict:
    """One memory beside a retraction: whether it stands (None: of another cluster), and what it lost."""

    id: str
    stands: bool | None
    penalty: float

    def right(self, rules: Constants) -> bool:
        """Whether the rule decided as the person did about who is to be looked at."""
        return (self.penalty >= rules.retract_review) is not (self.stands is not False)


def verdicts(clusters: Sequence[Cluster], cosines: Cosines, rules: Constants) -> tuple[Verdict, ...]:
    """What each retraction takes from every memory of a store that holds all the clusters."""
    members = [one for cluster in clusters for one in cluster.members]
    nodes = {one.id: Node(one.id, one.scope, one.tags) for one in members}
    tied = ties(members, cosines, rules)
    found = []
    for cluster in clusters:
        spread = contamination.spread(nodes[cluster.retract], nodes, lambda id_: tied.get(id_, {}), rules)
        lost = {one.id: one.penalty for one in spread.affected}
        own = {one.id for one in cluster.members}
        judged = [one for one in cluster.members if one.stands is not None]
        found += [Verdict(one.id, one.stands, lost.get(one.id, 0.0)) for one in judged]
        found += [Verdict(id_, None, penalty) for id_, penalty in lost.items() if id_ not in own]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Without:
    """The rule without one of its parts: which memories only one of the two decided as a person did."""

    part: str
    change: str
    gained: int
    lost: int
    chance: float

    @property
    def verdict(self) -> str:
        """Whether the part helps here, or harms; `asserted` where no difference can be told from chance."""
        if self.chance >= chances.SURE:
            return "asserted"
        return "helps" if self.gained > self.lost else "harms"


# Each part of the rule, and the numbers that take it out.
_PARTS: Final[tuple[tuple[str, str, Mapping[str, Any]], ...]] = (
    ("cohesion", "every neighbourhood alike", {"retract_least_share": 1.0, "retract_cohesion": 0.0}),
    ("hop", "the second step as the first", {"retract_hop": 1.0}),
    ("bridge", "no bridges", {"retract_bridge": 1.0, "retract_bridge_penalty": 1.0}),
    ("evidence", "no ties by events", {"retract_evidence": 0.0}),
    ("evidence", "ties by events as strong as any", {"retract_evidence": 1.0}),
    ("review", "everybody who loses anything", {"retract_review": 1e-6}),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """Who is to be looked at, of those that fall, that stand, and that have nothing to do with it.

    `ordered` are pairs of one cluster, one that falls and one that stands, in which the first loses
    more (a tie is no hit). `parts` are the rule's parts, each against the rule without it.
    """

    clusters: int
    fall: Share
    stand: Share
    strangers: int
    ordered: Share
    parts: tuple[Without, ...]


def measured(clusters: Sequence[Cluster], cosines: Cosines, rules: Constants = DEFAULTS) -> Measured:
    """The figures of the rule as it is set, and of each of its parts."""
    found = verdicts(clusters, cosines, rules)
    labelled = [one for one in found if one.stands is not None]
    asked = {
        stands: [one.penalty >= rules.retract_review for one in labelled if one.stands is stands]
        for stands in (True, False)
    }
    return Measured(
        clusters=len(clusters),
        fall=chances.share(sum(asked[False]), len(asked[False])),
        stand=chances.share(sum(asked[True]), len(asked[True])),
        strangers=sum(one.stands is None and one.penalty >= rules.retract_review for one in found),
        ordered=_ordered(clusters, {one.id: one.penalty for one in labelled}),
        parts=tuple(_without(clusters, cosines, rules, part) for part in _PARTS),
    )


def _ordered(clusters: Sequence[Cluster], penalties: Mapping[str, float]) -> Share:
    pairs = [
        penalties[falls.id] > penalties[stands.id]
        for cluster in clusters
        for falls in cluster.members
        for stands in cluster.members
        if falls.stands is False and stands.stands is True
    ]
    return chances.share(sum(pairs), len(pairs))


def _without(
    clusters: Sequence[Cluster],
    cosines: Cosines,
    rules: Constants,
    part: tuple[str, str, Mapping[str, Any]],
) -> Without:
    name, change, numbers = part
    other = replace(rules, **numbers)
    now = _decided(verdicts(clusters, cosines, rules), rules)
    then = _decided(verdicts(clusters, cosines, other), other)
    gained = sum(now[id_] and not then[id_] for id_ in now)
    lost = sum(then[id_] and not now[id_] for id_ in now)
    return Without(name, change, gained, lost, round(chances.by_chance(gained, lost), 6))


def _decided(found: Sequence[Verdict], rules: Constants) -> dict[str, bool]:
    return {one.id: one.right(rules) for one in found if one.stands is not None}
