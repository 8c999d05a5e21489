"""A21: whatever a person and an agent do to a store, the journal tells it, and nothing else is touched.

Random acts and edits by hand, in a repository in which the user is in the middle of other
work. After every step the commits made must be exactly that step's; whenever all is saved,
the map of id to status that the trailers alone give must be that of the files.
"""

import hashlib
import random
import re
from collections import Counter

import pytest
from trial import AGENT, PERSON

STEPS = 300
LIVE = ("active", "staged", "needs_review")
THINGS = """
anchor bakery canal drummer elevator ferry glacier harbour island jeweller kiln lantern meadow notary
orchard pharmacy quarry railway sawmill tannery university vineyard warehouse xylophone yacht zoo aqueduct
brewery chapel dairy embassy foundry garage hospital inn jetty kennel library museum nursery observatory
pier quay reservoir stable theatre urn viaduct windmill
"""
OBJECTS = """
violins lamps carpets bottles ladders clocks saddles tiles ropes barrels mirrors kettles umbrellas candles
hinges pillows trumpets baskets anvils ribbons
"""
DOES = "rents sells paints counts moves repairs weighs hides orders borrows cleans prints"
THINGS, OBJECTS, DOES = THINGS.split(), OBJECTS.split(), DOES.split()


def blob(raw):
    """What git calls these bytes, empty for no file."""
    return "" if raw is None else hashlib.sha1(b"blob %d\0%s" % (len(raw), raw)).hexdigest()


