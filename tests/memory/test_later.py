"""Of what says otherwise about the same, the one recorded later comes first; nothing else moves."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory.constants import SCALE, constants
from memcli.memory.later import COMPARED, Spoken, first

NEAR, FAR = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
OLD = Spoken("old", "Jonas graduated from the Royal Academy of Arts in 2015.", "01a", SCALE, NEAR)
NEW = Spoken("new", "Jonas graduated from the Royal Academy of Arts in 2020.", "01b", SCALE, NEAR)
OTHER = Spoken("other", "The bakery in Porto sells rye bread on Mondays.", "01c", SCALE, NEAR)


def ids(shown, **settings):
    rules = constants({f"later.{key}": value for key, value in settings.items()})
    return [shown[place].id for place in first(shown, rules)]


def test_the_claim_recorded_later_comes_before_the_one_that_it_says_otherwise_than():
    assert ids([OLD, NEW]) == ["new", "old"]


def test_an_earlier_claim_stays_behind_the_later_one():
    assert ids([NEW, OLD]) == ["new", "old"]


def test_another_claim_keeps_its_place_however_late_it_came():
    assert ids([OLD, OTHER]) == ["old", "other"]
    assert ids([OLD, OTHER, NEW]) == ["new", "old", "other"]


def test_what_is_far_in_meaning_is_not_about_the_same():
    assert ids([OLD, replace(NEW, vector=FAR)]) == ["old", "new"]


def test_what_answers_much_less_of_the_question_stays_where_it_is():
    assert ids([OLD, replace(NEW, coverage=SCALE // 2)]) == ["old", "new"]
    assert ids([OLD, replace(NEW, coverage=SCALE // 2)], answers=0.5) == ["new", "old"]


def test_without_vectors_or_without_a_date_nothing_moves():
    assert ids([OLD, replace(NEW, vector=None)]) == ["old", "new"]
    assert ids([replace(OLD, recorded=""), NEW]) == ["old", "new"]


def test_what_is_known_to_contradict_needs_no_likeness():
    strange = replace(OTHER, vector=None)
    assert ids([replace(OLD, conflict=("other",)), strange]) == ["other", "old"]


def test_of_three_states_the_last_comes_first():
    newest = replace(NEW, id="newest", text=OLD.text.replace("2015", "2023"), recorded="01d")
    assert ids([OLD, NEW, newest]) == ["newest", "new", "old"]


def test_a_long_answer_is_compared_no_further_than_its_beginning():
    rest = [replace(OTHER, id=f"{at:03}", vector=FAR) for at in range(COMPARED)]
    assert ids([OLD, *rest, NEW])[-1] == "new"


@given(st.lists(st.sampled_from([OLD, NEW, OTHER]), max_size=8))
def test_everything_that_was_shown_is_shown(shown):
    assert sorted(first(shown)) == list(range(len(shown)))
