"""The gate's rule: what says nothing is shut out, what comes near is asked, what is doubtful too (A17)."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory import gate
from memcli.memory.constants import DEFAULTS, SCALE
from memcli.memory.gate import Reason

LEAST = round(DEFAULTS.gate_evidence * SCALE)


@dataclass(frozen=True)
class Found:
    """One candidate."""

    vector: int
    coverage: int = 0


def decided(text, *found, held=False, meant=True):
    return gate.of_evidence(text, found, held=held, meant=meant)


@pytest.mark.parametrize(
    "text",
    [
        "thanks",
        "Thank you so much!",
        "ok",
        "yes please",
        "no",
        "LGTM 👍",
        "👍",
        "…",
        "Danke schön!",
        "obrigado",
    ],
)
def test_an_acknowledgement_needs_no_search(text):
    told = gate.of_words(text)
    assert told.reason is Reason.ACKNOWLEDGEMENT
    assert not told.retrieve


@pytest.mark.parametrize(
    "text",
    [
        "right?",
        "who is right",
        "is it done now",
        "is that ok?",
        "thanks, and the refund window?",
        "ok deploy it",
        "no refunds",
        "window",
        "yes, 14 days",
    ],
)
def test_whatever_says_more_than_an_acknowledgement_is_searched(text):
    assert gate.of_words(text) is None


def test_what_comes_near_is_asked_and_what_does_not_is_not():
    assert decided("what", Found(LEAST)).reason is Reason.EVIDENCE
    assert decided("what", Found(LEAST - 1)).reason is Reason.NOTHING_NEAR


def test_words_add_to_what_the_vectors_say():
    less = Found(LEAST - 1000)
    assert not decided("what", less).retrieve
    assert decided("what", Found(less.vector, SCALE)).retrieve
    assert not decided("what", Found(0, SCALE)).retrieve  # words that stand everywhere are no evidence alone


def test_what_a_filter_holds_back_is_asked_for():
    assert decided("what", held=True).reason is Reason.HELD
    assert decided("what", Found(0), held=True).reason is Reason.HELD


def test_nothing_is_held_back_from_nobody():
    told = decided("what is the refund window")
    assert (told.reason, told.retrieve, told.evidence) == (Reason.NO_MEMORIES, False, None)


def test_without_vectors_nobody_can_tell_and_it_opens():
    assert decided("what", Found(0), meant=False).reason is Reason.WORDS_ONLY
    assert decided("what", Found(0), meant=False).retrieve
    assert decided("what", meant=False).retrieve  # that no word of it is known says nothing of what it means


@pytest.mark.parametrize(
    "text",
    [
        "Wie viele Tage haben Kunden für eine Rückgabe?",
        "À partir de quel montant ?",
        "¿Cuándo corren las pruebas?",
        "Quando é que nos mudamos?",
        "返品期間は何日ですか",
        "Сколько дней на возврат?",
        "Käsepreis",
    ],
)
def test_a_language_that_the_vectors_do_not_read_opens(text):
    assert gate.strange(text)
    assert decided(text, Found(0)).reason is Reason.LANGUAGE


@pytest.mark.parametrize(
    "text",
    ["What is the refund window?", "The café is in the old town.", "git status", "def f(x): return x", ""],
)
def test_english_and_code_are_read(text):
    assert not gate.strange(text)


FOUND = st.lists(st.tuples(st.integers(0, SCALE), st.integers(0, SCALE)), max_size=4)


@given(st.text(max_size=60), FOUND, st.booleans())
def test_it_asks_in_the_words_it_was_given_and_more_evidence_never_shuts_it(text, found, held):
    found = [Found(*one) for one in found]
    told = decided(text, *found, held=held)
    assert told.query == text
    assert decided(text, *found, Found(SCALE, SCALE), held=held).retrieve
    if told.retrieve:
        assert decided(text, *found, Found(0), held=held).retrieve
