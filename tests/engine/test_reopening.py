"""Reopen: what was closed counts again, byte for byte where nothing was edited since."""

import json

import pytest

CLOSED = {
    "stale": "status: stale\nstale_reason: outdated\n",
    "archived": "status: archived\narchive_reason: rejected\n",
}


def reopen(trial, *ids, **how):
    return [json.loads(line) for line in trial.did("--json", "reopen", *ids, "--yes", **how).splitlines()]


@pytest.mark.parametrize("status", CLOSED)
def test_it_gets_its_bytes_and_status_back(trial, status):
    id_ = trial.remember("Parcels go by rail.", "--valid-from", "2026-01-01")["id"]
    path = trial.path(id_)
    before = path.read_bytes()
    path.write_text(path.read_text().replace("status: active\n", CLOSED[status]))
    trial.commit_by_hand()
    assert trial.found("parcels by rail") == []
    (done,) = reopen(trial, id_)
    assert (done["op"], done["prior_status"], done["status"]) == ("reopen", status, "active")
    assert path.read_bytes() == before
    assert trial.found("parcels by rail") == [id_]
    assert trial.touched() == [path.relative_to(trial.root).as_posix()]


def test_what_was_edited_since_keeps_the_edit(trial):
    id_ = trial.remember("Parcels go by rail.")["id"]
    path = trial.path(id_)
    path.write_text(
        path.read_text()
        .replace("status: active\n", CLOSED["stale"])
        .replace("---\n\n", "validity:\n  to: 2026-11-01\n---\n\n")
    )
    trial.commit_by_hand()
    path.write_text(path.read_text() + "\nA detail.\n")
    (done,) = reopen(trial, id_)
    assert done["status"] == "active"
    text = path.read_text()
    assert "A detail." in text
    assert "stale" not in text
    assert "2026-11-01" not in text
    assert trial.found("parcels by rail") == [id_]


def test_a_superseded_one_comes_back_beside_its_successor(trial):
    old = trial.remember("The port is 80.", "--concept", "port")["id"]
    raw = trial.path(old).read_bytes()
    new = trial.remember("The port is 443.", "--concept", "port", "--supersede-concept")["id"]
    assert trial.status(old) == "superseded"
    reopen(trial, old)
    assert trial.path(old).read_bytes() == raw
    assert len(trial.touched()) == 2
    assert "supersedes" not in trial.path(new).read_text()
    assert set(trial.found("port")) == {old, new}
    (waits,) = trial.told("review", "list")["items"]
    assert waits["why"] == "conflict"


@pytest.mark.parametrize("removed", [False, True])
def test_a_successor_is_said_to_go_on_counting_only_where_it_does(trial, removed):
    old = trial.remember("The port is 80.", "--concept", "port")["id"]
    new = trial.remember("The port is 443.", "--concept", "port", "--supersede-concept")["id"]
    if removed:
        trial.forget(new)
    ran = trial.ran("reopen", old, "--yes")
    assert ran.code == 0
    assert ("goes on counting" in ran.err) is not removed
    assert set(trial.found("port")) == ({old} if removed else {old, new})


def test_what_nothing_resonated_with_counts_from_now_on(trial):
    trial.write("stag0000aaaa", "Parcels go by rail.", "status: staged\n")
    trial.commit_by_hand()
    trial.did("stage", "sweep", "--as-of", "2030-01-01")
    assert trial.status("stag0000aaaa") == "archived"
    reopen(trial, "stag0000aaaa")
    trial.did("stage", "sweep", "--as-of", "2030-01-01")
    assert trial.status("stag0000aaaa") in ("active", "staged")


def test_forgotten_ones_and_live_ones_are_not_reopened(trial):
    gone = trial.remember("Parcels go by rail.")["id"]
    trial.forget(gone)
    live = trial.remember("Invoices run per country.")["id"]
    before = trial.head()
    ran = trial.ran("reopen", gone, "--yes")
    assert (ran.code, "mem unforget" in ran.err) == (5, True)
    (done,) = reopen(trial, live)
    assert done["commit"] is None
    assert trial.head() == before


def test_reopening_is_a_persons_act(trial):
    trial.write("arch0000aaaa", "Parcels go by rail.", CLOSED["archived"])
    trial.commit_by_hand()
    before = trial.head()
    ran = trial.ran("reopen", "arch0000aaaa", "--yes", env={"MEM_ACTOR": "agent:claude"})
    assert ran.code == 5
    assert "agent acts here" in ran.err
    assert trial.head() == before
    assert trial.ran("reopen", "arch0000aaaa").code == 5


def test_what_never_counted_counts_from_now_on(trial):
    trial.write("born0000aaaa", "Parcels go by rail.", "status: archived\narchive_reason: low_salience\n")
    trial.commit_by_hand()
    (done,) = reopen(trial, "born0000aaaa")
    assert (done["prior_status"], done["status"]) == ("archived", "active")
    assert "archive_reason" not in trial.path("born0000aaaa").read_text()
    assert trial.found("parcels by rail") == ["born0000aaaa"]


def test_what_says_again_what_was_forgotten_passes_by_being_reopened(trial):
    trial.write("copy0000aaaa", "Parcels go by rail.", CLOSED["archived"])
    trial.commit_by_hand()
    gone = trial.remember("Lunch is at noon.")["id"]
    path = trial.path(gone)
    path.write_text(path.read_text().replace("Lunch is at noon.", "Parcels go by rail."))
    trial.did("save")
    trial.forget(gone)
    (done,) = reopen(trial, "copy0000aaaa")
    assert done["overrides"] == [gone]
    assert trial.found("parcels by rail") == ["copy0000aaaa"]
    trial.forgets_the_index()
    assert trial.found("parcels by rail") == ["copy0000aaaa"]


@pytest.mark.parametrize("first", [0, 1])
def test_one_and_what_superseded_it_are_reopened_together(trial, first):
    ports = [80, 443, 8443]
    ids = [
        trial.remember(f"The port is {port}.", "--concept", "port", "--supersede-concept")["id"]
        for port in ports
    ]
    told = [ids[first], ids[1 - first]]
    assert [one["status"] for one in reopen(trial, *told)] == ["active", "active"]
    assert [trial.status(id_) for id_ in ids] == ["active"] * 3
    assert not any("supersede" in trial.path(id_).read_text() for id_ in ids)
    assert "wrong" not in trial.ran("audit").out


def test_two_are_reopened_in_one_commit(trial):
    for nth, claim in enumerate(("Parcels go by rail.", "Invoices run per country.")):
        trial.write(f"arch0000aaa{nth}", claim, CLOSED["archived"])
    trial.commit_by_hand()
    before = trial.commits()
    done = reopen(trial, "arch0000aaa0", "arch0000aaa1", "--reason", "it was right")
    assert {one["commit"] for one in done} == {trial.head()}
    assert trial.commits() == before + 1
    assert trial.told("log", "--op", "reopen")["entries"][0]["reason"] == "it was right"
