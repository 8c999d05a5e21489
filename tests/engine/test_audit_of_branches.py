"""The audit where history is no line: merges, clones, a history that was rewritten or cut."""

import shutil
from dataclasses import replace

import pytest

CODE = 7  # history was rewritten or cut


def sorts(trial, code=1):
    return [(one["sort"], one["id"]) for one in trial.told("audit", code=code)["findings"]]


@pytest.fixture
def two(trial):
    return [trial.remember(text)["id"] for text in ("The refund window is 30 days.", "Lunch is in the yard.")]


def on_side(trial, act):
    """Do `act` on a branch of its own, and come back."""
    trial.git("checkout", "-q", "-b", "side")
    act()
    trial.git("checkout", "-q", "main")


def test_a_merge_of_two_branches_is_explained_by_both(trial, two):
    on_side(trial, lambda: (trial.forget(two[0]), trial.remember("Buses leave from the north gate.")))
    trial.remember("The ferries leave at nine.")
    trial.git("merge", "-q", "--no-edit", "side")
    assert trial.told("audit")["clean"]
    assert trial.status(two[0]) == "forgotten"


def test_a_merge_that_changes_something_by_itself_is_named(trial, two):
    on_side(trial, lambda: trial.remember("Buses leave from the north gate."))
    trial.remember("The ferries leave at nine.")
    trial.git("merge", "-q", "--no-commit", "--no-ff", "side")
    path = trial.path(two[0])
    path.write_text(path.read_text().replace("status: active", "status: forgotten"))
    trial.git("add", "-A")
    trial.git("commit", "-qm", "merged")
    assert sorts(trial) == [("status", two[0])]
    trial.did("audit", "--accept", "--yes")
    assert trial.told("audit")["clean"]


def test_of_two_removals_the_stronger_one_holds_in_every_process(trial, two):
    on_side(trial, lambda: trial.did("retract", two[0], "--reason", "never so", "--yes"))
    trial.forget(two[0])
    forgotten = trial.path(two[0]).read_bytes()
    trial.git("merge", "-q", "--no-commit", "--no-ff", "side", check=False)
    trial.path(two[0]).write_bytes(forgotten)
    trial.git("add", "-A")
    trial.git("commit", "-qm", "merged")
    for seed in ("0", "1", "2", "3", "4"):  # words of a set come in another order in each
        ran = replace(trial, environment={**trial.environment, "PYTHONHASHSEED": seed}).process("audit")
        assert ran.code == 0, (seed, ran.out)


def test_a_merge_that_takes_a_removal_back_is_named(trial, two):
    on_side(trial, lambda: trial.forget(two[0]))
    path = trial.path(two[0])
    path.write_text(path.read_text() + "\nA detail.\n")
    trial.did("save", "--yes")
    trial.git("merge", "-q", "--no-commit", "--no-ff", "side", check=False)
    path.write_text(path.read_text().replace("status: forgotten", "status: active"))
    trial.git("add", "-A")
    trial.git("commit", "-qm", "merged")
    assert sorts(trial) == [("differs", two[0])]


def test_what_was_done_by_hand_on_one_branch_is_not_accepted_on_the_other(trial, two):
    def by_hand():
        path = trial.path(two[0])
        path.write_text(path.read_text().replace("30 days", "31 days"))
        trial.git("commit", "-qam", "by hand")

    on_side(trial, by_hand)
    path = trial.path(two[1])
    path.write_text(path.read_text().replace("yard", "hall"))
    trial.git("commit", "-qam", "by hand here")
    trial.did("audit", "--accept", "--yes")
    trial.git("merge", "-q", "--no-edit", "side")
    assert sorts(trial) == [("text", two[0])]


