"""Memories and turns in one order: each by how far it falls behind the best of its kind."""

from memcli.memory.ordering import together
from memcli.memory.ranking import Scored


def scored(name, score):
    return Scored(name, name, score, 0, 0, 0, 0)


def order(memories, turns, carriers=None):
    """`m:3000` and the like, as they would be tried."""
    named = {one.path: one for one in memories}
    by_turn = {turn: named[memory] for turn, memory in (carriers or {}).items()}
    return [("turn " if said else "") + one.path for one, said in together(memories, turns, by_turn)]


MEMORIES = [scored("sure", 8000), scored("near", 6000), scored("far", 2000)]
TURNS = [scored("t1", 500), scored("t2", 400), scored("t3", 100)]


def test_each_is_compared_with_the_best_of_its_own_kind():
    assert order(MEMORIES, TURNS) == ["sure", "turn t1", "turn t2", "near", "far", "turn t3"]


def test_where_both_fall_behind_alike_the_memory_comes_first():
    assert order([scored("a", 10), scored("b", 5)], [scored("t", 4), scored("u", 2)]) == [
        "a",
        "turn t",
        "b",
        "turn u",
    ]


def test_the_first_memory_stays_first_though_it_was_asked_for_by_its_id():
    assert order([scored("named", 1), scored("best", 9)], [scored("t", 9)]) == ["named", "best", "turn t"]


def test_a_memory_takes_the_place_of_a_turn_that_it_rests_on_and_comes_once():
    assert order(MEMORIES, TURNS, {"t1": "far"}) == ["sure", "far", "turn t2", "near", "turn t3"]


def test_one_kind_alone_keeps_its_order():
    assert order(MEMORIES, []) == ["sure", "near", "far"]
    assert order([], TURNS) == ["turn t1", "turn t2", "turn t3"]


def test_scores_of_zero_divide_nothing():
    assert order([scored("a", 0)], [scored("t", 0)]) == ["a", "turn t"]
