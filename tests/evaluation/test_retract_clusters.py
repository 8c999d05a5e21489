"""The labelled clusters: read whole, and what the rule does on them as it is published."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "fixtures" / "gold").glob("retract-*.yaml"))
PAGE = ROOT / "docs" / "retracting.md"


@pytest.fixture(scope="module")
def measured(empty):
    return empty.told("eval", "retract", *map(str, FILES))


def test_there_are_forty_clusters_and_more_and_each_is_judged_both_ways(measured):
    assert measured["clusters"] >= 40
    assert measured["fall"]["of"] >= 80
    assert measured["stand"]["of"] >= 120


def test_most_of_what_falls_is_sent_to_review_and_most_of_what_stands_is_not(measured):
    assert measured["fall"]["hits"] / measured["fall"]["of"] > 0.8
    assert measured["stand"]["hits"] / measured["stand"]["of"] < 0.4
    assert measured["strangers"] <= 5
    assert measured["ordered"]["low"] > 0.75


def test_the_figures_of_the_page_are_those_of_the_clusters(measured):
    text = " ".join(PAGE.read_text("utf-8").split())
    fall, stand, ordered = (measured[name] for name in ("fall", "stand", "ordered"))
    (ties,) = (one for one in measured["parts"] if one["without"] == "no ties by events")
    for told in (
        f"{measured['clusters']} clusters",
        f"{fall['hits']} of the {fall['of']} that fall",
        f"({fall['low'] * 100:.0f} to {fall['high'] * 100:.0f} %)",
        f"{stand['hits']} of the {stand['of']} that stand",
        f"({stand['low'] * 100:.0f} to {stand['high'] * 100:.0f} %)",
        f"with {measured['strangers']} of other clusters",
        f"in {ordered['hits']} of {ordered['of']} pairs",
        f"without them {ties['lost']} memories are decided better and {ties['gained']} worse",
    ):
        assert told in text, told


def test_no_number_is_called_measured_that_makes_no_difference_here(measured):
    from memcli.memory.constants import DEFAULTS

    helping = {one["part"] for one in measured["parts"] if one["verdict"] == "helps"}
    keys = {"cohesion": "retract.cohesion", "hop": "retract.hop", "bridge": "retract.bridge"}
    keys |= {"evidence": "retract.evidence", "review": "retract.review"}
    provenance = {one.key: one.provenance for one in DEFAULTS}
    called = {part for part, key in keys.items() if provenance[key] != "asserted"}
    assert called <= helping


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("clusters:\n  - name: a\n    retract: x\n    memories: []\n", 4, "names none of its memories"),
        ("clusters: [\n", 4, ""),
        ("nothing: here\n", 4, "is missing"),
        (
            "clusters:\n  - {name: a, retract: x, memories: [{id: x, claim: C, stands: maybe}]}\n",
            4,
            "neither true nor false",
        ),
    ],
)
def test_a_file_that_is_unclear_is_refused_with_its_line(empty, tmp_path, text, code, told):
    file = tmp_path / "clusters.yaml"
    file.write_text(text)
    ran = empty.ran("eval", "retract", str(file))
    assert (ran.code, told in ran.err) == (code, True)


def test_without_files_the_stores_own_are_taken_and_without_those_it_is_said(trial):
    assert trial.ran("eval", "retract").code == 2
    assert trial.ran("eval", "retract", "nowhere.yaml").code == 2
    (trial.root / "gold" / "clusters").mkdir(parents=True)
    (trial.root / "gold" / "clusters" / "one.yaml").write_bytes(FILES[0].read_bytes())
    rows = [line.split("\t") for line in trial.did("eval", "retract").splitlines()]
    assert [row[0] for row in rows][:4] == ["fall", "stand", "ordered", "strangers"]


def test_a_link_among_the_stores_own_is_not_followed(trial, tmp_path):
    (tmp_path / "secret").write_text("not for reading")
    (trial.root / "gold" / "clusters").mkdir(parents=True)
    (trial.root / "gold" / "clusters" / "one.yaml").symlink_to(tmp_path / "secret")
    ran = trial.ran("eval", "retract")
    assert (ran.code, "link" in ran.err) == (4, True)
