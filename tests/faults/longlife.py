"""The ordinary life of one store, as real processes, and what must be true of it at any moment.

A person, an agent, an editor and another clone do what people do; a resident serves. What a
command acknowledged is kept in a model: which memories there are, what each says, how each
stands. `holds` compares the store with it.
"""

import json
import subprocess
import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

PERSON, AGENT = "human:ana", "agent:claude"
STATUSES = ["staged", "active", "needs_review", "superseded", "stale", "retracted", "archived", "forgotten"]
THINGS = [
    "anchor",
    "bakery",
    "canal",
    "drummer",
    "elevator",
    "ferry",
    "glacier",
    "harbour",
    "island",
    "jeweller",
    "kiln",
    "lantern",
    "meadow",
    "notary",
    "orchard",
    "pharmacy",
    "quarry",
    "railway",
    "sawmill",
    "tannery",
    "university",
    "vineyard",
    "warehouse",
    "xylophone",
    "yacht",
    "zoo",
    "aqueduct",
    "brewery",
    "chapel",
    "dairy",
    "embassy",
    "foundry",
    "garage",
    "hospital",
    "inn",
    "jetty",
    "kennel",
    "library",
    "museum",
    "nursery",
    "observatory",
    "pier",
    "quay",
    "reservoir",
    "stable",
    "theatre",
    "urn",
    "viaduct",
    "windmill",
]
OBJECTS = [
    "violins",
    "lamps",
    "carpets",
    "bottles",
    "ladders",
    "clocks",
    "saddles",
    "tiles",
    "ropes",
    "barrels",
    "mirrors",
    "kettles",
    "umbrellas",
    "candles",
    "hinges",
    "pillows",
    "trumpets",
    "baskets",
    "anvils",
    "ribbons",
    "maps",
    "nails",
    "pianos",
    "helmets",
    "scissors",
    "buckets",
    "stamps",
    "drums",
]
DOES = [
    "rents",
    "sells",
    "paints",
    "counts",
    "moves",
    "repairs",
    "weighs",
    "hides",
    "orders",
    "borrows",
    "cleans",
    "prints",
]
SMALL_TALK = ("Thanks, that works.", "Please go on with the next file.", "What did we say about that?")


class Broken(AssertionError):
    """Something that must hold did not."""