def test_two_clones_that_sync_stay_explained(trial, two, tmp_path):
    trial.git("clone", "-q", "--bare", str(trial.root), str(tmp_path / "hub.git"))
    trial.git("remote", "add", "origin", str(tmp_path / "hub.git"))
    trial.git("clone", "-q", str(tmp_path / "hub.git"), str(tmp_path / "two" / "t"))
    other = replace(trial, root=tmp_path / "two" / "t")
    trial.forget(two[0])
    other.ran("supersede", two[0], "--with", "The refund window is 14 days.")
    other.remember("Buses leave from the north gate.")
    for one in (trial, other, trial, other):
        one.did("sync")
    assert trial.told("audit")["clean"]
    assert other.told("audit")["clean"]


@pytest.mark.parametrize("how", ["reset", "amend", "an older commit"])
@pytest.mark.parametrize("index", ["kept", "deleted"])
def test_a_rewritten_history_is_noticed_shown_and_accepted(trial, two, how, index):
    assert trial.told("audit")["clean"]
    trial.forget(two[0])
    assert trial.found("refund window") == []
    if index == "deleted":
        assert trial.told("audit")["clean"]
        shutil.rmtree(trial.root / ".mem")
    old = trial.git("rev-parse", "HEAD").strip()
    if how == "amend":
        trial.git("commit", "-q", "--amend", "-m", "another message")
    elif how == "reset":
        trial.git("reset", "-q", "--hard", "HEAD~1")
    else:
        trial.git("reset", "-q", "--hard", "HEAD~2")
        trial.remember("Buses leave from the north gate.")
    told = trial.told("audit", code=CODE)
    assert told["replaced"]["head"] == old
    assert told["replaced"]["lost"][0]["changes"] == [
        {"id": two[0], "prior_status": "active", "status": "forgotten"}
    ]
    assert trial.ran("recall", "refund", "--known-at", "HEAD").code == CODE
    trial.did("audit", "--accept", "--yes", "--reason", "it was me")
    assert trial.told("audit")["replaced"] is None
    assert trial.ran("recall", "lunch", "--known-at", "HEAD").code != CODE
    assert f"instead of {old}" in trial.git("log", "-1", "--format=%B")


def test_a_second_rewriting_is_noticed_like_the_first(trial, two):
    for _ in range(2):
        trial.remember(f"The ferries leave at {trial.moment}.")
        assert trial.found("ferries")
        trial.git("reset", "-q", "--hard", "HEAD~1")
        trial.found("ferries")
        assert trial.ran("audit").code == CODE
        trial.did("audit", "--accept", "--yes")
        assert trial.ran("audit").code == 0


def test_going_on_and_changing_branches_rewrites_nothing(trial, two):
    assert trial.told("audit")["clean"]
    on_side(trial, lambda: (trial.forget(two[0]), trial.told("audit")))
    assert trial.told("audit")["clean"]
    trial.git("merge", "-q", "side")
    assert trial.told("audit")["clean"]


def test_a_shallow_clone_says_from_when_on_it_knows(trial, two, tmp_path):
    trial.forget(two[0])
    trial.git("clone", "-q", "--depth", "1", f"file://{trial.root}", str(tmp_path / "t2" / "t"))
    cut = replace(trial, root=tmp_path / "t2" / "t")
    told = cut.told("audit", code=CODE)
    assert (told["findings"], bool(told["cut"]), told["clean"]) == ([], True, False)
    path = cut.path(two[1])
    path.write_text(path.read_text().replace("yard", "hall"))
    cut.git("commit", "-qam", "by hand")
    assert sorts(cut, CODE) == [("text", two[1])]


@pytest.mark.parametrize("trick", ["grafts", "replace"])
def test_no_trick_with_the_repository_hides_a_commit(trial, two, trick):
    path = trial.path(two[0])
    path.write_text(path.read_text().replace("status: active", "status: forgotten"))
    trial.git("commit", "-qam", "by hand")
    made, before = (trial.git("rev-parse", rev).strip() for rev in ("HEAD", "HEAD~1"))
    trial.remember("Buses leave from the north gate.")
    head = trial.git("rev-parse", "HEAD").strip()
    if trick == "grafts":
        (trial.root / ".git" / "info" / "grafts").write_text(f"{head} {before}\n")
    else:
        trial.git("replace", made, before)
    assert sorts(trial) == [("status", two[0])]
