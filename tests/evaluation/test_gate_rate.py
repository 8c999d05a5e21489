"""The published rates of the gate are those of the gate as shipped, with the shipped encoder (A17)."""

import json
import sys
from pathlib import Path

import pytest

from memcli.index import encoder

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures" / "gate.json"


@pytest.fixture(scope="module")
def benchmark():
    """The benchmark's own modules, so that the test cannot measure otherwise."""
    folder = str(ROOT / "tests" / "benchmarks")
    sys.path.insert(0, folder)
    import gate
    import shelf

    sys.path.remove(folder)
    return gate, shelf


@pytest.fixture(scope="module")
def decided(benchmark):
    """The fresh messages, each with whether the gate lets it through."""
    gate, shelf = benchmark
    vectors = shelf.Vectors(encoder.load())
    memories = gate.read("memories.jsonl")
    shelves = {
        scope: shelf.Shelf(vectors, [one["text"] for one in memories if one["scope"] == scope])
        for scope in {one["scope"] for one in memories}
    }
    fresh = [one for one in gate.messages() if one["part"] == gate.FRESH]
    vectors.of([one["text"] for one in fresh])
    return [one | {"open": gate.of_shelf(shelves[one["scope"]], one["text"]).retrieve} for one in fresh]


def test_the_fresh_messages_are_decided_at_the_published_rate(benchmark, decided):
    gate, _ = benchmark
    published = json.loads(FIGURES.read_text())["gate"][gate.FRESH]
    assert gate.shares(decided, lambda row: row["open"]) == published


def test_hardly_any_message_that_needs_memory_is_shut_out(decided):
    missed = [one["id"] for one in decided if one["needed"] and not one["open"]]
    assert len(missed) <= 1, missed
    assert sum(not one["open"] for one in decided if not one["needed"]) > 60


def test_every_message_names_memories_of_its_own_scope_and_none_comes_twice(benchmark):
    gate, _ = benchmark
    scopes = {one["id"]: one["scope"] for one in gate.read("memories.jsonl")}
    messages = gate.messages()
    assert len({one["text"] for one in messages}) == len(messages)
    assert len({one["id"] for one in messages}) == len(messages)
    for one in messages:
        assert one["needed"] == bool(one["memories"])
        assert {scopes[id_] for id_ in one["memories"]} <= {one["scope"]}
    for needed in (True, False):
        assert sum(one["needed"] is needed for one in messages) >= 300
