"""What a memory speaks of first, and whether it asks."""

import pytest

from memcli.memory.schema import Schema
from memcli.memory.scope import USER
from memcli.memory.subject import asks, subjects


def schema(claim, **keys):
    return Schema("000000000000", USER, claim, **keys)


@pytest.mark.parametrize(
    ("claim", "first"),
    [
        ("Ana owns billing.", "ana"),
        ("Ana: I moved to Porto.", "ana"),
        ("The refund window is 30 days.", "refund"),
        ("Caroline's dog is called Rex.", "carolin"),
    ],
)
def test_the_subject_of_a_claim_is_its_first_word_that_is_no_stop_word(claim, first):
    assert subjects(schema(claim)) == (first,)


def test_concept_and_title_have_subjects_of_their_own():
    assert subjects(schema("It is 30 days.", concept="refund window", title="Shop rules")) == (
        "refund",
        "shop",
        "30",
    )


def test_equal_subjects_are_named_once():
    assert subjects(schema("Ana owns billing.", concept="Ana")) == ("ana",)


def test_a_text_without_words_has_no_subject():
    assert subjects(schema("...")) == ()


@pytest.mark.parametrize(
    "claim", ["Is it done?", "Is it done?  ", '"Is it done?"', "Done\uff1f", "(Really?)"]
)
def test_a_claim_that_ends_in_a_question_mark_asks(claim):
    assert asks(claim)


@pytest.mark.parametrize("claim", ["", "It is done.", "Why? Because it is done.", "The ? key is broken"])
def test_any_other_claim_tells(claim):
    assert not asks(claim)
