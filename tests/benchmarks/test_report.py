"""The published page says what the records say."""

import json

import pytest
from goals import goals
from report import DOCS, page, records
from tables import interval, table


@pytest.fixture(scope="module")
def found():
    return records(DOCS / "figures")


def test_the_published_figures_are_those_of_the_records(found):
    """Where this fails: python tests/benchmarks/report.py."""
    assert (DOCS / "benchmarks.md").read_text() == page(found)


def test_a_goal_that_is_missed_is_said_first_and_plainly(found):
    record = json.loads(json.dumps(found["scale-10000"]))
    record["ratios"]["recall"]["import lancedb"] = 0.9
    told = page(found | {"scale-10000": record})
    rows = [line for line in told.split("## Recall")[0].splitlines() if line.startswith("| ")][2:]
    reached = [row.endswith("| yes |") for row in rows]
    assert reached == sorted(reached)
    assert any("0.90" in row and row.endswith("| **no** |") for row in rows)


def test_every_goal_has_its_measure_beside_it(found):
    rows = list(goals(found))
    assert len(rows) >= 8
    assert all(str(row[2]) for row in rows)


def test_records_hold_ids_and_numbers_and_no_sentences():
    text = (DOCS / "figures" / "locomo-records.jsonl").read_text()
    assert " " not in text


def test_tables_and_intervals_are_plain_markdown():
    assert interval([64.71, 62.3, 67.06]) == "64.7 (62.3-67.1)"
    assert table(("a", "b"), [["x", 1]]) == "| a | b |\n| --- | ---: |\n| x | 1 |"
