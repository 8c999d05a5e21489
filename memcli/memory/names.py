"""Names and identifiers in a text, and in what order it puts them.

"Ana reviews Bob's code" and "Bob reviews Ana's code" have the same words and nearly the
same vector; only the names tell such claims apart. Capitals are the evidence, so a heading
in title case and the first word of a sentence need care.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from memcli.memory.tokens import STOP, fold, spelled_out

_BY_CUSTOM: Final = """
monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march
april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov
dec mr mrs ms dr prof jr sr st i ok yes no not note todo am pm
"""
# Capitalised by custom, not by being a name.
_CUSTOM: Final = frozenset(_BY_CUSTOM.split())
# What follows a name that begins a sentence; "Refunds take", "Deploying is" are sorted out by their endings.
_FINITE = re.compile(
    r"(?:is|was|has|had|will|can|cannot|may|must|does|did|should|would|could|said|went|wants?|never|always|often|usually|also|still|now|only|and|or|,|not)$"
    r"|[a-z]{2,}(?:[^s]s|ed)$",
)
_NOT_A_NAME = re.compile(r"(?:s|ing|ly|tion|ment|ness|body|thing|one)$")
_QUOTING = re.compile(r"\b(?:said|says|told|tells|according|stated|wrote)\b", re.IGNORECASE)
_LISTING: Final = frozenset(("and", "or", ",", "with", "dr", "mr", "mrs", "ms", "jr", "md", "."))
_SUBJECT: Final = 2  # words; asserted: a name further on is not what its text begins with
_WORD = re.compile(r"[^\W_]+(?:[._/@:+#-]+[^\W_]+)*[+#]*|[.!?;:\n,\"()]")
_ENDS: Final = frozenset('.!?:;\n"(')
_MINOR: Final = 4  # letters; asserted: shorter words stay small in a heading
_SAME_STEM: Final = 4  # letters; asserted: China and Chinese, Italy and Italian are one name
# One place, several names: the commonest ones, in one spelling.
_ALIASES: Final = MappingProxyType(
    {"usa": "us", "america": "us", "american": "us", "americans": "us", "britain": "uk", "british": "uk"},
)


@dataclass(frozen=True, slots=True)
class Name:
    """One word of a name as written, folded for comparison; `at` is its place among the words."""

    word: str
    at: int
    written: str


@lru_cache(maxsize=1024)
def names(text: str) -> tuple[Name, ...]:
    """The words of `text` that are names or identifiers, in order."""
    words = _WORD.findall(spelled_out(text))
    if _is_title(words):
        return tuple(Name(_key(w), at, w) for at, w in enumerate(words) if _is_identifier(w))
    return tuple(Name(_key(w), at, w) for at, w in enumerate(words) if _is_name(words, at))


def lacking(one: tuple[Name, ...], other: str) -> tuple[Name, ...]:
    """The names of `one` that the text `other` does not hold in any spelling."""
    there = _spellings(other)
    return tuple(name for name in one if not _held(name.word, there))


@lru_cache(maxsize=1024)
def _spellings(text: str) -> frozenset[str]:
    return frozenset(_key(word) for word in _WORD.findall(spelled_out(text))) | _initials(text)


def swapped(one: str, other: str) -> bool:
    """Whether the name that one text begins with changes places with the one that the other begins with.

    Not where both are merely listed, where the voices differ ("was reviewed by"), or where
    somebody is quoted: these change the order and not the meaning.
    """
    mine, yours = names(one), names(other)
    if not mine or not yours or max(mine[0].at, yours[0].at) > _SUBJECT or _passive(one) != _passive(other):
        return False
    a, b = mine[0].word, yours[0].word
    if a == b or b not in _words_of(mine) or a not in _words_of(yours) or _QUOTING.search(f"{one} {other}"):
        return False
    return not (_listed(one, a, b) or _listed(other, a, b))


def _is_title(words: list[str]) -> bool:
    """Whether a text is written like a heading: every longer word has its capital."""
    longer = [
        word for word in words if word[0].isalpha() and len(word) >= _MINOR and word.lower() not in STOP
    ]
    return len(longer) >= _MINOR and all(word[0].isupper() for word in longer)


def _is_name(words: list[str], at: int) -> bool:
    word = words[at]
    if not word[0].isalnum() or word.lower() in _CUSTOM:
        return False
    if _is_identifier(word):
        return True
    if not word[0].isupper() or word.lower() in STOP:
        return False
    return _begins_as_name(words, at) if _begins(words, at) else True


def _is_identifier(word: str) -> bool:
    """Acronyms, camelCase, and letters mixed with digits or inner signs."""
    if word.isdigit() or word.lower() in _CUSTOM or len(word) < 2:  # noqa: PLR2004 - one letter
        return False
    if word.isalpha():
        return any(c.isupper() for c in word[1:]) and word.lower() not in STOP
    return (
        any(c.isalpha() for c in word)
        and "-" not in word
        and not re.fullmatch(r"v?\d[\d.:]*[a-z]{0,2}", word)
    )


def _begins(words: list[str], at: int) -> bool:
    return at == 0 or words[at - 1] in _ENDS


def _begins_as_name(words: list[str], at: int) -> bool:
    following = words[at + 1] if at + 1 < len(words) else ""
    if following[:1].isupper() and following.lower() not in _CUSTOM | STOP:
        return True
    return bool(_FINITE.match(following)) and not _NOT_A_NAME.search(words[at])


def _key(word: str) -> str:
    """A name in one spelling: folded, without the dots of U.S., aliases as one."""
    folded = fold(word).replace(".", "")
    return _ALIASES.get(folded, folded)


def _held(name: str, there: frozenset[str]) -> bool:
    return name in there or any(_akin(name, word) for word in there)


def _akin(name: str, word: str) -> bool:
    """Italy and Italian, China and Chinese: all but the last letters are the same."""
    shorter = min(len(name), len(word))
    same = max(_SAME_STEM, shorter - 2)
    return shorter >= _SAME_STEM and name[:same] == word[:same]


def _initials(text: str) -> set[str]:
    """Acronyms that the capitalised runs of `text` would have, like `nyc` and `boe`."""
    runs = re.findall(r"[A-Z]\w+(?:[ -](?:of |the |and )?[A-Z]\w+)+", text)
    every = {"".join(part[0] for part in re.findall(r"\w+", run)).lower() for run in runs}
    return every | {"".join(part[0] for part in re.findall(r"[A-Z]\w*", run)).lower() for run in runs}


def _words_of(found: tuple[Name, ...]) -> frozenset[str]:
    return frozenset(name.word for name in found)


def _listed(text: str, one: str, other: str) -> bool:
    """Whether only names, commas and `and` stand between the two: a list has no order."""
    found = names(text)
    places = {name.word: name.at for name in reversed(found)}
    begin, end = sorted((places[one], places[other]))
    named = {name.at for name in found}
    words = _WORD.findall(spelled_out(text))
    return all(words[i].lower() in _LISTING for i in range(begin + 1, end) if i not in named)


def _passive(text: str) -> bool:
    return bool(re.search(r"\b(?:is|are|was|were|been|being)\b[^.]*\bby\b", text))
