"""What a retraction takes from the memories around it: the figures of its rule, and their limits."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memcli.memory import confidence, contamination
from memcli.memory.confidence import Retracted
from memcli.memory.constants import DEFAULTS
from memcli.memory.contamination import Node, spread
from memcli.memory.schema import Affected, Link, Retraction, Schema, Status
from memcli.memory.scope import GLOBAL, Scope

SHOP = Scope("project", "shop")
OTHER = Scope("project", "other")


def graph(ties, tags=None, scopes=None):
    """Nodes and what is around each: ties are (one, other, weight)."""
    tags, scopes = tags or {}, scopes or {}
    around = {}
    for one, other, weight in ties:
        around.setdefault(one, {})[other] = weight
        around.setdefault(other, {})[one] = weight
    nodes = {id_: Node(id_, scopes.get(id_, SHOP), frozenset(tags.get(id_, ()))) for id_ in sorted(around)}
    return nodes, around


def lost(ties, target="t", tags=None, scopes=None, rules=DEFAULTS):
    nodes, around = graph(ties, tags, scopes)
    found = spread(nodes[target], nodes, lambda id_: around.get(id_, {}), rules)
    return {one.id: one.penalty for one in found.affected}


def triangle(weight=0.7):
    return [(*pair, weight) for pair in combinations("tab", 2)]


def test_each_of_a_triangle_that_shares_its_tag_loses_0105():
    assert lost(triangle(), tags=dict.fromkeys("tab", ("billing",))) == {"a": 0.105, "b": 0.105}


def test_each_of_a_star_of_five_without_tags_loses_005():
    assert lost([("t", leaf, 0.5) for leaf in "abcde"]) == dict.fromkeys("abcde", 0.05)


def test_a_hub_of_361_affects_exactly_20():
    ties = [("t", f"n{at:03}", 0.5) for at in range(361)]
    assert list(lost(ties)) == [f"n{at:03}" for at in range(20)]


def test_of_a_hub_the_strongest_ties_are_affected():
    ties = [("t", f"n{at:03}", (at + 1) / 400) for at in range(361)]
    assert list(lost(ties)) == [f"n{at:03}" for at in range(360, 340, -1)]


def test_the_second_step_loses_less_and_the_third_nothing():
    found = lost([("t", "a", 1.0), ("a", "b", 1.0), ("b", "c", 1.0)])
    assert list(found) == ["a", "b"]
    assert found["b"] == pytest.approx(found["a"] / 2, abs=1e-4)


def test_a_memory_stands_at_its_nearest_step_even_where_a_longer_way_is_stronger():
    nodes, around = graph([("t", "a", 1.0), ("a", "b", 1.0), ("t", "b", 0.1)])
    found = spread(nodes["t"], nodes, around.__getitem__)
    assert [(one.id, one.hop, one.path) for one in found.affected] == [("a", 1, 1.0), ("b", 1, 0.1)]


def test_a_weight_beyond_1_counts_as_1():
    assert lost([("t", "a", 9.0)]) == lost([("t", "a", 1.0)])


def test_a_tie_without_weight_is_none():
    assert lost([("t", "a", 0.0), ("t", "b", 0.5)]).keys() == {"b"}


def test_another_scope_is_across_a_bridge():
    here = lost([("t", "a", 1.0)])
    across = lost([("t", "a", 1.0)], scopes={"a": OTHER})
    assert across["a"] == pytest.approx(here["a"] * 0.2 * 0.5)
    assert lost([("t", "a", 1.0)], scopes={"a": GLOBAL}) == across


def test_tags_that_differ_make_a_bridge_only_where_nobody_is_in_common():
    tags = {"t": ("billing",), "a": ("kitchen",), "b": ("billing",)}
    apart = lost([("t", "a", 1.0)], tags=tags)
    common = lost([("t", "a", 1.0), ("t", "b", 1.0), ("a", "b", 1.0)], tags=tags)
    untagged = lost([("t", "a", 1.0)], tags={"t": ("billing",)})
    assert apart["a"] == pytest.approx(0.01)
    assert common["a"] > untagged["a"] == pytest.approx(0.1)


def test_an_isolated_neighbour_loses_half_and_one_of_a_story_half_more():
    strangers = [("a", f"n{at}", 0.5) for at in range(200)]
    assert lost([("t", "a", 0.01), *strangers])["a"] < 0.1 * 0.01 * 0.6
    assert lost([("t", "a", 1.0)], tags={"t": ("x",), "a": ("x",)})["a"] == 0.15


def test_what_is_not_among_the_nodes_is_neither_affected_nor_crossed():
    nodes, around = graph([("t", "gone", 1.0), ("gone", "a", 1.0), ("t", "b", 1.0)])
    found = spread(nodes["t"], {id_: one for id_, one in nodes.items() if id_ != "gone"}, around.__getitem__)
    assert [one.id for one in found.affected] == ["b"]


TIES = some.lists(
    some.tuples(some.sampled_from("tabcdef"), some.sampled_from("tabcdef"), some.floats(0, 2, width=16)),
    min_size=1,
    max_size=30,
    unique_by=lambda one: frozenset(one[:2]),
)
TAGS = some.dictionaries(some.sampled_from("tabcdef"), some.sets(some.sampled_from("xyz"), max_size=3))
SCOPES = some.dictionaries(some.sampled_from("tabcdef"), some.sampled_from([SHOP, OTHER, GLOBAL]))


@given(TIES, TAGS, SCOPES, some.randoms(use_true_random=False))
def test_the_order_of_ties_and_their_ends_change_nothing(ties, tags, scopes, dice):
    ties = [tie for tie in ties if tie[0] != tie[1]] + [("t", "z", 0.3)]
    other = [(b, a, weight) if dice.random() < 0.5 else (a, b, weight) for a, b, weight in ties]
    dice.shuffle(other)
    assert list(lost(ties, "t", tags, scopes).items()) == list(lost(other, "t", tags, scopes).items())


@given(TIES, TAGS, SCOPES)
def test_nobody_loses_more_than_the_rule_can_give_and_nobody_twice(ties, tags, scopes):
    ties = [tie for tie in ties if tie[0] != tie[1]] + [("t", "z", 0.3)]
    nodes, around = graph(ties, tags, scopes)
    found = spread(nodes["t"], nodes, lambda id_: around.get(id_, {}))
    ids = [one.id for one in found.affected]
    assert "t" not in ids
    assert len(ids) == len(set(ids)) <= 20
    assert all(0 < one.penalty <= 0.15 and one.hop in (1, 2) for one in found.affected)
    assert [(one.hop, -one.path) for one in found.affected] == sorted(
        (one.hop, -one.path) for one in found.affected
    )


def retracted(id_, *affected):
    return Retracted(id_, SHOP, Retraction("wrong", affected=affected))


def test_what_several_retractions_take_adds_up_to_a_floor():
    doubts = confidence.doubts([retracted("x", Affected("a", 0.105)), retracted("y", Affected("a", 0.05))])
    assert doubts["a"].penalty == pytest.approx(0.155)
    assert confidence.left(0.8, doubts["a"].penalty) == pytest.approx(0.645)
    assert confidence.left(0.2, 0.5) == 0.1
    assert confidence.left(0.05, 0.5) == 0.05


def test_one_loss_of_007_makes_a_memory_labile_and_two_smaller_ones_do_not():
    found = confidence.doubts(
        [
            retracted("x", Affected("a", 0.07), Affected("b", 0.06)),
            retracted("y", Affected("b", 0.06)),
        ]
    )
    assert (found["a"].labile, found["b"].labile) == (True, False)


def test_what_a_person_found_to_stand_loses_nothing_and_its_fellow_still_does():
    one = Retraction("wrong", affected=(Affected("a", 0.1), Affected("b", 0.1)))
    found = confidence.doubts([Retracted("x", SHOP, Retraction(affected=confidence.cleared(one, "a")))])
    assert set(found) == {"b"}


def test_a_memory_of_another_scope_loses_what_a_veiled_name_says_and_is_cleared_by_it():
    veiled = confidence.veiled("a")
    both = [retracted("x", Affected(veiled, 0.1)), retracted("y", Affected("a", 0.05))]
    found = confidence.doubts(both)
    assert (found["a"].penalty, "b" in found) == (0.15, False)
    block = Retraction("wrong", affected=confidence.cleared(both[0].retraction, "a"))
    assert confidence.doubts([Retracted("x", SHOP, block)]) == {}


def test_only_what_is_retracted_and_counts_as_such_casts_doubt():
    block = Retraction("wrong", affected=(Affected("a", 0.1),))
    schemas = [
        (Schema("x", SHOP, "X.", status=Status.RETRACTED, retraction=block), Status.RETRACTED),
        (Schema("y", SHOP, "Y.", status=Status.RETRACTED, retraction=block), Status.FORGOTTEN),
        (Schema("z", SHOP, "Z.", status=Status.ACTIVE, retraction=block), Status.ACTIVE),
        (Schema("w", SHOP, "W.", status=Status.RETRACTED), Status.RETRACTED),
    ]
    assert [one.id for one in confidence.of_schemas(schemas)] == ["x"]


def test_a_correction_takes_over_the_ten_strongest_links_of_04_and_more_each_weaker():
    links = [Link(f"n{at:02}", "relates_to", at / 20) for at in range(20)]
    found = contamination.inherited(links)
    assert [one.to for one in found] == [f"n{at:02}" for at in range(19, 9, -1)]
    assert found[0].weight == pytest.approx(0.66)
    assert contamination.inherited(links[:8]) == ()
