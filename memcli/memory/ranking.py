"""The order of an answer, and whether there is one: score ranks within an answer, match admits to it.

The score fuses cosine and BM25, each over its best in this answer, so that it depends
neither on how many candidates were fetched nor on rows that the viewer may not see. It
says nothing about whether anything fits: the best of a thousand wrong memories also
scores 1. The match does, from cosine and word coverage before any such rescaling.

Two paths must rank alike to the byte, an index and a plain reading of files. So sums
run stem by stem in one order, everything is rounded to `SCALE` before it is compared,
and equal scores fall to the id.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from memcli.memory import pool, tokens
from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.pool import Candidate, WordHits

SCALE: Final = 10_000  # four decimals: what an answer shows is all that was compared
UNSEEN_ROWS: Final = 100  # asserted: rows that every store is thought to hold beside its own

_NAME = re.compile(r"\b[^\W\d_]\w*\b")
_POSSESSIVE = re.compile(r"['\u2019]s\b")


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked: the text, and its stems in order with repeats."""

    text: str
    stems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """One candidate in its place; all parts are whole numbers of 1/SCALE.

    `score` ranks within one answer, `match` in [0, SCALE] is comparable between answers;
    `vector` is the cosine, `lexical` BM25 over the best of this answer, `coverage` the
    share of the query's word weight that stands in the memory.
    """

    path: str
    id: str
    score: int
    match: int
    vector: int
    lexical: int
    coverage: int


@dataclass(frozen=True, slots=True)
class Divided:
    """A ranking against the floor; what lies below notice is in neither."""

    admitted: tuple[Scored, ...]
    withheld: tuple[Scored, ...]


def query(text: str) -> Query:
    """The query that `text` asks."""
    return Query(text, tokens.stems(text))


def frequencies(hits: WordHits) -> dict[str, int]:
    """In how many visible rows each stem of the query stands."""
    return {stem: int(count) for stem, count in zip(hits.stems, hits.document_counts, strict=True)}


def bm25(hits: WordHits, asked: Query, rules: Constants = DEFAULTS) -> np.ndarray:
    """Okapi BM25 of every row of `hits` for `asked`, float64 [rows], from the visible rows alone."""
    return _bm25(hits.counts, hits.lengths, hits, asked, rules)


def _bm25(
    counts: np.ndarray,
    lengths: np.ndarray,
    hits: WordHits,
    asked: Query,
    rules: Constants,
) -> np.ndarray:
    total = np.zeros(len(lengths))
    mean = hits.total_length / hits.visible if hits.total_length else 1.0
    norm = rules.k1 * (1 - rules.b + rules.b * lengths.astype("float64") / mean)
    known = frequencies(hits)
    weight = Counter(asked.stems)
    for column, stem in enumerate(hits.stems):
        if weight[stem] and known[stem]:
            often = counts[:, column].astype("float64")
            total += (
                weight[stem] * _rarity(known[stem], hits.visible) * often * (rules.k1 + 1) / (often + norm)
            )
    return total


def _rarity(rows_with: int, rows: int) -> float:
    """What a word weighs: Okapi's idf, kept above 0."""
    return math.log(1 + (rows - rows_with + 0.5) / (rows_with + 0.5))


def coverage(asked: Query, present: Iterable[str], known: Mapping[str, int], visible: int) -> float:
    """Share in [0, 1] of the weight of the query's stems that `present` holds.

    A small store has no statistics: in a store of one memory every word is in all rows.
    So words are weighed as if UNSEEN_ROWS more rows without them stood beside it.
    """
    rows = visible + UNSEEN_ROWS
    weights = {stem: _rarity(known.get(stem, 0), rows) for stem in sorted(set(asked.stems))}
    whole = math.fsum(weights.values())
    here = set(present)
    return math.fsum(weight for stem, weight in weights.items() if stem in here) / whole if whole else 0.0


