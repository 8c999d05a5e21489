"""What a retraction takes away from the memories around it: how much, from whom, and no further.

A claim that was never right may have been leaned on. Nobody knows by whom, so the doubt is
spread along what ties memories together, thinner with every step, and it stops: two steps,
twenty memories. The danger is a doubt that cannot be taken back. So it stands in the
retracted memory alone, a neighbour's confidence is worked out from it, and with the
retraction it is gone.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.schema import Affected, Link, Status
from memcli.memory.scope import Scope

HOPS: Final = 2
_DIGITS: Final = 4  # a penalty as files state it
_PATH_DIGITS: Final = 6  # a product is not the same to the last bit everywhere
# What may still be believed, now or of an earlier day; the others have nothing to lose and lead nowhere.
REACHED: Final = frozenset(
    {Status.ACTIVE, Status.NEEDS_REVIEW, Status.STAGED, Status.SUPERSEDED, Status.STALE}
)


@dataclass(frozen=True, slots=True)
class Node:
    """One memory as the spread sees it."""

    id: str
    scope: Scope
    tags: frozenset[str] = frozenset()


Around = Callable[[str], Mapping[str, float]]
"""Id → the ids that it is tied to, either way, each with the weight of the tie."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How closely the neighbourhood holds together (0 to 1), and what each of it loses, in order."""

    cohesion: float
    affected: tuple[Affected, ...]


@dataclass(frozen=True, slots=True)
class _Way:
    """The best way to a memory; `bridged`: it leads across a bridge."""

    id: str
    hop: int
    path: float
    bridged: bool


def spread(target: Node, nodes: Mapping[str, Node], around: Around, rules: Constants = DEFAULTS) -> Spread:
    """What the retraction of `target` takes from `nodes`, whatever the order of either.

    `around` answers for the target, and for every node that it names.
    """
    reach = _Reach({**nodes, target.id: target}, around, rules)
    ways = reach.ways(target.id)
    cohesion = reach.cohesion(target, ways)
    lost = (
        Affected(one.id, _penalty(one, cohesion, rules), one.hop, round(one.path, _DIGITS)) for one in ways
    )
    return Spread(round(cohesion, _DIGITS), tuple(one for one in lost if one.penalty > 0))


def _penalty(way: _Way, cohesion: float, rules: Constants) -> float:
    full = rules.retract_penalty * way.path * rules.retract_hop ** (way.hop - 1)
    penalty = full * (rules.retract_least_share + rules.retract_cohesion * cohesion)
    return round(penalty * (rules.retract_bridge_penalty if way.bridged else 1.0), _DIGITS)


@dataclass(frozen=True, slots=True)
class _Reach:
    """The memories around one, and the ties between them."""

    nodes: Mapping[str, Node]
    around: Around
    rules: Constants

    def ways(self, target: str) -> list[_Way]:
        """The memories within reach, nearest first, each by its best way; ties by id."""
        found = {target: _Way(target, 0, 1.0, bridged=False)}
        for hop in range(1, HOPS + 1):
            fresh = self._steps([one for one in found.values() if one.hop == hop - 1], found)
            found |= fresh
            if len(found) > self.rules.retract_most:  # those of the next step could only stand behind
                break
        ordered = sorted(found.values(), key=lambda one: (one.hop, -one.path, one.id))
        return ordered[1 : self.rules.retract_most + 1]

    def _steps(self, starts: Iterable[_Way], known: Mapping[str, _Way]) -> dict[str, _Way]:
        best: dict[str, _Way] = {}
        for start in starts:
            for id_, weight in self._ties(start.id).items():
                if id_ in known:
                    continue
                bridge = self._is_bridge(start.id, id_)
                path = round(start.path * weight * (self.rules.retract_bridge if bridge else 1), _PATH_DIGITS)
                way = _Way(id_, start.hop + 1, path, start.bridged or bridge)
                if path > 0 and (id_ not in best or _strength(way) > _strength(best[id_])):
                    best[id_] = way
        return best

    def _ties(self, id_: str) -> dict[str, float]:
        """The ties of one memory to others, their weights within 0 and 1."""
        tied = {other: min(weight, 1.0) for other, weight in self.around(id_).items()}
        return {other: weight for other, weight in tied.items() if other in self.nodes and other != id_}

    def _is_bridge(self, one: str, other: str) -> bool:
        """Whether a tie joins two stories: two scopes, or tags that differ with nobody in common."""
        here, there = self.nodes[one], self.nodes[other]
        if here.scope != there.scope:
            return True
        if not (here.tags and there.tags) or overlap(here.tags, there.tags) >= self.rules.retract_overlap:
            return False
        return self._ties(one).keys().isdisjoint(self._ties(other).keys())

    def cohesion(self, target: Node, ways: Iterable[_Way]) -> float:
        """Density x (0.5 + 0.5 x tag overlap) of the target and what it reaches; 0 where that is nothing."""
        reached = sorted(one.id for one in ways)
        if not reached:
            return 0.0
        inside = {target.id, *reached}
        ends = [(id_, other) for id_ in sorted(inside) for other in self._ties(id_)]
        inner = sum(1 for _, other in ends if other in inside) // 2
        outer = sum(1 for _, other in ends if other not in inside)
        shared = math.fsum(overlap(target.tags, self.nodes[id_].tags) for id_ in reached) / len(reached)
        return round(inner / (inner + outer) * (0.5 + 0.5 * shared), _PATH_DIGITS)


def _strength(way: _Way) -> tuple[float, bool]:
    return way.path, not way.bridged


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of their tags that two memories have in common, 0 where one has none."""
    return len(one & other) / len(one | other) if one and other else 0.0


def inherited(links: Iterable[Link], rules: Constants = DEFAULTS) -> tuple[Link, ...]:
    """The links that a correction takes over from what it corrects, the strongest first, each weaker."""
    strong = [one for one in links if one.weight >= rules.retract_inherited]
    strong.sort(key=lambda one: (-one.weight, one.to, one.rel))
    kept = strong[: rules.retract_inherited_most]
    return tuple(
        Link(one.to, one.rel, round(min(one.weight, 1.0) * rules.retract_inherited_share, 2)) for one in kept
    )