class Machine:
    """One store, a random source, and what must hold after each step."""

    def __init__(self, trial, seed):
        self.trial = trial
        self.random = random.Random(seed)
        self.said = []
        self.done = Counter()
        self.mess_about()
        self.user = self.users()

    # What the user is in the middle of, and what of it must stay.

    def mess_about(self):
        """Leave work of the user's lying about: staged, unstaged, stashed, on another branch."""
        trial = self.trial
        (trial.root / "mem.toml").write_text('[encoder]\npath = "none"\n')  # the journal needs no meaning
        for name in ("kept", "renamed", "gone", "edited", "stashed"):
            (trial.root / f"{name}.txt").write_text(f"{name}\n" * 9)
        trial.commit_by_hand("the user's own")
        trial.git("branch", "work")
        (trial.root / "stashed.txt").write_text("for later\n")
        trial.git("stash")
        trial.git("mv", "renamed.txt", "named anew.txt")
        trial.git("rm", "-q", "gone.txt")
        (trial.root / "kept.txt").write_text("staged\n")
        (trial.root / "new.txt").write_text("new\n")
        trial.git("add", "kept.txt", "new.txt")
        (trial.root / "kept.txt").write_text("and edited again\n")
        (trial.root / "edited.txt").write_text("unstaged\n")
        (trial.root / "untracked.txt").write_text("untracked\n")
        trial.git("config", "user.signingkey", "none")
        trial.git("config", "alias.st", "status -sb")

    def users(self):
        """Everything of the user's in the repository."""
        trial = self.trial
        refs = trial.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        staged = trial.git("diff", "--cached", "--raw", "--no-renames", "--no-abbrev").splitlines()
        paths = [trial.root / ".git" / name for name in ("config", "HEAD", "MERGE_HEAD", "logs/refs/stash")]
        return {
            "refs": [ref for ref in refs if not ref.startswith(("refs/heads/main ", "refs/mem/"))],
            "staged": [line for line in staged if "\tschemas/" not in line],
            "bytes": [path.read_bytes() if path.exists() else None for path in paths],
            "files": {path.name: path.read_bytes() for path in trial.root.glob("*.txt")},
        }

    # What a step did.

    def kept(self):
        """Path → bytes of everything that the store keeps in history."""
        root = self.trial.root
        paths = [*root.glob("schemas/**/*.md"), *root.glob("events/**/*.jsonl")]
        return {str(path.relative_to(root)): path.read_bytes() for path in paths}

    def commits_since(self, head):
        """(commit, operation, its paths) of each commit after `head`, oldest first."""
        out = self.trial.git(
            *("log", "--reverse", "--name-only", "--no-renames", "-z", "--format=%x01%H%x02%B%x02"),
            f"{head}..HEAD",
        )
        found = []
        for one in out.split("\1")[1:]:
            commit, body, paths = one.split("\2")
            op = re.search(r"^Mem-Op: (.*)$", body, re.MULTILINE)
            found.append((commit, op and op[1], {path for path in paths.strip("\0\n").split("\0") if path}))
        return found

    def step(self, command):
        """Run one command of the machine and hold it to what it may do."""
        trial = self.trial
        head, before = trial.head(), self.kept()
        dirty = self.dirty()
        name = command.__name__
        ran = command()
        if ran is None:
            return
        assert ran.code in (0, 1, 3, 4, 5, 8), (name, ran.code, ran.out, ran.err)
        self.done[name, ran.code] += 1
        after = self.kept()
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        made = self.commits_since(head)
        told = (name, ran.out, ran.err, made)
        assert all(op for _, op, _ in made), told
        paths = set().union(*(paths for _, _, paths in made)) - {"tombstones.jsonl"}
        assert changed <= paths, told
        assert paths <= changed | dirty, told
        left = self.dirty() if made or changed else dirty
        assert left == dirty - paths, told
        if name != "save" and made:
            if made[-1][0][:10] in ran.out + ran.err:  # else the act itself changed nothing
                self.check_last(made, before, after, dirty if name == "unforget" else (), told)
            assert len(made) == 1 or dirty & paths, told
        if self.done.total() % 5 == 0:
            assert self.users() == self.user, told

    def check_last(self, made, before, after, confirmed, told):
        """The act itself is one commit: from the bytes that were on disk to those that are.

        `confirmed` are paths whose edit by hand, back to life, the act may have confirmed.
        """
        commit, _, paths = made[-1]
        for path in sorted(paths - {"tombstones.jsonl"}):
            was = self.committed(f"{commit}^", path)
            assert blob(before.get(path)) == was or path in confirmed, (path, told)
            assert blob(after.get(path)) == self.committed(commit, path), (path, told)

    def committed(self, rev, path):
        """The blob of a path in a commit."""
        return self.trial.git("rev-parse", "--quiet", "--verify", f"{rev}:{path}", check=False)

    def dirty(self):
        """The paths that differ from HEAD, as git sees them."""
        words = ("status", "--porcelain=v2", "-z", "-uall", "--no-renames", "--", "schemas", "events")
        lines = self.trial.git(*words).split("\0")
        return {line.split(" ", 8 if line[0] == "1" else 1)[-1] for line in lines if line}

    # The acts.

    def text(self):
        """A claim; now and then one that was said before."""
        if self.said and self.random.random() < 0.15:
            return self.random.choice(self.said)
        thing, other = self.random.sample(THINGS, 2)
        claim = f"The {thing} {self.random.choice(DOES)} {self.random.choice(OBJECTS)} beside the {other}."
        self.said.append(claim)
        return claim

    def ids(self, *statuses):
        """Ids that have one of the statuses (none: any), as their files say, in order of path."""
        return [id_ for id_, status in self.stated().items() if not statuses or status in statuses]

    def any_of(self, found):
        return self.random.choice(found) if found else None

    def remember(self):
        who = self.random.choice([PERSON, AGENT])
        concept = ("--concept", self.random.choice(THINGS)) if self.random.random() < 0.3 else ()
        return self.trial.ran("remember", *concept, "--", self.text(), env=who)

    def batch(self):
        stdin = "\n".join(f'{{"text": "{self.text()}"}}' for _ in range(3))
        return self.trial.ran("remember", "--batch", "-", stdin=stdin)

    def forget(self):
        id_ = self.any_of(self.ids())
        return id_ and self.trial.ran("forget", id_, "--yes")

    def unforget(self):
        id_ = self.any_of(self.ids("forgotten") or self.ids())
        return id_ and self.trial.ran("unforget", id_, "--yes")

    def supersede(self):
        id_ = self.any_of(self.ids(*LIVE))
        return id_ and self.trial.ran("supersede", id_, "--with", self.text())

    def supersede_by_id(self):
        found = self.ids(*LIVE)
        if len(found) < 2:
            return None
        return self.trial.ran("supersede", *self.random.sample(found, 2))

    def supersede_by_concept(self):
        concept = self.random.choice(THINGS)
        return self.trial.ran("remember", "--supersede-concept", "--concept", concept, "--", self.text())

    def move(self):
        id_ = self.any_of(self.ids())
        return id_ and self.trial.ran("move", id_, self.random.choice(["project:t", "project:other"]))

    def undo(self):
        who = self.random.choice([PERSON, PERSON, AGENT])
        ran = self.trial.ran("undo", "--yes", "--json", env=who)
        if ran.code == 0:
            self.check_undone(ran.out)
        return ran

    def check_undone(self, out):
        commit = re.search(r'"commit": ?"([0-9a-f]{40})"', out)[1]
        for path in self.trial.touched(commit):
            there = self.trial.root / path
            before = self.trial.git("rev-parse", "--quiet", "--verify", f"{commit}^:{path}", check=False)
            now = self.trial.git("hash-object", path) if there.exists() else ""
            assert now == before, path

    def save(self):
        return self.trial.ran("save", "--yes")

    def recall(self):
        return self.trial.ran("recall", self.random.choice(THINGS))

    def check(self):
        return self.trial.ran("check", *self.random.choice([(), ("--fix",)]))

    # The edits by hand.

    def file(self):
        files = sorted(self.trial.root.glob("schemas/**/*.md"))
        return self.random.choice(files) if files else None

    def rewords(self):
        """A person rewords a claim."""
        file = self.file()
        if file:
            file.write_text(file.read_text().rstrip("\n") + f" Or {self.random.choice(OBJECTS)}.\n")

    def restates(self):
        """A person sets a status by hand, forgotten and back included."""
        file = self.file()
        if file:
            text = re.sub(r"^(status|archive_reason): .*\n", "", file.read_text(), flags=re.MULTILINE)
            status = self.random.choice(["active", "forgotten", "archived\narchive_reason: duplicate"])
            file.write_text(text.replace("---\n", f"---\nstatus: {status}\n", 1))

    def deletes(self):
        file = self.file()
        if file:
            file.unlink()

    def writes(self):
        """A person writes a file, with or without frontmatter."""
        folder = self.trial.root / "schemas/project/t"
        folder.mkdir(parents=True, exist_ok=True)
        name = f"hand{self.random.randrange(10**8):08}"
        head = self.random.choice(["", f"---\nid: {name}\n---\n\n"])
        (folder / f"{name}.md").write_text(f"{head}{self.text()}\n")

    def renames(self):
        file = self.file()
        if file:
            (file.parent / "kept").mkdir(exist_ok=True)
            file.rename(file.parent / "kept" / f"{self.random.randrange(10**6)}-{file.name}")

    def breaks(self):
        """Somebody saves half of it, and notices."""
        file = self.file()
        if file:
            raw = file.read_bytes()
            file.write_text("---\nid: [\n---\n\nhalf\n")
            self.step(self.recall)
            file.write_bytes(raw)

    # What must hold when all is saved.

    def settled(self):
        """Save everything, and compare the trailers with the files."""
        self.step(self.save)
        assert self.dirty() == set(), self.trial.ran("save", "--dry-run").out
        assert self.users() == self.user
        told, stated = self.told(), self.stated()
        assert told == stated, self.story({id_ for id_, _ in told.items() ^ stated.items()})
        assert (
            self.trial.statuses("--scope", "project:t") | self.trial.statuses("--scope", "project:other")
            == stated
        )

    def story(self, ids):
        """All that the journal says about some ids, for whoever looks for the cause."""
        form = "%x00%h %s%n%(trailers)"
        told = self.trial.git(
            "log", "--reverse", "-m", "--first-parent", "--name-status", "--no-renames", f"--format={form}"
        )
        about = [one for one in told.split("\0") if any(id_ in one for id_ in ids)]
        return "\n".join([*sorted(ids), *about])

    def told(self):
        """Id → status, from the trailers alone."""
        out = self.trial.git("log", "--reverse", "--format=%B")
        told = dict(re.findall(r"^Mem-Id: (.*)\nMem-Prior-Status: .*\nMem-Status: (.*)$", out, re.MULTILINE))
        return {id_: status for id_, status in told.items() if status != "none"}

    def stated(self):
        """Id → status, from the files alone."""
        found = {}
        for file in sorted(self.trial.root.glob("schemas/**/*.md")):
            head = file.read_text().partition("\n---")[0] if file.read_text().startswith("---") else ""
            id_ = re.search(r"^id: ?[\"']?([^\"'\n]*)", head, re.MULTILINE)
            status = re.search(r"^status: ?(.*)$", head, re.MULTILINE)
            id_ = id_[1] if id_ else self.derived(file)
            found[id_] = status[1] if status else "active"
        return found

    def derived(self, file):
        from memcli.store.format import derived_id

        return derived_id(str(file.relative_to(self.trial.root)))

    def run(self, steps):
        acts = [
            *([self.remember] * 5),
            *([self.forget, self.unforget, self.undo, self.supersede] * 3),
            *([self.save, self.move] * 2),
            *(self.batch, self.supersede_by_id, self.supersede_by_concept, self.recall, self.check),
        ]
        hand = [self.rewords, self.restates, self.deletes, self.writes, self.renames, self.breaks]
        for nth in range(steps):
            if self.random.random() < 0.2:
                self.random.choice(hand)()
            else:
                self.step(self.random.choice(acts))
            if nth % 25 == 24:
                self.settled()
        self.settled()


def pytest_generate_tests(metafunc):
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(1, 1 + metafunc.config.getoption("campaign")))


@pytest.mark.case("P-LIFE-06")
def test_the_trailers_alone_tell_what_the_files_say(trial, seed):
    machine = Machine(trial, seed)
    machine.run(STEPS)
    trial.git("fsck", "--strict")
