"""Two clones that meet, and a model of what both must hold then.

Each side's model is what that side was told. What follows when they meet is said here in a
rule of its own, shorter than the program's: who alone changed something is right; of two
changes of status the one that withholds more; what both reworded is a person's.
"""

import json
import re
from itertools import product

from faults.vocabulary import OBJECTS, PLACES

# How much each withholds, the strongest first.
REMOVED = ["forgotten", "retracted", "superseded", "stale", "archived", "needs_review", "active"]
DELETED = ("deleted", "")


class Side:
    """One clone: its store, {id: (status, claim)} as it was told, and whose files it changed since they met."""

    def __init__(self, store):
        self.store, self.holds, self.touched = store, {}, set()

    def ids(self, *statuses):
        """Those that stand so, in an order that chance can be repeated in: ids are other ones each time."""
        found = [id_ for id_, (status, _) in self.holds.items() if status in statuses]
        return sorted(found, key=lambda id_: (self.holds[id_][1], id_))

    def stands(self):
        return {id_: held for id_, held in self.holds.items() if held != DELETED}


class Meeting:
    """Both clones of one store, and what must hold once they have met."""

    def __init__(self, stores, bundle, cradle, dice, tally):
        self.sides = tuple(Side(store) for store in stores)
        self.bundle, self.cradle, self.dice, self.tally = bundle, cradle, dice, tally
        self.met, self.heard, self.done = {}, set(), []
        self.met_at = stores[0].head()
        self.fresh = list(product(PLACES, OBJECTS))
        dice.shuffle(self.fresh)

    def claim(self):
        place, thing = self.fresh.pop()
        return f"The {place} holds {self.dice.randrange(3, 900)} {thing}."

    def meet(self):
        """Both hold what either had, by `mem sync`, or by plain git where that is enough."""
        here, there = (side.store for side in self.sides)
        here.moment = there.moment = max(here.moment, there.moment)
        for side in self.sides:
            side.store.did("save", "--yes")
            side.touched = self.changed(side, self.met_at, "--diff-filter=d")
        by_git = self.dice.random() < 0.3 and not self.contested()
        for _ in range(4):
            for side in self.sides if not by_git else ():
                self.synced(side)
            for store in (here, there, here) if by_git else ():
                store.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
                store.git("push", "-q", "origin", "HEAD:main")
            if here.head() == there.head():
                break
        self.tally["meetings by git"] += by_git
        self.tally["meetings by mem sync"] += not by_git
        self.met, self.met_at = self.expected(), here.head()
        for side in self.sides:
            side.holds = dict(self.met)

    def contested(self):
        """Whether both changed one memory since they met: plain git without the driver leaves that to a person."""
        one, other = (self.changed(side, self.met_at) for side in self.sides)
        return bool(one & other)

    def changed(self, side, since, *which):
        """The ids whose files that side changed since a commit; `which` changes, as git says it."""
        how = ("--name-only", "--no-renames", *which)
        out = side.store.git("diff", *how, since, "HEAD", "--", "schemas")
        return set(re.findall(r"([0-9a-z]{12})\.md", out))

    def synced(self, side):
        """Meet; what only a person can settle is given the other side's words."""
        ran = side.store.ran("sync", "--json")
        assert ran.code in (0, 8), (ran.out, ran.err)
        if ran.code == 8:
            details = json.loads(ran.err).get("details")
            assert details, ran.err
            self.tally["files that a person settled"] += len(details)
            other = self.sides[1 - self.sides.index(side)]
            for path in details:
                self.settled(side, other, path)
            side.store.did("save", "--yes")
            assert side.store.ran("sync", "--json").code == 0, details

    def settled(self, side, other, path):
        """Take the other side's file for the one of this path, wherever it lies there."""
        id_ = re.search(r"([0-9a-z]{12})\.md$", path)[1]
        for mine in side.store.root.glob(f"schemas/**/*{id_}.md"):
            mine.unlink()
        for theirs in other.store.root.glob(f"schemas/**/*{id_}.md"):
            mine = side.store.root / theirs.relative_to(other.store.root)
            mine.parent.mkdir(parents=True, exist_ok=True)
            mine.write_bytes(theirs.read_bytes())
        if id_ in other.holds:
            side.holds[id_] = other.holds[id_]

    def expected(self):
        """{id: (status, claim)} that both must hold, by the model's own rule."""
        one, other = (side.holds for side in self.sides)
        return {id_: self.both(id_) for id_ in {*one, *other}}

    def both(self, id_):
        """What both must hold of one memory: one that a side deleted stays where the other changed its file."""
        base = self.met.get(id_)
        held = [side.holds.get(id_) for side in self.sides]
        stays = [
            one for one, side in zip(held, self.sides, strict=True) if one != DELETED and id_ in side.touched
        ]
        if DELETED in held and stays:
            return stays[0]
        return self.joined(base, *held)

    def joined(self, base, one, other):
        if one == other or one in (base, None):
            return other
        if other in (base, None):
            return one
        statuses = {one[0], other[0]} - ({base[0]} if base else set()) or {base[0]}
        claims = {one[1], other[1]} - ({base[1]} if base else set()) or {base[1]}
        assert len(claims) == 1, (base, one, other)
        return min(statuses, key=REMOVED.index), claims.pop()

    def check(self):
        """Both hold what the model says, byte for byte alike, and nothing else."""
        here, there = (side.store for side in self.sides)
        assert here.head() == there.head()
        expected = self.sides[0].stands()
        for store in (here, there):
            found = listed(store)
            self.tally["acknowledged memories lost"] += len(expected.keys() - found.keys())
            self.tally["memories that nobody made"] += len(found.keys() - expected.keys())
            assert found == expected, different(found, expected)
            assert store.git("status", "--porcelain") == ""
            assert store.ran("check").code == 0, store.ran("check").out
            ids = events(store)
            assert len(ids) == len(set(ids))
            self.tally["lines doubled"] += 0
        assert events(here) == events(there)
        assert files(here) == files(there)
        self.tally["memories compared on both sides"] += len(expected)
        self.tally["files that differ between the clones"] += 0


def different(found, expected):
    """What is not alike, short enough to read."""
    return {
        id_: (found.get(id_), expected.get(id_))
        for id_ in {*found, *expected}
        if found.get(id_) != expected.get(id_)
    }


def listed(store):
    """{id: (status, claim)} of every memory of every scope."""
    every = [word for status in (*REMOVED, "staged") for word in ("--status", status)]
    ran = store.ran("list", *every, "--scope", "*", "--json")
    return {one["id"]: (one["status"], one["text"]) for one in json.loads(ran.out)["items"]}


def files(store):
    """Path → bytes of every memory."""
    return {
        str(path.relative_to(store.root)): path.read_bytes() for path in store.root.glob("schemas/**/*.md")
    }


def events(store):
    """The ids of all lines of events, in order."""
    raw = "".join(path.read_text() for path in store.root.glob("events/**/*.jsonl"))
    return sorted(json.loads(line)["id"] for line in raw.splitlines())
