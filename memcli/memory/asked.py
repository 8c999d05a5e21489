"""What a question says, taken apart: its stems, the names that say whom it is about, its months.

Where half the memories name the same person, her name in a question pulls its vector
towards all of them and away from what was asked. So such names are cut from the text that
is encoded, and used for what they are good for: telling whose memory is wanted.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.tokens import STOP, stems

_MONTHS: Final = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b",
)
_NAME = re.compile(r"\b(?P<name>[^\W\d_]\w*)\b(?:['\u2019]s\b)?")


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked: the text, and its stems in order with repeats."""

    text: str
    stems: tuple[str, ...]


def query(text: str) -> Query:
    """The query that `text` asks."""
    return Query(text, stems(text))


def cut_names(text: str, known: Mapping[str, int], visible: int, rules: Constants = DEFAULTS) -> str:
    """`text` as it is encoded: without the names that stand in a large share of the visible rows.

    `known` tells in how many of the `visible` rows a stem stands. A possessive goes with its
    name; the text is left alone where nothing would remain of it.
    """
    common = common_names(text, known, visible, rules)
    if not common:
        return text
    left = _NAME.sub(lambda found: "" if common.intersection(_named(found)) else found[0], text)
    left = re.sub(r"\s+([,.!?;:])", r"\1", re.sub(r"\s+", " ", left)).strip()
    return left if any(map(str.isalnum, left)) else text


def common_names(
    text: str,
    known: Mapping[str, int],
    visible: int,
    rules: Constants = DEFAULTS,
) -> frozenset[str]:
    """The stems of the capitalised words of `text` that `ranking.names_share` of the rows hold."""
    least = max(rules.names_rows, rules.names_share * visible)
    return frozenset(stem for stem in _capitalised(text) if known.get(stem, 0) >= least)


def months(text: str) -> frozenset[str]:
    """The stems of the months that `text` names; `may` without its capital is not one."""
    return frozenset(stem for word in _MONTHS.findall(text) for stem in stems(word))


def _capitalised(text: str) -> Iterator[str]:
    for found in _NAME.finditer(text):
        yield from _named(found)


def _named(found: re.Match[str]) -> tuple[str, ...]:
    """The stems of a capitalised word; nothing for another word or a stop word."""
    word = found["name"]
    return stems(word) if word[0].isupper() and word.lower() not in STOP else ()
