"""The published rates of the guard are those of the guard as shipped, with the shipped encoder."""

import json
import sys
from pathlib import Path

import pytest

from memcli.index import encoder

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures" / "guard.json"


@pytest.fixture(scope="module")
def benchmark():
    """The benchmark's own modules, so that the test cannot measure otherwise."""
    folder = str(ROOT / "tests" / "benchmarks")
    sys.path.insert(0, folder)
    import guard
    import pairs
    import shelf

    sys.path.remove(folder)
    return guard, pairs.frozen(), shelf.Vectors(encoder.load())


def test_the_frozen_paraphrases_are_caught_at_the_published_rate(benchmark):
    guard, sets, vectors = benchmark
    published = {one["set"]: one["caught"] for one in json.loads(FIGURES.read_text())["sets"]}
    assert {one.name: guard.counts(guard.measured(one, vectors)) for one in sets} == {
        one.name: published[one.name] for one in sets
    }
