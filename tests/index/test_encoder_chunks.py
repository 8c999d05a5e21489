"""Long text in pieces: nothing is lost, everything fits, and pieces end where a reader pauses."""

import base64
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.index.chunks import LARGEST_WINDOW, chunks
from memcli.index.wordpiece import WordPiece

ROOM = 254
PROSE = "The backups are kept for thirty days. Nobody reads them! Why is that? "


@pytest.fixture(scope="module")
def tokens() -> WordPiece:
    return WordPiece()


@given(text=st.text(max_size=400), room=st.integers(min_value=3, max_value=40))
@settings(max_examples=150, deadline=None)
def test_pieces_together_are_the_text(text, room, tokens):
    pieces = chunks(text, room, tokens.spans)
    whole = "".join(pieces)
    assert whole == text or "".join(whole.split()) == "".join(text.split())
    assert pieces


@given(text=st.text(st.characters(max_codepoint=0x3FF), max_size=600))
@settings(max_examples=100, deadline=None)
def test_every_piece_fits(text, tokens):
    assert all(len(tokens.spans(piece)) <= 20 for piece in chunks(text, 20, tokens.spans))


@pytest.mark.case("P-EMB-02")
@pytest.mark.parametrize(
    "body",
    [
        "zebra crossing " * 50_000,
        base64.b64encode(random.Random(0).randbytes(37_000)).decode(),
        "データベースは毎晩保存されます。" * 3_000,
        "x" * 300_000,
        " " * 300_000,
        PROSE * 2_000,
    ],
    ids=["words", "base64", "cjk", "one word", "spaces", "prose"],
)
def test_the_last_line_of_a_huge_text_is_in_a_piece_that_fits(body, tokens):
    pieces = chunks(f"{body}\nthe last line is unique", ROOM, tokens.spans)
    assert "the last line is unique" in pieces[-1]
    assert all(len(tokens.spans(piece)) <= ROOM for piece in pieces)


def test_never_more_than_a_window_is_tokenised_at_a_time(tokens):
    seen = []

    def spans(text):
        seen.append(len(text))
        return tokens.spans(text)

    chunks("word " * 100_000, ROOM, spans)
    assert max(seen) <= LARGEST_WINDOW


def test_a_short_text_is_one_piece_and_is_not_even_tokenised():
    def spans(text):
        raise AssertionError(text)

    assert chunks("We keep backups for thirty days.", ROOM, spans) == ["We keep backups for thirty days."]
    assert chunks("", ROOM, spans) == [""]


def test_a_blank_text_is_one_piece(tokens):
    assert chunks("\n \n", 2, tokens.spans) == ["\n \n"]


def test_pieces_end_at_the_end_of_a_sentence(tokens):
    pieces = chunks(PROSE * 60, ROOM, tokens.spans)
    assert len(pieces) > 2
    assert all(piece.rstrip()[-1] in ".!?" for piece in pieces)


def test_a_paragraph_is_a_better_end_than_a_sentence(tokens):
    paragraph = PROSE * 8 + "\n\n"
    assert all(piece.endswith("\n\n") for piece in chunks(paragraph * 9, ROOM, tokens.spans))
