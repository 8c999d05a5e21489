"""Ranking: equal bytes from any path, words and meaning fused, and a match that is absolute."""

from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory import pool
from memcli.memory.constants import DEFAULTS, constants
from memcli.memory.pool import Candidate, WordHits
from memcli.memory.ranking import SCALE, Scored, divide, fit, fuse, match, query, rank
from memcli.memory.rarity import bm25, coverage, frequencies, rarity
from memcli.memory.schema import Schema, Status, Validity
from memcli.memory.scope import USER
from memcli.memory.subject import asks, subjects
from memcli.memory.tokens import stems
from memcli.memory.visibility import Row

ROW = Row(USER, Status.ACTIVE, None, Validity(), "fact")
WORDS = ("refund", "window", "invoice", "deploy", "tuesday", "ana", "billing", "days")
CLAIMS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=12)
SHARE = st.floats(0, 1)


def candidate(claim, vectors=None, name=None):
    """A candidate whose path is its id; counts of all its stems."""
    schema = Schema(name or claim, USER, claim)
    found = stems(claim)
    counts = {stem: found.count(stem) for stem in found}
    return Candidate(schema.id, "", ROW, schema, counts, len(found), vectors, subjects(schema), asks(claim))


def hits_of(asked, store):
    """The statistics of `store`, as an index would give them for `asked`."""
    columns = tuple(dict.fromkeys(asked.stems))
    held = [one for one in store if any(one.counts.get(stem) for stem in columns)]
    counts = np.array([[one.counts.get(stem, 0) for stem in columns] for one in held], np.int32)
    counts = counts.reshape(len(held), len(columns))
    return WordHits(
        paths=[one.path for one in held],
        stems=columns,
        counts=counts,
        lengths=np.array([one.length for one in held], np.int32),
        document_counts=(counts > 0).sum(axis=0, dtype=np.int64),
        visible=len(store),
        total_length=sum(one.length for one in store),
    )


def unit(*numbers):
    vector = np.array(numbers, np.float32)
    return vector / np.linalg.norm(vector)


def stored(claims, seed=0):
    """Candidates with random unit vectors, ids in order."""
    random = np.random.default_rng(seed)
    return [
        candidate(" ".join(words), unit(*random.normal(size=8))[None, :], name=f"{at:03}")
        for at, words in enumerate(claims)
    ]


def ask(text, store, vector=None, rules=DEFAULTS):
    asked = query(text)
    return rank(asked, hits_of(asked, store), store, vector, rules)


def paths(ranked):
    return [one.path for one in ranked]


# The same answer from every path.


@given(CLAIMS, st.randoms(use_true_random=False))
def test_the_order_in_which_candidates_come_changes_nothing(claims, random):
    store = stored(claims)
    shuffled = random.sample(store, len(store))
    asked, vector = query("refund window for Ana"), unit(*range(1, 9))
    hits = hits_of(asked, store)
    assert rank(asked, hits, store, vector) == rank(asked, hits, shuffled, vector)


@given(CLAIMS, st.permutations(range(4)))
def test_the_order_of_the_stems_changes_nothing(claims, order):
    store, asked = stored(claims), query("refund window invoice deploy")
    hits = hits_of(asked, store)
    turned = replace(
        hits,
        stems=tuple(hits.stems[at] for at in order),
        counts=hits.counts[:, order],
        document_counts=hits.document_counts[list(order)],
    )
    vector = unit(*range(1, 9))
    assert rank(asked, hits, store, vector) == rank(asked, turned, store, vector)
    assert bm25(hits, asked).tolist() == bm25(turned, asked).tolist()


@given(CLAIMS)
def test_weak_candidates_beside_the_best_change_no_number(claims):
    store, vector = stored(claims), unit(*range(1, 9))
    asked = query("refund window")
    hits = hits_of(asked, store)
    whole = rank(asked, hits, store, vector)
    best = {max(whole, key=attrgetter(part)).path for part in ("vector", "lexical", "match")}
    part = rank(asked, hits, [one for one in store if one.path in best], vector)
    assert [one for one in whole if one.path in best] == part


