"""What two near texts may differ in although vectors hardly tell: signs, letters, spellings of code.

An encoder made for English reads every picture alike, drops accents, takes a very long word
for an unknown one, and lays `feature/x` beside `feature-x`. So a new fact that differs from
an old one in such a part alone would be taken for the old one, and be lost.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from memcli.memory.wording import KEPT_TEXTS

LONGEST: Final = 100  # characters; the encoder reads a longer word as one that it does not know
_SAYING: Final = frozenset(("Sm", "Sc", "So"))  # categories of signs that say something
_IDLE: Final = frozenset("\u00a9\u00ae\u2122|")  # copyright, registered, trademark; a bar between things
_WORD = re.compile(r"[^\W_][\w\u0300-\u036f]*")
_CODE = re.compile(
    r"(?<![\w-])--?[A-Za-z][\w-]*"  # an option
    r"|(?=[\w./\\:=@-]*[A-Za-z])[\w.-]*(?:[/\\_=@]|::)[\w./\\:=@-]*\w"  # a path, a name with an underscore
    r"|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b"  # a name with a hump
)


def unlike(one: str, other: str) -> bool:
    """Whether either holds a sign, a spelling or a letter of that kind that the other lacks."""
    return _parts(one) != _parts(other)


@lru_cache(maxsize=KEPT_TEXTS)
def _parts(text: str) -> tuple[Mapping[str, int], frozenset[str], frozenset[str]]:
    """The signs with their counts, the words that are read badly, and the spellings of code."""
    plain = unicodedata.normalize("NFKC", text)
    signs = Counter(c for c in plain if unicodedata.category(c) in _SAYING and c not in _IDLE)
    words = frozenset(
        word for word in _WORD.findall(plain.casefold()) if len(word) > LONGEST or not word.isascii()
    )
    return signs, words, frozenset(_CODE.findall(plain))
