"""A text's wording, apart from case, spacing and idle punctuation: as a digest, in sentences, inside another.

The danger is a normal form that drops a sign which meant something: `-5`, `C#`, `a != b` and
`1.5` are not `5`, `C`, `a = b` and `15`. What a reader would take as other words stays other
words here; the vectors see to likeness.
"""

import hashlib
import re
import unicodedata
from functools import lru_cache
from typing import Final

from memcli.memory.opposites import negated
from memcli.memory.tokens import STOP, stems

KEPT_TEXTS: Final = 1024  # a candidate meets many neighbours; each text is read once
DIGEST_LENGTH: Final = 32  # hex characters of sha256, as for files
KEYED: Final = "k:"  # how a digest begins that is made with a key
RUN: Final = 8  # sentences; asserted: the longest claim that is found by digest inside a longer text
AROUND: Final = 4  # words before and after a contained claim that may deny it; asserted
FEWEST: Final = 2  # content words that a claim needs to be looked for inside a sentence; asserted
LONG_SENTENCE: Final = 240  # characters; asserted: a longer one is cut at its clauses

_RESPELLED: Final = str.maketrans({sign: f"^{n}" for n, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")} | {"\u2212": "-"})
_PIECE = re.compile(
    r"(?P<said>"
    r"(?<!\w)-(?=\d)"  # a minus
    r"|\d+(?:-\d+)+"  # a range, a date
    r"|[^\W_]+(?:['\u2019_.:/@&][^\W_]+)*"  # a word with its inner signs
    r"|!(?=[\w=])|[%#](?=\w)|(?<=\w)[%#]|(?<=\w)\*(?=\w)|[@&/\\]"
    r")|(?P<sign>[^\w\s])",
)
_GLUED = re.compile(r"(?<=[a-z0-9)])\.(?=[A-Z])")  # a sentence that begins without a space
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_KEPT: Final = frozenset(("Sm", "Sc", "So", "Mn", "Mc", "Me"))  # categories of signs that say something
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|dr|mr|mrs|ms|prof|st|jr|sr|no|fig|inc|ltd|co|[a-z]"
    r"|jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thurs?|fri)"
    r"|\b[a-z](?:\.[a-z])+)\.$",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=[.!?\u2026])[\"')\]]*\s+|(?<=[\u3002\uff01\uff1f])|\n+\s*")
_CLAUSE = re.compile(r"[,;]\s+|\s[\u2013\u2014]\s|\s+(?=(?:and|but|because|which|while|so)\s)")


@lru_cache(maxsize=KEPT_TEXTS)
def normalise(text: str) -> str:
    """`text` without case, spacing and punctuation that carries no meaning.

    Signs that change what is said stay (`-5`, `C#`, `5%`, `a != b`, `1.5`), and so do accents;
    a text of nothing but punctuation stays as it is.
    """
    apart = _GLUED.sub(". ", text.translate(_RESPELLED))
    plain = unicodedata.normalize("NFKC", apart).casefold()
    if not plain.isascii():
        plain = "".join(c for c in plain if unicodedata.category(c) != "Cf" and c != "\ufe0f")
    pieces = [
        piece[0] for piece in _PIECE.finditer(_GROUPED.sub("", plain)) if piece["said"] or _says(piece[0])
    ]
    return " ".join(pieces).replace("'", "").replace("\u2019", "") or text.strip()


def _says(sign: str) -> bool:
    return unicodedata.category(sign) in _KEPT


def digest(text: str) -> str:
    """32 hex characters, equal for texts that are equal after `normalise`."""
    return _hashed(normalise(text))


@lru_cache(maxsize=KEPT_TEXTS)
def digests(text: str) -> frozenset[str]:
    """The digests of `text`, of each of its sentences and of each run of up to 8 of them.

    What a tombstone that kept only its digest is looked up in.
    """
    return frozenset(_hashed(normal) for normal in _runs(text))


def keyed_digest(text: str, key: str) -> str:
    """`k:` and 32 hex characters, which nobody finds in a table of digests made without this `key`.

    What a purge leaves of a claim. Whoever guesses the whole text can still see that it was this.
    """
    return _keyed(normalise(text), key)


@lru_cache(maxsize=KEPT_TEXTS)
def keyed_digests(text: str, key: str) -> frozenset[str]:
    """As `digests`, each made with `key`."""
    return frozenset(_keyed(normal, key) for normal in _runs(text))


def _runs(text: str) -> frozenset[str]:
    """`text`, each of its sentences and each run of up to 8 of them, normalised."""
    parts = [normalise(part) for part in sentences(text)]
    runs = (parts[i:j] for i in range(len(parts)) for j in range(i + 1, min(i + RUN, len(parts)) + 1))
    return frozenset({normalise(text), *(" ".join(run) for run in runs)})


def _keyed(normal: str, key: str) -> str:
    raw, secret = normal.encode("utf-8", "surrogatepass"), key.encode("utf-8", "surrogatepass")
    return KEYED + hashlib.blake2b(raw, key=hashlib.sha256(secret).digest(), digest_size=16).hexdigest()


def _hashed(normal: str) -> str:
    return hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]


@lru_cache(maxsize=KEPT_TEXTS)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of `text` in order; list entries and the clauses of very long ones stand alone."""
    parts: list[str] = []
    for part in _END.split(_GLUED.sub(". ", text)):
        if parts and _ABBREVIATED.search(parts[-1]):
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    short = (piece for part in parts for piece in _clauses(part))
    return tuple(
        piece for piece in (one.strip(" \t\r*-•>#\"'") for one in short) if any(map(str.isalnum, piece))
    )


def _clauses(sentence: str) -> list[str]:
    """`sentence` whole, or cut at commas and conjunctions into pieces below the limit where it can be."""
    if len(sentence) <= LONG_SENTENCE:
        return [sentence]
    pieces = [""]
    for clause in _CLAUSE.split(sentence):
        if len(pieces[-1]) + len(clause) > LONG_SENTENCE // 2 and pieces[-1]:
            pieces.append(clause)
        else:
            pieces[-1] = f"{pieces[-1]} {clause}".strip()
    return [part for piece in pieces for part in _chunks(piece)]


def _chunks(piece: str) -> list[str]:
    """A piece that no comma divides, in overlapping runs of words."""
    found = piece.split()
    if len(piece) <= LONG_SENTENCE or len(found) < 2 * 20:
        return [piece]
    return [" ".join(found[i : i + 40]) for i in range(0, len(found) - 20, 20)]


def contains(text: str, claim: str) -> bool:
    """Whether `text` says `claim` word for word: as a whole, as a run of sentences, or inside one.

    Inside a sentence only a claim of two content words or more is looked for, and not where a
    negation stands close by that the claim itself has not ("it is not true that ...").
    """
    whole, part = normalise(text), normalise(claim)
    if whole == part or _hashed(part) in digests(text):
        return True
    if len(set(stems(claim)) - STOP) < FEWEST:
        return False
    padded, sought = f" {whole} ", f" {part} "
    at = padded.find(sought)
    while at >= 0:
        before, after = padded[:at].split()[-AROUND:], padded[at + len(sought) :].split()[:AROUND]
        if not negated(" ".join(before)) and not negated(" ".join(after)):
            return True
        at = padded.find(sought, at + 1)
    return False
