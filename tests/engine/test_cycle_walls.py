"""The walls between scopes hold for tasks, turns and feedback too (A6), for what was forgotten, and at once for many."""

import json
import subprocess
import sys

import pytest
from trial import AGENT, PERSON

OTHER = "project:other"
CANARIES = ("kestrel", "plover", "heron", "osprey", "dunlin", "curlew")


@pytest.fixture(scope="module")
def two(empty, tmp_path_factory):
    """Two scopes, and in the other one whatever a task leaves: each with a canary."""
    trial = empty.copy(tmp_path_factory.mktemp("walls"))
    trial.remember("The gate is painted green.")
    trial.remember("Paint the gate only when it is dry.", "--type", "warning")
    there = ("--scope", OTHER)
    trial.remember("The kestrel nests above the gate.", *there)
    trial.did("activate", "--task", "Count the plover at the gate", "--goal", "heron too", *there, env=AGENT)
    trial.did("observe", "-", *there, stdin="The osprey sat on the gate.", env=AGENT)
    trial.did("feedback", "--coverage", "partial", *there, env=AGENT)
    page = "---\nname: dunlin-count\ndescription: How the dunlin at the gate is counted\n---\n\n1. Count.\n"
    trial.did(
        *("commit", "--verification", "saw the curlew", "--procedure", "-", *there), stdin=page, env=AGENT
    )
    return trial


COMMANDS = [
    ("activate", "--task", "Look after the gate"),
    ("activate", "--task", "Look after the gate", "--json"),
    ("recall", "gate"),
    ("recall", "gate", "--json", "--evidence", "full"),
    ("feedback", "--used", "zzzz"),
    ("feedback", "--coverage", "partial", "--json"),
    ("commit",),
    ("log",),
    ("log", "--json"),
    ("status", "--json"),
    ("save", "--dry-run"),
    ("skills", "list"),
]


@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_what_a_task_leaves_in_its_scope_is_seen_there_alone(two, argv):
    ran = two.ran(*argv)
    assert ran.code in (0, 1, 2, 5, 8), ran.err
    assert [one for one in CANARIES if one in (ran.out + ran.err).lower()] == []


def test_and_there_it_is_seen(two):
    there = ("--scope", OTHER)
    told = two.told("activate", "--task", "Look after the gate and the birds", *there)
    assert "kestrel" in json.dumps(told)
    log = two.did("log", *there)
    assert ("plover" in log, "curlew" in log, "dunlin" in log) == (True, True, True)
    assert "osprey" in two.did("recall", "what sat on the gate", *there)


def test_in_its_own_scope_each_command_speaks(two):
    told = two.told("activate", "--task", "Look after the gate")
    assert [one["text"] for one in told["warnings"]] == ["Paint the gate only when it is dry."]
    assert "The gate is painted green." in [one["text"] for one in told["memories"]]


def test_forgotten_is_laid_out_and_listed_nowhere(trial):
    lost = trial.remember("The refund window is 30 days.")["id"]
    trial.remember("Refund emails are made from a template.")
    trial.did("activate", "--task", "Fix the refund email", env=AGENT)
    trial.forget(lost)
    ran = trial.ran("commit", env=AGENT)
    assert ran.code == 8
    assert "30 days" not in ran.err
    assert "made from a template" in ran.err
    told = trial.told("activate", "--task", "Fix the refund window", env={"MEM_ACTOR": "agent:codex"})
    assert "30 days" not in json.dumps(told)
    assert [one["text"] for one in told["memories"]] == ["Refund emails are made from a template."]


def started(trial, *argv, stdin, env):
    running = subprocess.Popen(
        [sys.executable, "-m", "memcli", *argv],
        cwd=trial.root,
        env={**trial.process.environment, **PERSON, **env},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    running.stdin.write(stdin)
    running.stdin.close()
    return running


def test_many_observe_at_once_and_every_line_is_whole(trial):
    running = [
        started(trial, "observe", "--session", "s", "-", stdin=f"user: turn {n} a\nuser: turn {n} b", env={})
        for n in range(8)
    ]
    assert [one.wait(60) for one in running] == [0] * 8
    (path,) = trial.root.glob("events/**/s.jsonl")
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert {one["text"] for one in found} == {f"turn {n} {letter}" for n in range(8) for letter in "ab"}
    assert len({one["id"] for one in found}) == 16


def test_the_same_key_from_many_at_once_is_kept_once(trial):
    running = [
        started(trial, "observe", "--key", "k", "-", stdin="We ship on Tuesdays.", env={}) for _ in range(6)
    ]
    assert [one.wait(60) for one in running] == [0] * 6
    (path,) = trial.root.glob("events/**/*.jsonl")
    assert len(path.read_text().splitlines()) == 1


def test_a_line_that_a_crash_tore_is_passed_over_and_never_glued_to(trial):
    trial.did("observe", "--session", "s", "-", stdin="Whole.")
    (path,) = trial.root.glob("events/**/s.jsonl")
    with path.open("a") as file:
        file.write('{"id":"01torn')
    trial.did("observe", "--session", "s", "-", stdin="After.")
    told = trial.did("recall", "--events", "only", "--json", "--", "whole after")
    assert {item["text"] for item in json.loads(told)["items"]} <= {"Whole.", "After."}
    lines = path.read_text().splitlines()
    assert [json.loads(lines[0])["text"], json.loads(lines[2])["text"]] == ["Whole.", "After."]
    assert trial.ran("commit", "--session", "s").code == 0
