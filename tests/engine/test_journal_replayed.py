"""A21: whatever is done, by hand too, the trailers alone come to what the files say, and nothing else is touched."""

import random
import re

import pytest

WORDS = (
    "otters",
    "larches",
    "granite",
    "ferries",
    "lanterns",
    "beehives",
    "turbines",
    "harbours",
    "quarries",
)
STATUS = re.compile(r"^status: .*\n", re.MULTILINE)
STEPS = 40


def told_by_trailers(trial):
    """Id → status from the trailers alone, oldest first."""
    found = {}
    keys = "%(trailers:key=Mem-Id,key=Mem-Status,valueonly,separator=%x09)"
    for line in trial.git("log", "--reverse", "--topo-order", f"--format={keys}").splitlines():
        cells = line.split("\t")
        found |= dict(zip(cells[::2], cells[1::2], strict=False))
    return {id_: status for id_, status in found.items() if id_ and status != "none"}


def said_by_files(trial):
    """Id → status from the bytes of the files alone."""
    found = {}
    for path in trial.root.glob("schemas/**/*.md"):
        text = path.read_text("utf-8")
        status = re.search(r"^status: (\w+)$", text, re.MULTILINE)
        found[re.search(r"^id: (\S+)$", text, re.MULTILINE)[1]] = status[1] if status else "active"
    return found


class Walk:
    """Random acts on one store, as mem and as an editor do them; `user` is what no command may touch."""

    def __init__(self, trial, seed):
        self.trial, self.chance, self.count = trial, random.Random(seed), 0
        (trial.root / "notes.txt").write_text("mine\n")
        trial.git("add", "notes.txt")
        trial.git("commit", "-qm", "notes of mine")
        (trial.root / "notes.txt").write_text("mine, staged\n")
        trial.git("add", "notes.txt")
        (trial.root / "notes.txt").write_text("mine, staged and edited\n")
        trial.git("branch", "other")

    def user(self):
        git = self.trial.git
        return (
            git("diff", "--cached", "--", "notes.txt"),
            git("diff", "--", "notes.txt"),
            git("symbolic-ref", "HEAD"),
            git("rev-parse", "other"),
            (self.trial.root / ".git" / "config").read_bytes(),
        )

    def claim(self):
        self.count += 1
        first, second = self.chance.sample(WORDS, 2)
        return f"The {first} of the {second} number {self.count * 37 + 11}."

    def having(self, *statuses):
        """A random id that has one of these statuses, or None."""
        ids = sorted(id_ for id_, now in said_by_files(self.trial).items() if now in statuses)
        return self.chance.choice(ids) if ids else None

    def step(self):
        """One command; whether it made one commit an act and nothing else."""
        acts = [name for name in dir(self) if name.startswith("do_")]
        before, user = self.trial.git("rev-parse", "HEAD").strip(), self.user()
        name = self.chance.choice([*acts, "do_remember", "do_remember"])
        most = getattr(self, name)() or 1
        made = self.trial.git("rev-list", f"{before}..HEAD").split()
        assert len(made) <= most, name
        assert self.user() == user, name
        paths = {path for one in made for path in self.paths(one)}
        assert not [path for path in paths if not path.startswith(("schemas/", "events/", "tombstones"))], (
            name
        )
        assert self.trial.git("status", "--short", "--", "schemas", "events", "tombstones.jsonl") == "", name

    def paths(self, commit):
        return self.trial.git("show", "--format=", "--name-only", commit).split()

    def do_remember(self):
        self.trial.remember(self.claim())

    def do_batch(self):
        self.trial.batch([self.claim(), self.claim(), {"text": self.claim(), "concept": "of many"}])

    def do_forget(self):
        if id_ := self.having("active", "superseded", "archived"):
            self.trial.forget(id_)

    def do_unforget(self):
        if id_ := self.having("forgotten"):
            self.trial.unforget(id_)

    def do_supersede(self):
        if id_ := self.having("active"):
            self.trial.ran("supersede", id_, "--with", self.claim())

    def do_reopen(self):
        if id_ := self.having("archived", "stale"):
            self.trial.ran("reopen", id_, "--yes")

    def do_undo(self):
        self.trial.ran("undo", "--yes")

    def do_reword(self):
        if id_ := self.having("active", "archived"):
            path = self.trial.path(id_)
            path.write_text(path.read_text() + f"\nA detail, number {self.count}.\n")
        return self.saved()

    def do_add(self):
        self.count += 1
        self.trial.write(f"hand{self.count:04}aaaa", self.claim())
        return self.saved()

    def do_delete(self):
        if id_ := self.having("active", "forgotten"):
            self.trial.path(id_).unlink()
        return self.saved()

    def do_move(self):
        if id_ := self.having("active", "forgotten"):
            path = self.trial.path(id_)
            (path.parent / "deeper").mkdir(exist_ok=True)
            path.rename(path.parent / "deeper" / path.name)
        return self.saved()

    def do_status(self):
        """Forgotten, archived, stale or active again by an editor; and a second edit beside it."""
        if id_ := self.having("active", "forgotten", "archived"):
            path = self.trial.path(id_)
            lines = (
                "forgotten",
                "archived\narchive_reason: rejected",
                "active",
                "stale\nstale_reason: outdated",
            )
            text = re.sub(r"^(archive|stale)_reason: .*\n", "", path.read_text(), flags=re.MULTILINE)
            head = f"status: {self.chance.choice(lines)}\n"
            text = STATUS.sub(head, text) if STATUS.search(text) else text.replace("---\n", f"---\n{head}", 1)
            path.write_text(text)
        self.do_reword()
        return 3

    def saved(self):
        self.trial.did("save", "--yes")
        return 2


