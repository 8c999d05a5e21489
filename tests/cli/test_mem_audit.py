"""`mem audit` as it is typed: what it looks like, how it ends, and what a person is asked; the log's rule and score."""

import json
import subprocess

import pytest

FORMAT = "mem.audit/1"
PERSON = {"MEM_ACTOR": "human:ana"}


def git(store, *argv, **how):
    who = ("-c", "user.name=ana\x1b[31m", "-c", "user.email=a@b.c")
    return subprocess.run(["git", *who, *argv], cwd=store.root, env=store.environment, check=True, **how)


@pytest.fixture
def settled(store, within):
    """The store after a person accepted the commit that a hand made."""
    assert within("audit", "--accept", "--yes", env=PERSON).code == 0
    return store


@pytest.fixture
def edited(settled):
    """One edit more, which nobody explained."""
    settled.write("refund00aaaa", "The refund window is 31 days.")
    settled.commit()
    return settled


def test_a_store_that_hands_made_is_explained_by_nobody(store, within):
    """The control to `settled`: files that came by git alone are two findings."""
    told = json.loads(within("audit", "--json").out)
    assert (told["format"], told["clean"]) == (FORMAT, False)
    assert {(one["prior_status"], one["status"]) for one in told["findings"]} == {("none", "active")}
    assert len(told["findings"]) == 2


def test_a_clean_one_prints_nothing_and_exits_0(settled, within):
    ran = within("audit")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "1 entry in 2 commits, 2 memories: the journal explains everything.\n"


def test_a_pipe_gets_nine_cells(edited, within):
    ran = within("audit")
    (row,) = [line.split("\t") for line in ran.out.splitlines()]
    assert (len(row), row[0], row[4], row[5], row[8]) == (
        9, "text", "refund00aaaa", "schemas/project/t/refund00aaaa.md", "edited",
    )  # fmt: skip
    assert (ran.code, len(row[1]), row[3]) == (1, 40, "ana")


def test_quiet_prints_nothing_and_the_code_tells(edited, within):
    ran = within("audit", "-q")
    assert (ran.code, ran.out, ran.err) == (1, "", "")


def test_ok_if_nobody_edits_what_is_not_committed(settled, within):
    settled.write("refund00aaaa", "The refund window is 31 days.")
    ran = within("audit")
    assert ran.code == 0
    assert "1 file has edits that no commit holds yet" in ran.err


def test_nothing_of_an_author_or_a_trailer_steers_the_terminal(settled, within):
    said = "mem forget: x\n\nMem-Op: forget\nMem-Id: evil\x1b[2J\nMem-Prior-Status: a\x1b[31m\nMem-Status: b\x1b]0;x\x07"
    git(settled, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", said)
    for ran in (within.at_terminal("audit", "--color", "never"), within("audit")):
        assert "evil" in ran.out
        assert "\x1b" not in ran.out
        assert "\x07" not in ran.out
    shown = within.at_terminal("audit", "--color", "never").out.splitlines()
    assert shown[0].startswith("untrue")


def test_a_person_types_accept_having_seen_what(edited, mem):
    ran = mem.at_terminal("audit", "--accept", "--reason", "agreed", answers=[("Type accept", "accept")])
    assert ran.code == 0
    assert "schemas/project/t/refund00aaaa.md" in ran.screen
    assert "Accepted: 1 thing is explained by this entry." in ran.screen
    assert mem("audit").code == 0


@pytest.mark.parametrize("typed", ["", "no", "yes"])
def test_anything_else_leaves_it(edited, mem, typed):
    before = edited.head()
    assert mem.at_terminal("audit", "--accept", answers=[("Type accept", typed)]).code == 5
    assert edited.head() == before


def test_yes_and_a_reason_go_only_with_accept(edited, within):
    assert within("audit", "--yes").code == 2
    assert within("audit", "--reason", "x").code == 2


def test_accept_in_json_tells_the_commit_and_what_is_left(edited, within):
    told = json.loads(within("audit", "--accept", "--yes", "--json", env=PERSON).out)
    assert told["accepted"] == edited.head().decode().strip()
    assert (told["left"], len(told["findings"])) == ([], 1)
    again = json.loads(within("audit", "--accept", "--yes", "--json", env=PERSON).out)
    assert again["clean"]
    assert "accepted" not in again


def test_a_rewritten_history_is_told_in_every_look(settled, within):
    within("remember", "Buses leave from the north gate.")
    within("recall", "buses")
    git(settled, "reset", "-q", "--hard", "HEAD~1")
    ran = within("audit")
    assert (ran.code, ran.out.split("\t")[0], "mem audit --accept" in ran.err) == (7, "rewritten", True)
    assert "remember" in within.at_terminal("audit").out
    (lost,) = json.loads(within("audit", "--json").out)["replaced"]["lost"]
    assert (lost["op"], lost["changes"][0]["status"]) == ("remember", "active")
    assert "history" in within("doctor").out
    assert within("status").code == 0


def test_the_log_tells_rule_and_score(settled, within):
    within("remember", "Lunch is served in the yard.", env=PERSON)
    within("remember", "Lunch is served in the yard.", env=PERSON)
    newest, earlier = (line.split("\t") for line in within("log", "-n", "2").out.splitlines())
    assert [len(newest), len(earlier)] == [10, 10]
    (told, _) = json.loads(within("log", "-n", "2", "--json").out)["entries"]
    assert (newest[8], newest[9]) == (told["rule"], told["score"] or "")
    assert newest[8]
    assert f"[{newest[8]}" in within.at_terminal("log", "-n", "1", "--color", "never", columns=200).out


def test_the_doctor_asks_the_audit_deep_down_only(edited, within):
    assert "mem audit" not in within("doctor").out
    rows = [line.split("\t") for line in within("doctor", "--deep").out.splitlines()]
    assert [row[0::3] for row in rows if row[1] == "journal"] == [["warn", "mem audit"]]
