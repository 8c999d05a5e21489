"""Staged memories: they expire, a person promotes or drops them, and what is wanted again is counted."""

import pytest
from trial import DAY

AGENT = {"MEM_ACTOR": "agent:claude"}


def stage(trial, *words, code=0, **how):
    return trial.told("stage", *words, code=code, **how)


def staged(trial, text="Parcels over 30 kg go by rail."):
    """A staged memory that rests on an event of now; its id."""
    id_ = trial.remember(text)["id"]
    path = trial.path(id_)
    path.write_text(path.read_text().replace("status: active\n", "status: staged\n"))
    trial.did("save")
    return id_


def test_what_nothing_resonated_with_is_archived_after_its_days(trial):
    """A13: expiry archives; a day before it nothing happens, and sweeping twice is sweeping once."""
    id_ = staged(trial)
    (one,) = stage(trial, "list")["staged"]
    assert one["id"] == id_
    head = trial.head()
    assert stage(trial, "sweep", now=trial.moment + 13 * DAY)["changes"] == []
    assert trial.head() == head
    planned = stage(trial, "sweep", "--dry-run", now=trial.moment + 15 * DAY)
    assert (planned["changes"][0]["id"], planned["commit"]) == (id_, None)
    assert trial.head() == head
    done = stage(trial, "sweep", now=trial.moment + 15 * DAY)
    assert done["changes"] == [
        {"id": id_, "prior_status": "staged", "status": "archived", "text": "Parcels over 30 kg go by rail."}
    ]
    assert "archive_reason: never_resonated" in trial.path(id_).read_text()
    head = trial.head()
    assert stage(trial, "sweep", now=trial.moment + 30 * DAY)["commit"] is None
    assert trial.head() == head
    assert stage(trial, "list", code=1)["staged"] == []


def test_the_days_are_a_setting(trial):
    (trial.root / "mem.toml").write_text("[staging]\nexpires_days = 2\n")
    staged(trial)
    assert stage(trial, "sweep", "--dry-run", now=trial.moment + 3 * DAY)["changes"]
    assert not stage(trial, "sweep", "--dry-run", now=trial.moment + 1 * DAY)["changes"]


def test_an_edit_that_is_not_saved_is_left_alone(trial):
    id_ = staged(trial)
    path = trial.path(id_)
    path.write_text(path.read_text() + "\nA detail.\n")
    assert stage(trial, "sweep", "--as-of", "2040-01-01")["changes"] == []
    trial.did("save")
    assert stage(trial, "sweep", "--as-of", "2040-01-01")["changes"][0]["id"] == id_


def test_one_written_by_hand_expires_from_its_commit_on(trial):
    trial.write("hand0000aaaa", "Parcels go by rail.", "status: staged\n")
    assert stage(trial, "list")["staged"][0]["since"] is None
    trial.commit_by_hand()
    (one,) = stage(trial, "list")["staged"]
    assert one["since"] is not None
    assert stage(trial, "sweep", "--as-of", "2099-01-01")["changes"]


def test_a_sweep_leaves_other_scopes_alone(trial):
    """A6: what is staged elsewhere is neither named nor moved."""
    here = staged(trial)
    trial.write("away0000aaaa", "Canary of elsewhere.", "status: staged\n", folder="project/other")
    trial.commit_by_hand()
    ran = trial.ran("stage", "sweep", "--as-of", "2099-01-01")
    assert here in ran.out
    assert "anary" not in ran.out + ran.err
    assert trial.status("away0000aaaa") == "staged"
    assert "away0000aaaa" in trial.did("stage", "sweep", "--as-of", "2099-01-01", "--scope", "*")


@pytest.mark.parametrize(("action", "status"), [("promote", "active"), ("drop", "archived")])
def test_a_person_promotes_and_drops(trial, action, status):
    id_, other = staged(trial), staged(trial, "Invoices run per country.")
    before = trial.commits()
    done = stage(trial, action, id_, "--yes")
    assert (done["op"], done["changes"][0]["status"]) == (action, status)
    assert (trial.status(id_), trial.status(other)) == (status, "staged")
    assert trial.commits() == before + 1
    assert trial.told("log", "--op", action)["entries"][0]["actor"] == "human:ana"


@pytest.mark.parametrize("action", ["promote", "drop"])
def test_an_agent_does_neither(trial, action):
    id_ = staged(trial)
    head = trial.head()
    assert trial.ran("stage", action, id_, "--yes", env=AGENT).code == 5
    assert trial.head() == head
    assert stage(trial, "list", env=AGENT)["staged"][0]["id"] == id_
    assert trial.ran("stage", "sweep", "--as-of", "2040-01-01", env=AGENT).code == 5
    assert stage(trial, "list", env=AGENT)["staged"][0]["id"] == id_
    assert stage(trial, "sweep", env=AGENT, now=trial.moment + 20 * DAY)["changes"]


@pytest.mark.parametrize(
    "words",
    [("list", "abcd"), ("sweep", "abcd"), ("promote",), ("drop",), ("promote", "abcd", "--dry-run"), ("x",)],
)
def test_contradictory_words_are_refused(trial, words):
    assert trial.ran("stage", *words, "--yes").code == 2


def test_what_is_not_staged_is_not_promoted(trial):
    id_ = trial.remember("Parcels go by rail.")["id"]
    head = trial.head()
    ran = trial.ran("stage", "promote", id_, "--yes")
    assert (ran.code, "is active, not staged" in ran.err) == (5, True)
    assert trial.head() == head


def test_what_was_put_aside_and_said_again_is_regretted(trial):
    """A13: regret is counted, 1 of 1 and 0 of 1."""
    trial.remember("Invoices run per country.")
    assert trial.told("stats")["regret"]["discard"] == {"wanted": 0, "of": 0}
    id_ = staged(trial)
    stage(trial, "sweep", "--as-of", "2040-01-01")
    assert trial.told("stats")["regret"]["discard"] == {"wanted": 0, "of": 1}
    again = trial.remember("Parcels over 30 kg go by rail.")
    assert (again["id"], trial.status(id_)) == (id_, "active")
    none = {"wanted": 0, "of": 0}
    assert trial.told("stats")["regret"] == {"discard": {"wanted": 1, "of": 1}, "abstain": none, "gate": none}


def test_what_a_person_dropped_was_not_put_aside_by_mem(trial):
    trial.write("prop0000aaaa", "Parcels go by rail.", "status: needs_review\nreview:\n  reason: proposal\n")
    trial.commit_by_hand()
    trial.did("review", "reject", "prop0000aaaa", "--yes")
    trial.did("reopen", "prop0000aaaa", "--yes")
    trial.did("review", "accept", "prop0000aaaa", "--yes")
    assert trial.told("stats")["regret"]["discard"] == {"wanted": 0, "of": 0}
