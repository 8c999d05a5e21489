"""Killed at any change of the disk, a purge is not begun, or it is ended by the next command that writes."""

import random
import signal

import pytest
from engine.test_purging import OTHER, SECRET, held, purge
from faults.last_change import POINTS, killed


@pytest.mark.case("P-CONC-03")
def test_a_purge_is_before_or_is_ended_by_the_next_command(trial, tmp_path, campaign):
    gone, kept = trial.remember(SECRET)["id"], trial.remember(OTHER)["id"]
    trial.did("observe", "-", stdin=f"I said it: {SECRET}")
    trial.git("tag", "v1")
    trial.git("gc", "-q")
    words = ["purge", gone, "--all-refs", "--yes", "--expect"]
    words.append(trial.told("purge", gone, "--all-refs", "--dry-run")["digest"])
    code, changes = killed(trial.copy(tmp_path / "whole"), 10**6, words)
    assert code == 0
    points = sorted(random.Random(7).sample(range(1, changes + 1), min(changes, POINTS * campaign)))
    for number in points:
        victim = trial.copy(tmp_path / str(number))
        before = victim.head()
        code, _ = killed(victim, number, words)
        assert code in (-signal.SIGKILL, 0), number
        victim.remember("The ferry leaves at ten.")
        if victim.git("merge-base", "--is-ancestor", before, "HEAD", check=False) == "" and held(victim):
            assert victim.found("what is the vault code")[:1] == [gone], number
            purge(victim, gone, "--all-refs")
        assert held(victim) == [], number
        assert victim.git("fsck", "--strict") == "", number
        assert victim.found("when does the canteen open")[:1] == [kept], number
