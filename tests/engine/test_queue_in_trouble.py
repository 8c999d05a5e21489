"""The queue, the staged and the figures answer whatever else is wrong: no git, no lock, no index, a cut history."""

import os
import shutil
import subprocess
import sys

import pytest

from memcli.store import lock
from memcli.store.place import Place

READING = (
    ("review", "list"),
    ("review", "list", "--json"),
    ("stage", "list"),
    ("stats",),
    ("stats", "--json"),
)


HERE = ("--scope", "project:t")  # without its repository the folder says nothing of the scope


@pytest.fixture
def store(trial):
    """A store with something of each kind."""
    gone = trial.remember("The office coffee costs one euro a cup.")["id"]
    trial.forget(gone)
    trial.write("stag0000aaaa", "Parcels go by rail.", "status: staged\n")
    trial.write(
        "prop0000aaaa", "Invoices run per country.", "status: needs_review\nreview:\n  reason: proposal\n"
    )
    held = f"status: needs_review\nreview:\n  reason: resembles\n  of: [{gone}]\n"
    trial.write("held0000aaaa", "A cup of coffee is dear in the office.", held)
    trial.commit_by_hand()
    return trial


def broken_history(store):
    for pack in (store.root / ".git" / "objects").rglob("*"):
        if pack.is_file():
            pack.chmod(0o600)
            pack.write_bytes(b"")


TROUBLE = {
    "no repository": lambda store: shutil.rmtree(store.root / ".git"),
    "no index": lambda store: store.forgets_the_index(),
    "damaged history": broken_history,
    "nothing to read the index from": lambda store: (store.root / ".mem" / "index").rename(
        store.root / ".mem" / "x"
    ),
    "a foreign file": lambda store: (store.root / "schemas" / "project" / "t" / "odd.md").write_bytes(
        b"\xff\xfe\0"
    ),
}


@pytest.mark.parametrize("trouble", TROUBLE)
def test_reading_goes_on(store, trouble):
    TROUBLE[trouble](store)
    for words in READING:
        ran = store.ran(*words, *HERE)
        assert ran.code == 0, (words, ran.err)
        assert ran.out
    ids = store.did("review", "list", "--ids", *HERE).split()
    assert set(ids) == {"held0000aaaa", "prop0000aaaa", "stag0000aaaa"}


def test_without_git_on_the_path_reading_goes_on(store):
    for words in READING:
        ran = store.ran(*words, env={"PATH": "/nowhere"})
        assert ran.code == 0, (words, ran.err)


def test_while_another_writes_the_queue_is_read_and_nothing_is_decided(store):
    (store.root / "mem.toml").write_text("[lock]\nwait_s = 0.2\n")
    store.write("more0000aaaa", "Lunch is at noon.", "status: staged\n")
    with lock.hold(Place(store.root), wait_s=1, holder="another"):
        assert "more0000aaaa" in store.did("review", "list", "--ids")
        assert "more0000aaaa" in store.did("stage", "list")
        ran = store.ran("review", "accept", "prop0000aaaa", "--yes")
        assert ran.code == 8
    assert store.ran("review", "accept", "prop0000aaaa", "--yes").code == 0


def test_a_decision_in_a_store_without_git_is_refused_and_changes_nothing(store):
    store.write("arch0000aaaa", "The shop is shut.", "status: archived\narchive_reason: rejected\n")
    shutil.rmtree(store.root / ".git")
    before = store.path("prop0000aaaa").read_bytes()
    for words in (
        ("review", "accept", "prop0000aaaa"),
        ("stage", "promote", "stag0000aaaa"),
        ("reopen", "arch0000aaaa"),
    ):
        assert store.ran(*words, "--yes", *HERE).code == 6
    assert store.path("prop0000aaaa").read_bytes() == before


def test_text_that_commands_a_terminal_is_shown_as_text(store):
    store.write("evil0000aaaa", "Red \x1b[31malert\x1b[0m and \u202eright to left.", "status: staged\n")
    for words in READING:
        ran = store.ran(*words)
        assert "\x1b" not in ran.out
        assert "\u202e" not in ran.out


def test_of_two_who_decide_at_once_one_is_told_to_look_again(store):
    before = store.commits()
    words = [["review", "accept", "prop0000aaaa"], ["review", "reject", "prop0000aaaa"]]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "memcli", *each, "--yes"],
            cwd=store.root,
            env={**store.environment, "PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for each in words
    ]
    told = [process.communicate(timeout=60) for process in running]
    codes = sorted(process.returncode for process in running)
    assert codes[0] == 0
    assert codes[1] in (3, 8), told
    assert store.commits() == before + 1
    assert store.status("prop0000aaaa") in ("active", "archived")
