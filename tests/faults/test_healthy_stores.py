"""The doctor finds nothing wrong with stores that only lived, whatever was done in them.

Each store lives a random life: every kind of act, edits by hand, plain git, branches, clones.
`--campaign N` has N times as many of them.
"""

import random
import time

import pytest
from trial import DAY

STORES = 5  # in the short form; 200 are --campaign 40
ACTS = 12  # of each store
SUBJECTS = ("parcels", "refunds", "invoices", "wages", "deploys", "backups", "keys", "grinders")
DOINGS = ("leave on day", "are checked in week", "cost", "are counted in room", "belong to team")


class Life:
    """One store and what happens in it."""

    def __init__(self, trial, dice):
        self.trial, self.dice = trial, dice
        trial.moment = int(time.time()) - DAY

    def claim(self):
        """A sentence that hardly comes twice."""
        return f"The {self.dice.choice(SUBJECTS)} {self.dice.choice(DOINGS)} {self.dice.randrange(9000)}."

    def an_id(self, status="active"):
        """The id of some memory of that status, or None."""
        found = sorted(id_ for id_, now in self.trial.statuses().items() if now == status)
        return self.dice.choice(found) if found else None

    def remember(self):
        self.trial.ran("remember", self.claim(), "--concept", self.dice.choice(SUBJECTS))

    def act(self, verb, *words, status="active"):
        """Carry out a person's act on some memory, where there is one."""
        if id_ := self.an_id(status):
            self.trial.ran(verb, id_, *words)

    def forget(self):
        self.act("forget", "--yes")

    def unforget(self):
        self.act("unforget", "--yes", status="forgotten")

    def supersede(self):
        self.act("supersede", "--with", self.claim())

    def retract(self):
        self.act("retract", "--reason", "never so", "--yes")

    def undo(self):
        self.trial.ran("undo", "--yes")

    def observe(self):
        self.trial.ran(
            "observe", "-", "--session", f"s{self.dice.randrange(3)}", stdin=f"user: {self.claim()}\n"
        )

    def consolidate(self):
        self.trial.ran("consolidate")

    def edit(self):
        if id_ := self.an_id():
            path = self.trial.path(id_)
            path.write_text(path.read_text() + f"\n{self.claim()}\n")
            self.trial.ran("save")

    def write(self):
        self.trial.write(f"hand{self.dice.randrange(10**8):08d}", self.claim())
        self.dice.choice((lambda: self.trial.ran("save"), self.trial.commit_by_hand))()

    def branch(self):
        self.trial.git("checkout", "-q", "-b", f"b{self.dice.randrange(10**6)}")

    def recall(self):
        self.trial.ran("recall", self.claim())

    def index_lost(self):
        if (self.trial.root / ".mem").exists():
            self.trial.forgets_the_index()


HAPPENINGS = (
    *(Life.remember,) * 4,
    *(Life.forget, Life.unforget, Life.supersede, Life.retract, Life.undo),
    *(Life.observe, Life.consolidate, Life.edit, Life.write, Life.branch, Life.recall, Life.index_lost),
)


def examined(trial):
    """What the doctor finds wrong, once a command has looked at what was done by hand."""
    trial.ran("status", now=int(time.time()))
    told = trial.told("doctor", now=int(time.time()))
    return [(one["name"], one["what"]) for one in told["findings"] if one["level"] != "ok"]


@pytest.mark.parametrize("seed", range(STORES))
def test_a_store_that_only_lived_has_nothing_wrong(empty, tmp_path, campaign, tally, seed):
    for number in range(campaign):
        dice = random.Random(f"{seed} {number}")
        life = Life(empty.copy(tmp_path / str(number)), dice)
        life.remember()
        lived = [dice.choice(HAPPENINGS) for _ in range(ACTS)]
        for happening in lived:
            happening(life)
        told = [happening.__name__ for happening in lived]
        assert examined(life.trial) == [], told
        tally["healthy stores"] += 1
        tally["things that happened in them"] += len(told)
        assert examined(life.trial.clone(tmp_path / f"clone {number}")) == [], told
        tally["clones of them"] += 1
        tally["findings of the doctor"] += 0
