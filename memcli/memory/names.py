"""Names and identifiers in a text, and in what order it puts them.

"Ana reviews Bob's code" and "Bob reviews Ana's code" have the same words and nearly the
same vector; only the names tell such claims apart. Capitals are the evidence, so a heading
in title case and the first word of a sentence need care.
"""

import re
from dataclasses import dataclass
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
    r"(?:is|was|has|had|will|can|cannot|may|must|does|did|should|would|could|said|went|wants?|and|or|,|not)$"
    r"|[a-z]{2,}(?:[^s]s|ed)$",
)
_NOT_A_NAME = re.compile(r"(?:s|ing|ly|tion|ment|ness|body|thing|one)$")
_WORD = re.compile(r"[^\W_]+(?:[._/@:+#-]+[^\W_]+)*[+#]*|[.!?;:\n,\"()]")
_ENDS: Final = frozenset('.!?:;\n"(')
_TITLE_SHARE: Final = 0.7  # asserted: from this share of capitals a text is a heading
_SAME_STEM: Final = 5  # letters; asserted: China and Chinese, Israel and Israeli are one name


@dataclass(frozen=True, slots=True)
class Name:
    """One word of a name as written, folded for comparison; `at` is its place among the words."""

    word: str
    at: int
    written: str


def names(text: str) -> tuple[Name, ...]:
    """The words of `text` that are names or identifiers, in order."""
    words = _WORD.findall(spelled_out(text))
    if _is_title(words):
        return tuple(Name(fold(w), at, w) for at, w in enumerate(words) if _is_identifier(w))
    return tuple(Name(fold(w), at, w) for at, w in enumerate(words) if _is_name(words, at))


def lacking(one: tuple[Name, ...], other: str) -> tuple[Name, ...]:
    """The names of `one` that the text `other` does not hold in any spelling."""
    there = {fold(word) for word in _WORD.findall(spelled_out(other))}
    initials = _initials(other)
    return tuple(name for name in one if not _held(name, there, initials))


def swapped(one: str, other: str) -> bool:
    """Whether two names change places between the texts although neither merely lists them.

    A passive ("was reviewed by") changes places too and means the same, so texts of
    different voice are not compared.
    """
    if _passive(one) != _passive(other):
        return False
    order, reverse = _first_places(one), _first_places(other)
    shared = [word for word in order if word in reverse]
    return any(
        order[a] < order[b] and reverse[b] < reverse[a] and not (_listed(one, a, b) or _listed(other, a, b))
        for a in shared
        for b in shared
    )


def _is_title(words: list[str]) -> bool:
    letters = [word for word in words if word[0].isalpha() and word.lower() not in STOP]
    capitals = sum(word[0].isupper() for word in letters)
    return len(letters) > 3 and capitals >= _TITLE_SHARE * len(letters)  # noqa: PLR2004 - too short to tell


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


def _held(name: Name, there: set[str], initials: set[str]) -> bool:
    if name.word in there or name.word in initials:
        return True
    return len(name.word) >= _SAME_STEM and any(
        word[:_SAME_STEM] == name.word[:_SAME_STEM] for word in there if len(word) >= _SAME_STEM
    )


def _initials(text: str) -> set[str]:
    """Acronyms that the capitalised runs of `text` would have, like `nyc`."""
    runs = re.findall(r"[A-Z]\w+(?:[ -](?:of |the |and )?[A-Z]\w+)+", text)
    return {"".join(part[0] for part in re.findall(r"[A-Z]\w*", run)).lower() for run in runs}


def _first_places(text: str) -> dict[str, int]:
    places: dict[str, int] = {}
    for name in names(text):
        places.setdefault(name.word, name.at)
    return places


def _listed(text: str, one: str, other: str) -> bool:
    """Whether only names, commas and `and` stand between the two: a list has no order."""
    places = _first_places(text)
    begin, end = sorted((places[one], places[other]))
    named = {name.at for name in names(text)}
    words = _WORD.findall(spelled_out(text))
    between = [words[i] for i in range(begin + 1, end) if i not in named]
    return all(
        word.lower() in ("and", "or", ",", "with", "dr", "mr", "mrs", "ms", "jr", ".") for word in between
    )


def _passive(text: str) -> bool:
    return bool(re.search(r"\b(?:is|are|was|were|been|being)\b[^.]*\bby\b", text))
