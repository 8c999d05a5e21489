"""Invented claims in plain English, as many as asked for: for speed, where the meaning does not matter.

Synthetic, and said so wherever a figure rests on them. No two are equal; words recur as
unevenly as in notes about work. The words stand in sentences.json.
"""

import json
import random
from itertools import islice
from pathlib import Path

WORDS = json.loads(Path(__file__).with_suffix(".json").read_text())
YEARS, NUMBERS = (2019, 2029), (2, 900)
QUERIES = (
    "who decides about the billing gateway in Lisbon",
    "why did we move away from the search index",
    "how many open refund entries may the returns portal hold",
    "restart of the mail queue",
)
WORD = "refund"  # what a search by plain words is asked for


def claims(seed=0):
    """Endless different claims; equal for an equal `seed`."""
    drawn, said = random.Random(seed), set()
    while True:
        claim = _claim(drawn)
        if claim not in said:
            said.add(claim)
            yield claim


def first(n, seed=0):
    """The first `n` claims."""
    return list(islice(claims(seed), n))


def _claim(drawn):
    words = {kind: _uneven(drawn, among) for kind, among in WORDS.items() if kind != "shape"}
    return drawn.choice(WORDS["shape"]).format(
        **words,
        other=_uneven(drawn, WORDS["thing"]),
        year=drawn.randint(*YEARS),
        number=drawn.randint(*NUMBERS),
    )


def _uneven(drawn, among):
    """One of them, the earlier the likelier."""
    return among[min(int(drawn.expovariate(4 / len(among))), len(among) - 1)]
