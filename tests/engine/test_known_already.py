"""What is said of a memory that is known already: nothing of it goes without a word."""

import json

import pytest

CLAIM = "Coffee is free on Fridays."


@pytest.fixture
def known(trial):
    """A store that holds CLAIM, and its id."""
    return trial, trial.remember(CLAIM, "--tag", "office")["id"]


@pytest.mark.parametrize(
    ("stated", "key"),
    [
        (("--tag", "kitchen"), "tags"),
        (("--concept", "coffee"), "concept"),
        (("--type", "preference"), "type"),
        (("--valid-to", "2031-01-01"), "validity"),
    ],
    ids=["tags", "concept", "type", "validity"],
)
def test_what_was_stated_with_it_and_is_not_taken_over_is_named(known, stated, key):
    trial, id_ = known
    before = trial.path(id_).read_text("utf-8")
    told = trial.remember(CLAIM, *stated)
    assert (told["decision"], told["id"]) == ("reinforced", id_)
    assert f"{id_} was known already and keeps its own {key}. To change it: mem edit {id_}" in told["notices"]
    assert trial.path(id_).read_text("utf-8").startswith(before.partition("evidence:")[0])


def test_a_consolidation_names_what_it_does_not_take_over_of_what_was_said(known):
    """With control: said again as it is known, it tells nothing of that kind."""
    trial, id_ = known
    said = [{"kind": "claim", "text": CLAIM, "tags": ["kitchen"]}, {"kind": "claim", "text": CLAIM}]
    for nth, one in enumerate(said):
        trial.did("observe", "--session", f"s{nth}", "-", stdin=json.dumps(one))
    (first, second) = trial.told("consolidate", "--explain")["steps"]
    assert (first["what"], first["id"], second["what"]) == ("reinforced", id_, "reinforced")
    assert "keeps its own tags" in first["why"]
    assert "keeps its own" not in second["why"]


@pytest.mark.parametrize("stated", [(), ("--tag", "office"), ("--type", "fact")], ids=str)
def test_what_it_has_already_is_no_news(known, stated):
    trial, _ = known
    assert "notices" not in trial.remember(CLAIM, *stated)


def test_the_journal_of_an_id_that_nobody_knows_is_no_such_memory(known):
    trial, id_ = known
    for text in ("nobody000000", id_[:3] + "?"):
        ran = trial.ran("log", text)
        assert (ran.code, ran.out) == (3, "")
        assert "No memory has the id" in ran.err


def test_the_journal_of_a_deleted_memory_is_found_by_the_beginning_of_its_id(known):
    trial, id_ = known
    trial.path(id_).unlink()
    trial.did("save", "--yes")
    assert trial.did("log", id_[:6]) == trial.did("log", id_) != ""
