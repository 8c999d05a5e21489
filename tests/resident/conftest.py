"""A store with a resident, which never outlives its test."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cli.conftest import Mem, Store

from memcli.resident import door
from memcli.store.place import Place

PATIENCE_S = 20


def processes(folder):
    """Numbers of the running processes whose command line names something below `folder`."""
    for one in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (one / "cmdline").read_bytes().split(b"\0")
            if b"memcli" in words and any(word.startswith(os.fsencode(folder)) for word in words):
                yield int(one.name)


def until(told, what="it", patience_s=PATIENCE_S):
    """Wait until `told()` is true, and return that."""
    ends = time.monotonic() + patience_s
    while not (found := told()):
        assert time.monotonic() < ends, f"{what} did not happen"
        time.sleep(0.02)
    return found


@dataclass
class House:
    """A store, `mem` in it, and its resident."""

    store: Store
    started: list[int] = field(default_factory=list)
    lines: list[socket.socket] = field(default_factory=list)
    running: list[subprocess.Popen] = field(default_factory=list)

    @property
    def root(self):
        return self.store.root

    @property
    def place(self):
        return Place(self.root)

    @property
    def mem(self):
        """`mem` as a process in the store."""
        return Mem(self.root, self.store.environment)

    def alone(self, *argv, **how):
        """The same command without the resident."""
        return self.mem("--no-daemon", *argv, **how)

    def start(self, **env):
        """Start the resident and let it look around; its process."""
        ran = self.mem("watch", "--detach", "--json", env=env)
        assert ran.code == 0, ran
        number = json.loads(ran.out)["process"]
        self.started.append(number)
        until(lambda: (self.standing() or {}).get("looked"), "the first look")
        return number

    def standing(self):
        """How the resident stands, None where none answers."""
        raw = door.asked(self.place, "status")
        return json.loads(raw) if raw else None

    def tally(self):
        """How many commands it answered and declined."""
        standing = self.standing()
        return standing["answered"], standing["declined"]

    def stop(self):
        """End it, whatever state it is in."""
        for line in self.lines:
            line.close()
        for number in self.started:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGCONT)
        if self.root.exists():
            self.mem("watch", "--stop")
        for number in processes(self.root.parent):
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        for one in self.running:
            one.kill()
            one.__exit__(None, None, None)

    def kill(self):
        """End it as a crash does."""
        number = self.started[-1]
        os.kill(number, signal.SIGKILL)
        until(lambda: not door.lives(self.place), "its end")

    def found(self, query, *options, answered=True):
        """The ids that the resident answers with; that it is the resident is asserted."""
        before = self.tally()[0] if answered else 0
        ran = self.mem("recall", "--json", *options, "--", query)
        assert ran.code in (0, 1), ran
        if answered:
            assert self.tally()[0] == before + 1
        told = json.loads(ran.out)
        return [one["id"] for one in told["items"]]

    def popen(self, *argv, **how):
        """A command, running."""
        running = subprocess.Popen(
            [sys.executable, "-m", "memcli", *argv],
            **{
                "cwd": self.root,
                "env": self.store.environment,
                "stdin": subprocess.DEVNULL,
                "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE,
                "start_new_session": True,
                **how,
            },
        )
        self.running.append(running)
        return running

    def line(self):
        """A connection of our own to the resident."""
        line = socket.socket(socket.AF_UNIX)
        self.lines.append(line)
        line.settimeout(PATIENCE_S)
        line.connect(str(self.place.door))
        return line

    def git(self, *argv):
        """Git as a person runs it in the store."""
        who = {
            f"GIT_{role}_{what}": "a@b.c" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        return subprocess.run(
            ["git", *argv],
            cwd=self.root,
            env={**self.store.environment, **who},
            check=True,
            capture_output=True,
            text=True,
        ).stdout


@contextmanager
def housed(folder):
    """A house below `folder`, with two memories; its resident ends with the block."""
    store = Store.made(folder)
    store.write("refund00aaaa", "The refund window is 30 days.")
    store.write("deploy00aaaa", "Deploys to production happen on Tuesdays only.", head="type: constraint\n")
    store.commit()
    house = House(store)
    try:
        yield house
    finally:
        house.stop()


@pytest.fixture
def house(tmp_path):
    """A store of two memories whose resident is not started yet."""
    with housed(tmp_path) as made:
        yield made


@pytest.fixture
def watched(house):
    """A store of two memories with a resident."""
    house.start()
    return house
