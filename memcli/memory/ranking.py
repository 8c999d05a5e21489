"""The order of an answer, and whether there is one: score ranks within an answer, match admits to it.

The score fuses cosine and BM25, each over its best in this answer, so that it depends
neither on how many candidates were fetched nor on rows that the viewer may not see. It
says nothing about whether anything fits: the best of a thousand wrong memories scores
highest too. The match does, from cosine and word coverage before any such rescaling.

Two paths must rank alike to the byte, an index and a plain reading of files. So everything
is rounded to `SCALE` before it is compared, and equal scores fall to the id.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from memcli.memory import pool, unheard
from memcli.memory.asked import Query, common_names, cut_names, months, query
from memcli.memory.constants import DEFAULTS, SCALE, Constants
from memcli.memory.pool import Candidate, WordHits
from memcli.memory.rarity import bm25, coverage, frequencies, joined, weighed

__all__ = [
    "SCALE",
    "Divided",
    "Query",
    "Scored",
    "alone",
    "bm25",
    "cut_names",
    "divide",
    "fit",
    "frequencies",
    "fuse",
    "in_order",
    "joined",
    "match",
    "over_best",
    "query",
    "rank",
    "whole",
]


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


@dataclass(frozen=True, slots=True)
class _Parts:
    """What speaks for each candidate, float64 [n] each; `meant` is 0 without vectors."""

    meant: np.ndarray
    said: np.ndarray
    covered: np.ndarray
    unheard: np.ndarray
    bonus: np.ndarray


def rank(  # noqa: PLR0913 - a question, and what its words weigh
    asked: Query,
    hits: WordHits,
    candidates: Sequence[Candidate],
    query_vector: np.ndarray | None,
    rules: Constants = DEFAULTS,
    *,
    scored: WordHits | None = None,
) -> list[Scored]:
    """The candidates, best first; ties by id, then path.

    `query_vector` is the unit vector of `cut_names(...)`, float32 [d], or None to go by
    words alone. By `scored`, where it is given, words weigh in the score, and by `hits` in
    the match alone.
    """
    if not candidates:
        return []
    parts = _parts(asked, hits, candidates, query_vector, rules, scored or hits)
    with_vectors = query_vector is not None
    scores = whole(_score(parts, candidates, rules, with_vectors=with_vectors))
    meant = parts.meant if with_vectors else None
    matches = whole(match(meant, parts.covered, hits.visible, rules, unheard=parts.unheard))
    shown = zip(
        scores,
        matches,
        whole(parts.meant),
        whole(over_best(parts.said)),
        whole(parts.covered),
        strict=True,
    )
    ranked = [
        Scored(one.path, one.schema.id, *numbers) for one, numbers in zip(candidates, shown, strict=True)
    ]
    return in_order(ranked)


def in_order(ranked: Iterable[Scored]) -> list[Scored]:
    """Best first; ties by id, then path."""
    return sorted(ranked, key=lambda one: (-one.score, one.id, one.path))


def alone(
    asked: Query,
    hits: WordHits,
    candidates: Sequence[Candidate],
    query_vector: np.ndarray | None,
    rules: Constants = DEFAULTS,
) -> list[int]:
    """The match of each candidate as if there were no other, in whole 1/SCALE: its fit."""
    if not candidates:
        return []
    parts = _parts(asked, hits, candidates, query_vector, rules, hits)
    cosines = None if query_vector is None else parts.meant
    return whole(fit(cosines, parts.covered, hits.visible, rules, unheard=parts.unheard))


def fuse(cosines: np.ndarray, words: np.ndarray, rules: Constants = DEFAULTS) -> np.ndarray:
    """Each side over its best, `ranking.meaning` of it by cosines, float64 [n] in [0, 1]."""
    total: np.ndarray = rules.meaning * over_best(cosines) + (1 - rules.meaning) * over_best(words)
    return total


def match(
    cosines: np.ndarray | None,
    covered: np.ndarray,
    visible: int,
    rules: Constants = DEFAULTS,
    *,
    unheard: np.ndarray | float = 0.0,
) -> np.ndarray:
    """How well memories answer the query, float64 [n] in [0, 1], comparable between answers and stores.

    Alone, a memory's match is its fit. Beside a sure answer a weaker memory is likelier to
    belong to it: its fit counts up to 1 + `match.company` times, but never reaches further
    than half way to the best. Without this a floor that keeps strangers out takes away one
    full answer in six (tests/benchmarks/floor.py).
    """
    fits = fit(cosines, covered, visible, rules, unheard=unheard)
    best = fits.max(initial=0.0)
    matched: np.ndarray = np.minimum((fits + best) / 2, fits * (1 + rules.company * best))
    return matched


def fit(
    cosines: np.ndarray | None,
    covered: np.ndarray,
    visible: int,
    rules: Constants = DEFAULTS,
    *,
    unheard: np.ndarray | float = 0.0,
) -> np.ndarray:
    """How well each memory alone fits the query, float64 [n] in [0, 1].

    The cosine less what chance reaches among so many rows (the best of a thousand strangers
    is nearer than the best of ten), raised by the words:
    1 - (1 - cosine) * (1 - `match.words` * coverage). `cosines` is None where there are no
    vectors to go by: then the coverage alone is the fit. `unheard` is the share of the names
    asked for that nobody here ever said; such a name takes up to `match.unheard` of it.
    """
    heard = 1 - rules.unheard * unheard
    if cosines is None:
        return covered * heard
    chance = rules.chance * np.log1p(visible / rules.chance_rows)
    meant = np.clip(cosines - chance, 0.0, 1.0)
    together: np.ndarray = heard * (1 - (1 - meant) * (1 - rules.words * covered))
    return together


def divide(ranked: Iterable[Scored], floor: float, notice: float = DEFAULTS.notice) -> Divided:
    """What passes `floor`, and what it holds back although it is worth a notice; order kept."""
    seen = [one for one in ranked if one.match >= round(notice * SCALE)]
    least = round(floor * SCALE)
    return Divided(
        admitted=tuple(one for one in seen if one.match >= least),
        withheld=tuple(one for one in seen if one.match < least),
    )


def _parts(  # noqa: PLR0913, PLR0917 - what speaks for a candidate
    asked: Query,
    hits: WordHits,
    candidates: Sequence[Candidate],
    query_vector: np.ndarray | None,
    rules: Constants,
    scored: WordHits,
) -> _Parts:
    counts = np.array([[one.counts.get(stem, 0) for stem in hits.stems] for one in candidates])
    counts = counts.reshape(len(candidates), len(hits.stems))
    lengths = np.array([one.length for one in candidates])
    return _Parts(
        meant=_cosines(candidates, query_vector),
        said=weighed(counts, lengths, scored, asked, rules),
        covered=coverage(counts, hits, asked, rules),
        unheard=unheard.share(asked, hits, candidates),
        bonus=_bonus(asked, hits, candidates, rules),
    )


def _cosines(candidates: Sequence[Candidate], query_vector: np.ndarray | None) -> np.ndarray:
    """The best cosine of each candidate's pieces; all at once, which is equal to one by one."""
    best = np.zeros(len(candidates))
    held = [(at, one.vectors) for at, one in enumerate(candidates) if one.vectors is not None]
    pieces = [(at, vectors) for at, vectors in held if len(vectors)]
    if query_vector is None or not pieces:
        return best
    starts = np.cumsum([0, *(len(vectors) for _, vectors in pieces[:-1])])
    found = pool.cosines(np.concatenate([vectors for _, vectors in pieces]), query_vector)
    best[[at for at, _ in pieces]] = np.maximum.reduceat(found, starts)
    return best


