"""How a task looks: at a terminal, in a pipe, quietly, and while a person types."""

import json
import re
from pathlib import Path

import pytest

from memcli.cli import offering, words
from memcli.cli.parse import parse

AGENT = {"MEM_ACTOR": "agent:claude"}
TASK = ("activate", "--task", "Look after the refund window")


def bare(screen):
    return re.sub(r"\x1b\[[0-9;]*m", "", screen)


def test_at_a_terminal_a_task_is_laid_out_to_be_read(within):
    within("remember", "Never refund on a weekend.", "--type", "warning")
    ran = within.at_terminal(*TASK)
    shown = bare(ran.out)
    assert ran.code == 0
    assert re.match(r"Session s_[0-9a-z]{12} in project:t\n", shown)
    assert shown.index("Mind") < shown.index("Never refund on a weekend.") < shown.index("Known")
    assert shown.index("Known") < shown.index("The refund window is 30 days.")
    assert re.search(r"Receipt r_[0-9a-z]{20}, continuity c_[0-9a-z]{12}", bare(ran.err))


def test_in_a_pipe_each_row_is_kind_id_and_text(within):
    within("remember", "Never refund on a weekend.", "--type", "warning")
    rows = [line.split("\t") for line in within(*TASK).out.splitlines()]
    assert {len(row) for row in rows} == {3}
    assert [row[0] for row in rows[:3]] == ["session", "continuity", "receipt"]
    assert sorted({row[0] for row in rows[3:]}, reverse=True) == ["warning", "memory"]
    assert rows[0][2] == "project:t"


def test_a_cold_start_and_a_misspelt_scope_are_said_beside_the_answer(within):
    ran = within(*TASK, "--scope", "project:tt")
    assert "A cold start: project:tt has no memories yet." in ran.err
    within("remember", "Trains leave at nine.", "--scope", "project:storefront")
    ran = within(*TASK, "--scope", "project:store-front", env=AGENT)
    assert "project:store-front looks like a spelling of project:storefront" in ran.err


def test_recall_names_its_receipt_on_stderr_and_only_in_a_session(within):
    outside = within("recall", "refund window", env=AGENT)
    assert "Receipt" not in outside.err
    within(*TASK, env=AGENT)
    inside = within("recall", "refund window", env=AGENT)
    assert inside.out == outside.out
    assert re.search(r"^Receipt r_[0-9a-z]{20}$", inside.err, re.MULTILINE)
    prompt = within("recall", "refund window", "--prompt", env=AGENT)
    assert "r_" not in prompt.out
    assert "Receipt r_" in prompt.err
    assert within("recall", "refund window", "--quiet", env=AGENT).err == ""


def test_feedback_and_the_end_read_well_at_a_terminal(within):
    within(*TASK, env=AGENT)
    shown = bare(within.at_terminal("feedback", "--used", "refund00aaaa", env=AGENT).out)
    assert shown == "Feedback on 1 answer kept.\n"
    ran = within.at_terminal("feedback", "--stale", "refund00aaaa", "--reason", "outdated", env=AGENT)
    assert re.search(r"^refund00aaaa  active → stale, until \d{4}-\d\d-\d\d", bare(ran.out), re.MULTILINE)
    assert "It waits in mem review; undo: mem undo" in bare(ran.err)
    within("feedback", "--coverage", "partial", env=AGENT)
    ran = within.at_terminal("commit", "--outcome", "failed", env=AGENT)
    assert re.match(r"Session s_[0-9a-z]{12} ended: failed, \d events kept\.\n", bare(ran.out))
    assert "Go on later: --continuity c_" in bare(ran.err)


def test_in_a_pipe_the_end_is_one_row(within):
    within(*TASK, env=AGENT)
    within("feedback", "--coverage", "partial", env=AGENT)
    (row,) = within("commit", env=AGENT).out.splitlines()
    session, outcome, events, commit = row.split("\t")
    assert (session[:2], outcome, int(events) >= 2, len(commit)) == ("s_", "done", True, 40)


def test_observe_says_how_much_and_what_was_taken_out(within):
    ran = within.at_terminal("observe", "-", stdin="user: AKIAIOSFODNN7EXAMPLF\nassistant: I see")
    assert bare(ran.out) == "Observed 2 turns, project:t.\n"
    assert "1 secret was taken out (aws-access-key)." in bare(ran.err)
    ran = within("observe", "-", stdin='{"text": "a"}\n{"role": 3}\n')
    assert (ran.code, ran.out) == (5, "1\n")
    assert "Refused: Line 2: role must be text." in ran.err
    assert within("observe", "-", "--quiet", stdin="x y").out == ""


def test_saving_what_was_observed_offers_no_way_back(within):
    within("observe", "-", stdin="We ship on Tuesdays.")
    ran = within("save")
    assert ran.out.startswith("observe")
    assert "Commit" in ran.err
    assert "mem undo" not in ran.err


@pytest.mark.parametrize("text", ["\x1b[31mred\x1b[0m", "a\tb\nc", "[bold]x[/bold]", "<memory>"])
def test_no_task_and_no_claim_draws_on_the_terminal(within, text):
    within("remember", f"The refund desk {text} is open.")
    for argv in (("activate", "--task", f"refund desk {text}"), ("status",), ("commit",)):
        ran = within.at_terminal(*argv)
        assert "\x1b[31m" not in ran.out + ran.err
    rows = [line.split("\t") for line in within("activate", "--task", f"refund desk {text}").out.splitlines()]
    assert {len(row) for row in rows} == {3}


def test_json_is_one_object_with_the_keys_that_the_page_names(within):
    page = (Path(__file__).parents[2] / "docs" / "format.md").read_text("utf-8")
    told = [json.loads(within(*TASK, "--json", env=AGENT).out)]
    told.append(json.loads(within("feedback", "--coverage", "partial", "--json", env=AGENT).out))
    told.append(json.loads(within("observe", "-", "--json", stdin="x y", env=AGENT).out))
    told.append(json.loads(within("commit", "--json", env=AGENT).out))
    for one in told:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{one['format']}`"))
        assert [key for key in one if key not in ("format", "notices") and f"`{key}`" not in row] == []


def test_a_shell_offers_what_the_session_was_shown(within, monkeypatch):
    told = json.loads(within(*TASK, "--json").out)
    within("recall", "refund window")
    from memcli import surroundings

    stands = {"environment": within.environment, "cwd": within.folder}
    monkeypatch.setattr(
        surroundings,
        "read",
        lambda: surroundings.made({**stands["environment"]}, stands["cwd"], (False,) * 3, 0, terminal=False),
    )
    receipts = [one for one, _ in offering.receipts("")]
    assert told["receipt"] in receipts
    assert [one for one, _ in offering.shown("refund")] == ["refund00aaaa"]
    assert offering.receipts("zz") == []


@pytest.mark.parametrize("name", ["activate", "feedback", "commit", "observe"])
def test_each_verb_has_examples_that_are_read(name):
    verb = words.find(name)
    assert verb.format == f"mem.{name}/1"
    assert verb.examples
    assert parse([name, "--json", *(["-"] if name == "observe" else [])]) is not None
