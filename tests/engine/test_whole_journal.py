"""What the journal keeps whole: event lines that the disk lost, each claim of a batch, acts inside hooks."""

import signal
import subprocess
import sys
import time

import pytest


def lines(trial):
    return [line for path in trial.root.glob("events/**/*.jsonl") for line in path.read_text().splitlines()]


@pytest.mark.parametrize("harm", ["gone", "cut"])
def test_event_lines_that_the_disk_lost_are_put_back(trial, harm):
    for text in ("The first bell rings at nine.", "Lunch is served in the yard."):
        trial.remember(text)
    (path,) = trial.root.glob("events/**/*.jsonl")
    before = path.read_text().splitlines()
    if harm == "gone":
        path.unlink()
    else:
        path.write_text(before[1] + "\n")
    ran = trial.ran("remember", "Buses leave from the north gate.")
    assert ran.code == 0
    assert "put back" in ran.err
    assert [line for line in before if line not in lines(trial)] == []
    assert len(lines(trial)) == 3
    assert trial.git("status", "--short") == ""


def test_the_log_tells_each_claim_of_a_batch(trial):
    red, yellow = trial.batch(["Apples from the orchard are red.", "The bananas in the hall are yellow."])
    rows = dict(row.split("\t")[2:9:5] for row in trial.did("log", "-n", "1").splitlines())
    assert rows == {
        red["id"]: "Apples from the orchard are red.",
        yellow["id"]: "The bananas in the hall are yellow.",
    }
    (own,) = trial.did("log", yellow["id"]).splitlines()
    assert own.split("\t")[2] == yellow["id"]


def test_a_copy_of_what_was_forgotten_is_not_listed_as_if_it_counted(trial):
    spared = trial.remember("Buses leave from the north gate.")["id"]
    gone = trial.remember("The launch code word is heliotrope.")["id"]
    trial.forget(gone)
    trial.write("copy1", "The launch code word is heliotrope.")
    trial.git("add", "-A")
    trial.git("commit", "-qm", "a copy")
    assert trial.found("launch code word") == []
    assert trial.did("list", "--ids").split() == [spared]


@pytest.mark.case("P-SEC-01")
def test_a_scope_that_no_folder_can_hold_is_refused_and_nothing_is_left(trial):
    ran = trial.ran("remember", "too far", "--scope", "project:" + "é" * 64)
    assert (ran.code, "folder" in ran.err) == (2, True)
    assert trial.remember("near enough", "--scope", "project:" + "é" * 40)["decision"] == "created"


def test_a_mem_inside_a_hook_of_its_own_commit_answers_at_once(trial):
    ran = trial.ran("remember", "from within", env={"MEM_COMMITTING": "1"})
    assert (ran.code, "hook" in ran.err) == (8, True)
    assert trial.remember("from outside")["decision"] == "created"


def test_a_command_that_is_told_to_end_takes_its_hook_and_its_files_along(trial):
    hook = trial.root / ".git" / "hooks" / "pre-commit"
    begun = trial.root / ".git" / "begun"
    trial.did("trust", "--yes")  # a copy of a store is not the one that was made here
    hook.write_text(f"#!/bin/sh\ntouch '{begun}'\nsleep 60\n")
    hook.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "memcli", "remember", "slow"],
        cwd=trial.root,
        env=trial.environment,
        stderr=subprocess.PIPE,
    )
    while not begun.exists():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 128 + signal.SIGTERM
    process.stderr.close()
    hook.unlink()
    assert trial.git("status", "--short") == ""
    assert trial.remember("afterwards")["decision"] == "created"
    assert "slow" not in trial.git("log", "--format=%s")
