"""The order of what was said: a turn by itself, by its window, by its neighbours and by its session.

A turn is short and leans on what stands around it: "Yes, in May" answers only together
with the question before it, and where one turn of a session fits, others of it fit better
than chance. What a turn says is rescaled between the least and the most of the pool, then
what stands around it is added (weights measured on LoCoMo). The match, which admits a turn,
is that of a claim, of the turn or of its window.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from memcli.memory import pool, ranking, unheard
from memcli.memory.asked import Query, common_names, months
from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.pool import Candidate, WordHits
from memcli.memory.ranking import Scored
from memcli.memory.rarity import coverage, frequencies, weighed

WINDOW: Final = 1  # the piece of a turn that is its window's
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
Beside = Callable[[str], tuple[str, str]]


def rank(  # noqa: PLR0913 - a question, what may answer it, and who stands beside whom
    asked: Query,
    hits: WordHits,
    candidates: Sequence[Candidate],
    query_vector: np.ndarray | None,
    *,
    beside: Beside,
    rules: Constants = DEFAULTS,
) -> list[Scored]:
    """The turns of `candidates`, best first; ties by id, then path.

    Their vectors are float32 [2 or more, d]: of the turn, of its window, of further pieces.
    `beside` names the paths before and after one; a turn's session is its schema's key.
    """
    if not candidates:
        return []
    own, around = _meant(candidates, query_vector)
    counts = np.array([[one.counts.get(stem, 0) for stem in hits.stems] for one in candidates])
    counts = counts.reshape(len(candidates), len(hits.stems))
    lengths = np.array([one.length for one in candidates])
    words = weighed(counts, lengths, hits, asked, rules)
    covered = coverage(counts, hits, asked, rules)
    alone = _between(words)
    if query_vector is not None:
        alone = rules.turn_meaning * _between(own + around) + (1 - rules.turn_meaning) * alone
    total = alone + rules.neighbour * _neighbours(candidates, alone, beside)
    total = total + _told(asked, hits, candidates, rules)
    total = total + rules.session * _sessions(candidates, total)
    meant = None if query_vector is None else np.maximum(own, around)
    strange = unheard.share(asked, hits, candidates)
    matches = ranking.match(meant, covered, hits.visible, rules, unheard=strange)
    most = 1 + rules.neighbour + rules.subject + rules.month + rules.session
    shown = (np.clip(total / most, 0, 1), matches, own, ranking.over_best(words), covered)
    ranked = [
        Scored(one.path, one.schema.id, *numbers)
        for one, *numbers in zip(candidates, *(ranking.whole(one) for one in shown), strict=True)
    ]
    return ranking.in_order(ranked)


def without(hits: WordHits, gone: Sequence[Candidate]) -> WordHits:
    """`hits` as if the rows `gone`, which are among the visible ones, did not exist."""
    if not gone:
        return hits
    paths = {one.path for one in gone}
    left = np.array([path not in paths for path in hits.paths], bool)
    counts = hits.counts[left]
    return WordHits(
        paths=[path for path in hits.paths if path not in paths],
        stems=hits.stems,
        counts=counts,
        lengths=hits.lengths[left],
        document_counts=(counts > 0).sum(axis=0, dtype=np.int64),
        visible=hits.visible - len(paths),
        total_length=hits.total_length - sum(one.length for one in gone),
    )


def _meant(candidates: Sequence[Candidate], query_vector: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The cosines of the turns (the best of their pieces), and of their windows; float64 [n] each."""
    own, around = np.zeros(len(candidates)), np.zeros(len(candidates))
    if query_vector is None:
        return own, around
    held = [(at, one.vectors) for at, one in enumerate(candidates) if one.vectors is not None]
    held = [(at, vectors) for at, vectors in held if len(vectors)]
    if not held:
        return own, around
    starts = np.cumsum([0, *(len(vectors) for _, vectors in held[:-1])])
    cosines = pool.cosines(np.concatenate([vectors for _, vectors in held]), query_vector)
    places = [at for at, _ in held]
    windows = [
        start + (WINDOW if len(vectors) > WINDOW else 0)
        for start, (_, vectors) in zip(starts, held, strict=True)
    ]
    around[places] = cosines[windows]
    apart = [window for window, start in zip(windows, starts, strict=True) if window != start]
    cosines[apart] = -1.0
    own[places] = np.maximum.reduceat(cosines, starts)
    return own, around


def _neighbours(candidates: Sequence[Candidate], alone: np.ndarray, beside: Beside) -> np.ndarray:
    """The better of the two turns beside each; the least of the pool where neither is in it."""
    at = {one.path: place for place, one in enumerate(candidates)}
    least = alone.min()
    return np.array(
        [
            max([alone[at[path]] for path in beside(one.path) if path in at], default=least)
            for one in candidates
        ]
    )


def _sessions(candidates: Sequence[Candidate], total: np.ndarray) -> np.ndarray:
    """The best of the session of each, rescaled among the sessions; 0 for what belongs to none."""
    best: dict[str, float] = {}
    for one, score in zip(candidates, total.tolist(), strict=True):
        if one.schema.key:
            best[one.schema.key] = max(score, best.get(one.schema.key, score))
    if not best:
        return np.zeros(len(candidates))
    scaled = dict(zip(best, _between(np.array(list(best.values()))).tolist(), strict=True))
    return np.array([scaled.get(one.schema.key, 0.0) for one in candidates])


def _told(asked: Query, hits: WordHits, candidates: Sequence[Candidate], rules: Constants) -> np.ndarray:
    """Whose turn it is, of which month, and whether it asks."""
    named = common_names(asked.text, frequencies(hits), hits.visible, rules)
    dated, years = months(asked.text), frozenset(_YEAR.findall(asked.text))
    return np.array(
        [
            rules.subject * _only(named, one)
            + rules.month * _in(one.counts, dated, years)
            - rules.turn_question * one.asks
            for one in candidates
        ]
    )


def _only(named: frozenset[str], one: Candidate) -> bool:
    """Whether the question names one person, and it is this one's turn."""
    return len(named) == 1 and not named.isdisjoint(one.subjects)


def _in(counts: Mapping[str, int], dated: frozenset[str], years: frozenset[str]) -> bool:
    """Whether a turn is of a month that was asked for, and of the year where one was."""
    named = any(counts.get(stem, 0) for stem in dated)
    return named and (not years or any(counts.get(year, 0) for year in years))


def _between(values: np.ndarray) -> np.ndarray:
    """`values` rescaled from their least to their most, float64 [n] in [0, 1]."""
    low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
    scaled: np.ndarray = (values - low) / (high - low) if high > low else np.zeros(len(values))
    return scaled
