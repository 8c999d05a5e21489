"""Import of what is known already: what it does not take over is named, and nothing is called the same that differs."""

import json

import pytest
from engine.test_moving_stores import exported, take

CLAIM = "Coffee is free on Fridays because the owner says so."
EVENT = "01m8n93v20b907t4v28zvje2gv"


def line(**said):
    return json.dumps({"text": CLAIM, **said})


@pytest.fixture
def known(trial):
    return trial, trial.remember(CLAIM, "--tag", "office")["id"]


@pytest.mark.parametrize(
    ("said", "own"),
    [
        ({"tags": ["kitchen"]}, ["tags"]),
        ({"concept": "coffee", "type": "preference"}, ["type", "concept"]),
        ({"tags": ["office"]}, []),
        ({}, []),
    ],
    ids=str,
)
def test_what_a_line_says_of_a_known_claim_and_is_not_taken_over_is_named(known, said, own):
    trial, id_ = known
    ran = trial.ran("import", "-", "--yes", stdin=line(**said))
    assert ran.code == 0
    assert (f"{id_} was known already and keeps its own" in ran.err) is bool(own)
    (told,) = take(trial, line(**said) + "\n", "--yes", "--dry-run")["memories"]
    assert told["decision"] in {"reinforced", "repeated"}
    (fresh,) = take(trial, line(**said, occurred_at="2026-01-01"), "--yes")["memories"]
    assert (fresh["decision"], fresh["of"], fresh["own"]) == ("reinforced", id_, own)


def test_the_same_line_with_other_evidence_adds_that(known):
    trial, id_ = known
    take(trial, line(), "--yes")
    take(trial, line(evidence=[EVENT]), "--yes")
    assert EVENT in trial.path(id_).read_text("utf-8")
    assert take(trial, line(evidence=[EVENT]), "--yes")["commit"] is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("office", "kitchen"),
        ("type: fact", "type: preference"),
        (f"{CLAIM}\n", f"{CLAIM}\n\nAnd tea, too.\n"),
    ],
    ids=["tags", "type", "detail"],
)
def test_a_file_that_stands_here_otherwise_is_called_so_and_stays(known, before, after):
    trial, id_ = known
    told = take(trial, exported(trial), "--yes")
    assert told["counts"] == {"unchanged": 1}
    path = trial.path(id_)
    path.write_text(path.read_text("utf-8").replace(before, after), "utf-8")
    trial.did("save")
    lines = exported(trial)
    path.write_text(path.read_text("utf-8").replace(after, before), "utf-8")
    trial.did("save")
    raw = path.read_bytes()
    assert after not in path.read_text("utf-8")
    assert take(trial, lines, "--yes")["counts"] == {"kept": 1}
    assert path.read_bytes() == raw


def test_two_lines_that_do_not_agree_about_an_event_or_a_procedure_are_not_one(trial):
    said = {"id": EVENT, "at": "2026-11-30T00:00:00Z", "scope": "project:t", "actor": "human:x", "kind": "turn",
            "logic": "1"}  # fmt: skip
    event = {"kind": "event", "path": "events/2026/11/s.jsonl"}
    skill = {"kind": "procedure", "path": "procedures/user/tea/SKILL.md"}
    page = "---\nname: tea\ndescription: How tea is made.\n---\n\nBoil {}.\n"
    lines = [
        *(event | {"event": said | {"text": text}} for text in ("one", "one", "two")),
        *(skill | {"text": page.format(what)} for what in ("water", "water", "milk")),
    ]
    told = take(trial, "\n".join(map(json.dumps, lines)), "--yes", code=4)
    assert (told["events"], told["procedures"]) == (1, 1)
    assert told["wrong"] == [
        f"Line 3: an earlier line says otherwise what {EVENT} is",
        "Line 6: an earlier line says otherwise what procedures/user/tea/SKILL.md is",
    ]
