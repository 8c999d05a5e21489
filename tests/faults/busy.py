"""A process that acts as fast as it can until it is killed, and says what it tried and what was acknowledged.

Its words are a name of its own and the ids that are its alone. Lines: `ready`, `try ACT ID` before an
act, `ack ID STATUS` once it is acknowledged, `said TEXT` for a turn that was taken in.
"""

import io
import itertools
import json
import random
import sys

from memcli import __main__ as process


def ran(*argv, stdin=""):
    """Run one command; its exit code and its last object."""
    kept = sys.stdout, sys.stdin
    sys.stdout, sys.stdin = io.TextIOWrapper(io.BytesIO()), io.TextIOWrapper(io.BytesIO(stdin.encode()))
    try:
        code = process.main([*argv, "--json"])
        sys.stdout.flush()
        lines = sys.stdout.buffer.getvalue().splitlines()
        return code, json.loads(lines[-1]) if lines else {}
    finally:
        sys.stdout, sys.stdin = kept


def say(*words):
    """One line, with the system when this returns."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


class Busy:
    """Acts on ids that nobody else acts on."""

    def __init__(self, name, ids):
        self.name, self.alive, self.gone = name, list(ids), []
        self.dice, self.count = random.Random(name), itertools.count()

    def text(self):
        """A claim that nothing else says."""
        return f"Shelf {self.name}-{next(self.count)} holds folder {self.dice.randrange(10**9)}."

    def remember(self):
        text = self.text()
        say("try", "remember", text)
        code, told = ran("remember", text)
        if code == 0 and told["decision"] == "created":
            self.alive.append(told["id"])
            say("ack", told["id"], "active")

    def batch(self):
        lines = "\n".join(json.dumps({"text": self.text()}) for _ in range(3))
        code, _ = ran("remember", "--batch", "-", stdin=lines)
        say("batch", str(code))

    def end(self, act, status, *words):
        """Let one of ours end by a person's act."""
        if not self.alive:
            return
        id_ = self.alive.pop(self.dice.randrange(len(self.alive)))
        say("try", act, id_)
        code, told = ran(act, id_, *words)
        if code == 0:
            say("ack", id_, status)
            self.gone += [id_] if status == "forgotten" else []
            if act == "supersede":
                self.alive.append(told["new"])
                say("ack", told["new"], "active")

    def forget(self):
        self.end("forget", "forgotten", "--yes")

    def supersede(self):
        self.end("supersede", "superseded", "--with", self.text())

    def retract(self):
        self.end("retract", "retracted", "--reason", "never so", "--yes")

    def unforget(self):
        if self.gone:
            id_ = self.gone.pop()
            say("try", "unforget", id_)
            if ran("unforget", id_, "--yes")[0] == 0:
                self.alive.append(id_)
                say("ack", id_, "active")

    def observe(self):
        text = self.text()
        if ran("observe", "-", "--session", self.name, stdin=text)[0] == 0:
            say("said", text)

    def consolidate(self):
        ran("consolidate")

    def rebuild(self):
        ran("index", "rebuild")

    def live(self):
        """Act until the end."""
        say("ready")
        acts = (self.remember, self.remember, self.batch, self.forget, self.unforget, self.supersede)
        acts += (self.retract, self.observe, self.consolidate, self.rebuild)
        while True:
            self.dice.choice(acts)()


if __name__ in ("__main__", "child"):
    Busy(sys.argv[1], sys.argv[2:]).live()
