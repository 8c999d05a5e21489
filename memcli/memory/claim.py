"""When two texts make the same claim: by their words, and by what vectors do not see.

The danger is on both sides. Two claims that differ in one number, one "not" or one name lie
closer together than most paraphrases; taking them for one swallows a new fact. Two spellings
of one claim look different to a digest; taking them for two lets a forgotten one return.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from memcli.memory import names as naming
from memcli.memory import opposites, quantities, unread
from memcli.memory.beyond import says_more
from memcli.memory.opposites import negated
from memcli.memory.quantities import numbers
from memcli.memory.tokens import stemmed, stems
from memcli.memory.units import Quantity
from memcli.memory.wording import (
    KEPT_TEXTS,
    KEYED,
    contains,
    digest,
    digests,
    keyed_digest,
    keyed_digests,
    normalise,
    sentences,
)

__all__ = [
    "KEYED",
    "contains",
    "coverage",
    "differs",
    "digest",
    "digests",
    "keyed_digest",
    "keyed_digests",
    "lost",
    "marks",
    "negated",
    "normalise",
    "numbers",
    "sentences",
    "veto",
]


def veto(one: str, other: str) -> str:
    """Why two texts cannot be the same claim however near their vectors lie, or "".

    numbers: each has a quantity or date that the other lacks · negation · antonyms · names:
    each has a name that the other lacks · roles: two names change places, or a number does.
    """
    ours, theirs = _read(one), _read(other)
    if quantities.lacking(ours.numbers, theirs.numbers) and quantities.lacking(theirs.numbers, ours.numbers):
        return "numbers"
    if reason := _turned(ours, theirs):
        return reason
    if naming.lacking(ours.names, other) and naming.lacking(theirs.names, one):
        return "names"
    return _roles(one, other)


def differs(one: str, other: str) -> str:
    """What the veto looks at and finds different, even one way, or what vectors hardly read, or ""."""
    ours, theirs = _read(one), _read(other)
    if quantities.lacking(ours.numbers, theirs.numbers) or quantities.lacking(theirs.numbers, ours.numbers):
        return "numbers"
    if reason := _turned(ours, theirs):
        return reason
    if naming.lacking(ours.names, other) or naming.lacking(theirs.names, one):
        return "names"
    return _roles(one, other) or ("signs" if unread.unlike(one, other) else "")


def lost(one: str, other: str) -> str:
    """Why `one` would be lost, wholly or in part, if it were taken for `other`, or ""."""
    return differs(one, other) or ("more" if says_more(one, other) else "")


def _roles(one: str, other: str) -> str:
    return "roles" if naming.swapped(one, other) or quantities.exchanged(one, other) else ""


def marks(text: str) -> frozenset[str]:
    """What keeps near claims apart, as words: quantities, `not`, names. Differing marks, differing claims."""
    said = _read(text)
    denial = {"not"} if said.negated else set()
    numbers = " ".join(map(str, quantities.in_order(text)))
    return frozenset({numbers, *denial, *(name.word for name in said.names)})


def coverage(removed: str, candidate: str, idf: Mapping[str, float]) -> float:
    """How much of what `removed` speaks of is found in `candidate`: an idf share, 0 to 1.

    Over the content words of `removed`, names cut unless nothing else is there. `idf` maps
    stems to weights; a stem that it lacks weighs as much as the rarest one in it.
    """
    said = _read(removed)
    sought = said.stems - frozenset(stemmed(name.word for name in said.names)) or said.stems
    rarest = max(idf.values(), default=1.0)
    weights = {stem: idf.get(stem, rarest) for stem in sorted(sought)}
    found = sum(weight for stem, weight in weights.items() if stem in _read(candidate).stems)
    total = sum(weights.values())
    return round(found / total, 6) if total else 0.0


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    numbers: frozenset[Quantity]
    names: tuple[naming.Name, ...]
    negated: bool
    stems: frozenset[str]


@lru_cache(maxsize=KEPT_TEXTS)
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
    mine, yours = opposites.denied(one.text, other.stems), opposites.denied(other.text, one.stems)
    alone = one.negated != other.negated and bool(mine or yours)
    return "negation" if alone or _crossed(one, mine, other, yours) else ""


def _crossed(one: _Said, mine: frozenset[str], other: _Said, yours: frozenset[str]) -> bool:
    """Whether each denies what the other does not: "to Norway, not to Iceland", and the reverse."""
    nearest = (
        opposites.denied(one.text, other.stems, reach=1),
        opposites.denied(other.text, one.stems, reach=1),
    )
    return bool(nearest[0] - yours and nearest[1] - mine)


def _facing(ours: _Said, theirs: _Said) -> tuple[_Said, _Said]:
    """Both texts, or of a longer one the sentence that has most words in common with the shorter."""
    mine, yours = sentences(ours.text), sentences(theirs.text)
    if len(mine) == 1 < len(yours):
        return ours, _read(_closest(yours, ours.text))
    if len(yours) == 1 < len(mine):
        return _read(_closest(mine, theirs.text)), theirs
    return ours, theirs


def _closest(parts: tuple[str, ...], text: str) -> str:
    there = _read(text).stems
    return max(parts, key=lambda part: len(there & _read(part).stems))
