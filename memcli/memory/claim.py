"""When two texts make the same claim: by their words, and by what vectors do not see.

The danger is on both sides. Two claims that differ in one number, one "not" or one name lie
closer together than most paraphrases; taking them for one swallows a new fact. Two spellings
of one claim look different to a digest; taking them for two lets a forgotten one return.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memcli.memory import names as naming
from memcli.memory import opposites, quantities
from memcli.memory.opposites import negated
from memcli.memory.quantities import Quantity, numbers
from memcli.memory.tokens import STOP, stemmed, stems, words

__all__ = [
    "contains",
    "coverage",
    "differs",
    "digest",
    "digests",
    "marks",
    "negated",
    "normalise",
    "numbers",
    "sentences",
    "veto",
]

DIGEST_LENGTH: Final = 32  # hex characters of sha256, as for files
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
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|dr|mr|mrs|ms|prof|st|jr|sr|no|fig|inc|ltd|co|[a-z])|\b[a-z](?:\.[a-z])+)\.$",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=[.!?\u2026])[\"')\]]*\s+|(?<=[\u3002\uff01\uff1f])|[;\n]+\s*|\s[\u2013\u2014]\s")
_CLAUSE = re.compile(r",\s+|\s+(?=(?:and|but|because|which|while|so)\s)")


def normalise(text: str) -> str:
    """`text` without case, spacing and punctuation that carries no meaning.

    Signs that change what is said stay (`-5`, `C#`, `5%`, `a != b`, `1.5`), and so do accents;
    a text of nothing but punctuation stays as it is.
    """
    apart = _GLUED.sub(". ", text.translate(_RESPELLED))
    plain = unicodedata.normalize("NFKC", apart).casefold()
    shown = "".join(c for c in plain if unicodedata.category(c) != "Cf" and c != "\ufe0f")
    pieces = [
        piece[0] for piece in _PIECE.finditer(_GROUPED.sub("", shown)) if piece["said"] or _says(piece[0])
    ]
    return " ".join(pieces).replace("'", "").replace("\u2019", "") or text.strip()


def _says(sign: str) -> bool:
    return unicodedata.category(sign) in _KEPT


def digest(text: str) -> str:
    """32 hex characters, equal for texts that are equal after `normalise`."""
    return _hashed(normalise(text))


def digests(text: str) -> frozenset[str]:
    """The digests of `text`, of each of its sentences and of each run of up to 8 of them.

    What a tombstone that kept only its digest is looked up in.
    """
    parts = [normalise(part) for part in sentences(text)]
    runs = (parts[i:j] for i in range(len(parts)) for j in range(i + 1, min(i + RUN, len(parts)) + 1))
    return frozenset({digest(text), *(_hashed(" ".join(run)) for run in runs)})


def _hashed(normal: str) -> str:
    return hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]


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


def veto(one: str, other: str) -> str:
    """Why two texts cannot be the same claim however near their vectors lie, or "".

    numbers: each has a quantity or date that the other lacks · negation · antonyms · names:
    each has a name that the other lacks · roles: two names change places.
    """
    ours, theirs = _read(one), _read(other)
    if quantities.lacking(ours.numbers, theirs.numbers) and quantities.lacking(theirs.numbers, ours.numbers):
        return "numbers"
    if reason := _turned(ours, theirs):
        return reason
    if naming.lacking(ours.names, other) and naming.lacking(theirs.names, one):
        return "names"
    return "roles" if naming.swapped(one, other) else ""


def differs(one: str, other: str) -> str:
    """What the veto looks at and finds different, even one way, or ""."""
    ours, theirs = _read(one), _read(other)
    if quantities.lacking(ours.numbers, theirs.numbers) or quantities.lacking(theirs.numbers, ours.numbers):
        return "numbers"
    if reason := _turned(ours, theirs):
        return reason
    if naming.lacking(ours.names, other) or naming.lacking(theirs.names, one):
        return "names"
    return "roles" if naming.swapped(one, other) else ""


def marks(text: str) -> frozenset[str]:
    """What keeps near claims apart, as words: quantities, `not`, names. Differing marks, differing claims."""
    said = _read(text)
    denial = {"not"} if said.negated else set()
    return frozenset({*map(str, said.numbers), *denial, *(name.word for name in said.names)})


def coverage(removed: str, candidate: str, idf: Mapping[str, float]) -> float:
    """How much of what `removed` speaks of is found in `candidate`: an idf share, 0 to 1.

    Over the content words of `removed`, names cut unless nothing else is there. `idf` maps
    stems to weights; a stem that it lacks weighs as much as the rarest one in it.
    """
    named = frozenset(stemmed(name.word for name in _read(removed).names))
    said = frozenset(stems(removed))
    sought = said - named or said
    rarest = max(idf.values(), default=1.0)
    weights = {stem: idf.get(stem, rarest) for stem in sorted(sought)}
    total = sum(weights.values())
    there = frozenset(stems(candidate))
    return (
        round(sum(weight for stem, weight in weights.items() if stem in there) / total, 6) if total else 0.0
    )


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    numbers: frozenset[Quantity]
    names: tuple[naming.Name, ...]
    negated: bool
    stems: frozenset[str]


@lru_cache(maxsize=2048)
def _read(text: str) -> _Said:
    return _Said(text, numbers(text), naming.names(text), negated(text), frozenset(stems(text)))


def _turned(ours: _Said, theirs: _Said) -> str:
    """`negation` or `antonyms` where one text turns the other round; both at once cancel."""
    one, other = _facing(ours, theirs)
    pairs, choices = opposites.opposed(one.text, other.text)
    if choices:
        return "antonyms"
    if pairs:
        return "" if one.negated != other.negated else "antonyms"
    denied = opposites.denies(one.text, other.stems), opposites.denies(other.text, one.stems)
    return "negation" if denied[0] != denied[1] else ""


def _facing(ours: _Said, theirs: _Said) -> tuple[_Said, _Said]:
    """Both texts, or of a longer one the sentence that has most words in common with the shorter."""
    mine, yours = sentences(ours.text), sentences(theirs.text)
    if len(mine) == 1 < len(yours):
        return ours, _read(_closest(yours, ours.text))
    if len(yours) == 1 < len(mine):
        return _read(_closest(mine, theirs.text)), theirs
    return ours, theirs


def _closest(parts: tuple[str, ...], text: str) -> str:
    there = frozenset(words(text))
    return max(parts, key=lambda part: len(there.intersection(words(part))))
