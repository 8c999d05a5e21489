"""What is done to two clones while they are apart, each act drawn by chance."""

import json
import signal

from faults.last_change import KILLED
from faults.meeting import DELETED, Meeting, listed
from trial import AGENT, PERSON


class Clones(Meeting):
    """Both clones of one store, and what is done to either; each act keeps that side's model."""

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

    def remember(self, side):
        claim = self.claim()
        told = side.store.remember(claim, env=self.dice.choice((PERSON, AGENT)))
        assert told["decision"] == "created", told
        self.put(side, told["id"], told["status"], claim)

    def again(self, side):
        """Say a memory once more; one that was moved to another scope would be a new one here."""
        id_ = self.one(side, "active")
        if id_ and "project/t" in str(side.store.path(id_)):
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
        self.adopt(side, lambda id_, claim: "brewery" in claim)

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
            if side.holds.get(id_, DELETED) == DELETED and ours(id_, held[1]):
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


ACTS = (
    *(Clones.remember,) * 4,
    *(Clones.forget, Clones.supersede, Clones.reword, Clones.again, Clones.retract) * 2,
    *(Clones.unforget, Clones.unretract, Clones.reopen, Clones.undo, Clones.move, Clones.tag, Clones.delete),
    *(Clones.bring, Clones.bring_for_review, Clones.decide, Clones.observe, Clones.consolidate),
    *(Clones.branch, Clones.crash),
)
