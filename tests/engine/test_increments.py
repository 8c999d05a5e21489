"""Rebuild equals increments: after any acts, edits, branches and merges the index says what the files say.

Few claims, said over and over in slightly other words, so that what is forgotten keeps
coming back by every door.
"""

import random
from collections import Counter

import pytest
from trial import PERSON

from memcli.engine import reconcile
from memcli.engine.opened import open_store
from memcli.engine.recalling import by_files

STEPS = 40
CLAIMS = (
    "The refund window is 30 days.",
    "the refund window is 30 days",
    "The refund window is thirty days. Gift cards are excluded.",
    "The refund window is 14 days.",
    "Deploys happen on Tuesdays.",
    "We deploy on Tuesdays.",
    "Deploys never happen on Tuesdays.",
)
SCOPES = ("project:t", "project:t", "project:other", "user")


class Machine:
    """One store, a random source, and what must hold after each step."""

    def __init__(self, trial, seed):
        self.trial = trial
        self.random = random.Random(seed)
        self.done = Counter()
        self.written = 0

    def step(self):
        """One act of chance."""
        often = (self.remember, self.forget, self.by_hand)
        edits = (self.status_by_hand, self.edit, self.delete, self.rename, self.commit, self.save)
        acts = (*often, *often, *edits, self.unforget, self.supersede, self.branch, self.merge, self.undo)
        act = self.random.choice(acts)
        if act() is not False:
            self.done[act.__name__] += 1
        self.trial.ran("recall", "refund window", "--floor", "0.5")

    def ids(self, *statuses):
        """Ids of these statuses, in any scope."""
        words = [word for status in statuses for word in ("--status", status)]
        found = self.trial.ran("list", "--scope", "*", "--ids", *words, env=PERSON).out.split()
        return [id_ for id_ in found if found.count(id_) == 1]

    def any(self, *statuses):
        """One of them, or None."""
        found = self.ids(*statuses)
        return self.random.choice(found) if found else None

    def file(self):
        """Some schema file, or None."""
        paths = sorted(self.trial.root.glob("schemas/**/*.md"))
        return self.random.choice(paths) if paths else None

    def remember(self):
        words = ["--scope", self.random.choice(SCOPES), self.random.choice(CLAIMS)]
        return (
            self.trial.ran(
                "remember", *words, env={"MEM_ACTOR": self.random.choice(["agent:x", "human:ana"])}
            ).code
            == 0
        )

    def forget(self):
        id_ = self.any("active", "superseded", "needs_review")
        return bool(id_) and self.trial.ran("forget", id_, "--yes").code == 0

    def unforget(self):
        id_ = self.any("forgotten")
        return bool(id_) and self.trial.ran("unforget", id_, "--yes").code == 0

    def supersede(self):
        id_ = self.any("active")
        return bool(id_) and self.trial.ran("supersede", id_, "--with", self.random.choice(CLAIMS)).code == 0

    def by_hand(self):
        self.written += 1
        head = self.random.choice(["", "", "status: forgotten\n", "status: retracted\n"])
        folder = self.random.choice(SCOPES).replace(":", "/")
        self.trial.write(f"hand{self.written:04d}aaaa", self.random.choice(CLAIMS), head, folder=folder)

    def status_by_hand(self):
        path = self.file()
        if path is None or "\n---\n" not in path.read_text():
            return False
        lines = [
            line
            for line in path.read_text().splitlines(keepends=True)
            if not line.startswith(("status:", "review:", "  reason:", "  of:"))
        ]
        status = self.random.choice(["active", "forgotten", "retracted", "staged"])
        path.write_text(lines[0] + f"status: {status}\n" + "".join(lines[1:]))
        return True

    def edit(self):
        path = self.file()
        if path is None:
            return False
        head, fence, _ = path.read_text().rpartition("---\n")
        path.write_text(head + fence + "\n" + self.random.choice(CLAIMS) + "\n")
        return True

    def delete(self):
        path = self.file()
        if path is None:
            return False
        path.unlink()
        return True

    def rename(self):
        path = self.file()
        if path is None:
            return False
        self.written += 1
        path.rename(path.with_name(f"renamed-{self.written}.md"))
        return True

    def commit(self):
        self.trial.git("add", "-A")
        self.trial.git("commit", "-qm", "by hand", "--allow-empty")

    def save(self):
        words = ["--yes"] if self.random.random() < 0.4 else []
        self.trial.ran("save", *words)

    def branch(self):
        self.commit()
        if "side" in self.trial.git("branch", "--format=%(refname:short)").split():
            self.trial.git("checkout", "-q", self.random.choice(["side", "main"]))
        else:
            self.trial.git("branch", "side")

    def merge(self):
        names = self.trial.git("branch", "--format=%(refname:short)").split()
        if "side" not in names:
            return False
        self.commit()
        other = "side" if self.trial.git("branch", "--show-current") == "main" else "main"
        strategy = self.random.choice(["ours", "theirs"])
        self.trial.git("merge", "-q", "-m", "merge", "-X", strategy, other, check=False)
        self.commit()
        return True

    def undo(self):
        return self.trial.ran("undo", "--yes").code == 0


def opened(store):
    """The store as a command opens it."""
    from memcli import surroundings

    home = surroundings.home_of(store.environment)
    own = surroundings.own_of(store.environment, home)
    stands = surroundings.Surroundings(
        store.environment, store.root, store.moment, 80, (False,) * 3, False, home, own
    )
    return open_store(stands)


def differing(store):
    """Where the index holds something else than files and journal say."""
    stands = opened(store)
    view = reconcile.freshen(stands)
    assert view.index is not None
    columns = ("path", "id", "digest", "status", "stated", "hidden_in", "scope")
    held = {
        row["path"]: tuple(str(row[name]) for name in columns[1:]) for row in view.index.all_rows(columns)
    }
    read = by_files.read(stands, reconcile._confirmed_now(stands))._rows
    said = {
        path: (
            row.schema.id,
            row.digest,
            row.effective.value,
            row.schema.status.value,
            str(list(row.hidden_in)),
            str(row.schema.scope),
        )
        for path, row in read.items()
    }
    return {
        path: (held.get(path), said.get(path)) for path in {*held, *said} if held.get(path) != said.get(path)
    }


@pytest.mark.parametrize("seed", [1, 2])
def test_after_any_steps_the_index_is_what_a_rebuild_would_make(trial, campaign, seed):
    machine = Machine(trial, seed)
    for step in range(STEPS * campaign):
        machine.step()
        assert differing(trial) == {}, (seed, step, machine.done)
    assert sum(machine.done.values()) > STEPS // 2
