"""What was forgotten and comes back in other words through an import is caught at the published rate (A3)."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs" / "figures" / "guard-import.json"
WAY = "bare claims"


@pytest.fixture(scope="module")
def benchmark():
    """The benchmark's own pairs, and what it calls caught."""
    folder = str(ROOT / "tests" / "benchmarks")
    sys.path.insert(0, folder)
    import guard_import
    import pairs

    sys.path.remove(folder)
    return guard_import, pairs.frozen()


@pytest.mark.parametrize("nth", [2, 3])
def test_the_second_forty_are_decided_at_the_published_rate(benchmark, trial, nth):
    guard_import, sets = benchmark
    one, published = sets[nth], json.loads(FIGURES.read_text())["sets"][nth]
    assert published["set"] == one.name
    rows = trial.batch(sorted({pair.removed for pair in one.pairs}))
    trial.forget(*(row["id"] for row in rows if row["id"]))
    lines = "\n".join(json.dumps({"text": pair.candidate}) for pair in one.pairs)
    told = trial.told("import", "--dry-run", "--review", "-", stdin=lines)
    caught = [row for row in told["memories"] if guard_import.caught(row)]
    assert len(caught) == published["ways"][WAY]["caught"]
    assert {row["decision"] for row in caught} <= set(guard_import.OUT)
    assert len(told["memories"]) == len(one.pairs)
