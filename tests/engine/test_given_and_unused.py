"""What is given and cannot be used is refused by its name, never passed over without a word."""

import json

import pytest
from engine.test_observing import events, lines, observed

TWICE = '{"text": "The depot has nine gates.", "concept": "gates", "text": "The depot has four gates."}'
GOOD = '{"text": "We decided that invoices are numbered per country because of the tax office."}'
CONVERSATION = "user: We ship on Tuesdays.\nassistant: Noted."


def test_a_key_that_stands_twice_refuses_its_line_and_no_other_in_a_batch(trial):
    ran = trial.ran("remember", "--batch", "-", stdin=f"{TWICE}\n{GOOD}\n")
    twice, good = map(json.loads, ran.out.splitlines())
    assert ran.code == 5
    assert twice["error"]["message"] == "Line 1: 'text' stands twice."
    assert good["decision"] == "created"
    assert len(trial.statuses()) == 1


def test_a_key_that_stands_twice_refuses_its_line_and_no_other_in_what_was_said(trial):
    told = observed(trial, f'{{"text": "first"}}\n{TWICE}\n{{"text": "last"}}\n', code=5)
    assert [one["message"] for one in told["refused"]] == ["Line 2: 'text' stands twice."]
    assert [one["text"] for one in events(trial)] == ["first", "last"]


def test_a_key_that_stands_twice_refuses_its_line_and_no_other_in_an_import(trial):
    told = trial.told("import", "-", "--yes", stdin=f"{TWICE}\n{GOOD}\n", code=4)
    assert told["wrong"] == ["Line 1: 'text' stands twice"]
    assert [one["decision"] for one in told["memories"]] == ["created"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("type", "decision"),
        ("concept", "gates"),
        ("tags", ["a"]),
        ("valid_from", "2026-01-01"),
        ("valid_to", "2031-01-01"),
    ],
)
def test_what_says_something_of_a_claim_is_refused_of_a_turn_and_kept_of_a_claim(trial, key, value):
    turn = {"text": "The depot has nine gates.", key: value}
    told = observed(trial, lines(turn, {"text": "last"}), code=5)
    assert [one["message"] for one in told["refused"]] == [f"Line 1: {key} goes only with a claim."]
    assert [one["text"] for one in events(trial)] == ["last"]
    observed(trial, lines(turn | {"kind": "claim"}, {"text": "turn", key: None}))
    assert events(trial, "claim")[0]["data"][key] == value


@pytest.mark.parametrize(
    ("option", "value"), [("--role", "tool"), ("--name", "Mel"), ("--at", "2026-07-01"), ("--key", "k")]
)
def test_an_option_of_plain_text_goes_not_with_json_lines(trial, option, value):
    ran = trial.ran("observe", option, value, "-", stdin=lines({"text": "We ship on Tuesdays."}))
    assert ran.code == 2
    assert f"{option} goes with plain text" in ran.err
    assert events(trial) == []
    assert observed(trial, "We ship on Tuesdays.", option, value)["events"] == 1


@pytest.mark.parametrize(("option", "value"), [("--role", "tool"), ("--key", "k")])
def test_an_option_of_one_turn_goes_not_with_a_conversation(trial, option, value):
    ran = trial.ran("observe", option, value, "-", stdin=CONVERSATION)
    assert ran.code == 2
    assert f"{option} goes with one turn" in ran.err
    assert events(trial) == []


def test_name_and_time_hold_for_every_turn_of_a_conversation(trial):
    assert observed(trial, CONVERSATION, "--name", "Mel", "--at", "2026-07-01")["events"] == 2
    assert {(one["data"]["subject"], one["occurred_at"]) for one in events(trial)} == {
        ("Mel", "2026-07-01T00:00:00Z")
    }


def test_a_turn_of_a_transcript_that_is_refused_is_in_the_answer(trial, tmp_path):
    said = [{"type": "user", "uuid": f"u{n}", "sessionId": "s", "message": {"role": "user", "content": text}}
            for n, text in enumerate(("We ship on Tuesdays.", "x " * 600_000))]  # fmt: skip
    (tmp_path / "one.jsonl").write_text("\n".join(map(json.dumps, said)))
    told = trial.told("observe", "--from", "claude-code", str(tmp_path / "one.jsonl"))
    assert told["events"] == 1
    assert ["is too long" in one["message"] for one in told["refused"]] == [True]
    (tmp_path / "two.jsonl").write_text(json.dumps(said[0]))
    assert trial.told("observe", "--from", "claude-code", str(tmp_path / "two.jsonl"))["refused"] == []


@pytest.mark.parametrize(
    ("verb", "said"),
    [
        ("observe", "We ship on Tuesdays."),
        ("import", GOOD),
        ("onboard", "Invoices are numbered per country.\n"),
    ],
)
def test_what_is_taken_in_goes_into_one_scope_that_is_named(trial, verb, said):
    ran = trial.ran(verb, "--scope", "*", "-", stdin=said)
    assert (ran.code, ran.out) == (2, "")
    assert f"mem {verb} takes in for one scope" in ran.err
    assert not list(trial.root.glob("events/**/*.jsonl"))
    assert trial.ran(verb, "--scope", "project:other", "-", stdin=said).code == 0
