"""Two clones that act apart, and a model of what both must hold once they have met.

Each side's model is what that side was told. What follows when they meet is said here in a
rule of its own, shorter than the program's: who alone changed something is right; of two
changes of status the one that withholds more; what both reworded is a person's.
"""

import json
import re
import signal
from itertools import product

from faults.last_change import KILLED
from trial import AGENT, PERSON

REMOVED = (
    "forgotten",
    "retracted",
    "superseded",
    "stale",
    "archived",
    "needs_review",
    "active",
)  # strongest first
THINGS = [
    "apples",
    "pipes",
    "letters",
    "lamps",
    "ladders",
    "maps",
    "ropes",
    "kettles",
    "candles",
    "anvils",
    "ribbons",
    "drums",
    "stamps",
    "helmets",
]
PLACES = [
    "cellar",
    "attic",
    "barn",
    "chapel",
    "harbour",
    "kiosk",
    "library",
    "mill",
    "orchard",
    "pantry",
    "quarry",
    "shed",
    "tower",
    "vault",
]
DELETED = ("deleted", "")


class Side:
    """One clone: its store, and {id: (status, claim)} as it was told."""

    def __init__(self, store):
        self.store, self.holds = store, {}

    def ids(self, *statuses):
        return sorted(id_ for id_, (status, _) in self.holds.items() if status in statuses)

    def stands(self):
        return {id_: held for id_, held in self.holds.items() if held != DELETED}


