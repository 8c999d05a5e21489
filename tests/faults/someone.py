"""Somebody of a crowd: what they know, and how they run `mem`, in their own process or apart."""

import io
import json
import random
import subprocess
import sys
from itertools import product

from faults.vocabulary import DOES, OBJECTS, THINGS

ROLES = 64  # so many may share the claims, none of which comes twice


class One:
    """What one member of the crowd knows, and how it runs `mem`."""

    def __init__(self, number, seed, common):
        self.dice = random.Random(f"{seed} {number}")
        self.common = common
        every = list(product(THINGS, DOES, OBJECTS))
        random.Random(seed).shuffle(every)
        self.fresh = every[number::ROLES]
        self.own, self.said, self.number = {}, {}, number

    def claim(self):
        """A claim that nobody else of the crowd makes."""
        thing, does, what = self.fresh.pop()
        return f"The {thing} {does} {self.dice.randrange(3, 900)} {what}."

    def within(self, *argv, stdin=""):
        """Run `mem` in this process: exit code, object or None, stderr."""
        from memcli import __main__ as process

        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        before = sys.stdin, sys.stdout, sys.stderr
        sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(stdin.encode())), out, err
        try:
            code = process.main([*argv, "--json"])
            out.flush()
            err.flush()
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
        return code, _object(out.buffer.getvalue()), err.buffer.getvalue().decode()

    def apart(self, *argv, stdin=""):
        """Run `mem` as a process of its own: exit code, object or None, stderr."""
        ran = subprocess.run(
            [sys.executable, "-m", "memcli", *argv, "--json"],
            input=stdin.encode(),
            capture_output=True,
            check=False,
        )
        return ran.returncode, _object(ran.stdout), ran.stderr.decode()

    def tell(self, act, code, err="", **more):
        """Print what came of an act."""
        kept = err[-2000:] if code not in (0, 1) else ""
        print(json.dumps({"act": act, "code": code, "err": kept, **more}), flush=True)
        return code == 0

    def any(self, *statuses):
        found = sorted(id_ for id_, now in self.own.items() if now in statuses)
        return self.dice.choice(found) if found else None


def _object(raw):
    """The object that was printed; of several lines a list; None where it is none."""
    try:
        told = [json.loads(line) for line in raw.decode().splitlines()]
    except ValueError:
        return None
    return told if len(told) > 1 else told[0] if told else None
