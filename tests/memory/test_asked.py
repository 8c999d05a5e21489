"""Names that stand everywhere are cut from what is encoded, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory.asked import common_names, cut_names, months, query

EVERYWHERE = {"ana": 80, "carolin": 60, "refund": 90, "lisbon": 5}


def cut(text, known=EVERYWHERE, visible=100):
    return cut_names(text, known, visible)


@pytest.mark.parametrize(
    ("asked", "encoded"),
    [
        ("What did Ana say about refunds?", "What did say about refunds?"),
        ("What is Caroline's favourite food?", "What is favourite food?"),
        ("What is Caroline\u2019s favourite food?", "What is favourite food?"),
        ("Is Ana, as Caroline says, in Lisbon?", "Is, as says, in Lisbon?"),
    ],
)
def test_a_name_in_a_large_share_of_the_memories_is_cut_with_its_possessive(asked, encoded):
    assert cut(asked) == encoded


@pytest.mark.parametrize(
    "asked",
    [
        "refund window",  # a common word is no name
        "what did ana say",  # without its capital nothing tells that it is one
        "Where in Lisbon?",  # rare
        "Who is Bob?",  # unknown
        "What's next, isn't it?",  # no name, so not a character changes
        "",
    ],
)
def test_everything_else_stays_as_it_was_typed(asked):
    assert cut(asked) == asked


def test_a_query_of_nothing_but_names_is_left_alone():
    assert cut("Ana Caroline") == "Ana Caroline"
    assert cut("Ana?") == "Ana?"


def test_no_name_is_cut_in_a_small_store():
    assert cut("What does Ana own?", {"ana": 3}, visible=3) == "What does Ana own?"
    assert cut("What does Ana own?", {"ana": 9}, visible=9) == "What does Ana own?"
    assert cut("What does Ana own?", {"ana": 10}, visible=10) == "What does own?"


def test_a_name_in_a_small_share_of_a_large_store_is_not_cut():
    assert cut("What does Ana own?", {"ana": 299}, visible=1000) == "What does Ana own?"
    assert cut("What does Ana own?", {"ana": 300}, visible=1000) == "What does own?"


def test_the_names_that_are_cut_say_whom_the_question_is_about():
    assert common_names("What did Ana tell Bob?", EVERYWHERE, 100) == {"ana"}
    assert common_names("what did ana tell", EVERYWHERE, 100) == frozenset()


def test_months_are_told_from_the_verb():
    assert months("What happened in May 2023 and in July?") == {"may", "juli"}
    assert months("what may march do") == frozenset()


def test_the_stems_of_a_query_keep_their_order_and_repeats():
    assert query("Refunds, invoices and refunds").stems == ("refund", "invoic", "refund")


@given(st.text(max_size=80), st.integers(1, 200))
def test_any_text_is_cut_without_an_error_and_never_to_nothing(text, visible):
    known = dict.fromkeys(query(text).stems, visible)
    left = cut_names(text, known, visible)
    assert left == text or any(map(str.isalnum, left))
    assert len(left) <= len(text)