@given(CLAIMS)
def test_cosines_all_at_once_are_the_cosines_one_by_one(claims):
    store, vector = stored(claims), unit(*range(1, 9))
    for one in ask("refund", store, vector):
        held = next(c.vectors for c in store if c.path == one.path)
        assert one.vector == round(pool.cosine(held, vector) * SCALE)


@given(CLAIMS)
def test_every_number_is_whole_and_within_its_range(claims):
    for one in ask("refund window for Ana", stored(claims), unit(*range(1, 9))):
        assert all(isinstance(n, int) for n in (one.score, one.match, one.vector, one.lexical, one.coverage))
        assert 0 <= one.score <= SCALE
        assert 0 <= one.match <= SCALE
        assert 0 <= one.lexical <= SCALE
        assert 0 <= one.coverage <= SCALE
        assert -SCALE <= one.vector <= SCALE


def test_equal_scores_fall_to_the_id_and_then_to_the_path():
    named = [("c", "1"), ("a", "3"), ("b", "2"), ("a", "0")]
    store = [replace(candidate("refund window", name=name), path=path) for name, path in named]
    assert [(one.id, one.path) for one in ask("refund", store)] == [
        ("a", "0"),
        ("a", "3"),
        ("b", "2"),
        ("c", "1"),
    ]


def test_no_candidates_no_ranking():
    assert ask("refund", []) == []


# Words.


def test_the_rarer_word_decides():
    store = [candidate(f"refund note {n}") for n in range(8)] + [candidate("invoice note")]
    assert paths(ask("refund or invoice", store))[0] == "invoice note"


def test_a_repeated_word_of_the_query_counts_twice():
    store = [candidate("refund note"), candidate("invoice note")]
    assert paths(ask("refund refund invoice", store))[0] == "refund note"


def test_the_shorter_of_two_memories_with_the_word_comes_first():
    store = [candidate("refund"), candidate("refund of orders that came late and broken and were sent back")]
    assert paths(ask("refund", store))[0] == "refund"


def test_bm25_is_the_published_formula():
    store = [candidate("refund refund window"), candidate("invoice")]
    asked = query("refund")
    idf = np.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    damped = 0.9 * (1 - 0.4 + 0.4 * 3 / 2)
    assert bm25(hits_of(asked, store), asked).tolist() == [round(idf * 1.9 * 2 / (2 + damped), 6)]


def test_a_query_without_words_scores_nothing_by_words():
    store = [candidate("refund window")]
    assert ask("...", store) == [Scored("refund window", "refund window", 0, 0, 0, 0, 0)]


def test_a_word_that_the_store_never_heard_of_weighs_most_in_coverage():
    store = [candidate("refund window"), candidate("refund note")]
    asked = query("refund for Zanzibar")
    hits = hits_of(asked, store)
    assert coverage(hits.counts, hits, asked).tolist() == pytest.approx(
        [rarity(2, 102) / (rarity(2, 102) + rarity(0, 102))] * 2,
        abs=1e-6,
    )
    assert coverage(hits.counts, hits, asked).max() < 0.5


def test_all_words_found_is_full_coverage_even_in_a_store_of_one():
    store = [candidate("The refund window is 30 days.")]
    assert ask("refund window", store)[0].coverage == SCALE


def test_word_statistics_come_from_the_visible_rows_alone():
    seen = [candidate("refund window"), candidate("invoice note")]
    asked = query("refund invoice")
    hits = hits_of(asked, seen)
    assert frequencies(hits) == {"refund": 1, "invoic": 1}
    assert rank(asked, hits, seen, None) == ask("refund invoice", seen)


# Meaning.


def test_a_memory_without_a_shared_word_ranks_by_its_vector():
    far, near = unit(0, 1, 0), unit(1, 0.2, 0)
    store = [candidate("refund window", far[None, :]), candidate("deploy day", near[None, :])]
    ranked = ask("billing", store, unit(1, 0, 0))
    assert paths(ranked) == ["deploy day", "refund window"]
    assert ranked[0].vector > 0.9 * SCALE
    assert ranked[0].lexical == 0


def test_the_best_piece_of_a_long_memory_counts():
    pieces = np.stack([unit(0, 1, 0), unit(1, 0, 0)])
    assert ask("billing", [candidate("refund", pieces)], unit(1, 0, 0))[0].vector == SCALE


