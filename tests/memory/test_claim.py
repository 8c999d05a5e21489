"""When two texts make the same claim, and when they only look like it."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memcli.memory.claim import (
    contains,
    coverage,
    differs,
    digest,
    digests,
    marks,
    normalise,
    sentences,
    veto,
)
from memcli.memory.layers import pieces

TEXT = st.text(max_size=120)


@pytest.mark.parametrize(
    "text",
    [
        "the refund window is 14 days",
        "The  Refund window\nis 14 days!",
        "“The refund window is 14 days.”",
        "*The refund window is `14` days*",
        "The refund win\u00addow is 14-days",
        "\uff34\uff28\uff25 refund window is 14 days…",
    ],
)
@pytest.mark.case("P-LIFE-01")
def test_case_space_and_punctuation_do_not_make_another_claim(text):
    assert digest(text) == digest("The refund window is 14 days.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It is 1.5", "It is 15"),
        ("It is -5 outside", "It is 5 outside"),
        ("We use C#", "We use C"),
        ("a != b", "a = b"),
        ("x < 5", "x > 5"),
        ("It costs $5", "It costs €5"),
        ("Keep 5%", "Keep 5"),
        ("Area 10²", "Area 102"),
        ("año", "ano"),
        ("👍", "👎"),
        ("???", "!!!"),
        ("2*3", "2 3"),
    ],
)
def test_signs_that_mean_something_make_another_claim(one, other):
    assert digest(one) != digest(other)


@pytest.mark.case("P-ENC-08")
@pytest.mark.parametrize("text", ["שלום 👩‍👩‍👧‍👦 e\u0301 नि", "نص", "नि", "ゔ", "👩🏽‍💻", "\u202eabc"])
def test_any_script_has_a_digest_and_forms_of_one_text_agree(text):
    assert normalise(text).strip()
    assert digest(unicodedata.normalize("NFD", text)) == digest(unicodedata.normalize("NFC", text))
    assert digest(text) != digest(text + " b")
    assert pieces(text)[0] == text


@given(TEXT)
def test_spaces_and_a_full_stop_around_a_text_say_nothing(text):
    assume(any(c.isalnum() for c in normalise(text)))
    assert normalise(f"  {text} .\n") == normalise(text)


@given(TEXT)
def test_a_text_contains_itself_and_never_differs_from_itself(text):
    assert contains(text, text)
    assert veto(text, text) == ""
    assert differs(text, text) == ""


@given(TEXT, TEXT)
def test_the_veto_looks_both_ways(one, other):
    assert bool(veto(one, other)) == bool(veto(other, one))
    assert bool(differs(one, other)) == bool(differs(other, one))


@given(TEXT, TEXT)
def test_what_the_veto_finds_also_differs(one, other):
    if veto(one, other):
        assert differs(one, other)


def test_sentences_end_where_a_reader_ends_them():
    text = "Dr. Smith e.g. likes v1.5. Then!\n- item one; so\n- item two。四。"
    assert sentences(text) == (
        "Dr. Smith e.g. likes v1.5.",
        "Then!",
        "item one; so",
        "item two。",
        "四。",
    )


def test_a_sentence_without_end_is_cut_at_its_clauses():
    long = ", and ".join(f"the service number {n} runs on port {n}" for n in range(50))
    assert max(map(len, sentences(long))) < 300
    assert len(sentences("word " * 5000)) > 100
    assert all(any(c.isalnum() for c in s) for s in sentences("... !!! --- \n\n # \n a"))


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("The refund window is 14 days.", "The refund window is 30 days.", "numbers"),
        ("The refund window is two weeks.", "The refund window is 30 days.", "numbers"),
        ("We deploy on Fridays.", "We deploy on Mondays.", "numbers"),
        ("We deploy on Fridays.", "We never deploy on Fridays.", "negation"),
        ("We deploy on Fridays.", "We don't deploy on Fridays any more.", "negation"),
        ("We deploy on Fridays.", "We deploy on Fridays no longer.", "negation"),
        ("We deploy on Fridays.", "We stopped deploying on Fridays.", "negation"),
        ("Logging is enabled.", "Logging is not enabled.", "negation"),
        ("Backups run daily.", "Backups run weekly.", "antonyms"),
        ("The invoice is optional.", "The invoice is required.", "antonyms"),
        ("Fold the map.", "Unfold the map.", "antonyms"),
        ("Ana likes tea.", "Bob likes tea.", "names"),
        ("Orders live in PostgreSQL.", "Orders live in MySQL.", "names"),
        ("Paulo was born in Lisbon, Portugal.", "Paulo was born in Barcelona, Spain.", "names"),
        ("Ana reviews Bob's code.", "Bob reviews Ana's code.", "roles"),
    ],
)
def test_near_claims_that_are_not_the_same_are_vetoed(one, other, reason):
    assert veto(one, other) == reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The refund window is 14 days.", "Customers may return goods within two weeks."),
        ("Logging is not enabled.", "Logging is disabled."),
        ("We avoid deploying on Fridays.", "We do not deploy on Fridays."),
        ("We stopped deploying on Fridays.", "We no longer deploy on Fridays."),
        ("Ana and Bob host the standup.", "Bob and Ana host the standup."),
        ("The report was reviewed by Ana for Bob.", "Ana reviewed the report for Bob."),
        ("Bomb Kills Three In Iraq Market", "A bomb killed three people in an Iraqi market."),
        ("The U.S. team won.", "The US team won."),
        ("It is not only fast but cheap.", "It is fast and cheap."),
        ("It must finish no later than 5pm.", "It must finish by 17:00."),
        ("Refunds take 3 days.", "It takes three days to refund."),
        ("A child is riding a horse.", "A kid rides a horse."),
        ("Smoking harms.", "Smoking harms, which is not considered a surprise."),
    ],
)
def test_paraphrases_are_not_vetoed(one, other):
    assert veto(one, other) == ""


def test_a_detail_on_one_side_alone_is_a_difference_and_no_veto():
    one, other = "The refund window is 14 days.", "The refund window is 14 days since 1 July."
    assert veto(one, other) == ""
    assert differs(one, other) == "numbers"


def test_a_sentence_is_compared_with_the_sentence_that_it_faces():
    removed = "We deploy on Fridays. We never deploy on Mondays."
    assert veto("We deploy on Fridays.", removed) == ""
    assert veto("We never deploy on Fridays.", removed) == "negation"


@pytest.mark.case("P-LIFE-01")
def test_a_claim_is_found_inside_a_long_text():
    filler = "The parser keeps one token of lookahead and reports the line of each error. " * 60
    claim = "The refund window is 14 days."
    assert len(filler) > 4000
    assert contains(filler + claim + filler, claim)
    assert contains(filler + "Mind that the refund window is 14 days, as agreed. " + filler, claim)
    assert not contains(filler, claim)
    assert digest(claim) in digests(filler + claim + filler)


def test_a_claim_that_is_denied_is_not_contained():
    claim = "We deploy on Fridays."
    assert not contains("It is not true that we deploy on Fridays.", claim)
    assert not contains("We deploy on Fridays no longer.", claim)
    assert not contains("We never deploy on Fridays.", claim)


def test_a_single_word_is_not_looked_for_inside_sentences():
    assert contains("Yes.", "yes")
    assert contains("Hm. Yes! Then.", "yes")
    assert not contains("He said yes to the offer.", "yes")


def test_marks_name_what_keeps_claims_apart():
    assert marks("Ana never waits 14 days") == marks("Ana doesn't wait two weeks")
    assert marks("wait 14 days") != marks("wait 30 days")


def test_coverage_is_the_idf_share_of_the_removed_claim_without_its_names():
    idf = {"refund": 3.0, "window": 2.0, "day": 1.0}
    removed = "The refund window at Acme is long"
    assert coverage(removed, "a refund", idf) == pytest.approx(3 / 8)  # `long` weighs as the rarest
    assert coverage(removed, removed, idf) == 1.0
    assert coverage(removed, "nothing of it", idf) == 0.0
    assert coverage("", "x", idf) == 0.0


@given(TEXT, TEXT)
def test_coverage_is_a_share(one, other):
    assert 0.0 <= coverage(one, other, {}) <= 1.0


@pytest.mark.parametrize(
    ("one", "other", "exchanged"),
    [
        ("Table 3 seats 4.", "Table 4 seats 3.", True),
        ("Counter 3 stands at four apples.", "Counter four stands at 3 apples!", True),
        ("We moved from 14 to 30 days.", "We moved from 30 to 14 days.", True),
        ("Table 3 seats three.", "Table 3 seats four.", True),
        ("Table 3 seats 4.", "Table 3 seats four.", False),
        ("Keep logs 14 days.", "Keep logs two weeks.", False),
        ("Table 3 seats 4.", "Table 3 has 4 seats.", False),
        ("30 days in shops, 14 days online.", "14 days online, 30 days in shops.", False),
        ("It opens at 9 and closes at 17.", "It closes at 17 and opens at 9.", False),
        ("Table 3 seats 4.", "Table 3 seats 4.", False),
        ("Tables seat many.", "Tables seat few.", False),
    ],
)
def test_numbers_that_change_places_say_something_else(one, other, exchanged):
    assert bool(veto(one, other)) is bool(differs(one, other)) is exchanged
    assert not exchanged or marks(one) != marks(other)
