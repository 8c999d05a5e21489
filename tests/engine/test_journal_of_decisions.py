"""The journal replayed equals the files, with every decision that a person can take in it."""

import random

import pytest
from test_journal_map import WORDS, told_by_trailers

ACTS = {
    "staged": (("review", "accept"), ("review", "reject"), ("stage", "promote"), ("stage", "drop")),
    "needs_review": (("review", "accept"), ("review", "reject")),
    "archived": (("reopen",),),
    "superseded": (("reopen",), ("forget",)),
    "active": (("forget",), ("supersede",), ("undo",)),
    "forgotten": (("unforget",),),
}
WAITS = ("status: staged\n", "status: needs_review\nreview:\n  reason: proposal\n")


def made(trial, chance, step):
    """A memory that waits, as a command of the store committed it."""
    claim = f"The {chance.choice(WORDS)} of the {chance.choice(WORDS)} number {step * 37 + 11}."
    trial.write(f"made{step:08}", claim, chance.choice(WAITS))
    trial.did("save")


def acted(trial, chance, step):
    """One act that this memory allows; whatever it is called with, it is one commit or none."""
    id_, status = chance.choice(sorted(trial.statuses().items()))
    words = chance.choice(ACTS[status])
    if words == ("supersede",):
        return trial.ran(
            "supersede", id_, "--with", f"The {chance.choice(WORDS)} came {step} times.", "--json"
        )
    if words == ("undo",):
        return trial.ran("undo", "--yes")
    return trial.ran(*words, id_, "--yes")


@pytest.mark.case("P-LIFE-06")
@pytest.mark.parametrize("seed", [4, 9])
def test_every_decision_is_one_commit_and_the_trailers_give_every_status(trial, seed):
    chance = random.Random(seed)
    for step in range(30):
        before = trial.commits()
        if step < 4 or chance.random() < 0.3:
            made(trial, chance, step)
        else:
            ran = acted(trial, chance, step)
            assert ran.code in (0, 3, 5, 8), ran.err
        assert trial.commits() - before <= 1
        assert trial.git("status", "--short") == ""
        assert told_by_trailers(trial) == trial.statuses()