def test_a_row_without_a_vector_has_no_meaning_and_still_its_words():
    store = [candidate("refund window"), candidate("deploy day", unit(1, 0, 0)[None, :])]
    ranked = {one.path: one for one in ask("refund", store, unit(1, 0, 0))}
    assert ranked["refund window"].vector == 0
    assert ranked["refund window"].lexical == SCALE
    assert ranked["deploy day"].vector == SCALE


def test_without_a_query_vector_words_alone_rank_and_coverage_is_the_best_match():
    store = stored([["refund"], ["refund", "window"], ["deploy"]])
    ranked = ask("refund window", store)
    assert paths(ranked)[0] == "001"
    assert ranked[0].score == round(SCALE / (1 + DEFAULTS.subject + DEFAULTS.month))
    assert max(one.match for one in ranked) == ranked[0].coverage == SCALE
    assert ranked[-1].match == ranked[-1].vector == 0


def test_fusing_takes_six_tenths_of_meaning_and_four_of_words():
    assert fuse(np.array([0.8, 0.4]), np.array([0.0, 3.0])).tolist() == pytest.approx([0.6, 0.7])


def test_a_side_that_says_nothing_adds_nothing():
    assert fuse(np.array([-0.1, -0.2]), np.array([1.0, 2.0])).tolist() == pytest.approx([0.2, 0.4])
    assert fuse(np.array([0.5, 0.25]), np.zeros(2)).tolist() == pytest.approx([0.6, 0.3])


# Whose memory, of when, and telling or asking.


def crowd(*claims):
    """A store in which Ana and Bob each begin half of twenty memories, and `claims` beside them."""
    said = [f"{who}: note number {n}" for n in range(10) for who in ("Ana", "Bob")]
    return [candidate(claim) for claim in (*said, *claims)]


def test_the_memory_of_whom_the_question_names_comes_before_a_nearer_one_that_mentions_her():
    hers = candidate("Ana: pottery on Sunday", unit(1, 0.5, 0)[None, :])
    his = candidate("Bob: pottery with Ana", unit(1, 0.2, 0)[None, :])
    store = [*crowd(), hers, his]
    question, vector = "What did Ana say about pottery?", unit(1, 0, 0)
    assert paths(ask(question, store, vector))[:2] == [hers.path, his.path]
    assert paths(ask(question, store, vector, constants({"ranking.subject": 0.0})))[:2] == [
        his.path,
        hers.path,
    ]
    assert paths(ask("What did Bob say about pottery?", store, vector))[0] == his.path


def test_a_rare_name_gives_no_bonus_beyond_its_words():
    store = crowd("Zoe: pottery on Sunday", "pottery on Sunday by Zoe")
    ranked = {one.path: one.score for one in ask("What did Zoe say about pottery on Sunday?", store)}
    assert ranked["Zoe: pottery on Sunday"] == ranked["pottery on Sunday by Zoe"]


def test_a_question_comes_after_what_tells():
    store = [candidate("is the window open?", name="a"), candidate("the window is open", name="b")]
    assert paths(ask("window open", store)) == ["b", "a"]
    assert paths(ask("window open", store, rules=constants({"ranking.question": 0.0}))) == ["a", "b"]


def test_the_month_that_the_question_names_is_preferred():
    store = [candidate("deploy on 3 June", name="a"), candidate("deploy on 3 May", name="b")]
    asked, other = query("deploy in May"), query("deploy in June")
    hits = hits_of(asked, store)
    without = constants({"ranking.month": 0.0})
    gap = [
        one.score - two.score
        for rules in (DEFAULTS, without)
        for one, two in [rank(asked, hits, store, None, rules)]
    ]
    assert paths(ask("deploy in May", store))[0] == "b"
    assert paths(rank(other, hits_of(other, store), store, None))[0] == "a"
    assert gap[0] > gap[1]


# Match, floor and notice.


@given(SHARE, SHARE, SHARE, st.integers(1, 100_000))
def test_a_fit_grows_with_cosine_and_coverage_and_never_leaves_its_range(cosine, more, covered, visible):
    low, high = sorted((cosine, more))
    found = fit(np.array([low, high, high]), np.array([covered, covered, 1.0]), visible)
    assert 0 <= found[0] <= found[1] <= found[2] <= 1


