"""A21 and the audit over the acts that a random walk does not reach: each leaves a journal that explains itself."""

import pytest
from talk import CLUSTER, CLUSTER_AGAIN, claim, exchanges, observe
from trial import AGENT, DAY, PERSON

REFUND = "The refund window is 30 days for online orders."


def explained(trial):
    """The audit is clean, and the journal's map is what the files say."""
    audit = trial.told("audit")
    assert audit["findings"] == []
    return audit["clean"]


@pytest.fixture
def lived(trial):
    """A store with memories of every origin."""
    trial.ids = [
        one["id"] for one in trial.batch([REFUND, "Lunch is served in the yard.", "Buses leave at nine."])
    ]
    observe(trial, "s1", *exchanges(6), CLUSTER, claim("The office in Lisbon closes at six.", "decision"))
    observe(trial, "s2", CLUSTER_AGAIN, "It does.", claim("Parcels over 30 kg go by freight.", "constraint"))
    trial.did("consolidate")
    assert len(trial.statuses()) > len(trial.ids)
    return trial


def test_what_was_observed_and_consolidated(lived):
    assert explained(lived)
    lived.did("consolidate", now=lived.moment + 30 * DAY)
    lived.did("replay")
    assert explained(lived)


def test_what_was_reviewed_staged_and_reopened(lived):
    waiting = [one["id"] for one in lived.told("review", "list")["items"]]
    assert waiting
    lived.did("review", "reject", waiting[0], "--yes")
    for id_ in waiting[1:]:
        lived.did("review", "accept", id_, "--yes")
    lived.did("reopen", waiting[0], "--yes")
    lived.did("stage", "sweep", now=lived.moment + 40 * DAY)
    lived.did("stage", "pin", lived.ids[0], "portable", "--yes")
    lived.did("undo", "--yes")
    assert explained(lived)


def test_what_a_session_said_of_it(lived):
    told = lived.told("activate", "--task", "answer a refund", env=AGENT)
    answer = lived.recall("refund window", env=AGENT)
    assert answer["receipt"]
    stale = ("--stale", lived.ids[0], "--reason", "outdated", "--coverage", "partial")
    lived.did("feedback", answer["receipt"], *stale, env=AGENT)
    lived.ran("commit", "--outcome", "done", "--session", told["session"], env=AGENT)
    assert lived.status(lived.ids[0]) == "stale"
    assert explained(lived)


def test_what_was_retracted_and_taken_back(lived):
    lived.did("retract", lived.ids[0], "--reason", "never so", "--correction", "It is 14 days.", "--yes")
    assert explained(lived)
    lived.did("unretract", lived.ids[0], "--yes")
    assert explained(lived)


def test_what_was_purged_after_a_person_had_accepted_something(lived):
    path = lived.path(lived.ids[1])
    path.write_text(path.read_text().replace("yard", "hall"))
    lived.git("commit", "-qam", "by hand")
    lived.did("audit", "--accept", "--yes")
    assert explained(lived)
    digest = lived.told("purge", lived.ids[0], "--dry-run")["digest"]
    lived.did("purge", lived.ids[0], "--yes", "--expect", digest)
    assert explained(lived)
    path.write_text(path.read_text().replace("hall", "attic"))
    lived.git("commit", "-qam", "by hand again")
    assert [one["sort"] for one in lived.told("audit", code=1)["findings"]] == ["text"]


def test_what_came_from_another_store(lived, tmp_path):
    other = type(lived).made(tmp_path / "other")
    lived.forget(lived.ids[1])
    lines = lived.did("export")
    other.did("import", "-", "--yes", stdin=lines)
    assert len(other.statuses()) == len(lived.statuses())
    assert explained(other)
    third = type(lived).made(tmp_path / "third")
    third.did("import", "-", "--review", stdin=lines)
    assert explained(third)


def test_what_was_moved_made_and_mended(lived):
    lived.write("plain1", "A file without any status.")
    lived.did("check", "--fix")
    lived.did("save", "--yes", env=PERSON)
    assert explained(lived)