@pytest.mark.case("P-LIFE-06")
def test_after_random_acts_and_edits_by_hand_the_trailers_alone_are_the_files(trial, campaign):
    """A21, first half: `--campaign 8` walks 320 steps."""
    walk = Walk(trial, 21)
    for _ in range(STEPS * campaign):
        walk.step()
    assert said_by_files(trial)
    assert told_by_trailers(trial) == said_by_files(trial)
    audit = trial.told("audit")
    assert (audit["clean"], audit["findings"], audit["memories"]) == (True, [], len(said_by_files(trial)))


@pytest.mark.parametrize("harm", ["status", "text", "new", "gone"])
def test_one_commit_by_hand_among_them_is_the_one_that_is_named(trial, harm):
    """The control: the audit is not clean because it looks away."""
    walk = Walk(trial, 7)
    for _ in range(6):
        walk.do_remember()
    id_ = walk.having("active")
    path = trial.path(id_)
    if harm == "status":
        path.write_text(path.read_text().replace("status: active", "status: forgotten"))
    elif harm == "text":
        path.write_text(path.read_text().replace("number", "no."))
    elif harm == "new":
        id_ = "byhand00aaaa"
        path = trial.write(id_, walk.claim())
    else:
        path.unlink()
    trial.git("add", "-A", "schemas")
    trial.git("commit", "-qm", "by hand", "--", "schemas")
    for _ in range(3):
        walk.do_remember()
    (found,) = trial.told("audit", code=1)["findings"]
    sort, change = {
        "status": ("status", ("active", "forgotten")),
        "text": ("text", (None, None)),
        "new": ("status", ("none", "active")),
        "gone": ("status", ("active", "none")),
    }[harm]
    assert (found["sort"], found["id"]) == (sort, id_)
    assert (found["prior_status"], found["status"]) == change
    assert found["path"] == path.relative_to(trial.root).as_posix()
    assert (found["author"], found["commit"]) == ("ana", trial.git("rev-parse", "HEAD~3").strip())


def test_a_merge_that_a_person_is_in_the_middle_of_goes_on_untouched(trial):
    """A21, the user's merge: its conflict, its MERGE_HEAD and its other side stay as they were."""
    notes = trial.root / "notes.txt"
    for branch, text in (("side", "theirs\n"), ("main", "ours\n")):
        trial.git("checkout", "-q", *(("-b", branch) if branch == "side" else (branch,)))
        notes.write_text(text)
        trial.git("add", "notes.txt")
        trial.git("commit", "-qm", text.strip())
    trial.git("merge", "side", check=False)
    before = trial.git("ls-files", "-u"), (trial.root / ".git/MERGE_HEAD").read_text(), notes.read_text()
    assert before[0]
    made = trial.remember("The ferries leave at nine.")
    trial.forget(made["id"])
    assert (
        trial.git("ls-files", "-u"),
        (trial.root / ".git/MERGE_HEAD").read_text(),
        notes.read_text(),
    ) == before
    notes.write_text("both\n")
    trial.git("add", "notes.txt")
    trial.git("commit", "-qm", "merged")
    assert trial.status(made["id"]) == "forgotten"
    assert trial.told("audit")["clean"]
