"""What counts as a word: prose, code, accents, scripts without spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory.tokens import LONGEST, content_words, estimate_tokens, fold, stems, words


def shared(query: str, text: str) -> set[str]:
    return set(stems(query)) & set(stems(text))


@pytest.mark.case("P-CLI-03")
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("@jpl", "Ask ana@jpl.nasa.gov about it."),
        ("@jpl.nasa.gov", "Everyone at @jpl.nasa.gov signs in twice."),
        ("C#", "The importer is written in C#."),
        ("C++", "(C++, mostly)"),
        ("a=b", "Set a=b in the header."),
        ("a=b", "Set a = b in the header."),
        ("max_retries", "max_retries=3 is the limit"),
        ("retries", "max_retries=3 is the limit"),
        ("response", "parseHTTPResponse fails on 204"),
        ("parsehttpresponse", "parseHTTPResponse fails on 204"),
        ("iphone", "The iPhone app"),
        ("10000", "It holds 10,000 rows."),
        ("10,000", "It holds 10000 rows."),
        ("kept", "a well-kept secret"),
        ("12:30", "Lunch is at 12:30."),
        ("2.9", "We run 2.9 now."),
        ("https://example.org/a/b?x=1", "see https://example.org/a/b?x=1."),
        ("to be or not to be", "To be, or not to be?"),
        ("👍", "Ship it 👍!"),
    ],
)
def test_what_people_search_for_in_notes_is_found(query, text):
    assert shared(query, text)


def test_a_compound_is_kept_whole_beside_its_parts():
    assert stems("max_retries") == ("max_retri", "max", "retri")
    assert "c#" in stems("C#")
    assert "c#" not in stems("C")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("café", "cafe\u0301"),
        ("café", "cafe"),
        ("\ufb01ne", "fine"),
        ("re\u00adfund", "refund"),
        ("ref\u200bund", "refund"),
        ("\uff24eploy", "deploy"),
        ("days", "day"),
        ("Ana's", "Ana"),
        ("it\u2019s", "it"),
        ("don't", "do not"),
        ("won't", "will not"),
        ("can\u2019t", "can not"),
    ],
)
def test_spellings_of_one_word_have_the_same_stems(one, other):
    assert stems(one) == stems(other)


def test_different_words_stay_apart():
    assert not shared("refund", "invoice")
    assert not shared("14", "140")
    assert not shared("we are here", "refund window")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("猫", "私は猫が好き"),
        ("退款", "退款期限为三十天。"),
        ("환불", "환불은 30일 이내"),
        ("คืนเงิน", "นโยบายการคืนเงินภายในสามสิบวัน"),
        ("שלום", "שלום עולם"),
        ("возврат", "Возврат за 30 дней"),
        ("नि", "नि: शुल्क"),
        ("استرداد", "مدة استرداد المبلغ"),
    ],
)
def test_words_of_other_scripts_are_found(query, text):
    assert shared(query, text)


@given(st.text(max_size=200))
def test_stems_are_short_folded_and_never_blank(text):
    for stem in stems(text):
        assert stem.strip()
        assert len(stem) <= LONGEST
        assert not any(c.isspace() for c in stem)


@given(st.text(max_size=200))
def test_case_does_not_matter_for_lower_case_words(text):
    plain = text.lower()
    assert content_words(plain) == content_words(plain.capitalize()) or not plain.isascii()


@given(st.text(max_size=100), st.text(max_size=100))
def test_estimated_tokens_never_shrink_when_a_text_grows(one, other):
    assert estimate_tokens(f"{one} {other}") == estimate_tokens(one) + estimate_tokens(other)


def test_blank_text_has_no_words_and_no_tokens():
    assert stems(" \n\t") == ()
    assert estimate_tokens(" \n\t") == 0


@given(st.text(max_size=200))
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


def test_a_long_word_is_cut_alike_on_both_sides():
    assert stems("a" + "b" * 5000) == stems("a" + "b" * 6000)


def test_a_hostile_text_takes_linear_time():
    hostile = "a" + "." * 100_000 + "#" * 100_000 + "=" * 100_000
    assert next(iter(words(hostile))) == "a"
