"""Killed at any moment of a task: what was said is there once or not at all, and the task can go on."""

import json
import random

import pytest
from faults.last_change import killed
from trial import PERSON

IN = ("--session", "s1")
POINTS = 5  # of each act, in the short form
SAID = "\n".join(json.dumps({"text": f"Turn {nth}", "key": f"k{nth}"}) for nth in range(3))


@pytest.fixture
def begun(trial):
    """A store in whose session something was shown and said."""
    trial.environment = {**trial.environment, **PERSON}
    trial.id = trial.remember("The refund window is 30 days.")["id"]
    trial.did("recall", "refund window")  # so that index and vectors are there
    trial.said = trial.root.parent / "said.jsonl"
    trial.said.write_text(SAID)
    process = trial.process
    assert process("activate", "--task", "Fix the refund email", *IN).code == 0
    return trial


def events(trial, kind):
    found = []
    for path in trial.root.glob("events/**/*.jsonl"):
        for line in path.read_text().splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return [one for one in found if one["kind"] == kind]


def points(trial, folder, argv, campaign):
    """Numbers of changes to be killed at, of a run that was let live in a copy."""
    code, changes = killed(trial.copy(folder / "let-live"), 10**6, argv)
    assert code == 0
    chosen = range(1, changes + 1)
    return chosen if len(chosen) <= POINTS * campaign else random.Random(7).sample(chosen, POINTS * campaign)


def test_observe_keeps_each_turn_once(begun, tmp_path, campaign):
    argv = ["observe", str(begun.said), *IN]
    for number in points(begun, tmp_path, argv, campaign):
        trial = begun.copy(tmp_path / f"at-{number}")
        killed(trial, number, argv)
        assert trial.process(*argv).code == 0
        assert sorted(one["text"] for one in events(trial, "turn")) == ["Turn 0", "Turn 1", "Turn 2"]
        assert trial.process("save").code == 0
        assert trial.git("status", "--porcelain") == ""


def test_a_stale_report_is_whole_or_was_never_made(begun, tmp_path, campaign):
    argv = ["feedback", "--stale", begun.id, "--reason", "outdated", *IN]
    for number in points(begun, tmp_path, argv, campaign):
        trial = begun.copy(tmp_path / f"at-{number}")
        head = trial.head()
        killed(trial, number, argv)
        assert trial.process("recall", "refund window").code in (0, 1)  # which takes back what was half done
        said = trial.process("show", begun.id, "--json")
        made = trial.head() != head
        assert json.loads(said.out)["status"] == ("stale" if made else "active")
        assert trial.process("remember", "Tea is free on Mondays.").code == 0
        assert len(events(trial, "feedback")) == int(made)
        assert trial.git("status", "--porcelain") == ""


def test_a_session_ends_once(begun, tmp_path, campaign):
    assert begun.process("observe", str(begun.said), *IN).code == 0
    assert begun.process("feedback", "--coverage", "partial", *IN).code == 0
    argv = ["commit", "--verification", "it works", *IN]
    for number in points(begun, tmp_path, argv, campaign):
        trial = begun.copy(tmp_path / f"at-{number}")
        killed(trial, number, argv)
        assert trial.process(*argv).code in (0, 2)  # ended now, or before the kill
        assert trial.process("consolidate").code == 0
        assert len(events(trial, "outcome")) == 1
        assert len(events(trial, "turn")) == 3
        assert trial.git("status", "--porcelain") == ""
        assert not list((trial.root / ".mem" / "sessions").glob("*.json"))