@given(SHARE, SHARE, st.integers(1, 10_000), st.integers(1, 10_000))
def test_the_same_nearness_says_less_in_a_larger_store(cosine, covered, one, other):
    small, large = sorted((one, other))
    parts = np.array([cosine]), np.array([covered])
    assert fit(*parts, large) <= fit(*parts, small)


def test_a_negative_cosine_fits_like_none_at_all():
    words = np.array([0.5])
    assert fit(np.array([-0.3]), words, 10) == fit(np.zeros(1), words, 10)


@given(st.lists(st.tuples(SHARE, SHARE), min_size=1, max_size=9), st.integers(1, 1000))
def test_a_match_keeps_the_order_of_fits_and_the_best_is_its_own_fit(parts, visible):
    cosines, covered = np.array(parts).T
    fits, matches = fit(cosines, covered, visible), match(cosines, covered, visible)
    assert matches.max() == fits.max()
    assert (matches >= fits).all()
    order = np.argsort(fits)
    assert (np.diff(matches[order]) >= 0).all()
    assert (matches <= (fits + fits.max()) / 2).all()


def test_a_memory_beside_a_sure_answer_matches_better_than_alone_and_nothing_still_matches_nothing():
    alone = match(np.array([0.2]), np.zeros(1), 1)[0]
    beside = match(np.array([0.2, 0.0, 0.9]), np.zeros(3), 1)
    assert beside[0] > alone
    assert beside[1] == 0


@given(CLAIMS)
def test_the_best_match_does_not_depend_on_what_else_answers(claims):
    store, vector = stored(claims), unit(*range(1, 9))
    asked = query("refund window")
    hits = hits_of(asked, store)
    whole = rank(asked, hits, store, vector)
    best = max(whole, key=lambda one: one.match)
    alone = rank(asked, hits, [one for one in store if one.path == best.path], vector)
    assert alone[0].match == best.match


def scored(path, matched):
    return Scored(path, path, 0, round(matched * SCALE), 0, 0, 0)


def test_the_floor_withholds_what_is_below_it_and_notice_hides_what_is_nothing():
    ranked = [scored("a", 0.5), scored("b", 0.29), scored("c", 0.1), scored("d", 0.3)]
    found = divide(ranked, floor=0.3, notice=0.2)
    assert paths(found.admitted) == ["a", "d"]
    assert paths(found.withheld) == ["b"]


def test_a_floor_of_nothing_shows_all_that_was_withheld_and_no_more():
    ranked = [scored("a", 0.5), scored("b", 0.2), scored("c", 0.19)]
    found = divide(ranked, floor=0.0, notice=0.2)
    assert (paths(found.admitted), paths(found.withheld)) == (["a", "b"], [])


def test_an_extreme_floor_withholds_every_match():
    ranked = [scored("a", 0.9), scored("b", 0.2)]
    assert paths(divide(ranked, floor=1.0).withheld) == ["a", "b"]


def test_what_is_shown_is_what_is_compared():
    assert paths(divide([scored("a", 0.3)], floor=0.30004).admitted) == ["a"]


def test_a_memory_of_a_day_on_which_something_fits_better_comes_before_its_equal():
    """Of two that say the same, the one beside the better answer; the best itself keeps its score."""
    claims = ("refund window days", "refund", "refund deploy", "deploy refund")
    store = [
        replace(candidate(claim, name=f"{at:03}"), day=day)
        for at, (claim, day) in enumerate(zip(claims, (1, 2, 2, 1), strict=True))
    ]
    plain = [replace(one, day=None) for one in store]
    dated, undated = ask("refund window days", store), ask("refund window days", plain)
    assert paths(undated).index("002") < paths(undated).index("003")
    assert paths(dated).index("003") < paths(dated).index("002")
    assert dated[0] == undated[0]


@given(CLAIMS)
def test_where_no_two_share_a_day_the_day_changes_nothing(claims):
    store = stored(claims)
    dated = [replace(one, day=at) for at, one in enumerate(store)]
    vector = unit(*range(1, 9))
    assert ask("refund window", dated, vector) == ask("refund window", store, vector)
