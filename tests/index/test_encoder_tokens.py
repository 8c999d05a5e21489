"""The tokens of a text: the quick reader equals the library, and a long text equals its beginning."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.index import wordpiece
from memcli.index.runtime import NoEncoder
from memcli.index.tokenizer import LibraryTokens, tokens_of
from memcli.index.wordpiece import VOCABULARY, WordPiece, library_wordpiece

LIMIT = 256
ASCII = st.text(st.characters(max_codepoint=127), max_size=300)
SENTENCE = "we keep The backups 30 days don't C# a=b zxqvk [SEP] \t\n \0"
PROSE = st.lists(st.sampled_from(SENTENCE.split(" "))).map(" ".join)


@pytest.fixture(scope="module")
def own() -> WordPiece:
    return WordPiece()


@pytest.fixture(scope="module")
def library() -> LibraryTokens:
    return LibraryTokens(library_wordpiece(VOCABULARY, 101, 102), "library")


@given(text=st.one_of(ASCII, PROSE))
@example(text="")
@example(text="a" * 100)
@example(text="a" * 101)
@example(text="tab\tvertical\x0bform\x0cunit\x1fdelete\x7fend")
@example(text="[CLS] [SEP] [MASK] </s> <|endoftext|>")
@settings(max_examples=300, deadline=None)
def test_ascii_read_without_the_library_gives_its_ids(text, own, library):
    assert own.framed(text, LIMIT) == library.framed(text, LIMIT)


@given(text=st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_gives_the_ids_of_the_library(text, own, library):
    assert own.framed(text, LIMIT) == library.framed(text, LIMIT)


@pytest.mark.parametrize(
    "text",
    [
        "word " * 30_000,
        " " * 50_000 + "at last",
        "漢字" * 20_000,
        ("a" * 99 + " ") * 2_000,
        ("a" * 150 + " ") * 2_000,
        "x" * 200_000,
        "é" * 5_000 + " tail " * 5_000,
        "한국어를 " * 9_000,
    ],
)
@pytest.mark.case("P-EMB-02")
def test_the_beginning_of_a_long_text_has_the_ids_that_it_has_in_the_whole(text, own):
    whole = library_wordpiece(VOCABULARY, 101, 102).encode(text, add_special_tokens=False).ids
    assert own.framed(text, LIMIT) == [101, *whole[: LIMIT - 2], 102]


@pytest.mark.case("P-EMB-03")
@pytest.mark.parametrize(
    "text", ["[CLS] [SEP] [MASK]", "<image_soft_token>", "<|endoftext|>", "</s>", "[PAD]" * 9]
)
def test_marks_of_tokenizers_are_plain_text(text, own, library):
    for tokens in (own, library):
        inner = tokens.framed(text, LIMIT)[1:-1]
        assert inner
        assert not {0, 101, 102, 103} & set(inner)


@pytest.mark.case("P-EMB-03")
def test_marks_are_plain_text_for_a_tokenizer_of_a_file_too(tmp_path, own):
    file = tmp_path / "tokenizer.json"
    made = library_wordpiece(VOCABULARY, 101, 102)
    made.add_special_tokens(["[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]"])
    made.enable_padding(length=128)
    made.enable_truncation(8)
    made.save(str(file))
    text = "[CLS] what [SEP] they said " * 20
    assert tokens_of(file).framed(text, LIMIT) == own.framed(text, LIMIT)


def test_the_dictionary_and_the_search_know_the_same_words(own):
    searching, knowing = (
        wordpiece._Pieces(VOCABULARY.read_bytes()),
        wordpiece._Pieces(VOCABULARY.read_bytes()),
    )
    knowing._searches = wordpiece.SEARCHES
    for piece in ("[PAD]", "the", "##ing", "zoology", "no such word", "##é", "漢", ""):
        assert searching.get(piece) == knowing.get(piece), piece


def test_a_lone_surrogate_is_read_as_some_sign(own):
    assert own.framed("caf\udce9 au lait", LIMIT) == own.framed("caf? au lait", LIMIT)


def test_a_missing_vocabulary_is_said(tmp_path):
    with pytest.raises(NoEncoder, match="vocabulary"):
        WordPiece(tmp_path / "vocab.txt")


@pytest.mark.parametrize("raw", [b"", b"{}", b"\xff\xfe", b'{"version": "1.0"'])
def test_a_damaged_tokenizer_file_is_said(tmp_path, raw):
    file = Path(tmp_path / "tokenizer.json")
    file.write_bytes(raw)
    with pytest.raises(NoEncoder, match="not a tokenizer"):
        tokens_of(file)
