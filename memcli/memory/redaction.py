"""What is taken out of a text when a memory is purged: each place that says it word for word.

Two dangers. Too little: the claim in other case, over two lines or cut short in a subject stays
readable. Too much: a claim of one word would blacken every text that uses it, and another
memory that says something else beside it would lose its own sentence. So a passage goes, not
its neighbours, and a claim of fewer than two content words goes only where it stands alone.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from memcli.memory.tokens import STOP, stems
from memcli.memory.wording import FEWEST, KEPT_TEXTS, normalise, sentences

MARK: Final = "[purged]"
# What of a line says which line it is: never looked at, since other lines hang on it.
_SAID_BESIDE: Final = frozenset({"data"})
_NAMES: Final = frozenset(
    {"id", "at", "occurred_at", "session", "scope", "actor", "kind", "logic", "through"}
)


@dataclass(frozen=True, slots=True)
class Gone:
    """One purged memory: its `scopes`, every wording that it ever had, and events that go as a whole.

    `whole` are the ids of events whose text is nothing but what the memory says.
    """

    id: str
    scopes: frozenset[str]
    wordings: tuple[str, ...]
    whole: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Redaction:
    """The memories that are taken out, and what stands in the place of their words."""

    gone: tuple[Gone, ...]

    @property
    def wordings(self) -> tuple[str, ...]:
        """Every wording of every one of them, the longest first."""
        found = dict.fromkeys(wording for one in self.gone for wording in one.wordings)
        return tuple(sorted(found, key=lambda wording: (-len(wording), wording)))

    def says(self, text: str) -> bool:
        """Whether `text` says any of them word for word."""
        return any(says(text, wording) for wording in self.wordings)

    def text(self, text: str) -> str:
        """`text` with a mark in the place of each passage that says one of them."""
        return redacted(text, self.wordings)

    def event(self, line: Mapping[str, Any]) -> Mapping[str, Any]:
        """The line of an event as it stays; itself where it says nothing of them.

        Only an event of a memory's own scopes, or one that it rests on, is looked at.
        """
        after: Mapping[str, Any] = line
        for one in self.gone:
            if str(line.get("id")) in one.whole:
                after = {**after, "text": MARK, **{key: {} for key in _SAID_BESIDE & line.keys()}}
            elif str(line.get("scope")) in one.scopes:
                after = _without(after, one)
        return line if after == line else after

    def value(self, value: Any) -> Any:  # noqa: ANN401 - plain JSON
        """`value` with every text in it redacted, whatever its scope."""
        return _each(value, self.text)


def _without(line: Mapping[str, Any], gone: Gone) -> Mapping[str, Any]:
    def change(text: str) -> str:
        return redacted(text, gone.wordings)

    return {key: value if key in _NAMES else _each(value, change) for key, value in line.items()}


def _each(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401 - plain JSON
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _each(one, change) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_each(one, change) for one in value]
    return value


def says(text: str, wording: str) -> bool:
    """Whether `text` says `wording` word for word, apart from case, spacing and idle punctuation."""
    part, content, rare = _sought(wording)
    if not part or (rare and rare not in _folded(text)):
        return False
    whole = normalise(text)
    if whole == part:
        return True
    return content >= FEWEST and f" {part} " in f" {whole} "


@lru_cache(maxsize=KEPT_TEXTS)
def _sought(wording: str) -> tuple[str, int, str]:
    """The wording normalised, how many content words it has, and its longest plain word."""
    part = normalise(wording)
    plain = [word for word in part.split() if word.isascii() and word.isalnum()]
    return part, len(set(stems(wording)) - STOP), max(plain, key=len, default="")


def _folded(text: str) -> str:
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return plain.replace("'", "").replace("\N{RIGHT SINGLE QUOTATION MARK}", "").replace(",", "").casefold()


def redacted(text: str, wordings: Sequence[str]) -> str:
    """`text` with MARK for each passage that says one of `wordings`: their very words, else their sentences.

    Where neither can be told apart all of it goes.
    """
    for wording in wordings:
        if says(text, wording):
            text = _cut_out(text, wording)
    return text


def _cut_out(text: str, wording: str) -> str:
    if normalise(text) == normalise(wording):
        return MARK
    text = _spelled(wording).sub(MARK, text)
    for part in sentences(text):
        if says(part, wording):
            text = text.replace(part, MARK)
    return MARK if says(text, wording) else text


@lru_cache(maxsize=KEPT_TEXTS)
def _spelled(wording: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in wording.split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
