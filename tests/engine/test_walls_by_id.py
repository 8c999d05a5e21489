"""An agent's session and the ids of other scopes: what no answer shows it, no id opens either."""

import json

import pytest
from trial import AGENT

FOREIGN = "The canary sings in the foreign cellar."
OWN = "The refund window is 30 days."
SHARED = "Ana reads mail in the morning."


@pytest.fixture
def walled(trial):
    """A memory of this scope, of another and of the user, and an agent's session in this scope."""
    trial.own = trial.remember(OWN)["id"]
    trial.foreign = trial.remember(FOREIGN, "--scope", "project:other")["id"]
    trial.shared = trial.remember(SHARED, "--scope", "user")["id"]
    trial.did("activate", "--task", "Mind the shop", env=AGENT)
    return trial


def refused(trial, *argv, **how):
    ran = trial.ran(*argv, env=AGENT, **how)
    assert (ran.code, "canary" in ran.out + ran.err) == (5, False), (argv, ran)
    assert ran.err.startswith("This session works in project:t; "), ran.err


READING = [("show",), ("show", "--why"), ("history",), ("blame",)]


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_no_verb_that_reads_tells_it_of_another_scope(walled, words):
    refused(walled, *words, walled.foreign)
    refused(walled, *words, walled.foreign[:8])
    for seen in (walled.own, walled.shared):
        assert walled.ran(*words, seen, env=AGENT).code == 0
    assert walled.ran(*words, walled.foreign).code == 0  # a person


def test_several_ids_of_which_one_is_foreign_tell_nothing(walled):
    refused(walled, "show", walled.own, walled.foreign)


def test_an_id_that_differs_in_case_alone_tells_no_name_of_a_foreign_file(walled):
    ran = walled.ran("show", walled.foreign.upper(), env=AGENT)
    assert (ran.code, "canary" in ran.out + ran.err) == (3, False)
    assert f"{walled.own}  schemas/project/t/" in walled.ran("show", walled.own.upper(), env=AGENT).err


def test_what_has_no_file_any_more_is_no_less_foreign(walled):
    walled.path(walled.foreign).unlink()
    walled.did("save", "--yes")
    refused(walled, "history", walled.foreign)
    assert FOREIGN in walled.did("history", walled.foreign)


def test_a_file_that_is_set_aside_is_no_less_foreign(walled, tmp_path):
    path = walled.path(walled.foreign)
    path.write_text(path.read_text().replace("status: active", "status: odd"))
    looking = {**AGENT, "MEM_EDITOR": "cat"}
    ran = walled.ran("edit", walled.foreign, env=looking)
    assert (ran.code, "canary" in ran.out + ran.err) == (5, False)


def test_what_use_let_travel_may_be_read_where_it_may_be_shown(walled):
    path = walled.path(walled.foreign)
    head = "status: active\nstage: portable"
    path.write_text(path.read_text().replace("status: active", head))
    walled.did("save", "--yes")
    assert walled.ran("show", walled.foreign, env=AGENT).code == 0


def test_no_verb_that_writes_reaches_into_another_scope(walled):
    editing = {**AGENT, "MEM_EDITOR": "true"}
    before, head = walled.path(walled.foreign).read_bytes(), walled.head()
    refused(walled, "supersede", walled.foreign, "--with", "The canary is silent.")
    refused(walled, "supersede", walled.own, walled.foreign)
    refused(walled, "move", walled.foreign, "project:t")
    refused(walled, "move", walled.own, "project:other")
    for argv in (("edit", walled.foreign), ("new", "--scope", "project:other")):
        assert walled.ran(*argv, env=editing).code == 5
    assert (walled.path(walled.foreign).read_bytes(), walled.head()) == (before, head)
    walled.did("supersede", walled.own, "--with", "The refund window is 14 days.", env=AGENT)


def test_outside_of_a_session_an_agent_names_what_it_means(trial):
    foreign = trial.remember(FOREIGN, "--scope", "project:other")["id"]
    assert FOREIGN in trial.did("show", foreign, env=AGENT)


@pytest.mark.parametrize("wide", ["user", "global"])
def test_letting_every_scope_see_a_memory_is_a_persons_act(trial, wide):
    id_ = trial.remember(OWN)["id"]
    head = trial.head()
    ran = trial.ran("move", id_, wide, env=AGENT)
    assert (ran.code, trial.head()) == (5, head)
    assert "a person's act" in ran.err
    script = trial.root.parent / "widen.sh"
    script.write_text(f"#!/bin/sh\nsed -i 's/^scope: .*/scope: {wide}/' \"$1\"\n")
    script.chmod(0o755)
    ran = trial.ran("edit", id_, env={**AGENT, "MEM_EDITOR": str(script)})
    assert (ran.code, trial.head()) == (5, head)
    path = trial.path(id_)
    path.write_text(path.read_text().replace("scope: project:t", f"scope: {wide}"))
    ran = trial.ran("save", env=AGENT)
    assert (ran.code, trial.head()) == (5, head)
    assert f"letting every scope see it ({wide}) is a person's act" in ran.err
    trial.git("checkout", "-q", "--", ".")
    trial.did("move", id_, wide)
    assert json.loads(trial.did("show", "--json", id_))["scope"] == wide


def test_moving_beside_and_back_is_everyday_work(trial):
    id_ = trial.remember(OWN, "--scope", "user")["id"]
    trial.did("move", id_, "project:other", env=AGENT)
    trial.did("move", id_, "project:t", env=AGENT)
    assert trial.found("refund window") == [id_]
