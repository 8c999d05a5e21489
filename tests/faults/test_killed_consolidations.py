"""Killed at any moment, a consolidation is whole or was never begun; the next one does what is left, once."""

import random
import signal
import time

import pytest
from faults.last_change import killed
from faults.wholeness import files, told
from talk import CLUSTER, CLUSTER_AGAIN, claim, consolidate, observe

POINTS = 8  # in the short form


@pytest.fixture
def said(trial):
    """A store with something to believe, to stage, to propose and to link, said just now."""
    trial.moment = int(time.time()) - 600  # the processes below live in the present
    trial.remember("Invoices are stored in Postgres in the Dublin region.")
    observe(trial, "s1", claim("Invoices are stored in Postgres and archived after ten years.", "decision"))
    observe(trial, "s2", claim("It rained today.", "task"), CLUSTER)
    observe(trial, "s3", CLUSTER_AGAIN)
    return trial


def schemas(store):
    return {path: raw for path, raw in files(store).items() if path.startswith("schemas/")}


@pytest.mark.case("P-CONC-03")
def test_killed_before_any_change_to_the_disk_it_is_whole_or_absent(said, tmp_path, campaign):
    whole = said.copy(tmp_path / "whole")
    code, changes = killed(whole, 10**6, ["consolidate"])
    assert code == 0
    assert changes > 10
    dice = random.Random(7)
    for number in sorted(dice.sample(range(1, changes + 1), min(changes, POINTS * campaign))):
        victim = said.copy(tmp_path / str(number))
        head, before = victim.head(), files(victim)
        code, _ = killed(victim, number, ["consolidate"])
        assert code in (-signal.SIGKILL, 0), number
        assert victim.ran("recall", "invoices").code in (0, 1)
        if victim.head() == head:
            assert files(victim) == before, number
        consolidate(victim)
        assert consolidate(victim)["commit"] is None
        assert schemas(victim) == schemas(whole), number
        assert victim.git("status", "--porcelain", "schemas") == ""
        assert told(victim) == victim.statuses()
        victim.git("fsck", "--strict")
