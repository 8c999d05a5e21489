"""A store that is lived in by real processes, and a model of what they acknowledged.

Which memories there are, what each says, how each stands: `holds` compares the store with that.
"""

import json
import subprocess
import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from faults.vocabulary import DOES, OBJECTS, THINGS

from memcli.memory.schema import Status

PERSON = "human:ana"
STATUSES = tuple(Status)


class Broken(AssertionError):
    """Something that must hold did not."""


@dataclass
class Modelled:
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
