"""Where the evidence of questions came, and the usual figures of it, each with its interval.

`R@k` is the share of a question's evidence within the first k, `full@k` whether all of it
is there, `MRR` one over the first place, `nDCG@10` with binary gains; all averaged over
questions. A share has Wilson's interval, a mean one from resampled questions.
"""

import math
from dataclasses import dataclass

import numpy as np
from intervals import wilson

DEPTH = 50  # places that are looked at; what comes later counts as not found
AT = (1, 5, 10, 20, 50)
GAINS_TO = 10
RESAMPLED = 2000
SEED = 20_261_130


@dataclass(frozen=True)
class Placed:
    """One question: how many pieces of evidence it has, and the place of each that was found, from 1."""

    id: str
    wanted: int
    places: tuple

    @classmethod
    def among(cls, question, evidence, order):
        """The places of `evidence` in `order`, whose members are each a set of what one answer says."""
        first = {}
        for place, said in enumerate(order[:DEPTH], 1):
            for piece in said:
                if piece in evidence:
                    first.setdefault(piece, place)
        return cls(question, len(evidence), tuple(sorted(first.values())))

    def recall(self, k):
        """The share of the evidence among the first `k`."""
        return sum(place <= k for place in self.places) / self.wanted

    def full(self, k):
        """Whether all of the evidence is among the first `k`."""
        return sum(place <= k for place in self.places) == self.wanted

    def reciprocal(self):
        """One over the place of the first piece, 0 where none was found."""
        return 1 / self.places[0] if self.places else 0.0

    def gain(self):
        """Discounted gain within the first ten over the best that was possible."""
        got = sum(1 / math.log2(place + 1) for place in set(self.places) if place <= GAINS_TO)
        best = sum(1 / math.log2(place + 1) for place in range(1, min(GAINS_TO, self.wanted) + 1))
        return got / best


MEANS = {f"R@{k}": (lambda one, k=k: one.recall(k)) for k in AT} | {
    "MRR": Placed.reciprocal,
    "nDCG@10": Placed.gain,
}
SHARES = {f"full@{k}": (lambda one, k=k: one.full(k)) for k in AT}


def figures(placed):
    """Every measure of some questions as {name: [percent, low, high]}, with their number as `n`."""
    n = len(placed)
    found = {"n": n}
    for name, measure in MEANS.items():
        found[name] = percent(mean([measure(one) for one in placed]))
    for name, measure in SHARES.items():
        found[name] = percent(wilson(sum(measure(one) for one in placed), n))
    return found


def gained(placed, other, measure):
    """The mean difference of a measure between two answers to the same questions, resampled in pairs."""
    if [one.id for one in placed] != [one.id for one in other]:
        raise ValueError("only answers to the same questions can be compared question by question")
    of = {**MEANS, **SHARES}[measure]
    return percent(mean([of(here) - of(there) for here, there in zip(placed, other, strict=True)]))


def mean(values):
    """(mean, low, high): 95 % of the means of resampled values lie between."""
    values = np.asarray(values, float)
    if not len(values):
        return 0.0, 0.0, 1.0
    draws = np.random.default_rng(SEED).integers(0, len(values), (RESAMPLED, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return float(values.mean()), float(low), float(high)


def percent(parts):
    """A value and its interval in percent, to one decimal."""
    return [round(100 * part, 1) for part in parts]
