"""Measuring a retraction: who is to be looked at, and whether a part of the rule makes a difference."""

import math

import pytest

from memcli.memory import chances, clusters
from memcli.memory.clusters import Cluster, Member
from memcli.memory.constants import DEFAULTS
from memcli.memory.scope import Scope

HERE = Scope("project", "t")


def member(id_, stands=None, events=()):
    return Member(id_, f"Claim {id_}.", HERE, frozenset(["t"]), tuple(events), stands)


def store(*pairs):
    """Clusters of a wrong memory, one that falls and one that stands; `pairs` are their cosines with it."""
    made = [
        Cluster(str(at), f"{at}/t", (member(f"{at}/t"), member(f"{at}/f", False), member(f"{at}/s", True)))
        for at in range(len(pairs))
    ]
    ids = [one.id for cluster in made for one in cluster.members]
    cosines = {one: dict.fromkeys(ids, 0.0) for one in ids}
    for at, (falls, stands) in enumerate(pairs):
        for other, cosine in ((f"{at}/f", falls), (f"{at}/s", stands)):
            cosines[f"{at}/t"][other] = cosines[other][f"{at}/t"] = cosine
    return made, cosines


def test_what_is_related_is_looked_at_and_what_is_not_is_left():
    found = clusters.measured(*store((0.9, 0.1), (0.8, 0.2)))
    assert (found.fall.hits, found.fall.of) == (2, 2)
    assert (found.stand.hits, found.stand.of) == (0, 2)
    assert (found.ordered.hits, found.ordered.of, found.strangers) == (2, 2, 0)


def test_the_other_way_round_everything_is_wrong():
    found = clusters.measured(*store((0.1, 0.9), (0.2, 0.8)))
    assert (found.fall.hits, found.stand.hits, found.ordered.hits) == (0, 2, 0)


def test_a_part_that_makes_no_difference_stays_asserted_and_one_that_does_is_named():
    made = [
        Cluster(
            str(at),
            f"{at}/t",
            (
                member(f"{at}/t", None, [f"e{at}"]),
                member(f"{at}/f", False, [f"e{at}"]),
                member(f"{at}/s", True),
            ),
        )
        for at in range(12)
    ]
    ids = [one.id for cluster in made for one in cluster.members]
    cosines = {one: dict.fromkeys(ids, 0.0) for one in ids}
    parts = {(one.part, one.change): one.verdict for one in clusters.measured(made, cosines).parts}
    assert parts["evidence", "no ties by events"] == "helps"
    assert parts["bridge", "no bridges"] == "asserted"


def test_a_memory_of_another_cluster_that_is_to_be_looked_at_is_counted():
    made, cosines = store((0.9, 0.1), (0.9, 0.1))
    cosines["0/t"]["1/s"] = cosines["1/s"]["0/t"] = 0.9
    assert clusters.measured(made, cosines).strangers == 1


def test_the_interval_of_a_share_is_wilsons():
    found = chances.share(8, 10)
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert (chances.share(0, 0).low, chances.share(0, 0).high) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("one", "other", "chance"), [(0, 0, 1.0), (5, 5, 1.0), (6, 0, 0.03125), (0, 6, 0.03125)]
)
def test_the_sign_test_is_exact_and_the_same_either_way(one, other, chance):
    assert math.isclose(chances.by_chance(one, other), chance)


def test_the_rule_is_measured_with_the_numbers_that_are_set():
    from dataclasses import replace

    made, cosines = store((0.9, 0.1))
    lenient = clusters.measured(made, cosines, replace(DEFAULTS, retract_penalty=0.01))
    assert (lenient.fall.hits, clusters.measured(made, cosines).fall.hits) == (0, 1)
