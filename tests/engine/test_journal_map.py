"""The journal replayed equals the files: a short seeded run of acts."""

import random

import pytest

WORDS = ("otters", "larches", "granite", "ferries", "lanterns", "beehives", "turbines", "harbours")


def told_by_trailers(trial):
    """Id → status from the trailers alone, oldest first."""
    found = {}
    keys = "%(trailers:key=Mem-Id,key=Mem-Status,valueonly,separator=%x09)"
    for line in trial.git("log", "--reverse", f"--format={keys}").splitlines():
        cells = line.split("\t")
        found |= dict(zip(cells[::2], cells[1::2], strict=False))
    return {id_: status for id_, status in found.items() if id_ and status != "none"}


@pytest.mark.case("P-LIFE-06")
def test_the_trailers_alone_give_the_status_of_every_memory(trial):
    chance = random.Random(6)
    made = []
    for step in range(40):
        act = chance.choice(("remember", "remember", "forget", "unforget"))
        before = int(trial.git("rev-list", "--count", "HEAD"))
        if act == "remember" or not made:
            claim = f"The {chance.choice(WORDS)} of the {chance.choice(WORDS)} number {step * 37 + 11}."
            answer = trial.remember(claim)
            made.append(answer["id"])
        else:
            getattr(trial, act)(chance.choice(made))
        assert int(trial.git("rev-list", "--count", "HEAD")) - before <= 1
        assert trial.git("status", "--short") == ""
    assert told_by_trailers(trial) == trial.statuses()