def _bonus(
    asked: Query,
    hits: WordHits,
    candidates: Sequence[Candidate],
    rules: Constants,
) -> np.ndarray:
    """What the vectors cannot say once names are cut: whose memory it is, of which month, and no question."""
    named = common_names(asked.text, frequencies(hits), hits.visible, rules)
    dated = months(asked.text)
    return np.array(
        [
            rules.subject * (not named.isdisjoint(one.subjects))
            + rules.month * any(one.counts.get(stem, 0) for stem in dated)
            - rules.question * one.asks
            for one in candidates
        ],
    )


def _score(
    parts: _Parts, candidates: Sequence[Candidate], rules: Constants, *, with_vectors: bool
) -> np.ndarray:
    """The fused score with its bonuses, brought back to [0, 1], drawn towards the best of its day."""
    fused = fuse(parts.meant, parts.said, rules) if with_vectors else over_best(parts.said)
    score: np.ndarray = np.clip(fused + parts.bonus, 0.0, None) / (1 + rules.subject + rules.month)
    drawn: np.ndarray = score + rules.day * (_best_of_day(candidates, score) - score)
    return drawn


def _best_of_day(candidates: Sequence[Candidate], score: np.ndarray) -> np.ndarray:
    """The best score of the day of each, its own where nothing says when it happened.

    Where one memory of a day fits, others of it fit better than chance.
    """
    best: dict[int, float] = {}
    for one, own in zip(candidates, score.tolist(), strict=True):
        if one.day is not None:
            best[one.day] = max(own, best.get(one.day, own))
    told = zip(candidates, score.tolist(), strict=True)
    return np.array([own if one.day is None else best[one.day] for one, own in told])


def over_best(values: np.ndarray) -> np.ndarray:
    """Each over the best of them, float64 [n] in [0, 1]."""
    best = values.max(initial=0.0)
    over: np.ndarray = np.clip(values, 0.0, None) / best if best > 0 else np.zeros(len(values))
    return over


def whole(values: np.ndarray) -> list[int]:
    """In whole 1/SCALE: what an answer shows is all that is compared."""
    whole: list[int] = np.rint(values.round(6) * SCALE).astype("int64").tolist()
    return whole
