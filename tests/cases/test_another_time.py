"""Cases that ask about another time of the record: before it, across a move, behind a cut."""

import pytest
from trial import Trial

CLAIM = "The refund window is 30 days."


@pytest.mark.case("P-FILE-10")
def test_a_memory_is_found_at_a_time_before_its_folder_was_moved(trial):
    id_ = trial.remember(CLAIM)["id"]
    before = trial.head()
    folder = trial.root / "schemas" / "project" / "t" / "old"
    folder.mkdir()
    path = trial.path(id_)
    path.rename(folder / path.name)
    trial.did("save")
    (item,) = trial.recall("refund window", "--known-at", before)["items"]
    assert (item["id"], item["path"]) == (id_, f"schemas/project/t/{path.name}")
    assert trial.found("refund window") == [id_]


@pytest.mark.case("P-GIT-09")
def test_a_store_without_a_commit_knew_nothing_at_any_time(trial):
    for place in ("2020-01-01", "2099-01-01"):
        ran = trial.ran("recall", "refund", "--known-at", place)
        assert (ran.code, ran.out) == (1, "")
        assert "nothing" in ran.err.lower()
    assert trial.remember(CLAIM)["decision"] == "created"
    assert trial.found("refund window", "--known-at", "2099-01-01")


@pytest.mark.case("P-GIT-12")
def test_a_shallow_clone_does_not_take_its_edge_for_the_beginning(trial, tmp_path):
    trial.remember(CLAIM)
    trial.moment += 40 * 86_400
    trial.remember("Deploys happen on Tuesdays only.")
    trial.git("clone", "-q", "--depth", "1", f"file://{trial.root}", str(tmp_path / "shallow"))
    cut = Trial(tmp_path / "shallow", trial.environment, trial.moment)
    edge = cut.git("log", "-1", "--format=%cs")
    ran = cut.ran("recall", "refund", "--known-at", "2001-01-01", "--scope", "project:t")
    assert (ran.code, ran.out) == (7, ""), ran.err
    assert edge in ran.err
    assert "begins" not in ran.err
    assert cut.found("refund", "--known-at", "HEAD", "--scope", "project:t")


@pytest.mark.case("P-TIME-04")
def test_before_the_first_commit_the_answer_says_when_history_begins(trial):
    trial.remember(CLAIM)
    first = trial.git("log", "--reverse", "--format=%cs").splitlines()[0]
    ran = trial.ran("recall", "refund", "--known-at", "1970-01-01")
    assert (ran.code, ran.out) == (1, "")
    assert f"History begins on {first}" in ran.err
