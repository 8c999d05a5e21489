"""`mem consolidate` and `mem replay` as they are typed: what a person, a pipe and a program are told."""

import json

import pytest

from memcli.store import lease
from memcli.store.place import Place

CLAIM = "The loading dock in Leeds closes at six in the evening."
LINES = "\n".join(
    json.dumps(one)
    for one in (
        {"kind": "claim", "type": "decision", "text": CLAIM},
        {"role": "user", "text": "ok, thanks!"},
    )
)


@pytest.fixture
def talked(within):
    assert within("observe", "--session", "s1", "-", stdin=LINES).code == 0
    return within


def test_a_person_is_told_what_becomes_of_what_was_said_and_why(talked):
    screen = talked.at_terminal("consolidate", "--dry-run", "--explain", "--color", "never").screen
    assert "Would digest 2 events of 1 session." in screen
    assert "believed" in screen
    assert "greetings" in screen
    assert CLAIM in screen
    assert "novelty" in screen
    done = talked.at_terminal("consolidate", "--color", "never")
    assert "Digested 2 events" in done.screen
    assert "mem undo" in done.err
    assert "Nothing is new." in talked.at_terminal("consolidate").screen


def test_a_pipe_gets_what_and_how_often(talked):
    assert talked("consolidate").out == "events\t2\ncreated\t1\nnoise\t1\n"


def test_a_pipe_that_asks_why_gets_five_cells_for_each_step(talked):
    *_, line, last = talked("consolidate", "--explain", "--dry-run").out.splitlines()
    what, id_, of, why, text = line.split("\t")
    assert last.startswith("noise\t")
    assert (what, of, text) == ("created", "", CLAIM)
    assert len(id_) == 12
    assert why.startswith("salience 0.")


def test_a_program_gets_an_object_whose_steps_are_there_when_asked_for(talked):
    told = json.loads(talked("consolidate", "--dry-run", "--json").out)
    assert told["format"] == "mem.consolidate/1"
    assert (told["events"], told["counts"], told["sifted_out"]) == (2, {"created": 1}, {"noise": 1})
    assert "steps" not in told
    steps = json.loads(talked("consolidate", "--dry-run", "--json", "--explain").out)["steps"]
    assert [(one["what"], one["text"]) for one in steps] == [("created", CLAIM), ("noise", None)]


def test_what_is_not_due_is_said_and_is_no_failure(talked):
    ran = talked.at_terminal("consolidate", "--if-due", "--color", "never")
    assert (ran.code, "Nothing is due: 0 closed exchanges of 6." in ran.screen) == (0, True)
    assert talked("consolidate", "--if-due").out == ""


def test_while_another_process_is_at_it_one_is_asked_to_try_again_and_a_hook_is_not(talked, store):
    with lease.held(Place(store.root)) as mine:
        assert mine
        ran = talked("consolidate")
        assert (ran.code, "Another process consolidates" in ran.err) == (8, True)
        assert talked("consolidate", "--if-due").code == 0
        assert talked("consolidate", "--dry-run").code == 0
    assert talked("consolidate").code == 0


def test_a_moment_that_cannot_be_read_is_refused(talked):
    assert talked("consolidate", "--as-of", "soon").code == 2


def test_replaying_without_newer_rules_does_nothing(talked):
    assert talked("consolidate").code == 0
    assert "Nothing is new." in talked.at_terminal("replay").screen


def test_an_agent_may_consolidate(talked):
    assert talked("consolidate", env={"MEM_ACTOR": "agent:claude"}).code == 0
