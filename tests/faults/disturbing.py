"""An act that is disturbed at the n-th call that changes the disk: it dies there, or the call fails.

The kernel tells of each call before it is made (tests/faults/kernel.py): those of Python, of the
index and of git alike.
"""

import contextlib
import errno
import os
import signal
from dataclasses import dataclass, field

from faults import kernel

WRITES = ("write", "pwrite64")
NEEDS_NO_ROOM = ("unlink", "unlinkat", "rmdir", "truncate", "ftruncate")
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def changing(life, call):
    """Whether a call changes a file of the store or of the one beside it."""
    return call.changes() and call.where().startswith(f"{life.folder}/")


@dataclass
class Disturbance:
    """Meets the n-th call that counts; `hit` names it once it came, `seen` are the processes so far."""

    life: object
    at: int
    hit: str | None = None
    child: object = None
    met: int = 0
    seen: set = field(default_factory=set)

    def __call__(self, call):
        if not self.counts(call):
            return None
        self.met += 1
        if self.met == self.at:
            self.hit = f"{call.name} {os.path.relpath(call.where() or '?', self.life.folder)} {self.named()}"
            return self.disturb(call)
        return self.afterwards(call) if self.hit else None

    def counts(self, call):
        """Whether a call is one of those that are counted."""
        self.seen.add(call.thread)
        return changing(self.life, call)

    def named(self):
        """What is done, in a word."""
        return ""

    def disturb(self, call):
        """Disturb this call; what its caller is told, None to let it be made."""

    def afterwards(self, call):
        """The same for every later one."""


@dataclass
class Kill(Disturbance):
    """SIGKILL: the `caller`, the `command` while git goes on, `all`, or all after `half` of a write."""

    way: str = "all"

    def named(self):
        return self.way

    def disturb(self, call):
        if self.way == "half" and call.name in WRITES:
            call.half()
        doomed = {"caller": {call.process}, "command": {self.child.number}}.get(self.way, self.seen)
        for number in doomed | ({self.child.number} if self.way in ("all", "half") else set()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


@dataclass
class Fail(Disturbance):
    """An error, once or from then on; what needs no room on the disk does not fail for lack of it."""

    error: int = errno.EIO
    lasting: bool = False

    def named(self):
        return f"{errno.errorcode[self.error]}{' for good' if self.lasting else ''}"

    def counts(self, call):
        if self.error == errno.EMFILE:
            return call.name in kernel.OPENS
        return super().counts(call) and not (self.error in NO_ROOM and call.name in NEEDS_NO_ROOM)

    def disturb(self, call):
        return kernel.Answer(error=self.error)

    def afterwards(self, call):
        return self.disturb(call) if self.lasting else None


@dataclass
class Short(Disturbance):
    """Writes do half of what they were asked for, as the last ones before a disk is full."""

    def counts(self, call):
        return call.name in WRITES and super().counts(call)

    def named(self):
        return "half, and so every later one"

    def disturb(self, call):
        return kernel.Answer(done=call.half())

    afterwards = disturb


def disturbed(cradle, life, act, disturbance):
    """Carry out an act under a disturbance: its exit code and what it wrote to stderr."""
    child = cradle.child(life.trial, act.words(life.ids), stdin=act.stdin, calls=kernel.NUMBERS)
    disturbance.child = child
    kernel.supervise(child.listener, disturbance)
    return child.ended(), child.told[1]


def counted(cradle, life, act, disturbance):
    """How many calls a disturbance of this kind would count in an act that is let live; its exit code."""
    disturbance.at = 0
    code, _ = disturbed(cradle, life, act, disturbance)
    return disturbance.met, code
