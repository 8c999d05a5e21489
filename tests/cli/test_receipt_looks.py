"""How receipts look: at a terminal, in a pipe, as JSON, and while a person types."""

import json
import re

import pytest

from memcli.cli import offering


def bare(screen):
    return re.sub(r"\x1b\[[0-9;]*m", "", screen)


def told(within, *words):
    return json.loads(within("--json", *words).out)


@pytest.fixture
def given(within):
    """The id of a receipt."""
    return told(within, "recall", "refund window", "--receipt")["receipt"]


def test_recall_names_the_receipt_that_was_asked_for_on_stderr_in_every_look(within):
    plain = within("recall", "refund window")
    for options in ((), ("--ids",), ("--prompt",), ("--format", "{id}")):
        ran = within("recall", "refund window", "--receipt", *options)
        assert re.search(r"^Receipt r_[0-9a-z]{20}$", ran.err, re.MULTILINE), options
    assert within("recall", "refund window", "--receipt").out == plain.out


def test_a_list_has_six_cells_in_a_pipe_and_a_table_at_a_terminal(within, given):
    rows = [line.split("\t") for line in within("receipt", "list").out.splitlines()]
    assert [len(row) for row in rows] == [6]
    assert rows[0][0] == given
    assert rows[0][2:4] == ["project:t", "found"]
    assert rows[0][5] == "refund window"
    shown = bare(within.at_terminal("receipt", "list").out)
    assert given in shown
    assert "refund window" in shown


def test_show_prints_the_receipt_itself_in_a_pipe(within, given):
    said = json.loads(within("receipt", "show", given).out)
    assert said["id"] == given
    assert said == told(within, "receipt", "show", given)
    shown = bare(within.at_terminal("receipt", "show", given[:8]).out)
    assert "as of" in shown
    assert "sha256" in shown


def test_replay_says_equal_with_the_number_of_bytes(within, given):
    bytes_ = told(within, "receipt", "show", given)["output"]["bytes"]
    ran = within("receipt", "replay", given)
    assert re.fullmatch(rf"Equal: {bytes_} bytes, the same as on \d{{4}}-\d\d-\d\d\.\n", ran.out)
    dated = told(within, "recall", "refund", "--as-of", "2099-01-01", "--receipt")["receipt"]
    assert within("receipt", "replay", dated).out.endswith("bytes, the same again as of 2099-01-01.\n")
    assert within("receipt", "verify", given).out.split("\t")[:2] == [given, "genuine"]
    assert "genuine" in bare(within.at_terminal("receipt", "verify", given).out)


def test_diff_names_what_became_of_each(within, given):
    same = within.at_terminal("receipt", "diff", given)
    assert "is as it was" in bare(same.out)
    within("supersede", "refund00aaaa", "--with", "The refund window is 14 days.")
    rows = [line.split("\t") for line in within("receipt", "diff", given).out.splitlines()]
    assert {len(row) for row in rows} == {8}
    assert {row[0] for row in rows} >= {"superseded", "new"}
    shown = bare(within.at_terminal("receipt", "diff", given).out)
    assert "superseded by " in shown
    ran = within.at_terminal("receipt", "replay", given, "--at", "HEAD")
    assert ran.code == 1
    assert "Another answer at HEAD" in bare(ran.out)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("receipt",), 2),
        (("receipt", "sideways"), 2),
        (("receipt", "show"), 2),
        (("receipt", "list", "r_4kx2"), 2),
        (("receipt", "show", "r_4kx2", "--at", "HEAD"), 2),
        (("receipt", "show", "r_4kx2", "--limit", "3"), 2),
        (("receipt", "list"), 1),
        (("receipt", "list", "--ok-if-empty"), 0),
        (("receipt", "show", "r_"), 3),
        (("receipt", "show", "r_4kx2"), 3),
        (("receipt", "show", "../../etc/passwd"), 3),
        (("receipt", "show", "k3v9"), 3),
    ],
)
def test_wrong_words_and_unknown_receipts_have_their_exit_codes(within, words, code):
    ran = within(*words)
    assert ran.code == code, ran.err


def test_a_shell_completes_receipts_with_their_questions(within, given, monkeypatch):
    from memcli import surroundings

    def read():
        return surroundings.made({**within.environment}, within.folder, (False,) * 3, 0, terminal=False)

    monkeypatch.setattr(surroundings, "read", read)
    offered = offering.source("kept_receipts", ())
    assert offered("r_") == [(given, "refund window")]
    assert offered("r_zzzz") == []
