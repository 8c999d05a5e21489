"""Documents become proposals: reviewed by a person, each once, and never what was forgotten (A24, A3)."""

import pytest
from trial import AGENT

RULES = "# Rules\n\n- Deploys happen on Tuesdays only.\n- Invoices are numbered per country.\n"


@pytest.fixture
def project(trial, tmp_path):
    """A store, and a project's folder beside it with a CLAUDE.md."""
    trial.project = tmp_path / "project"
    trial.project.mkdir()
    (trial.project / "CLAUDE.md").write_text(RULES)
    return trial


def onboard(trial, *words, **how):
    """What became of each sentence."""
    where = ("--store", str(trial.root), "--scope", "project:t")
    return trial.told("onboard", *words, *where, cwd=trial.project, **how)


def test_sentences_wait_for_review_and_count_once_accepted(project):
    told = onboard(project, env=AGENT)
    assert [one["decision"] for one in told["memories"]] == ["review", "review"]
    assert project.recall("when do deploys happen")["items"] == []
    deploys, invoices = (one["id"] for one in told["memories"])
    project.did("review", "accept", deploys, "--yes")
    project.did("review", "reject", invoices, "--yes")
    assert project.found("when do deploys happen") == [deploys]
    assert project.found("how are invoices numbered") == []


def test_a_second_time_brings_only_what_is_new(project):
    first = onboard(project)
    head = project.head()
    again = onboard(project)
    assert [one["id"] for one in again["memories"]] == [one["id"] for one in first["memories"]]
    assert {(one["decision"], one["status"]) for one in again["memories"]} == {("repeated", "needs_review")}
    assert (again["commit"], project.head()) == (None, head)
    (project.project / "CLAUDE.md").write_text(RULES + "- Wages are paid on the 25th.\n")
    assert [one["decision"] for one in onboard(project)["memories"]] == ["repeated", "repeated", "review"]


def test_what_was_forgotten_stays_out_and_its_neighbour_comes_in(project):
    project.forget(project.remember("Deploys happen on Tuesdays only.")["id"])
    told = onboard(project)
    assert [one["decision"] for one in told["memories"]] == ["skipped", "review"]
    assert told["memories"][0]["rule"] == "digest"
    assert len(project.skips()) == 1


def test_a_candidate_that_a_person_edited_is_taken_as_edited(project):
    (deploys, _) = onboard(project)["memories"]
    path = project.path(deploys["id"])
    path.write_text(path.read_text().replace("Tuesdays", "Wednesdays"))
    project.did("save")
    project.did("review", "accept", deploys["id"], "--yes")
    onboard(project)
    (found,) = project.recall("when do deploys happen")["items"]
    assert (found["id"], found["text"]) == (deploys["id"], "Deploys happen on Wednesdays only.")


def test_a_dry_run_writes_nothing(project):
    head = project.head()
    assert [one["decision"] for one in onboard(project, "--dry-run")["memories"]] == ["review", "review"]
    assert project.head() == head
    assert project.statuses() == {}


def test_a_dry_run_names_no_id_that_would_be_another_one_and_no_status_of_what_stays_out(project):
    gone = project.remember("Deploys happen on Tuesdays only.", "--scope", "project:t")["id"]
    project.forget(gone)
    planned, done = onboard(project, "--dry-run")["memories"], onboard(project)["memories"]
    for told in (planned, done):
        (out,) = (one for one in told if one["decision"] == "skipped")
        assert (out["id"], out["status"]) == (gone, None)
    waits = [next(one for one in told if one["decision"] == "review") for told in (planned, done)]
    assert [one["status"] for one in waits] == ["needs_review", "needs_review"]
    assert waits[0]["id"] is None
    assert waits[1]["id"]


def test_a_secret_is_named_by_its_line_and_the_rest_comes_in(project):
    (project.project / "CLAUDE.md").write_text(RULES + "\nThe key of the shop is AKIAIOSFODNN7EXAMPLF.\n")
    told = onboard(project, code=5)
    assert [one["decision"] for one in told["memories"]].count("review") == 2
    (refused,) = (one for one in told["memories"] if one["decision"] == "refused")
    assert refused["error"].startswith("CLAUDE.md:6: ")
    assert "AKIA" not in str(told)


def test_a_folder_without_documents_and_a_file_that_is_not_there_are_named(project):
    (project.project / "CLAUDE.md").unlink()
    ran = project.ran("onboard", cwd=project.project)
    assert (ran.code, "CLAUDE.md" in ran.err) == (2, True)
    ran = project.ran("onboard", "nope.md", cwd=project.project)
    assert (ran.code, "nope.md" in ran.err.lower()) == (2, True)
