"""What a person, an agent, an editor and another clone do to one store, a resident serving them."""

import json

from faults.modelled import STATUSES, Broken, Modelled

AGENT = "agent:claude"
SMALL_TALK = ("Thanks, that works.", "Please go on with the next file.", "What did we say about that?")


class Life(Modelled):
    """The ordinary life of a store: each method is one thing that somebody does."""

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


ACTS = (
    *(Life.recall,) * 12,
    *(Life.remember,) * 8,
    *(Life.look,) * 5,
    *(Life.edit, Life.observe) * 4,
    *(Life.recall_removed, Life.another_time, Life.forget, Life.supersede, Life.again) * 2,
    *(Life.unforget, Life.retract, Life.unretract, Life.undo, Life.batch),
    *(Life.consolidate, Life.task, Life.elsewhere, Life.meet),
)
