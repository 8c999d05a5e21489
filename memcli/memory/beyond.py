"""Whether a text says more than another one that lies near it.

A vector tells what a text is about, not all that it says: a sentence added to a long note hardly
moves it, and the end of a very long one is not read at all. A claim that is taken for one
that says less is lost beyond it, and its writer was told that it is kept.
"""

from functools import lru_cache
from typing import Final

from memcli.memory.quantities import counts
from memcli.memory.tokens import STOP, stemmed, words
from memcli.memory.wording import KEPT_TEXTS, sentences

SURPLUS: Final = 2  # asserted: stems more than the other text has of its own, which is no rewording any more
COVERED: Final = 0.5  # asserted: share of a sentence's stems that a text which says it has too

_IDLE_WORDS: Final = (
    "actually always basically currently indeed note please really remember use used uses using"
)
_IDLE: Final = frozenset(_IDLE_WORDS.split())
# Words that are put before or into a claim and add nothing to it; asserted, chosen by hand.


def says_more(one: str, other: str) -> bool:
    """Whether `one` says what `other` does not, told by their words; numbers are compared elsewhere.

    So it is if the words of `other` are all there and more, if there are many more of them, or
    if one of several sentences has hardly a word in `other`.
    """
    mine, theirs = _topics(one), _topics(other)
    extra, lacking = len(mine - theirs), len(theirs - mine)
    if extra and (not lacking or extra - lacking >= SURPLUS):
        return True
    parts = sentences(one)
    return extra > 0 and len(parts) > 1 and any(_is_new(part, theirs) for part in parts)


def _is_new(sentence: str, theirs: frozenset[str]) -> bool:
    mine = _topics(sentence)
    return bool(mine) and len(mine & theirs) < COVERED * len(mine)


@lru_cache(maxsize=KEPT_TEXTS)
def _topics(text: str) -> frozenset[str]:
    """The stems that carry what is said, without numbers; of compounds the parts alone."""
    found = {
        word
        for word in words(text)
        if word.isalnum() and word not in STOP and word not in _IDLE and not counts(word)
    }
    return frozenset(stemmed(found))