class Clones:
    """Both clones of one store, what they do, and what must hold."""

    def __init__(self, stores, bundle, cradle, dice, tally):
        self.sides = tuple(Side(store) for store in stores)
        self.bundle, self.cradle, self.dice, self.tally = bundle, cradle, dice, tally
        self.met, self.heard, self.done = {}, set(), []
        self.fresh = list(product(PLACES, THINGS))
        dice.shuffle(self.fresh)

    def claim(self):
        place, thing = self.fresh.pop()
        return f"The {place} holds {self.dice.randrange(3, 900)} {thing}."

    def step(self, side):
        """One act, drawn by chance, on one side."""
        act = self.dice.choice(ACTS)
        self.done.append((self.sides.index(side), act.__name__))
        act(self, side)
        self.tally["acts apart"] += 1

    def one(self, side, *statuses):
        """Some memory of that side: often the same few, so that both sides change one."""
        found = side.ids(*statuses)
        return self.dice.choice(found[:3] if self.dice.random() < 0.5 else found) if found else None

    def put(self, side, id_, status, claim=None):
        side.holds[id_] = (status, side.holds[id_][1] if claim is None else claim)

    # What somebody does.

    def remember(self, side):
        claim = self.claim()
        told = side.store.remember(claim, env=self.dice.choice((PERSON, AGENT)))
        assert told["decision"] == "created", told
        self.put(side, told["id"], told["status"], claim)

    def again(self, side):
        if id_ := self.one(side, "active"):
            told = side.store.remember(side.holds[id_][1])
            assert (told["decision"], told["id"]) == ("reinforced", id_), told

    def change(self, side, id_, status, *argv):
        """An act of a person on one memory, and how it stands then."""
        if id_:
            told = side.store.told(argv[0], id_, *argv[1:], "--yes")
            self.put(side, id_, status or told["status"])

    def forget(self, side):
        self.change(side, self.one(side, "active", "superseded", "retracted"), "forgotten", "forget")

    def unforget(self, side):
        self.change(side, self.one(side, "forgotten"), None, "unforget")

    def retract(self, side):
        self.change(side, self.one(side, "active"), "retracted", "retract", "--reason", "never so")

    def unretract(self, side):
        self.change(side, self.one(side, "retracted"), None, "unretract")

    def reopen(self, side):
        self.change(side, self.one(side, "superseded", "archived"), None, "reopen")

    def supersede(self, side):
        if id_ := self.one(side, "active"):
            claim = self.claim()
            told = side.store.told("supersede", id_, "--with", claim)
            self.put(side, id_, "superseded")
            self.put(side, told["new"], "active", claim)

    def undo(self, side):
        told = side.store.remember(self.claim())
        side.store.told("undo", "--yes")
        assert told["id"] not in listed(side.store)

    def move(self, side):
        if id_ := self.one(side, "active"):
            side.store.told("move", id_, self.dice.choice(("project:t", "project:other")))

    def reword(self, side):
        if id_ := self.one(side, "active"):
            path, claim = side.store.path(id_), self.claim()
            text = path.read_text("utf-8")
            assert side.holds[id_][1] in text
            path.write_text(text.replace(side.holds[id_][1], claim), "utf-8")
            side.store.did("save", "--yes")
            self.put(side, id_, "active", claim)

    def tag(self, side):
        if id_ := self.one(side, "active"):
            path = side.store.path(id_)
            text = path.read_text("utf-8")
            if "tags:" not in text:
                word = f"tag{self.dice.randrange(9)}"
                path.write_text(text.replace("\n---\n\n", f"\ntags: [{word}]\n---\n\n", 1), "utf-8")
                side.store.did("save")

    def delete(self, side):
        if id_ := self.one(side, "active"):
            side.store.path(id_).unlink()
            side.store.did("save", "--yes")
            side.holds[id_] = DELETED

    def bring(self, side):
        """Import what a third store exported; the other side may do the same."""
        side.store.told("import", str(self.bundle), "--yes")
        self.adopt(side, lambda id_, claim: "barrels" in claim)

    def bring_for_review(self, side):
        claim = self.claim()
        side.store.told("import", "-", "--review", stdin=json.dumps({"text": claim}))
        self.adopt(side, lambda id_, text: text == claim)

    def decide(self, side):
        if id_ := self.one(side, "needs_review"):
            side.store.told("review", self.dice.choice(("accept", "reject")), id_, "--yes")
            self.put(side, id_, listed(side.store)[id_][0])

    def observe(self, side):
        claim = self.claim()
        self.heard.add(claim)
        line = json.dumps({"kind": "claim", "type": "fact", "text": claim})
        side.store.did("observe", "-", "--session", f"s{self.dice.randrange(99)}", stdin=line)

    def consolidate(self, side):
        side.store.did("consolidate")
        self.adopt(side, lambda id_, claim: claim in self.heard)

    def adopt(self, side, ours):
        """Take into the model what an act on many made, which does not name each."""
        for id_, held in listed(side.store).items():
            if id_ not in side.holds and ours(id_, held[1]):
                side.holds[id_] = held

    def branch(self, side):
        """Work on a branch and on main, and merge by plain git."""
        store = side.store
        before = dict(side.holds)
        store.did("save", "--yes")
        store.git("checkout", "-q", "-b", "work")
        self.remember(side)
        store.git("checkout", "-q", "main")
        there, side.holds = side.holds, before
        self.dice.choice((self.remember, self.forget, self.supersede))(side)
        side.holds = there | side.holds
        store.did("save", "--yes")
        store.git("merge", "-q", "--no-edit", "work")
        store.git("branch", "-q", "-D", "work")
        self.tally["branches merged by git"] += 1

    def crash(self, side):
        """A command is killed at some change that it makes to the disk, and the next one goes on."""
        id_, claim = self.one(side, "active"), self.claim()
        acts = [("remember", claim), ("sync",), ("save",)]
        acts += [("forget", id_, "--yes"), ("supersede", id_, "--with", claim)] if id_ else []
        argv = self.dice.choice(acts)
        point = str(self.dice.randrange(1, 90))
        code = self.cradle.child(side.store, [point, *argv], program=KILLED).ended()
        assert code in (-signal.SIGKILL, 0, 8), (argv, code)
        self.tally["commands killed"] += code == -signal.SIGKILL
        side.store.did("save", "--yes")
        if argv[0] == "sync":
            return  # whatever came is merged once they meet
        now = listed(side.store)
        self.adopt(side, lambda _, text: text == claim)
        if id_:
            assert now[id_][0] in ("active", "forgotten", "superseded")
            self.put(side, id_, now[id_][0])

    # When they meet.

    def meet(self):
        here, there = (side.store for side in self.sides)
        here.moment = there.moment = max(here.moment, there.moment)
        by_git = self.dice.random() < 0.3 and not self.contested()
        for side in self.sides:
            side.store.did("save", "--yes")
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
        self.met = self.expected()
        for side in self.sides:
            side.holds = dict(self.met)

    def contested(self):
        """Whether both changed one memory since they met: plain git without the driver leaves that to a person."""
        one, other = (self.changed(side) for side in self.sides)
        return bool(one & other)

    def changed(self, side):
        out = side.store.git("diff", "--name-only", "--no-renames", "origin/main", "HEAD", "--", "schemas")
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
        return {id_: self.joined(self.met.get(id_), one.get(id_), other.get(id_)) for id_ in {*one, *other}}

    def joined(self, base, one, other):
        if one == other or one in (base, None):
            return other
        if other in (base, None):
            return one
        if DELETED in (one, other):
            return one if other == DELETED else other
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


ACTS = (
    *(Clones.remember,) * 4,
    *(Clones.forget, Clones.supersede, Clones.reword, Clones.again, Clones.retract) * 2,
    *(Clones.unforget, Clones.unretract, Clones.reopen, Clones.undo, Clones.move, Clones.tag, Clones.delete),
    *(Clones.bring, Clones.bring_for_review, Clones.decide, Clones.observe, Clones.consolidate),
    *(Clones.branch, Clones.crash),
)
