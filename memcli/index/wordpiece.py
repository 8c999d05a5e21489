"""From text to the token ids that a model reads, with nothing in the text that can steer it.

Text that looks like a tokenizer's own marks (`[SEP]`, `</s>`) is plain text here, and a
text of any length costs what its first tokens cost. The vocabulary that comes with mem
is read twice over: ASCII text by forty lines of Python, because importing the tokenizers
library and building its model takes 20 ms of a cold recall, and everything else by that
library. Both give the same ids (tests/index/test_encoder_tokens.py).
"""

import re
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Final, Protocol

from memcli.index.runtime import NoEncoder

VOCABULARY: Final = Path(__file__).parent / "vocabulary" / "vocab.txt"
LONGEST_WORD: Final = 100  # characters; BERT reads a longer word as one unknown token
REACH: Final = 2048  # characters looked at first, about twice what 256 tokens of prose cover
QUICK: Final = 4096  # characters; beyond, the library is worth its import
SEARCHES: Final = 50  # of 0.06 to 0.09 ms each, after which the dictionary (6 ms) is made

_CONTROLS: Final = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
_WORDS: Final = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")

Span = tuple[int, int]


class Tokens(Protocol):
    """A tokenizer: text to ids and back to places in the text."""

    identity: str  # changes whenever some text would get other ids

    def framed(self, text: str, limit: int) -> list[int]:
        """The first ids of the text between the model's own marks, at most `limit` in all."""
        ...

    def count(self, text: str) -> int:
        """How many tokens the text is, without the model's marks."""
        ...

    def spans(self, text: str) -> Sequence[Span]:
        """Where each token stands in the text: half-open, in characters."""
        ...

    def room(self, limit: int) -> int:
        """How many tokens of text fit into `limit` beside the model's marks."""
        ...


class Encoding(Protocol):
    """What is used of the tokenizers library's Encoding."""

    ids: list[int]
    offsets: list[Span]


class Tokenizer(Protocol):
    """What is used of the tokenizers library's Tokenizer."""

    def encode(self, text: str, *, add_special_tokens: bool = True) -> Encoding:
        """The tokens of a text."""
        ...


class LibraryTokens:
    """A tokenizer of the tokenizers library; `tokenizer` has neither padding nor truncation."""

    def __init__(self, tokenizer: Tokenizer, identity: str) -> None:
        self.identity = identity
        self._tokenizer = tokenizer
        framed = tokenizer.encode("a").ids
        bare = tokenizer.encode("a", add_special_tokens=False).ids
        start = next((at for at in range(len(framed)) if framed[at : at + len(bare)] == bare), 0)
        self._head, self._tail = framed[:start], framed[start + len(bare) :]

    def framed(self, text: str, limit: int) -> list[int]:
        """The first ids of the text between the model's own marks, at most `limit` in all."""
        return [*self._head, *self._first(text, self.room(limit)), *self._tail]

    def room(self, limit: int) -> int:
        """How many tokens of text fit into `limit` beside the model's marks."""
        return limit - len(self._head) - len(self._tail)

    def count(self, text: str) -> int:
        """How many tokens the text is, without the model's marks."""
        return len(self._encode(text).ids)

    def spans(self, text: str) -> Sequence[Span]:
        """Where each token stands in the text: half-open, in characters."""
        spans: Sequence[Span] = self._encode(text).offsets
        return spans

    def _first(self, text: str, room: int) -> list[int]:
        # A cut can only change the tokens of the word it goes through, a hundred at most.
        reach = REACH
        while True:
            ids: list[int] = self._encode(text[:reach]).ids
            if reach >= len(text) or len(ids) >= room + LONGEST_WORD:
                return ids[:room]
            reach *= 4

    def _encode(self, text: str) -> Encoding:
        try:
            return self._tokenizer.encode(text, add_special_tokens=False)
        except (UnicodeEncodeError, TypeError):  # a lone surrogate, from a name that is not UTF-8
            return self._tokenizer.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False)


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

    def count(self, text: str) -> int:
        """How many tokens the text is, without the model's marks."""
        if len(text) > QUICK or not text.isascii():
            return self._library.count(text)
        return len(self._quick(text))

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
    library = _library()
    marks = {"unk_token": "[UNK]", "max_input_chars_per_word": LONGEST_WORD}
    tokenizer = library.Tokenizer(library.models.WordPiece.from_file(str(vocabulary), **marks))
    tokenizer.normalizer = library.normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = library.processors.BertProcessing(("[SEP]", end), ("[CLS]", start))
    made: Tokenizer = tokenizer
    return made


def tokens_of(file: Path) -> LibraryTokens:
    """The tokenizer that a `tokenizer.json` describes. Raises NoEncoder."""
    try:
        raw = file.read_bytes()
        tokenizer = _library().Tokenizer.from_buffer(raw)
    except Exception as failure:
        raise NoEncoder(f"{file} is not a tokenizer.", details=(str(failure)[:200],)) from failure
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True  # their text is plain text
    return LibraryTokens(tokenizer, sha256(raw).hexdigest())


def _library() -> ModuleType:
    try:
        import tokenizers
    except ImportError as failure:
        raise NoEncoder("The package tokenizers cannot be imported.", "Reinstall memcli.") from failure
    return tokenizers