@dataclass
class Life:
    """One store in `folder`/t, its other clone, and the model. `mem` is how the program starts."""

    mem: list
    folder: Path
    environment: dict
    dice: object
    tally: object
    said: dict = field(default_factory=dict)  # id: its claim
    stands: dict = field(default_factory=dict)  # id: its status
    digested: set = field(default_factory=set)  # made by consolidation, which may also put them away
    apart: dict = field(default_factory=dict)  # id: status that only the other clone knows yet
    heard: set = field(default_factory=set)  # claims that were observed
    points: list = field(default_factory=list)  # (commit, {id: claim} that counted then)
    took: dict = field(default_factory=lambda: defaultdict(list))  # what was done: seconds of each
    children: float = 0.0

    def __post_init__(self):
        self.fresh = list(product(THINGS, OBJECTS))
        self.dice.shuffle(self.fresh)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.told("init", "t", cwd=self.folder)
        for argv in (
            ("git", "init", "-q", "--bare", "-b", "main", str(self.folder / "t.git")),
            ("git", "remote", "add", "origin", str(self.folder / "t.git")),
        ):
            self.plain(*argv, cwd=self.root if argv[1] == "remote" else self.folder)
        self.told("sync")
        self.plain("git", "clone", "-q", str(self.folder / "t.git"), str(self.there), cwd=self.folder)

    @property
    def root(self):
        return self.folder / "t"

    @property
    def there(self):
        """The other clone; nobody serves it."""
        return self.folder / "elsewhere" / "t"

    # Running things.

    def plain(self, *argv, cwd=None):
        """What another program prints, git above all."""
        ran = subprocess.run(
            argv, cwd=cwd or self.root, env=self.environment, capture_output=True, text=True, check=False
        )
        if ran.returncode:
            raise Broken(f"{argv}: {ran.stderr}")
        return ran.stdout.strip()

    def ran(self, *argv, stdin="", who=PERSON, cwd=None, kind=None):
        """Run `mem`; the finished process. Raises Broken at a traceback."""
        begun = time.monotonic()
        ran = subprocess.run(
            [*self.mem, *argv],
            cwd=cwd or self.root,
            env=self.environment | {"MEM_ACTOR": who},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        self.took[kind or argv[0]].append(time.monotonic() - begun)
        self.tally["commands"] += 1
        self.tally["tracebacks"] += 0
        if ran.returncode == 70 or "Traceback" in ran.stderr:
            self.tally["tracebacks"] += 1
            raise Broken(f"{argv}: {ran.stderr}")
        return ran

    def told(self, *argv, codes=(0,), **how):
        """Run `mem --json`; its object. Raises Broken where it ended in another way."""
        ran = self.ran(*argv, "--json", **how)
        if ran.returncode not in codes:
            raise Broken(f"{argv}: {ran.returncode} {ran.stdout} {ran.stderr}")
        return json.loads(ran.stdout)

    # Choosing.

    def claim(self):
        """A claim that nobody made yet."""
        thing, what = self.fresh.pop()
        return f"The {thing} {self.dice.choice(DOES)} {self.dice.randrange(3, 900)} {what}."

    def one(self, *statuses):
        """The id of some memory that stands so and is not the other clone's to change now, or None."""
        found = sorted(id_ for id_, now in self.stands.items() if now in statuses and id_ not in self.apart)
        return self.dice.choice(found) if found else None

    def created(self, told, claim, status=None):
        """Take a new memory into the model as it was acknowledged."""
        self.said[told] = claim
        self.stands[told] = status or "active"
        self.tally["acknowledged acts"] += 1

    def stood(self, id_, status):
        self.stands[id_] = status
        self.tally["acknowledged acts"] += 1

    # What a person does.

    def remember(self):
        claim = self.claim()
        told = self.told("remember", claim)
        self.created(told["id"], claim, told["status"])

    def again(self):
        if id_ := self.one("active"):
            told = self.told("remember", self.said[id_])
            if (told["decision"], told["id"]) != ("reinforced", id_):
                raise Broken(f"said again: {told}")
            self.tally["acknowledged acts"] += 1

    def batch(self):
        claims = [self.claim() for _ in range(3)]
        ran = self.ran(
            "remember",
            "--batch",
            "-",
            kind="batch",
            stdin="".join(json.dumps({"text": one}) + "\n" for one in claims),
        )
        for claim, line in zip(claims, ran.stdout.splitlines(), strict=True):
            told = json.loads(line)
            self.created(told["id"], claim, told["status"])

    def recall(self):
        if id_ := self.one("active"):
            told = self.told("recall", self.said[id_])
            if id_ not in [one["id"] for one in told["items"]]:
                raise Broken(f"not found: {id_} {self.said[id_]} {told}")
            self.tally["recalls of what was acknowledged"] += 1

    def recall_removed(self):
        if id_ := self.one("forgotten", "retracted"):
            told = self.told("recall", self.said[id_], codes=(0, 1))
            if id_ in [one.get("id") for one in told["items"]] or self.said[id_] in json.dumps(told["items"]):
                raise Broken(f"removed and found: {id_} {told}")
            self.tally["recalls of what was removed"] += 1

    def another_time(self):
        if self.points:
            commit, known = self.dice.choice(self.points)
            living = sorted(id_ for id_ in known if self.stands[id_] != "forgotten")
            id_ = self.dice.choice(living) if living else None
            told = id_ and self.told("recall", known[id_], "--known-at", commit, kind="recall --known-at")
            if told and id_ not in [one["id"] for one in told["items"]]:
                raise Broken(f"not known at {commit}: {id_} {known[id_]} {told}")
            self.tally["recalls of another time"] += bool(told)

    def forget(self):
        if id_ := self.one("active", "superseded"):
            self.told("forget", id_, "--yes")
            self.stood(id_, "forgotten")

    def unforget(self):
        if id_ := self.one("forgotten"):
            told = self.told("unforget", id_, "--yes")
            self.stood(id_, told["status"])

    def supersede(self):
        if id_ := self.one("active"):
            claim = self.claim()
            told = self.told("supersede", id_, "--with", claim)
            self.stood(id_, "superseded")
            self.created(told["new"], claim)

    def retract(self):
        if id_ := self.one("active"):
            self.told("retract", id_, "--reason", "never so", "--yes")
            self.stood(id_, "retracted")

    def unretract(self):
        if id_ := self.one("retracted"):
            told = self.told("unretract", id_, "--yes")
            self.stood(id_, told["status"])

    def undo(self):
        """Remember, and take it back; an edit that still waits to be saved would be the last act."""
        if not self.plain("git", "status", "--porcelain", "--", "schemas"):
            told = self.told("remember", claim := self.claim())
            undone = self.told("undo", "--yes")
            if any(self.root.glob(f"schemas/**/*{told['id']}.md")):
                raise Broken(f"undone and there: {claim} {told} {undone}")
            self.tally["acknowledged acts"] += 2

    def edit(self):
        """Reword a memory in an editor; saved by a command, or by the resident after a while."""
        if id_ := self.one("active"):
            path = self.path(id_)
            claim = self.claim()
            text = path.read_text("utf-8")
            path.write_text(text.replace(self.said[id_], claim), "utf-8")
            self.said[id_] = claim
            self.tally["edits by hand"] += 1
            found = self.told("recall", claim, kind="recall after a save")
            if claim not in [one["text"] for one in found["items"]]:
                raise Broken(f"saved and not found: {claim} {found}")
            if self.dice.random() < 0.5:
                self.told("save", "--yes")

    def path(self, id_):
        found = self.told("show", id_)
        return self.root / found["path"]

    def look(self):
        """One of the looks that change nothing."""
        id_ = self.one(*STATUSES) or ""
        looks = [
            ("list",),
            ("status",),
            ("stats",),
            ("log", "-n", "5"),
            ("timeline", "--limit", "5"),
            ("diff",),
        ]
        looks += (
            [("show", id_), ("history", id_), ("blame", id_), ("gate", "how many ladders")] if id_ else []
        )
        looks += [("review", "list"), ("check",), ("index", "verify"), ("audit",)]
        self.told(*self.dice.choice(looks), codes=(0, 1))
        self.tally["looks"] += 1

    # What was said, and what follows from it.

    def observe(self):
        claim = self.claim()
        lines = [
            {"role": "user", "text": self.claim()},
            {"role": "assistant", "text": self.dice.choice(SMALL_TALK)},
        ]
        lines.append({"kind": "claim", "text": claim, "type": "fact"})
        session = f"talk{self.dice.randrange(10**6)}"
        stdin = "".join(json.dumps(one) + "\n" for one in lines)
        told = self.told("observe", "-", "--session", session, stdin=stdin, who=AGENT)
        self.heard.add(claim)
        self.tally["turns observed"] += told["events"]

    def consolidate(self):
        self.told("consolidate")
        self.adopt(self.listed())

    def task(self):
        """An agent's task from beginning to end."""
        self.told("activate", "--task", self.claim(), who=AGENT)
        id_ = self.one("active")
        if id_:
            self.told("recall", self.said[id_], who=AGENT, codes=(0, 1))
        self.told("feedback", "--coverage", "partial", *(("--used", id_) if id_ else ()), who=AGENT)
        self.told("commit", "--outcome", "done", "--verification", "looked", who=AGENT)
        self.tally["tasks"] += 1
        self.adopt(self.listed())

    # The other clone.

    def elsewhere(self):
        """Remember and forget in the other clone, which this one learns of when they meet."""
        told = self.told("remember", claim := self.claim(), cwd=self.there, kind="remember elsewhere")
        self.said[told["id"]] = claim
        self.apart[told["id"]] = told["status"]
        known = [id_ for id_ in self.stands if any(self.there.glob(f"schemas/**/*{id_}.md"))]
        living = sorted(id_ for id_ in known if self.stands[id_] == "active" and id_ not in self.apart)
        if living and self.dice.random() < 0.5:
            id_ = self.dice.choice(living)
            there = self.told("show", id_, cwd=self.there)
            if there["status"] == "active":
                self.told("forget", id_, "--yes", cwd=self.there, kind="forget elsewhere")
                self.apart[id_] = "forgotten"
        self.tally["acts elsewhere"] += 1

    def meet(self):
        self.told("save", "--yes")
        for where in (self.root, self.there, self.root):
            self.told("sync", cwd=where)
        self.stands.update(self.apart)
        self.tally["acknowledged acts"] += len(self.apart)
        self.apart.clear()
        self.tally["meetings of the clones"] += 1
        heads = {self.plain("git", "rev-parse", "HEAD", cwd=where) for where in (self.root, self.there)}
        if len(heads) != 1 and not self.plain("git", "status", "--porcelain", "--", "schemas"):
            raise Broken(f"met and differ: {heads}")

    # What must hold.

    def listed(self):
        """{id: (status, claim)} as the store says itself."""
        every = [word for status in STATUSES for word in ("--status", status)]
        told = self.told("list", *every, codes=(0, 1))
        return {one["id"]: (one["status"], one["text"]) for one in told["items"]}

    def adopt(self, listed):
        """Take into the model what consolidation made of observed claims, and put away of its own."""
        for id_, (status, claim) in listed.items():
            if id_ not in self.stands and id_ not in self.apart and claim in self.heard:
                self.said[id_] = claim
                self.stands[id_] = status
                self.digested.add(id_)
                self.tally["memories made of what was said"] += 1
            elif (
                id_ in self.digested
                and self.stands[id_] in ("active", "staged")
                and status in ("active", "archived")
            ):
                self.stands[id_] = status

    def holds(self):
        """Compare the store with the model, and the files with what git holds. Raises Broken."""
        listed = self.listed()
        self.adopt(listed)
        expected = {id_: (self.stands[id_], self.said[id_]) for id_ in self.stands}
        lost, more = expected.keys() - listed.keys(), listed.keys() - expected.keys()
        other = {
            id_: (expected[id_], listed[id_])
            for id_ in expected.keys() & listed.keys()
            if expected[id_] != listed[id_]
        }
        self.tally["acknowledged memories lost"] += len(lost)
        self.tally["memories that nobody made"] += len(more)
        self.tally["memories that stand or read otherwise"] += len(other)
        self.tally["comparisons of the whole store"] += 1
        self.tally["memories compared"] += len(expected)
        if lost or more or other:
            self.stands, self.said = ({id_: told[at] for id_, told in listed.items()} for at in (0, 1))
            raise Broken(f"lost {lost}, more {[(id_, listed[id_]) for id_ in more]}, other {other}")
        files = [path.read_text("utf-8") for path in self.root.glob("schemas/**/*.md")]
        if len(files) != len(expected):
            raise Broken(f"{len(files)} files, {len(expected)} memories")

    def point(self):
        """Keep this commit to ask about later, where all is saved."""
        if not self.plain("git", "status", "--porcelain", "--", "schemas"):
            counting = {id_: self.said[id_] for id_, now in self.stands.items() if now == "active"}
            self.points.append((self.plain("git", "rev-parse", "HEAD"), counting))


ACTS = (
    *(Life.recall,) * 12,
    *(Life.remember,) * 8,
    *(Life.look,) * 5,
    *(Life.edit, Life.observe) * 4,
    *(Life.recall_removed, Life.another_time, Life.forget, Life.supersede, Life.again) * 2,
    *(Life.unforget, Life.retract, Life.unretract, Life.undo, Life.batch),
    *(Life.consolidate, Life.task, Life.elsewhere, Life.meet),
)
