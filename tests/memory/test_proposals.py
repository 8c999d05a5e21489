"""What may be proposed: one whole sentence that stands for itself, said by two sessions, number for number."""

import numpy as np
import pytest

from memcli.memory import proposals
from memcli.memory.proposals import Member

CLAIM = "The staging cluster runs on three nodes."


@pytest.mark.parametrize(
    "sentence",
    [
        CLAIM,
        "We deploy to production on Tuesdays only.",
        "I prefer tabs over spaces in Python files",
        "Never push to the release branch on a Friday!",
    ],
)
def test_a_sentence_that_states_something_is_a_claim(sentence):
    assert proposals.is_claim(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Where does the staging cluster run?",
        "It runs on three nodes in Frankfurt.",
        "Can you check the staging cluster in Frankfurt.",
        "Let me look at the staging cluster logs.",
        "I signed up for a pottery class yesterday.",
        "Next steps for the staging cluster",
        "Thanks!",
        "if (a && b) { return c[0] | d; }",
        "x" * 300,
        "",
    ],
)
def test_questions_requests_fragments_code_and_what_points_elsewhere_are_none(sentence):
    assert not proposals.is_claim(sentence)


def test_the_claims_of_a_turn_stand_in_it_word_for_word():
    text = f"Right. {CLAIM} Could you note that? The backup of it is copied to Lisbon at night."
    found = proposals.claims(text)
    assert found == (CLAIM, "The backup of it is copied to Lisbon at night.")
    assert all(one in text for one in found)


def member(nth, text, session=None, subject=""):
    return Member(f"e{nth}", session or f"s{nth}", text, f"e{nth}", subject)


def encode(texts):
    """Near to each other, and the shorter the nearer to the centre."""
    made = np.stack([np.array([1.0, 0.2 + len(text) / 1000], np.float32) for text in texts])
    return made / np.linalg.norm(made, axis=1, keepdims=True)


CENTRE = np.array([1.0, 0.2], np.float32) / np.float32(np.sqrt(1.04))


def test_the_most_central_sentence_is_proposed_with_who_says_the_same():
    other = "Our staging cluster, as it is, runs on three nodes."
    found = proposals.proposed([member(1, other), member(2, CLAIM)], CENTRE, encode)
    assert found is not None
    assert (found.text, found.event, found.sessions) == (CLAIM, "e2", ("s2", "s1"))
    assert found.evidence == (("e1", other, ""), ("e2", CLAIM, ""))


def test_a_session_that_says_another_number_agrees_with_nothing():
    said = [member(1, CLAIM), member(2, CLAIM.replace("three", "five"))]
    assert proposals.proposed(said, CENTRE, encode) is None
    assert proposals.proposed([*said, member(3, CLAIM)], CENTRE, encode).sessions == ("s1", "s3")


def test_one_session_is_not_two():
    assert proposals.proposed([member(1, CLAIM, "s"), member(2, CLAIM, "s")], CENTRE, encode) is None


def test_who_says_i_is_named_where_that_is_known():
    said = [member(nth, "I work in the archive in Dublin.", subject="Ana") for nth in (1, 2)]
    assert proposals.proposed(said, CENTRE, encode).text == "Ana: I work in the archive in Dublin."
