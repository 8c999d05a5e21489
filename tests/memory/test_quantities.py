"""Numbers, dates and measures are compared by value, in whatever words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory.quantities import lacking, numbers

FIGURES = ("12", "0", ":", ".", "-", ",", "$", "%", "k", "pm", "days", "two", "hundred", "v", "May", " ")


def agree(one, other):
    a, b = numbers(one), numbers(other)
    return not lacking(a, b) and not lacking(b, a)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("14 days", "fourteen days"),
        ("14 days", "14-day"),
        ("14 days", "two weeks"),
        ("14 days", "14"),
        ("30s", "30 seconds"),
        ("10,000 rows", "ten thousand rows"),
        ("10k rows", "10000 rows"),
        ("1.5 million", "1500000"),
        ("3.50", "3.5"),
        ("$5", "five dollars"),
        ("5 %", "five percent"),
        ("5pm", "17:00"),
        ("1 a.m.", "1am"),
        ("2026-07-01", "July 1st, 2026"),
        ("2026-07-01", "1 July 2026"),
        ("on Fri at noon", "on Fridays at noon"),
        ("v2.9", "2.9"),
        ("twenty-one", "21"),
        ("two hundred five", "205"),
        ("a dozen", "12"),
        ("the second run", "run 2"),
        ("12 months", "a period of 1 year"),
        ("\u0661\u0664 days", "14 days"),
        ("30日以内", "30 days"),
        ("no one may", "nobody may"),
        ("you may go", "you can go"),
        ("the sun shines", "it shines"),
    ],
)
def test_the_same_amount_agrees_in_any_words(one, other):
    assert agree(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("14 days", "30 days"),
        ("14 days", "14 weeks"),
        ("fourteen days", "forty days"),
        ("$5", "5 euros"),
        ("1.5", "15"),
        ("-5", "5"),
        ("2.9", "2.9.1"),
        ("on Monday", "on Tuesday"),
        ("in May", "in June"),
        ("5am", "5pm"),
        ("10 k", "10 million"),
    ],
)
def test_another_amount_differs(one, other):
    assert not agree(one, other)


def test_digits_inside_an_identifier_are_no_number():
    assert numbers("k3v9x2m4 utf8 h264") == frozenset()


@given(st.integers(min_value=0, max_value=10**9))
def test_every_whole_number_is_read_back(number):
    assert {q.value for q in numbers(f"about {number:,} rows")} == {str(number)}


@pytest.mark.parametrize(
    "text", ["2.9.1 days", "5:30h", "9" * 5000 + " days", "1." * 3000, "1:" * 99 + "1 pm", "0 %"]
)
def test_odd_figures_are_read_without_failing(text):
    assert agree(text, text)
    assert all(str(quantity) for quantity in numbers(text))


@given(st.lists(st.sampled_from(FIGURES), max_size=30))
def test_any_mixture_of_figures_agrees_with_itself(parts):
    text = "".join(parts)
    assert agree(text, text)
    assert all(str(quantity) for quantity in numbers(text))


@given(st.text(max_size=200))
def test_reading_never_fails_and_a_text_agrees_with_itself(text):
    assert agree(text, text)
