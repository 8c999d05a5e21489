"""The working set keeps to its k and its budget, and shows a claim once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory.packing import Entry, pack

K = st.integers(0, 12)
BUDGET = st.integers(0, 900)
OVERHEAD = st.integers(0, 60)
SIZES = st.lists(st.integers(1, 300), max_size=30)


def entries(sizes):
    return [Entry(f"{at:02}", size, claim=f"claim {at}") for at, size in enumerate(sizes)]


def unit(*numbers):
    vector = np.array(numbers, np.float32)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("case", range(200))
def test_200_random_answers_keep_to_their_budget_with_header_and_footer_counted(case):
    random = np.random.default_rng(case)
    offered = entries(random.integers(1, 300, random.integers(1, 40)).tolist())
    k, budget, overhead = int(random.integers(1, 12)), int(random.integers(1, 1500)), int(random.integers(60))
    cost = {entry.path: entry.tokens for entry in offered}

    packed = pack(offered, k, budget, overhead)

    assert len(packed.chosen) <= k
    assert list(packed.chosen) == sorted(packed.chosen)
    assert not set(packed.chosen) & set(packed.skipped_by_budget)
    if packed.chosen:
        assert packed.tokens == overhead + sum(cost[path] for path in packed.chosen) <= budget
    else:
        assert packed.tokens == 0
        assert overhead + min(cost.values()) > budget


@given(SIZES, K, BUDGET, OVERHEAD)
def test_every_entry_that_was_tried_and_left_out_would_not_have_fitted(sizes, k, budget, overhead):
    offered = entries(sizes)
    packed = pack(offered, k, budget, overhead)
    spent, shown = overhead, 0
    for entry in offered:
        if shown == k:
            assert entry.path not in packed.skipped_by_budget
        elif entry.path in packed.chosen:
            spent, shown = spent + entry.tokens, shown + 1
        else:
            assert entry.path in packed.skipped_by_budget
            assert spent + entry.tokens > budget


@given(SIZES.filter(bool), K.filter(bool), BUDGET, st.integers(0, 500), OVERHEAD)
def test_a_larger_budget_never_drops_the_best(sizes, k, budget, more, overhead):
    offered = entries(sizes)
    small, large = pack(offered, k, budget, overhead), pack(offered, k, budget + more, overhead)
    if small.chosen:
        assert large.chosen[0] <= small.chosen[0]
    if offered[0].path in small.chosen:
        assert large.chosen[0] == offered[0].path


def test_what_does_not_fit_is_skipped_and_a_smaller_later_one_is_taken():
    packed = pack(entries([50, 900, 30]), k=8, budget=100, overhead=10)
    assert packed.chosen == ("00", "02")
    assert packed.skipped_by_budget == ("01",)
    assert packed.tokens == 90


def test_nothing_is_shown_and_nothing_spent_where_not_even_the_smallest_fits():
    packed = pack(entries([50, 60]), k=8, budget=40)
    assert (packed.chosen, packed.tokens) == ((), 0)
    assert packed.skipped_by_budget == ("00", "01")


def test_what_comes_after_the_kth_is_not_counted_as_over_budget():
    assert pack(entries([10, 10, 5000]), k=2, budget=100).skipped_by_budget == ()


def test_no_entries_or_no_places_give_an_empty_answer():
    assert pack([], k=8, budget=800).chosen == ()
    assert pack(entries([1]), k=0, budget=800).chosen == ()


def test_the_same_claim_is_shown_once_the_better_ranked_and_the_other_is_named():
    offered = [Entry("best", 5, "digest"), Entry("again", 5, "digest"), Entry("other", 5, "another")]
    packed = pack(offered, k=8, budget=800)
    assert packed.chosen == ("best", "other")
    assert packed.duplicates == (("again", "best"),)


def test_a_duplicate_takes_no_place_of_the_k():
    offered = [Entry("best", 5, "digest"), Entry("again", 5, "digest"), Entry("other", 5, "another")]
    assert pack(offered, k=2, budget=800).chosen == ("best", "other")


def test_where_the_better_of_two_equal_claims_does_not_fit_the_other_is_shown():
    offered = [Entry("long", 500, "digest"), Entry("short", 5, "digest")]
    assert pack(offered, k=8, budget=100).chosen == ("short",)


def test_near_vectors_are_one_claim_only_with_equal_marks():
    near, nearly = unit(1, 0, 0), unit(1, 0.1, 0)
    thirty = Entry("30", 5, "a", near, lambda: frozenset({"30"}))
    again = Entry("30 again", 5, "b", nearly, lambda: frozenset({"30"}))
    fourteen = Entry("14", 5, "c", nearly, lambda: frozenset({"14"}))
    packed = pack([thirty, again, fourteen], k=8, budget=800)
    assert packed.chosen == ("30", "14")
    assert packed.duplicates == (("30 again", "30"),)


def test_a_claim_that_says_more_than_the_shown_one_is_shown_too():
    near, nearly = unit(1, 0, 0), unit(1, 0.1, 0)
    short = Entry("short", 5, "a", near, text="Refunds need approval.")
    longer = Entry("longer", 5, "b", nearly, text="Refunds need approval. Two managers sign.")
    assert pack([short, longer], k=8, budget=800).chosen == ("short", "longer")
    assert pack([longer, short], k=8, budget=800).duplicates == (("short", "longer"),)


def test_vectors_below_the_threshold_are_two_claims():
    packed = pack([Entry("a", 5, "a", unit(1, 0, 0)), Entry("b", 5, "b", unit(1, 0.3, 0))], k=8, budget=800)
    assert packed.chosen == ("a", "b")


def test_equal_claims_with_another_fate_are_both_shown():
    was, now = Entry("was", 5, "same", marks=lambda: frozenset({"superseded"})), Entry("now", 5, "same")
    assert pack([now, was], k=8, budget=800).chosen == ("now", "was")


def test_claims_without_digest_or_vector_are_never_taken_for_one():
    offered = [Entry("a", 5), Entry("b", 5), Entry("c", 5, vector=unit(1, 0)), Entry("d", 5)]
    assert pack(offered, k=8, budget=800).chosen == ("a", "b", "c", "d")
