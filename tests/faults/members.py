"""One of a crowd on a store: a writer, a reader or an editor, as a process that acts many times.

    python -m faults.members ROLE NUMBER TIMES SEED COMMON…   (in the store; COMMON are ids that all may change)

Prints a line of JSON for each act: what was tried, the exit code, and what was acknowledged.
Some acts run in this process, which takes the locks itself; others are processes of their own,
which a resident answers.
"""

import json
import os
import re
import sys
import time
from pathlib import Path

from faults.someone import One
from faults.vocabulary import OBJECTS, THINGS

WHOLE = re.compile(r"The [a-z]+ [a-z]+ \d+ [a-z]+\.")  # any claim that is not torn


class Writer(One):
    """Does all that changes something, to memories of its own and to those that all may change."""

    def remember(self):
        claim = self.claim()
        way = self.dice.choice((self.apart, *(self.within,) * 3))
        code, told, err = way("remember", claim)
        self.made("remember", claim, code, told, err)
        return told if code == 0 else None

    def made(self, act, claim, code, told, err):
        told = told or {}
        if self.tell(
            act,
            code,
            err,
            claim=claim,
            id=told.get("id"),
            status=told.get("status"),
            commit=told.get("commit"),
        ):
            self.own[told["id"]] = told["status"]
            self.said[told["id"]] = claim

    def remember_and_look(self):
        """What was acknowledged is in the very next answer, whoever else writes."""
        told = self.remember()
        if told and told.get("status") == "active":
            claim = self.said[told["id"]]
            code, found, err = self.dice.choice((self.apart, self.within))("recall", claim)
            seen = bool(found) and told["id"] in [one["id"] for one in found["items"]]
            self.tell("look", code, err, id=told["id"], seen=seen)

    def remember_and_undo(self):
        """Take it back; what a resident consolidated in between is the last act then, and taken back instead."""
        told = self.remember()
        if told:
            code, undone, err = self.within("undo", "--yes")
            undone = undone or {}
            ours = undone.get("undone", {}).get("commit") == told["commit"]
            which = {"id": told["id"], "undone": True} if ours else {}
            if self.tell("undo", code, err, commit=undone.get("commit"), **which) and ours:
                del self.own[told["id"]]

    def batch(self):
        claims = [self.claim() for _ in range(3)]
        stdin = "".join(json.dumps({"text": one}) + "\n" for one in claims)
        code, answers, err = self.within("remember", "--batch", "-", stdin=stdin)
        for claim, told in zip(claims, answers or [None] * 3, strict=True):
            own = (told.get("error") or {}).get("code", 0) if told else code
            self.made("batch", claim, own, told, err)

    def again(self):
        if id_ := self.any("active"):
            code, told, err = self.within("remember", self.said[id_])
            told = told or {}
            self.tell("again", code, err, id=id_, same=told.get("id") == id_, commit=told.get("commit"))

    def change(self, verb, id_, *words, now):
        """One act on one memory, own or common."""
        if not id_:
            return
        code, told, err = self.within(verb, id_, *words)
        told = told or {}
        status = told.get("status", now)
        done = self.tell(verb, code, err, id=id_, status=status, commit=told.get("commit"))
        if done and id_ in self.own:
            self.own[id_] = status

    def forget(self):
        self.change("forget", self.any("active", "superseded"), "--yes", now="forgotten")

    def unforget(self):
        self.change("unforget", self.any("forgotten"), "--yes", now=None)

    def retract(self):
        self.change("retract", self.any("active"), "--reason", "never so", "--yes", now="retracted")

    def common_act(self):
        """What somebody else does to the same memory at this moment decides what comes of it."""
        verb, *words = self.dice.choice(
            (
                ("forget", "--yes"),
                ("unforget", "--yes"),
                ("retract", "--reason", "no", "--yes"),
                ("unretract", "--yes"),
            )
        )
        self.change(
            verb, self.dice.choice(self.common), *words, now="retracted" if verb == "retract" else None
        )

    def supersede(self):
        if id_ := self.any("active"):
            claim = self.claim()
            code, told, err = self.within("supersede", id_, "--with", claim)
            told = told or {}
            self.made("supersede", claim, code, {**told, "id": told.get("new"), "status": "active"}, err)
            if self.tell("superseded", code, err, id=id_, status="superseded", commit=told.get("commit")):
                self.own[id_] = "superseded"

    def observe(self):
        turn, claim = self.claim(), self.claim()
        lines = [{"role": "user", "text": turn}, {"kind": "claim", "type": "fact", "text": claim}]
        stdin = "".join(json.dumps(one) + "\n" for one in lines)
        code, _, err = self.within("observe", "-", "--session", f"w{self.number}", stdin=stdin)
        self.tell("observe", code, err, turns=[turn], heard=claim)

    def consolidate(self):
        code, _, err = self.within("consolidate")
        self.tell("consolidate", code, err)

    def save(self):
        code, _, err = self.within("save", "--yes")
        self.tell("save", code, err)

    def act(self):
        self.dice.choice(
            (
                *(self.remember,) * 5,
                *(self.remember_and_look, self.forget, self.supersede, self.observe, self.common_act) * 2,
                *(self.remember_and_undo, self.batch, self.again, self.unforget, self.retract, self.save),
                *((self.consolidate,) if self.dice.random() < 0.3 else ()),
            )
        )()


class Reader(One):
    """Asks all the time, with the resident and without it: what it is shown is whole."""

    def act(self):
        way = self.dice.choice((self.apart, self.apart, self.within))
        asked = (
            ("recall", f"{self.dice.choice(THINGS)} {self.dice.choice(OBJECTS)}"),
            ("list",),
            ("show", self.dice.choice(self.common)),
            ("log", "-n", "3"),
            ("status",),
        )
        verb = self.dice.choice(asked)
        code, told, err = way(*verb)
        shown = [one["text"] for one in (told or {}).get("items", ()) if verb[0] in ("recall", "list")]
        torn = [text for text in shown if not WHOLE.fullmatch(text)]
        self.tell(verb[0], code, err, read=True, shown=len(shown), torn=torn)
        time.sleep(self.dice.random() / 2)


class Editor(One):
    """Writes files by hand in the ways in which editors do, and rewords them again and again."""

    def act(self):
        folder = Path("schemas/project/t")
        folder.mkdir(parents=True, exist_ok=True)
        id_ = self.any("active")
        if id_ is None or self.dice.random() < 0.3:
            id_ = f"edit{self.number:02}{len(self.own):06}"
        claim = self.said[id_] = self.claim()
        self.own[id_] = "active"
        self.written(folder / f"{id_}.md", f"---\nid: {id_}\n---\n\n{claim}\n")
        self.tell("edit", 0, id=id_, edited=claim)
        if self.dice.random() < 0.4:
            code, _, err = self.within("save", "--yes")
            self.tell("save", code, err)
        time.sleep(self.dice.random())

    def written(self, path, text):
        """One way of saving: over the old file, beside it and then renamed, or deleted and made anew."""
        way = self.dice.randrange(3)
        if way == 1:
            beside = path.with_name(f".{path.name}.swp")
            beside.write_text(text, "utf-8")
            beside.replace(path)
            return
        if way == 2:
            path.unlink(missing_ok=True)
        path.write_text(text, "utf-8")


def main(role, number, times, seed, *common):
    """Act so many times."""
    os.environ["MEM_ACTOR"] = f"human:{role}{number}"
    one = {"writer": Writer, "reader": Reader, "editor": Editor}[role](int(number), seed, list(common))
    for _ in range(int(times)):
        one.act()


if __name__ == "__main__":
    main(*sys.argv[1:])
