"""Transcripts that coding agents leave: what people and agents said is kept once, the client's own noise never."""

import json
import shutil
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures" / "transcripts"
CLAUDE = FIXTURES / "claude-code"
CODEX = FIXTURES / "codex"
SESSION = "5b0c1f7e-2d64-4a58-9c1b-7e0f3a9d1c22"
SAID = {
    "claude-code": [
        ("user", "The refund window is 14 days since July, please put that into the mail."),
        ("assistant", "I will look for the template first."),
        ("tool", "mail/refund.txt:3: within 30 days"),
        ("user", "And never send it on a weekend."),
        ("assistant", "Done: the mail says 14 days now."),
    ],
    "codex": [
        ("user", "Invoices are numbered per country because of the tax office."),
        ("tool", "counters = {}"),
        ("assistant", "The counter is kept per country now."),
        ("user", "Bookings close at noon on the last working day."),
        ("tool", "ok"),
        ("assistant", "Noted in the calendar."),
    ],
}


def events(trial):
    found = [
        json.loads(line)
        for path in trial.root.glob("events/**/*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]
    return sorted(found, key=lambda one: one["id"])


def said(trial):
    return [(one["data"]["role"], one["text"]) for one in events(trial)]


@pytest.mark.parametrize(("client", "folder"), [("claude-code", CLAUDE), ("codex", CODEX)])
def test_what_was_said_is_kept_and_the_clients_noise_is_not(trial, client, folder):
    told = trial.told("observe", "--from", client, str(folder))
    assert told["events"] == len(SAID[client])
    assert said(trial) == SAID[client]
    assert {one["data"]["source"] for one in events(trial)} == {client}


@pytest.mark.parametrize(("client", "folder"), [("claude-code", CLAUDE), ("codex", CODEX)])
def test_taken_in_again_nothing_is_kept_twice(trial, client, folder):
    trial.told("observe", "--from", client, str(folder))
    before = [path.read_bytes() for path in sorted(trial.root.glob("events/**/*.jsonl"))]
    told = trial.told("observe", "--from", client, str(folder))
    assert (told["events"], told["known"]) == (0, len(SAID[client]))
    assert [path.read_bytes() for path in sorted(trial.root.glob("events/**/*.jsonl"))] == before


def test_each_goes_to_its_own_session_and_the_scope_of_its_folder(trial):
    trial.told("observe", "--from", "claude-code", str(CLAUDE))
    trial.told("observe", "--from", "codex", str(CODEX))
    assert {(one["session"][:8], one["scope"]) for one in events(trial)} == {
        ("5b0c1f7e", "project:shop"),  # a folder that is not on this machine, by its name
        ("019f7c1a", "project:ledger"),
        ("6f1d0c2b", "project:t"),  # an old transcript that names no folder
    }
    assert events(trial)[0]["occurred_at"] == "2026-07-01T09:33:00Z"


def test_a_folder_that_is_there_gives_the_scope_of_its_repository(trial, tmp_path):
    inner = tmp_path / "work" / "deep"
    inner.mkdir(parents=True)
    trial.git("init", "-q", str(tmp_path / "work"))
    file = tmp_path / "one.jsonl"
    text = (CLAUDE / "-home-ana-shop" / f"{SESSION}.jsonl").read_text()
    file.write_text(text.replace("/home/ana/shop", str(inner)))
    (told,) = trial.told("observe", "--from", "claude-code", str(file))["transcripts"]
    assert told["scope"] == "project:work"


def test_a_named_scope_holds_for_all(trial):
    trial.told("observe", "--from", "codex", str(CODEX), "--scope", "project:mine")
    assert {one["scope"] for one in events(trial)} == {"project:mine"}


def test_a_transcript_that_grows_is_gone_on_with(trial, tmp_path):
    whole = (CLAUDE / "-home-ana-shop" / f"{SESSION}.jsonl").read_bytes().splitlines(keepends=True)
    file = tmp_path / f"{SESSION}.jsonl"
    file.write_bytes(b"".join(whole[:6]) + whole[6][:40])  # the last line is being written
    (first,) = trial.told("observe", "--from", "claude-code", str(file))["transcripts"]
    assert (first["events"], first["passed_over"]) == (1, 0)
    file.write_bytes(b"".join(whole))
    (then,) = trial.told("observe", "--from", "claude-code", str(file))["transcripts"]
    assert (then["events"], then["known"], then["passed_over"]) == (4, 1, 1)
    assert said(trial) == SAID["claude-code"]


def test_a_dry_run_says_what_would_be_kept_and_writes_nothing(trial):
    told = trial.told("observe", "--from", "codex", str(CODEX), "--dry-run")
    assert told["events"] == 6
    assert not (trial.root / "events").exists()


def test_a_secret_in_a_tools_output_is_taken_out(trial, tmp_path):
    folder = tmp_path / "codex"
    shutil.copytree(CODEX, folder)
    (file,) = folder.rglob("rollout-2026-07-02T*.jsonl")
    token = "ghp_" + "a1B2" * 9
    file.write_text(file.read_text().replace("counters = {}", f"export GH={token}"))
    told = trial.told("observe", "--from", "codex", str(folder))
    assert told["secrets"] == {"github-token": 1}
    assert ("tool", "export GH=[secret:github-token]") in said(trial)
    assert ("assistant", "The counter is kept per country now.") in said(trial)


@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe\n[]\n3\n", b'{"type": "user"}\n{"message": 3}\n'])
def test_what_is_no_transcript_gives_nothing_and_breaks_nothing(trial, tmp_path, content):
    file = tmp_path / "odd.jsonl"
    file.write_bytes(content)
    for client in ("claude-code", "codex"):
        assert trial.told("observe", "--from", client, str(file))["events"] == 0
    assert trial.told("observe", "--from", "codex", str(CODEX))["events"] == 6


@pytest.mark.parametrize("how", ["nowhere", "empty"])
def test_a_path_without_transcripts_is_refused(trial, tmp_path, how):
    (tmp_path / "empty").mkdir()
    ran = trial.ran("observe", "--from", "codex", str(tmp_path / how))
    assert ran.code == 2
    assert "Hint: " in ran.err


def test_options_of_plain_text_go_not_with_transcripts(trial):
    assert trial.ran("observe", "--from", "codex", "--role", "user", str(CODEX)).code == 2
    assert trial.ran("observe", "--dry-run", "-", stdin="x").code == 2


def test_in_a_pipe_each_transcript_is_a_line(trial):
    rows = [line.split("\t") for line in trial.did("observe", "--from", "codex", str(CODEX)).splitlines()]
    assert [row[:3] for row in rows] == [
        ["019f7c1a-5e2b-7d30-8a44-1b2c3d4e5f60", "project:ledger", "3"],
        ["6f1d0c2b-90ab-4c3d-8e4f-a1b2c3d4e5f6", "project:t", "3"],
    ]


def message(client, text):
    """One line in which a person, or the client in a person's name, says `text`."""
    if client == "claude-code":
        said = {"type": "user", "uuid": "u1", "sessionId": "s", "message": {"role": "user", "content": text}}
    else:
        content = [{"type": "input_text", "text": text}]
        said = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}}
    return json.dumps(said) + "\n"


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("claude-code", "<command-message>review</command-message>"),
        ("claude-code", "<local-command-stdout>done</local-command-stdout>"),
        ("claude-code", "<bash-input>ls</bash-input>"),
        ("claude-code", "<ide_opened_file>a.py</ide_opened_file>"),
        ("claude-code", "[Request interrupted by user]"),
        ("claude-code", "<system-reminder>never ends"),
        ("claude-code", "This session is being continued from a previous conversation that ran out of room."),
        ("codex", "<environment_context><cwd>/x</cwd></environment_context>"),
        ("codex", "<user_instructions>Use tabs.</user_instructions>"),
        ("codex", "# AGENTS.md instructions for /x"),
        ("codex", "# Context from my IDE setup:\n\n## Active file: a.py\n"),
    ],
)
def test_what_the_client_puts_into_a_persons_mouth_is_left_out(trial, tmp_path, client, text):
    file = tmp_path / "one.jsonl"
    file.write_text(message(client, text) + message(client, "We ship on Tuesdays.").replace("u1", "u2"))
    assert trial.told("observe", "--from", client, str(file))["events"] == 1
    assert said(trial) == [("user", "We ship on Tuesdays.")]


def test_a_request_from_an_editor_keeps_its_own_words(trial, tmp_path):
    file = tmp_path / "one.jsonl"
    text = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nWe ship on Tuesdays.\n"
    file.write_text(message("codex", text))
    trial.told("observe", "--from", "codex", str(file))
    assert said(trial) == [("user", "We ship on Tuesdays.")]


def test_a_relative_path_in_a_folder_that_is_gone_means_nothing(trial, tmp_path, monkeypatch):
    from memcli import surroundings

    made = surroundings.Surroundings
    monkeypatch.setattr(surroundings, "Surroundings", lambda **how: made(**{**how, "cwd": None}))
    ran = trial.ran("observe", "--store", str(trial.root), "--from", "codex", ".")
    assert ran.code == 2
    assert "the working directory is gone" in ran.err
    assert trial.ran("observe", "--store", str(trial.root), "--from", "codex", str(CODEX)).code == 0
