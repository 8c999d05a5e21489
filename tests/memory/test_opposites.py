"""What says the opposite: negations with what they deny, and words that exclude each other."""

import pytest

from memcli.memory.opposites import REACH, denied, negated, opposed

EVERY = frozenset(("alpha", "beta", "gamma", "delta", "kappa"))


@pytest.mark.parametrize("cue", ["not", "never", "don't", "no longer", "not anymore", "without", "cannot"])
def test_a_negation_denies_the_next_four_words_and_its_own_ending_is_none_of_them(cue):
    text = f"We do {cue} alpha beta gamma delta kappa"
    assert negated(text)
    assert denied(text, EVERY) == {"alpha", "beta", "gamma", "delta"}
    assert denied(text, EVERY, reach=1) == {"alpha"}
    assert REACH == 4


def test_a_negation_at_the_end_denies_what_stands_before_it():
    assert denied("Alpha and beta: not.", EVERY) == {"alpha", "beta"}


def test_a_negation_that_reaches_no_word_is_kept_apart():
    assert denied("No.", EVERY) == {""}
    assert denied("Alpha beta.", EVERY) == frozenset()


def test_what_the_other_text_does_not_mention_is_not_denied():
    assert denied("We do not alpha the omega", frozenset({"beta"})) == frozenset()


@pytest.mark.parametrize("text", ["We note the knot.", "A no-op stays one.", "Nothingness is a word."])
def test_a_word_that_only_begins_like_a_negation_is_none(text):
    assert not negated(text)


def test_two_sides_exclude_each_other_only_where_each_text_lacks_the_other_s():
    pairs, others = opposed("A review is required.", "A review is optional.")
    assert (len(pairs), len(others)) == (1, 0)
    assert opposed("Required or optional, it is done.", "It is required.") == (frozenset(), frozenset())
    assert opposed("It is required.", "It is required.") == (frozenset(), frozenset())


def test_groups_of_two_sides_and_of_more_are_told_apart():
    pairs, others = opposed("Backups run daily.", "Backups run weekly.")
    assert (len(pairs), len(others)) == (0, 1)


def test_a_prefix_turns_a_word_round_and_a_short_rest_is_no_word():
    pairs, _ = opposed("The parser unfolds macros.", "The parser can fold macros.")
    assert -1 in pairs
    assert opposed("It lies under the desk.", "It lies der desk.") == (frozenset(), frozenset())
