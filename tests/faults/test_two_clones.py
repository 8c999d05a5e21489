"""Two clones and chance: whatever they do apart, when they have met both hold the same, and a forget holds."""

import json
import random

import pytest

ROUNDS, STEPS = 3, 5
SUBJECTS = (
    "crates of apples",
    "copper pipes",
    "letters from Oslo",
    "grey lamps",
    "wet ladders",
    "maps of Ghent",
)


def claim(number):
    return f"Shelf {number} of the cellar holds {number * 7 + 11} {SUBJECTS[number % len(SUBJECTS)]}."


class Clones:
    """Both stores, and what must be true of them once they have met."""

    def __init__(self, here, there, chance):
        self.stores, self.chance = (here, there), chance
        self.claims, self.forgotten, self.count = {}, set(), 0

    def step(self, store):
        acts = [self.remember, self.remember, self.again, self.forget, self.supersede, self.tag]
        self.chance.choice(acts)(store)

    def known(self, store):
        return [id_ for id_ in self.claims if id_ in store.statuses()]

    def live(self, store):
        return sorted(id_ for id_, status in store.statuses().items() if status == "active")

    def remember(self, store):
        self.count += 1
        told = store.remember(claim(self.count))
        assert told["decision"] == "created", told
        self.claims[told["id"]] = claim(self.count)

    def again(self, store):
        if live := [id_ for id_ in self.live(store) if id_ in self.claims]:
            told = store.remember(self.claims[self.chance.choice(live)])
            assert told["decision"] == "reinforced", told

    def forget(self, store):
        if live := self.live(store):
            id_ = self.chance.choice(live)
            store.forget(id_)
            self.forgotten.add(id_)

    def supersede(self, store):
        if live := self.live(store):
            self.count += 1
            told = store.told("supersede", self.chance.choice(live), "--with", claim(self.count))
            self.claims[told["new"]] = claim(self.count)

    def tag(self, store):
        if live := self.live(store):
            path = store.path(self.chance.choice(live))
            tag = f"tag{self.chance.randrange(9)}"
            text = path.read_text()
            if "tags:" not in text:
                path.write_text(text.replace("\n---\n\n", f"\ntags: [{tag}]\n---\n\n", 1))
                store.did("save")

    def meet(self):
        here, there = self.stores
        here.moment = there.moment = max(here.moment, there.moment)
        for store in (here, there, here):
            store.told("sync")

    def check(self):
        here, there = self.stores
        assert here.head() == there.head()
        statuses = here.statuses()
        assert statuses == there.statuses()
        assert set(statuses) == set(self.claims)  # nothing lost, nothing doubled
        assert {id_ for id_, status in statuses.items() if status == "forgotten"} == self.forgotten
        for store in self.stores:
            assert store.git("status", "--porcelain") == ""
            assert store.ran("check").code == 0, store.ran("check").out
            ids = events(store)
            assert len(ids) == len(set(ids))
        assert sorted(events(here)) == sorted(events(there))


def events(store):
    raw = "".join(path.read_text() for path in store.root.glob("events/**/*.jsonl"))
    return [json.loads(line)["id"] for line in raw.splitlines()]


@pytest.mark.parametrize("seed", range(2))
def test_both_hold_the_same_once_they_have_met(trial, tmp_path, campaign, seed):
    bare = tmp_path / "t.git"  # so that the scope stays that of the folder
    trial.git("init", "-q", "--bare", "-b", "main", str(bare))
    trial.git("remote", "add", "origin", str(bare))
    trial.told("sync")
    other = trial.clone(tmp_path / "other")
    other.git("remote", "set-url", "origin", str(bare))
    clones = Clones(trial, other, random.Random(seed))
    for _ in range(ROUNDS * campaign):
        for store in clones.stores:
            store.moment += 60
            for _ in range(STEPS):
                clones.step(store)
        clones.meet()
        clones.check()
    for store in clones.stores:
        before = store.statuses()
        store.forgets_the_index()
        assert store.statuses() == before
