"""A model's tokenizer: text to token ids, with nothing in the text that can steer it.

Text that looks like a tokenizer's own marks (`[SEP]`, `</s>`) is plain text here, and a
text of any length costs what its first tokens cost.
"""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Final, Protocol

from memcli.index.runtime import NoEncoder

LONGEST_WORD: Final = 100  # characters; BERT reads a longer word as one unknown token
REACH: Final = 2048  # characters looked at first, about twice what 256 tokens of prose cover

Span = tuple[int, int]


class Tokens(Protocol):
    """A tokenizer: text to ids and back to places in the text."""

    identity: str  # changes whenever some text would get other ids

    def framed(self, text: str, limit: int) -> list[int]:
        """The first ids of the text between the model's own marks, at most `limit` in all."""
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


def tokens_of(file: Path) -> LibraryTokens:
    """The tokenizer that a `tokenizer.json` describes. Raises NoEncoder."""
    try:
        raw = file.read_bytes()
        tokenizer = library().Tokenizer.from_buffer(raw)
    except Exception as failure:
        raise NoEncoder(f"{file} is not a tokenizer.", details=(str(failure)[:200],)) from failure
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True  # their text is plain text
    return LibraryTokens(tokenizer, sha256(raw).hexdigest())


def library() -> ModuleType:
    """The tokenizers library, imported now. Raises NoEncoder."""
    try:
        import tokenizers
    except ImportError as failure:
        raise NoEncoder("The package tokenizers cannot be imported.", "Reinstall memcli.") from failure
    return tokenizers
