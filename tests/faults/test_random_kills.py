"""Processes that act as fast as they can are killed at any moment: what was acknowledged holds, once.

Several at a time act on one store, each on memories of its own, and are killed one after the
other: while they open the store, wait for the lock, write, commit or answer. Nobody repairs
anything; one ordinary command follows, and then everything is compared.
"""

import itertools
import os
import time
from pathlib import Path

import pytest
from faults.wholeness import check_whole, told

PARTS = 10  # each with stores of its own
ROUNDS = 5  # of each part in the short form
AT_ONCE = 4
LINES = 6  # at most so many lines are awaited of a process before it is killed
PATIENCE_S, AFTER_S = 20, 0.15
FRESH = 25  # rounds on one store at most
BUSY = (Path(__file__).parent / "busy.py").read_text("utf-8")
ENDS = {"forget": "forgotten", "unforget": "active", "supersede": "superseded", "retract": "retracted"}
SEEDS = ("The refund window is 30 days.", "Stock is counted in June.", "Wages are paid on the 25th.")


class Ledger:
    """What processes said: acknowledged statuses, acts whose end nobody heard of, turns taken in."""

    def __init__(self, ids):
        self.stands = dict.fromkeys(ids, "active")
        self.unsure, self.turns, self.acts = {}, [], 0

    def read(self, out):
        """Take in the lines of one process, the last of which may be cut."""
        open_act = None
        for line in out.rpartition("\n")[0].splitlines():
            word, _, rest = line.partition(" ")
            if word == "ack":
                id_, status = rest.split()
                self.stands[id_], open_act = status, None
            elif word == "try":
                act, _, id_ = rest.partition(" ")
                open_act = (id_, ENDS[act]) if act in ENDS else None
            elif word == "said":
                self.turns.append(rest)
            self.acts += word in ("ack", "said", "batch")
        if open_act:
            self.unsure[open_act[0]] = open_act[1]

    def lost(self, now):
        """Ids whose status is neither what was acknowledged nor what was tried after that."""
        return {
            id_: (status, now.get(id_))
            for id_, status in self.stands.items()
            if now.get(id_) not in (status, self.unsure.get(id_, status))
        }

    def settle(self, now):
        """From here on what was found holds."""
        self.stands = {id_: now[id_] for id_ in self.stands}
        self.unsure = {}


def wait_for(child, lines):
    """Wait until a process has said so much, or for a while."""
    ends = time.monotonic() + PATIENCE_S
    while os.pread(child.out.fileno(), 1 << 16, 0).count(b"\n") < lines and time.monotonic() < ends:
        time.sleep(0.003)


def kill_some(cradle, trial, ledger, names, dice):
    """Let some processes act, kill one after the other, and read what they said."""
    alive = sorted(id_ for id_, status in ledger.stands.items() if status == "active")
    parts = [alive[nth::AT_ONCE] for nth in range(AT_ONCE)]
    busy = [cradle.child(trial, [next(names), *part], program=BUSY) for part in parts]
    for child in dice.sample(busy, len(busy)):
        wait_for(child, dice.randrange(LINES))
        time.sleep(dice.uniform(0, AFTER_S))
        child.kill()
        assert "Traceback" not in child.told[1], child.told
        ledger.read(child.told[0])


def check(trial, ledger, number):
    """One ordinary command, and then nothing acknowledged is lost, and nothing lies about."""
    trial.did("remember", f"Round {number} of {number * 3 + 1} is over.")
    now = trial.statuses("--scope", "*")
    assert ledger.lost(now) == {}
    assert trial.git("status", "--porcelain", "--", "schemas", "tombstones.jsonl") == ""
    assert told(trial) == now
    ledger.settle(now)


def check_once(trial, ledger):
    """No claim stands in two files, every turn that was taken in stands in one line."""
    claims = [path.read_text("utf-8").rpartition("---\n\n")[2] for path in trial.root.glob("schemas/**/*.md")]
    assert len(claims) == len(set(claims))
    lines = "".join(path.read_text("utf-8") for path in trial.root.glob("events/**/*.jsonl")).splitlines()
    turns = [line for line in lines if '"kind":"turn"' in line.replace(" ", "")]
    assert [text for text in ledger.turns if sum(text in turn for turn in turns) != 1] == []


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("ground", range(PARTS), indirect=True)
def test_killed_at_random_moments_no_acknowledged_act_is_lost_or_doubled(
    ground, empty, campaign, dice, tally
):
    names = (f"n{number}" for number in itertools.count())
    for begin in range(0, ROUNDS * campaign, FRESH):
        trial = empty.copy(ground.folder / str(begin))
        trial.moment = int(time.time())
        ledger = Ledger([one["id"] for one in trial.batch(SEEDS)])
        for number in range(begin, min(begin + FRESH, ROUNDS * campaign)):
            kill_some(ground.cradle, trial, ledger, names, dice)
            check(trial, ledger, number)
            tally["processes killed"] += AT_ONCE
        check_once(trial, ledger)
        trial.did("save")
        assert trial.git("status", "--porcelain") == ""
        check_whole(trial)
        tally["acknowledged acts"] += ledger.acts
        tally["stores"] += 1
    tally["acknowledged acts lost or doubled"] += 0
    tally["repairs by hand"] += 0
