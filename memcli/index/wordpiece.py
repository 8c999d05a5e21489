"""The tokenizer of all-MiniLM-L6-v2, read twice over.

ASCII text by forty lines of Python, because importing the tokenizers library and building
its model takes 20 ms of a cold recall; everything else by that library. Both give the same
ids (tests/index/test_encoder_tokens.py).
"""

import re
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final

from memcli.index.runtime import NoEncoder
from memcli.index.tokenizer import LONGEST_WORD, LibraryTokens, Span, Tokenizer, library

VOCABULARY: Final = Path(__file__).parent / "vocabulary" / "vocab.txt"
QUICK: Final = 4096  # characters; beyond, the library is worth its import
SEARCHES: Final = 50  # of 0.06 to 0.09 ms each, after which the dictionary (6 ms) is made

_CONTROLS: Final = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
_WORDS: Final = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")


class WordPiece:
    """The tokenizer of all-MiniLM-L6-v2: BERT's lower-case WordPiece."""

    def __init__(self, vocabulary: Path = VOCABULARY) -> None:
        self._vocabulary = vocabulary
        try:
            raw = vocabulary.read_bytes()
        except OSError as failure:
            raise NoEncoder(
                "mem's own vocabulary is missing.", "Reinstall memcli.", (str(failure),)
            ) from failure
        self.identity = sha256(raw).hexdigest()
        self._pieces = _Pieces(raw)
        self._start, self._end, self._unknown = (
            self._pieces.get(mark) or 0 for mark in ("[CLS]", "[SEP]", "[UNK]")
        )

    def framed(self, text: str, limit: int) -> list[int]:
        """The first ids of the text between the model's own marks, at most `limit` in all."""
        if len(text) > QUICK or not text.isascii():
            return self._library.framed(text, limit)
        return [self._start, *self._quick(text)[: self.room(limit)], self._end]

    def room(self, limit: int) -> int:
        """How many tokens of text fit into `limit` beside the model's marks."""
        return limit - 2

    def spans(self, text: str) -> Sequence[Span]:
        """Where each token stands in the text: half-open, in characters."""
        return self._library.spans(text)

    @cached_property
    def _library(self) -> LibraryTokens:
        return LibraryTokens(library_wordpiece(self._vocabulary, self._start, self._end), self.identity)

    def _quick(self, text: str) -> list[int]:
        ids: list[int] = []
        for word in _WORDS.findall(text.translate(_CONTROLS).lower()):
            whole = self._pieces.get(word)
            if whole is None:
                ids += self._parts(word)
            else:
                ids.append(whole)
        return ids

    def _parts(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            end, piece = self._longest(word, start)
            if piece is None:
                return [self._unknown]
            found.append(piece)
            start = end
        return found

    def _longest(self, word: str, start: int) -> tuple[int, int | None]:
        mark = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = self._pieces.get(mark + word[start:end])
            if piece is not None:
                return end, piece
        return start, None


class _Pieces:
    """The vocabulary: a piece of a word and its id, which is the number of its line.

    One query looks up a dozen pieces, and making the dictionary takes longer than searching
    the file for each.
    """

    def __init__(self, vocabulary: bytes) -> None:
        self._lines = b"\n" + vocabulary + b"\n"
        self._searches = 0

    def get(self, piece: str) -> int | None:
        """The id of a piece, None if the vocabulary lacks it."""
        self._searches += 1
        if self._searches > SEARCHES:
            return self._ids.get(piece)
        start = self._lines.find(b"\n" + piece.encode() + b"\n")
        return self._lines.count(b"\n", 0, start) if start >= 0 else None

    @cached_property
    def _ids(self) -> dict[str, int]:
        lines = self._lines.decode().split("\n")[1:-1]
        return {piece: line for line, piece in enumerate(lines)}


def library_wordpiece(vocabulary: Path, start: int, end: int) -> Tokenizer:
    """The same tokenizer as `WordPiece`, made by the tokenizers library."""
    tokenizers = library()
    marks = {"unk_token": "[UNK]", "max_input_chars_per_word": LONGEST_WORD}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece.from_file(str(vocabulary), **marks))
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = tokenizers.processors.BertProcessing(("[SEP]", end), ("[CLS]", start))
    made: Tokenizer = tokenizer
    return made