def cut_names(text: str, known: Mapping[str, int], visible: int, rules: Constants = DEFAULTS) -> str:
    """`text` as it is encoded: without the names that stand in a large share of the visible rows.

    Where half the memories name the same person, her name in a question pulls its vector
    towards all of them and away from what was asked. The text is left alone where nothing
    would remain.
    """
    least = max(rules.names_rows, rules.names_share * visible)
    left = _NAME.sub(lambda found: "" if _is_common_name(found[0], known, least) else found[0], text)
    if left == text:
        return text
    left = re.sub(r"\s+", " ", _POSSESSIVE.sub("", left) if "'" in left or "\u2019" in left else left)
    left = re.sub(r"\s+([,.!?;:])", r"\1", left).strip()
    return left if tokens.stems(left) else text


def _is_common_name(word: str, known: Mapping[str, int], least: float) -> bool:
    return word[0].isupper() and any(known.get(stem, 0) >= least for stem in tokens.stems(word))


def fuse(cosines: np.ndarray, words: np.ndarray, rules: Constants = DEFAULTS) -> np.ndarray:
    """The fused score, float64 [n]: each side over its best, `ranking.meaning` of it by vectors.

    Without any cosine above 0 the words alone rank, and the other way round.
    """
    meant, said = _over_best(cosines), _over_best(words)
    total: np.ndarray = rules.meaning * meant + (1 - rules.meaning) * said
    return total


def _over_best(values: np.ndarray) -> np.ndarray:
    best = values.max(initial=0.0)
    return values / best if best > 0 else values * 0.0


def match(cosine: float | None, covered: float) -> float:
    """How well a memory fits the query, in [0, 1], comparable between answers and stores.

    `cosine` is None where there are no vectors to go by: then words alone decide.
    """
    if cosine is None:
        return covered
    return min(1.0, max(0.0, cosine, 0.5 * cosine + 0.5 * covered))


def rank(
    asked: Query,
    hits: WordHits,
    candidates: Sequence[Candidate],
    query_vector: np.ndarray | None,
    rules: Constants = DEFAULTS,
) -> list[Scored]:
    """The candidates, best first; ties by id, then path.

    `query_vector` is the unit vector of `cut_names(...)`, float32 [d], or None to go by
    words alone.
    """
    if not candidates:
        return []
    cosines = np.array([pool.cosine(one.vectors, query_vector) for one in candidates])
    words = _words(asked, hits, candidates, rules).round(6)
    scores, lexical = fuse(cosines, words, rules), _over_best(words)
    known = frequencies(hits)
    ranked = [
        _scored(
            one,
            float(scores[at]),
            None if query_vector is None else float(cosines[at]),
            float(lexical[at]),
            coverage(asked, one.counts, known, hits.visible),
        )
        for at, one in enumerate(candidates)
    ]
    return sorted(ranked, key=lambda one: (-one.score, one.id, one.path))


def _words(asked: Query, hits: WordHits, candidates: Sequence[Candidate], rules: Constants) -> np.ndarray:
    counts = np.array([[one.counts.get(stem, 0) for stem in hits.stems] for one in candidates])
    lengths = np.array([one.length for one in candidates])
    return _bm25(counts.reshape(len(candidates), len(hits.stems)), lengths, hits, asked, rules)


def _scored(one: Candidate, score: float, cosine: float | None, lexical: float, covered: float) -> Scored:
    return Scored(
        path=one.path,
        id=one.schema.id,
        score=_whole(score),
        match=_whole(match(cosine, covered)),
        vector=_whole(cosine or 0.0),
        lexical=_whole(lexical),
        coverage=_whole(covered),
    )


def _whole(value: float) -> int:
    return round(value * SCALE)


def divide(ranked: Iterable[Scored], floor: float, notice: float = DEFAULTS.notice) -> Divided:
    """What passes `floor`, and what is held back by it though it is worth a notice; order kept."""
    least = _whole(floor)
    seen = [one for one in ranked if one.match >= _whole(notice)]
    return Divided(
        admitted=tuple(one for one in seen if one.match >= least),
        withheld=tuple(one for one in seen if one.match < least),
    )
