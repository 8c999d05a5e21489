"""Merges and branches: what was removed on one side stays removed, whatever the other side did."""

import pytest

CLAIM = "The refund window is 30 days."
SUCCESSOR = "The refund window is 14 days."
BESIDE = "Deploys to production happen on Tuesdays only."


@pytest.fixture
def pair(trial, tmp_path):
    """Two clones that both hold the claim, and its id."""
    id_, _ = (one["id"] for one in trial.batch([CLAIM, BESIDE]))
    return trial, trial.clone(tmp_path / "other"), id_


def pull(here, there, strategy):
    """Take the other clone's commits in, conflicts settled by `strategy`."""
    here.git("pull", "-q", "--no-rebase", "--no-edit", "-X", strategy, str(there.root), "main")


def check(store, id_, *, out=True):
    """Twice, the second time by a fresh index."""
    for _ in range(2):
        for mode in ("default", "history"):
            for moment in ("2026-11-01", "2027-11-01"):
                answer = store.recall("refund window", "--mode", mode, "--as-of", moment, "--floor", "0")
                assert (id_ in [item["id"] for item in answer["items"]]) is (not out), (mode, moment)
        assert BESIDE in [item["text"] for item in store.recall("deploys to production")["items"]]
        assert (store.status(id_) == "forgotten") is out
        store.forgets_the_index()


@pytest.mark.case("P-LIFE-02")
@pytest.mark.parametrize("strategy", ["ours", "theirs"])
@pytest.mark.parametrize("later", ["forget", "supersede"])
def test_a_forget_holds_against_a_supersede_that_knew_nothing_of_it(pair, strategy, later):
    here, there, id_ = pair
    first, second = (there, here) if later == "forget" else (here, there)
    acts = {
        "forget": lambda one: one.forget(id_),
        "supersede": lambda one: one.did("supersede", id_, "--with", SUCCESSOR),
    }
    acts["supersede" if later == "forget" else "forget"](first)
    acts[later](second)
    pull(here, there, strategy)
    check(here, id_)
    assert SUCCESSOR in [
        item["text"] for item in here.recall("refund window", "--as-of", "2027-11-01")["items"]
    ]


@pytest.mark.case("P-LIFE-02")
def test_a_forget_that_the_merge_undid_by_its_file_is_noticed_and_saved_by_a_person_only(pair):
    here, there, id_ = pair
    here.forget(id_)
    path = there.path(id_)
    path.write_text(path.read_text().replace("status: active", "status: active  # still right"))
    there.did("save")
    pull(here, there, "theirs")
    assert "status: active" in here.path(id_).read_text()
    check(here, id_)
    assert here.ran("save").code == 5
    check(here, id_)
    here.did("save", "--yes")
    check(here, id_, out=False)


def test_an_unforget_on_one_side_is_an_unforget_on_both(pair):
    here, there, id_ = pair
    here.forget(id_)
    pull(there, here, "theirs")
    check(there, id_)
    here.unforget(id_)
    there.remember("Tea is free on Mondays.")
    pull(there, here, "theirs")
    check(there, id_, out=False)


def test_a_conflict_in_the_file_is_set_aside_and_nothing_else_suffers(pair):
    here, there, id_ = pair
    here.forget(id_)
    path = there.path(id_)
    path.write_text(path.read_text().replace("status: active", "status: active  # still right"))
    there.did("save")
    here.git("pull", "-q", "--no-rebase", "--no-edit", str(there.root), "main", check=False)
    assert "<<<<<<<" in here.path(id_).read_text()
    raw = here.path(id_).read_bytes()
    assert id_ not in here.found("refund window", "--floor", "0", "--mode", "history")
    assert here.found("deploys to production")
    ran = here.ran("check")
    assert ran.code == 4
    assert "conflict" in ran.out
    assert here.ran("forget", id_, "--yes").code in (4, 8)
    assert here.path(id_).read_bytes() == raw


@pytest.mark.case("P-GIT-18")
def test_answers_follow_the_branch(trial):
    id_ = trial.remember(CLAIM)["id"]
    trial.git("checkout", "-q", "-b", "b2")
    only = trial.remember("The warehouse is in Gdansk.")["id"]
    trial.forget(id_)
    for branch, there, status in (
        ("main", False, "active"),
        ("b2", True, "forgotten"),
        ("main", False, "active"),
    ):
        commits = trial.git("rev-parse", "main", "b2")
        trial.git("checkout", "-q", branch)
        assert (only in trial.found("warehouse in gdansk")) is there
        assert (id_ in trial.found("refund window")) is (status == "active")
        assert trial.status(id_) == status
        assert trial.git("rev-parse", "main", "b2") == commits
        assert trial.git("status", "--porcelain") == ""
    assert trial.remember(CLAIM)["decision"] == "reinforced"


def test_a_file_that_is_absent_on_a_branch_is_not_buried(trial):
    trial.remember(BESIDE)
    trial.git("branch", "before")
    id_ = trial.remember(CLAIM)["id"]
    trial.forget(id_)
    trial.git("checkout", "-q", "before")
    assert trial.found("deploys to production")
    assert not (trial.root / "tombstones.jsonl").exists()
    assert trial.remember(CLAIM)["decision"] == "created"
    trial.git("checkout", "-q", "main")
    assert trial.found("refund window", "--floor", "0.5") == []
    trial.git("merge", "-q", "-m", "merge", "before")
    check(trial, id_)
    assert not [
        text for text in (item["text"] for item in trial.recall("refund window")["items"]) if text == CLAIM
    ]


@pytest.mark.case("P-GIT-20")
def test_history_that_was_rewritten_is_followed(trial):
    trial.remember(BESIDE)
    before = trial.head()
    id_ = trial.remember(CLAIM)["id"]
    trial.forget(id_)
    assert id_ not in trial.found("refund window")
    trial.git("reset", "-q", "--hard", before)
    assert trial.found("deploys to production")
    assert trial.ran("show", id_).code == 3
    assert not (trial.root / "tombstones.jsonl").exists()
    assert trial.remember(CLAIM)["decision"] == "created"


def test_a_status_that_git_revert_brings_back_is_not_served(trial):
    id_ = trial.remember(CLAIM)["id"]
    trial.remember(BESIDE)
    trial.forget(id_)
    trial.git("revert", "--no-edit", "HEAD")
    assert "status: active" in trial.path(id_).read_text()
    check(trial, id_)


def test_what_a_person_settled_in_a_merge_is_a_state_of_its_own(pair):
    """Unforget gives back what the merge said, not what one of its sides had said before."""
    here, there, id_ = pair
    for store, claim in ((here, "The refund window is 31 days."), (there, "The refund window is 32 days.")):
        path = store.path(id_)
        path.write_text(path.read_text().replace(CLAIM, claim))
        store.did("save")
    here.git("pull", "-q", "--no-rebase", "--no-edit", str(there.root), "main", check=False)
    path = here.root / there.path(id_).relative_to(there.root)
    settled = here.git("show", f"HEAD:{path.relative_to(here.root)}") + "\n"
    settled = settled.replace("31 days", "33 days")
    path.write_text(settled)
    here.commit_by_hand("settled")
    history = here.told("history", id_)["versions"]
    assert [one["text"].split()[-2] for one in history][-1] == "33"
    assert all(one["commit"] for one in history)
    here.forget(id_)
    here.unforget(id_)
    assert path.read_text() == settled
