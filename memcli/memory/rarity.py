"""What words weigh: BM25 and coverage, from counts over the visible rows alone.

An index's own score depends on how its table came to be, and rows that the viewer may not
see would move a rank and so tell of themselves. Here every number comes from `WordHits`.
Sums run stem by stem in alphabetical order, so that two ways to the same counts agree.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from memcli.memory.asked import Query
from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.pool import Candidate, WordHits


def rarity(rows_with: int, rows: int) -> float:
    """What a word weighs that `rows_with` of `rows` hold: Okapi's idf, kept above 0."""
    return math.log(1 + (rows - rows_with + 0.5) / (rows_with + 0.5))


def frequencies(hits: WordHits) -> dict[str, int]:
    """In how many visible rows each stem of the query stands."""
    return {stem: int(count) for stem, count in zip(hits.stems, hits.document_counts, strict=True)}


def joined(hits: WordHits, more: Sequence[Candidate]) -> WordHits:
    """`hits` with the words of `more` rows counted too, which it does not hold."""
    if not more:
        return hits
    held = [sum(1 for one in more if one.counts.get(stem, 0)) for stem in hits.stems]
    return replace(
        hits,
        document_counts=hits.document_counts + np.array(held, np.int64),
        visible=hits.visible + len(more),
        total_length=hits.total_length + sum(one.length for one in more),
    )


def bm25(hits: WordHits, asked: Query, rules: Constants = DEFAULTS) -> np.ndarray:
    """Okapi BM25 of every row of `hits`, float64 [rows], rounded to 1e-6."""
    return weighed(hits.counts, hits.lengths, hits, asked, rules)


def weighed(
    counts: np.ndarray,
    lengths: np.ndarray,
    hits: WordHits,
    asked: Query,
    rules: Constants = DEFAULTS,
) -> np.ndarray:
    """BM25 of other rows by the statistics of `hits`: `counts` [rows, stems], `lengths` [rows]."""
    mean = hits.total_length / hits.visible if hits.total_length else 1.0
    damping = rules.k1 * (1 - rules.b + rules.b * lengths.astype("float64") / mean)
    repeats, known = Counter(asked.stems), frequencies(hits)
    total = np.zeros(len(lengths))
    for stem, column in _columns(hits):
        if repeats[stem] and known[stem]:
            often = counts[:, column].astype("float64")
            worth = repeats[stem] * rarity(known[stem], hits.visible) * (rules.k1 + 1)
            total += worth * often / (often + damping)
    rounded: np.ndarray = total.round(6)
    return rounded


def coverage(
    counts: np.ndarray,
    hits: WordHits,
    asked: Query,
    rules: Constants = DEFAULTS,
) -> np.ndarray:
    """Share of the query's weight whose stems stand in each row of `counts` [rows, stems], float64 [rows].

    A stem that no visible row holds weighs most: asking for what the store has never heard
    of must not look half answered. A small store has no statistics (in a store of one every
    word is in all rows), so words are weighed as if `match.unseen_rows` more rows without
    them stood beside it.
    """
    weights = _weights(frequencies(hits), hits.visible + rules.unseen_rows, asked)
    whole = math.fsum(weights.values())
    total = np.zeros(len(counts))
    for stem, column in _columns(hits):
        if stem in weights:
            total += weights[stem] * (counts[:, column] > 0)
    rounded: np.ndarray = (total / whole if whole else total).round(6)
    return rounded


def _columns(hits: WordHits) -> Iterator[tuple[str, int]]:
    yield from sorted((stem, column) for column, stem in enumerate(hits.stems))


def _weights(known: Mapping[str, int], rows: int, asked: Query) -> dict[str, float]:
    return {stem: rarity(known.get(stem, 0), rows) for stem in sorted(set(asked.stems))}
