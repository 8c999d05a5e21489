"""The floor on meaning alone, with the shipped encoder; and the arithmetic of the figures."""

import json

import pytest
from floor import GOLD
from intervals import auroc, wilson
from shelf import Shelf, Vectors

from memcli.index import encoder
from memcli.memory.constants import DEFAULTS
from memcli.memory.ranking import divide

REFUND = ("how long can customers send things back", "The refund window is 30 days.")
BILLING = ("who do I ask about invoices", "Ana owns billing.")


@pytest.fixture(scope="module")
def gold():
    return json.loads(GOLD.read_text())


@pytest.fixture(scope="module")
def shelf(gold):
    return Shelf(Vectors(encoder.load(None)), [pair["claim"] for pair in gold["pairs"]])


def admitted(shelf, question):
    found = divide(shelf.ask(question), DEFAULTS.floor, DEFAULTS.notice).admitted
    return [shelf.candidates[int(one.path)].schema.claim for one in found]


def outcome(shelf, question):
    found = divide(shelf.ask(question), DEFAULTS.floor, DEFAULTS.notice)
    return "found" if found.admitted else "withheld" if found.withheld else "absent"


@pytest.mark.parametrize(("question", "claim"), [REFUND, BILLING])
@pytest.mark.parametrize("others", [0, 4, 9])
def test_an_answer_that_shares_no_word_with_the_question_passes_in_a_small_store(
    shelf, question, claim, others
):
    claims = [one.schema.claim for one in shelf.candidates]
    rest = [text for text in claims if text != claim][:others]
    small = Shelf(shelf.vectors, [claim, *rest])
    assert admitted(small, question)[0] == claim


def test_most_answers_by_meaning_alone_pass_where_they_are_the_only_memory(shelf, gold):
    found = [outcome(shelf.part([at]), pair["question"]) == "found" for at, pair in enumerate(gold["pairs"])]
    assert sum(found) >= 18


def test_nothing_is_admitted_for_an_unrelated_question(shelf, gold):
    for size in (1, 5, len(gold["pairs"])):
        part = shelf.part(range(size))
        assert all(outcome(part, one["question"]) != "found" for one in gold["unrelated"])


def test_a_store_of_one_unrelated_memory_answers_absent_in_nine_of_ten_questions(shelf, gold):
    asked = [outcome(shelf.part([at]), one["question"]) for at in range(10) for one in gold["unrelated"]]
    assert asked.count("absent") >= 0.9 * len(asked)


def test_a_question_in_the_memorys_own_words_brings_that_memory_first_and_little_else(shelf):
    for question, claim in (("refund window", REFUND[1]), ("who owns billing", BILLING[1])):
        found = admitted(shelf, question)
        assert found[0] == claim
        assert len(found) <= 4


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(0, 48, 0.0, 0.0741), (48, 48, 0.9259, 1.0), (50, 100, 0.4038, 0.5962), (0, 0, 0.0, 1.0)],
)
def test_wilson_intervals_are_those_of_the_tables(hits, n, low, high):
    assert wilson(hits, n)[1:] == pytest.approx((low, high), abs=1e-4)


def test_auroc_counts_ties_as_half():
    assert auroc([3, 4], [1, 2]) == 1
    assert auroc([1], [1]) == 0.5
    assert auroc([1, 3], [2, 2]) == 0.5
