"""The names of a question that nobody here ever said.

A question about somebody, or some product, that no memory names is seldom answered by any of
them, however near one comes in meaning: "What does Jonas grow?" comes near to whatever anybody
grows. What it is worth stands in docs/benchmarks.md. Capitals are the evidence, so a text in a
language that the gate takes for no English is left alone: German writes every noun with one. So
is whatever is no short question: a task names much that is new.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from memcli.memory.asked import Query
from memcli.memory.language import questions, strange
from memcli.memory.names import names
from memcli.memory.pool import Candidate, WordHits
from memcli.memory.tokens import STOP, stems


def share(asked: Query, hits: WordHits, candidates: Sequence[Candidate]) -> np.ndarray:
    """Of the names in the question, the share that neither a visible row nor the candidate holds.

    float64 [n] in [0, 1]; 0 where the question names nobody.
    """
    named = tuple(dict.fromkeys(_named(asked.text))) if questions(asked.text) else ()
    held = {stem for stem, rows in zip(hits.stems, hits.document_counts, strict=True) if rows}
    missing = [name for name in named if held.isdisjoint(name)]
    if not missing or strange(asked.text):
        return np.zeros(len(candidates))
    lacking = [sum(not any(map(one.counts.get, name)) for name in missing) for one in candidates]
    return np.array(lacking) / len(named)


def _named(text: str) -> Iterator[tuple[str, ...]]:
    """The stems of each name, without what is a stop word whatever its case."""
    for name in names(text):
        if name.written.lower() not in STOP:
            yield stems(name.written)
