"""A question that names what nobody here ever said matches less; one that names what is known does not."""

import numpy as np
import pytest
from test_ranking import ask, candidate, hits_of, unit

from memcli.memory import unheard
from memcli.memory.asked import query
from memcli.memory.constants import constants

STORE = [
    candidate("Ana grows tomatoes behind the house", unit(1, 0)[None, :]),
    candidate("the deploy runs on Tuesday", unit(0, 1)[None, :]),
]
BEFORE = constants({"match.unheard": 0.0})


def shares(text, store=STORE):
    asked = query(text)
    return unheard.share(asked, hits_of(asked, store), store).tolist()


def test_a_name_that_a_memory_holds_is_heard():
    assert shares("What does Ana grow?") == [0.0, 0.0]


def test_a_name_that_no_memory_holds_is_not():
    assert shares("What does Jonas grow?") == [1.0, 1.0]
    assert shares("What do Ana and Jonas grow?") == [0.5, 0.5]


@pytest.mark.parametrize(
    "text",
    [
        "what grows behind the house?",  # nobody is named
        "When did Monday become the day?",  # capitals by custom
        "What Does The Deploy Run On",  # a heading
        "Welche Sorte Tomaten wächst hinter dem Haus?",  # every noun has a capital
        "",
        "Jonas tomatoes",  # no question
        "Does Jonas deploy? " + "And then there is more to be done. " * 5,  # a task
    ],
)
def test_capitals_that_name_nobody_take_nothing(text):
    assert shares(text) == [0.0, 0.0]


def test_a_candidate_that_holds_the_name_itself_has_heard_it():
    """Of another scope, or held back: it is not among the visible rows, and still it names her."""
    abroad = candidate("Jonas grows figs", unit(1, 0)[None, :])
    asked = query("What does Jonas grow?")
    assert unheard.share(asked, hits_of(asked, STORE), [*STORE, abroad]).tolist() == [1.0, 1.0, 0.0]


def test_every_match_of_a_question_about_a_stranger_falls_alike_and_the_order_stays():
    vector = unit(1, 0.2)
    known, strange = (ask(f"What does {name} grow?", STORE, vector) for name in ("Ana", "Jonas"))
    assert known[0].match > strange[0].match > 0
    before = ask("What does Jonas grow?", STORE, vector, BEFORE)
    assert [one.path for one in before] == [one.path for one in strange]
    assert [one.score for one in before] == [one.score for one in strange]


def test_a_question_without_vectors_about_a_stranger_matches_less_too():
    strange, before = (ask("Does Jonas deploy?", STORE, None, rules) for rules in (constants({}), BEFORE))
    assert 0 < strange[0].match < before[0].match


def test_no_candidates_no_shares():
    assert np.array(shares("What does Jonas grow?", [])).size == 0
