"""A purge and other clones: no meeting brings back what was taken out, and each is told what to do."""

import re

import pytest
from engine.test_purging import OTHER, SECRET, held, purge

from memcli.cli import words


@pytest.fixture
def pair(trial, tmp_path):
    """Two clones of a bare repository; `gone` is the memory to be purged."""
    bare = tmp_path / "t.git"
    trial.git("init", "-q", "--bare", "-b", "main", str(bare))
    trial.remember(OTHER)
    trial.gone = trial.remember(SECRET)["id"]
    trial.git("remote", "add", "origin", str(bare))
    trial.told("sync")
    other = trial.clone(tmp_path / "other")
    other.git("remote", "set-url", "origin", str(bare))
    other.moment = trial.moment
    return trial, other


def command(told, begins):
    """The words of the command in a hint that begins so."""
    (found,) = re.findall(rf"({begins}[^;\n]*)", told)
    return found.split()[1:]


def follows(trial, told):
    """Do what the hint says."""
    for line in re.search(r"Follow it: (.*)", told)[1].split(";"):
        program, *words = line.split()
        if program == "git":
            trial.git(*words)
        else:
            trial.did(*words, "--yes")


def pushed(trial):
    purge(trial, trial.gone, "--all-refs")
    ran = trial.ran("sync")
    assert (ran.code, "still holds it" in ran.err) == (7, True)
    assert ran.code in words.find("sync").codes
    assert held(trial) == [], "what was fetched to see that does not stay"
    trial.git(*command(ran.err, "git push"))


def test_the_preview_names_the_remote_and_the_push_that_follows(pair):
    here, _ = pair
    told = purge(here, here.gone, "--all-refs")
    assert told["other_refs"] == ["refs/remotes/origin/main"]
    assert "--force-with-lease=main:" in told["remains"][0]


def test_a_clone_that_is_behind_follows_and_keeps_its_own_commits(pair):
    here, there = pair
    mine = there.remember("The ferry leaves at ten.")["id"]
    pushed(here)
    before = there.head()
    ran = there.ran("sync")
    assert (ran.code, "purged" in ran.err, there.head()) == (7, True, before)
    follows(there, ran.err)
    assert held(there) == []
    assert there.found("ferry leaves")[:1] == [mine]
    there.told("sync")
    here.told("sync")
    assert held(here) == []
    assert here.found("ferry leaves")[:1] == [mine]
    assert there.remember(SECRET, code=5)["decision"] == "skipped"


def test_a_clone_without_commits_of_its_own_is_reset(pair):
    here, there = pair
    pushed(here)
    ran = there.ran("sync")
    assert "git reset --keep origin/main" in ran.err
    follows(there, ran.err)
    there.told("sync")
    here.told("sync")
    assert there.head() == here.head()
    assert held(there) == []


def test_plain_git_merges_it_and_it_is_withheld(pair):
    here, there = pair
    there.remember("The ferry leaves at ten.")
    pushed(here)
    there.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    assert there.found("what is the vault code of Okonkwo") == []
    assert there.found("when does the canteen open")


def test_two_clones_that_purge_the_same_write_the_same_history(pair):
    here, there = pair
    purge(here, here.gone, "--all-refs")
    purge(there, here.gone, "--all-refs")
    assert here.git("rev-parse", "HEAD^") == there.git("rev-parse", "HEAD^")
