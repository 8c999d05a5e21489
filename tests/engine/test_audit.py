"""The audit: what no entry explains is named, what one explains is not, and a person's word settles it."""

import shutil

import pytest

AGENT = {"MEM_ACTOR": "agent:claude"}


def sorts(trial, code=1, *options, **how):
    """(sort, id) of every finding."""
    return [(one["sort"], one["id"]) for one in trial.told("audit", *options, code=code, **how)["findings"]]


def clean(trial):
    audit = trial.told("audit")
    return audit["clean"] and not audit["findings"]


def by_hand(trial, id_, old, new, subject="by hand"):
    path = trial.path(id_)
    path.write_text(path.read_text().replace(old, new))
    trial.git("commit", "-qam", subject)


@pytest.fixture
def two(trial):
    return [trial.remember(text)["id"] for text in ("The refund window is 30 days.", "Lunch is in the yard.")]


def test_of_an_empty_history_nothing_can_be_said(trial):
    shutil.rmtree(trial.root / ".git")
    trial.git("init", "-q", "-b", "main")
    assert trial.ran("audit").code == 3


def test_a_person_accepts_what_was_done_by_hand_and_the_entry_says_so(trial, two):
    by_hand(trial, two[0], "30 days", "31 days")
    by_hand(trial, two[1], "status: active", "status: archived\narchive_reason: rejected")
    assert sorts(trial) == [("text", two[0]), ("status", two[1])]
    trial.did("audit", "--accept", "--yes", "--reason", "in the web interface")
    assert clean(trial)
    (row,) = trial.did("log", "--op", "audit").splitlines()
    assert row.split("\t")[2:7] == [two[1], "active", "archived", "human:ana", "in the web interface"]


def test_what_is_done_by_hand_after_that_is_named_again(trial, two):
    by_hand(trial, two[0], "30 days", "31 days")
    trial.did("audit", "--accept", "--yes")
    by_hand(trial, two[0], "31 days", "32 days")
    assert sorts(trial) == [("text", two[0])]


def test_accepting_brings_back_nothing_that_was_removed(trial, two):
    trial.forget(two[0])
    by_hand(trial, two[0], "status: forgotten", "status: active")
    assert sorts(trial) == [("status", two[0])]
    ran = trial.ran("audit", "--accept", "--yes")
    assert (ran.code, "mem save" in ran.out) == (1, True)
    assert sorts(trial) == [("differs", two[0])]
    assert trial.found("refund window") == []
    trial.did("save", "--yes")
    assert clean(trial)
    assert trial.found("refund window") == [two[0]]


def test_mem_save_alone_explains_what_came_back_by_git(trial, two):
    trial.forget(two[0])
    by_hand(trial, two[0], "status: forgotten", "status: active")
    trial.did("save", "--yes")
    assert clean(trial)


def test_accepting_is_no_act_of_an_agent_and_looking_is(trial, two):
    by_hand(trial, two[0], "30 days", "31 days")
    before = trial.git("rev-parse", "HEAD")
    assert trial.ran("audit", "--accept", "--yes", env=AGENT).code == 5
    assert trial.git("rev-parse", "HEAD") == before
    assert trial.ran("audit", env=AGENT).code == 1


def test_an_entry_that_says_what_its_files_do_not_is_named(trial, two):
    said = f"Mem-Op: forget\nMem-Id: {two[0]}\nMem-Prior-Status: active\nMem-Status: forgotten"
    trial.git("commit", "-q", "--allow-empty", "-m", f"mem forget: x\n\n{said}")
    (found,) = trial.told("audit", code=1)["findings"]
    assert (found["sort"], found["prior_status"], found["status"]) == ("untrue", "active", "forgotten")


def test_an_entry_that_hides_a_second_change_is_named(trial, two):
    for id_ in two:
        path = trial.path(id_)
        path.write_text(path.read_text().replace("status: active", "status: forgotten"))
    said = f"Mem-Op: forget\nMem-Id: {two[0]}\nMem-Prior-Status: active\nMem-Status: forgotten"
    trial.git("commit", "-qam", f"mem forget: x\n\n{said}")
    assert sorts(trial) == [("status", two[1])]


def test_a_file_that_nobody_can_read_any_more_is_named_until_it_is_mended(trial, two):
    by_hand(trial, two[0], "status: active", "status: actve")
    assert sorts(trial) == [("status", two[0])]
    path = trial.path(two[0])
    path.write_text(path.read_text().replace("actve", "active"))
    trial.did("save", "--yes")
    assert sorts(trial) == [("status", two[0])]
    trial.did("audit", "--accept", "--yes")
    assert clean(trial)


def test_lines_taken_out_of_the_events_are_named_and_lines_added_are_not(trial, two):
    (path,) = trial.root.glob("events/**/*.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[1:]))
    trial.git("commit", "-qam", "one line less")
    (found,) = trial.told("audit", code=1)["findings"]
    assert (found["sort"], found["why"]) == ("lines", "1 line is gone")
    path.write_text("".join(lines))
    trial.git("commit", "-qam", "and there again")
    assert len(sorts(trial)) == 1


def test_edits_that_nobody_committed_are_counted_and_no_finding(trial, two):
    path = trial.path(two[0])
    path.write_text(path.read_text().replace("30 days", "31 days"))
    ran = trial.ran("audit")
    assert (ran.code, "mem save" in ran.err) == (0, True)
    assert trial.told("audit")["uncommitted"] == 1


def test_of_another_scope_the_path_is_not_said_but_that_it_happened(trial, two):
    other = trial.remember("The safe code is heliotrope.", "--scope", "project:vault")["id"]
    by_hand(trial, other, "heliotrope", "mauve")
    ran = trial.ran("audit")
    assert other in ran.out
    assert "heliotrope" not in ran.out
    assert "schemas/project/vault/" in ran.out
    assert "heliotrope" in trial.ran("audit", "--scope", "*").out


def test_to_an_agent_the_path_of_what_was_forgotten_is_not_said(trial, two):
    trial.forget(two[0])
    by_hand(trial, two[0], "30 days", "31 days")
    assert "refund" in trial.ran("audit").out
    assert "refund" not in trial.ran("audit", env=AGENT).out
    assert two[0] in trial.ran("audit", env=AGENT).out


def test_a_store_in_somebodys_project_is_audited_and_the_project_is_not(trial, tmp_path):
    project = tmp_path / "shop"
    project.mkdir()
    trial.git("init", "-q", "-b", "main", cwd=project)
    (project / "code.py").write_text("x = 1\n")
    trial.git("add", "-A", cwd=project)
    trial.git("commit", "-qm", "code", cwd=project)
    (project / "memory").mkdir()
    trial.did("init", "memory", "--here", cwd=project)
    here = {"cwd": project / "memory"}
    id_ = trial.remember("The refund window is 30 days.", **here)["id"]
    (project / "code.py").write_text("x = 2\n")
    trial.git("commit", "-qam", "more code", cwd=project)
    assert trial.told("audit", **here)["clean"]
    path = next((project / "memory").glob(f"schemas/**/*{id_}.md"))
    path.write_text(path.read_text().replace("30 days", "31 days"))
    trial.git("commit", "-qam", "by hand", cwd=project)
    assert sorts(trial, 1, **here) == [("text", id_)]
    trial.did("audit", "--accept", "--yes", **here)
    assert trial.told("audit", **here)["clean"]
