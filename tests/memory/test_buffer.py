"""The queue as one text: what it says when it is closed is what shall be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory import buffer
from memcli.memory.buffer import Block, Step, Word

BLOCKS = (
    Block("aaaa", "Invoices run per country.", "proposed, project:t", ("Mon  ana: per country",)),
    Block("bbbb", "Deploys go out on Tuesdays.", "staged, project:t"),
)
TEXT = buffer.written(BLOCKS, ("How to read this.", ""))


def steps(text):
    read = buffer.read(text, BLOCKS)
    assert read.mistakes == ()
    return read.steps


def mistake(text):
    read = buffer.read(text, BLOCKS)
    return [(one.line, one.what) for one in read.mistakes]


def test_unchanged_it_decides_nothing():
    assert steps(TEXT) == ()


def test_a_word_on_the_head_line_decides():
    text = TEXT.replace("== wait aaaa", "== accept aaaa").replace("== wait bbbb", "== forget bbbb")
    assert steps(text) == (Step(Word.ACCEPT, "aaaa"), Step(Word.FORGET, "bbbb"))
    assert steps(TEXT.replace("== wait bbbb", "== reject bbbb")) == (Step(Word.REJECT, "bbbb"),)


def test_other_words_are_accepted_in_those():
    assert steps(TEXT.replace("Tuesdays", "Mondays")) == (
        Step(Word.ACCEPT, "bbbb", "Deploys go out on Mondays."),
    )


def test_a_block_that_is_gone_is_rejected():
    text = TEXT[: TEXT.index("== wait bbbb")]
    assert steps(text) == (Step(Word.REJECT, "bbbb"),)


@pytest.mark.parametrize("text", ["", "\n \n", "# How to read this.\n"])
def test_that_nothing_is_left_rejects_nothing(text):
    assert [what for _, what in mistake(text)] == [
        "nothing is left; to reject everything say reject instead of wait"
    ]


def test_an_editor_may_end_its_lines_otherwise():
    assert steps(TEXT.replace("\n", "\r\n")) == ()


def test_a_new_block_is_remembered():
    text = TEXT + "== new\nParcels go by rail.\n\n== new project:x\nThe port is 80.\n"
    assert steps(text) == (
        Step(Word.NEW, text="Parcels go by rail."),
        Step(Word.NEW, text="The port is 80.", of="project:x"),
    )


def test_remarks_and_blanks_count_for_nothing():
    text = TEXT.replace("#> Mon  ana: per country\n", "").replace("Tuesdays.\n", "Tuesdays.  \n\n\n")
    assert steps(text) == ()


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ("== wait aaaa", "== acept aaaa", "'acept' is not one of"),
        ("== wait aaaa", "== wait cccc", "cccc names nothing"),
        ("== wait aaaa", "== wait bbbb", "bbbb stands here twice"),
        ("Deploys go out on Tuesdays.", "", "bbbb says nothing"),
        ("== wait aaaa", "Loose words.\n== wait aaaa", "begin a new memory"),
        ("== wait aaaa", "== new\n== wait aaaa", "nothing to remember"),
    ],
)
def test_what_is_not_certain_is_a_mistake(before, after, what):
    (found,) = mistake(TEXT.replace(before, after))
    assert what in found[1]
    assert mistake(TEXT) == []


@given(st.lists(st.text(alphabet="=#>\\ ab\n\u2028\x0b", max_size=30), max_size=4))
def test_any_claim_goes_round(texts):
    blocks = tuple(Block(f"id{at:02}", text, "x") for at, text in enumerate(texts))
    assert buffer.read(buffer.written(blocks, ("guide",)), blocks) == buffer.Read((), ())
