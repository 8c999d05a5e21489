"""What an agent may not do, it may not do by another way either; and what a person reads is a sentence."""

import json
import sys

import pytest
from trial import AGENT, PERSON

from memcli.store import secrets

KETTLE = "The zebrafish kettle boils at 95 degrees."
STAGED = "status: staged\n"
AHEAD = "2099-01-01"


def editor(trial):
    """A program that shows what it is given, and changes nothing."""
    file = trial.root.parent / "show"
    file.write_text(f"#!{sys.executable}\nimport sys\nprint(open(sys.argv[1]).read(), file=sys.stderr)\n")
    file.chmod(0o700)
    return {"MEM_EDITOR": str(file)}


def test_no_agent_opens_a_forgotten_memory_in_its_editor(trial):
    id_ = trial.remember(KETTLE)["id"]
    trial.forget(id_)
    ran = trial.ran("edit", id_, env=AGENT | editor(trial))
    assert (ran.code, "forgotten" in ran.err, "kettle" in ran.err) == (5, True, False)
    assert trial.ran("edit", id_, env=PERSON | editor(trial)).code == 0


@pytest.mark.parametrize("words", [("stage", "sweep"), ("consolidate",), ("replay",)], ids=" ".join)
def test_no_agent_gives_up_what_is_staged_by_saying_that_it_is_later(trial, words):
    trial.write("lamp12345678", "The lamp flickers at two volts.", STAGED)
    trial.did("save")
    ran = trial.ran(*words, "--as-of", AHEAD, env=AGENT)
    assert (ran.code, trial.statuses()["lamp12345678"]) == (5, "staged")
    assert trial.ran(*words, "--as-of", AHEAD, "--dry-run", env=AGENT).code == 0
    assert trial.ran(*words, env=AGENT).code == 0
    assert trial.ran(*words, "--as-of", AHEAD).code == 0  # a person's choice


@pytest.mark.parametrize("at", [float("nan"), float("inf"), 1e308, True, []], ids=str)
def test_a_moment_that_is_none_is_said_in_a_sentence(trial, at):
    ran = trial.ran(
        "observe", "-", stdin=json.dumps({"role": "user", "text": "The lamp is green.", "at": at})
    )
    assert ran.code == 2
    assert "is not a time" in ran.err
    assert not {"convert", "int too large"} & set(ran.err.split())


def test_a_wrong_role_is_named_and_not_repeated_whole(trial):
    ran = trial.ran("observe", "-", stdin=json.dumps({"role": "x" * 100_000, "text": "The lamp is green."}))
    assert (ran.code, "is not a role" in ran.err, len(ran.err) < 300) == (2, True, True)


def test_a_turn_that_is_far_too_long_is_refused_without_a_look_for_secrets_in_it(trial, monkeypatch):
    looked = []
    masked = secrets.masked
    monkeypatch.setattr(secrets, "masked", lambda text: looked.append(len(text)) or masked(text))
    ran = trial.ran("observe", "-", stdin="a" * (8 << 20))
    assert (ran.code, "too long" in ran.err, max(looked, default=0)) == (2, True, 0)
    tool = json.dumps({"role": "tool", "text": "word " * (2 << 20)})
    assert trial.ran("observe", "-", stdin=tool).code == 0  # cut, as what a tool printed always is
    assert max(looked) < 2 << 20
