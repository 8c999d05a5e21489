"""Commands within this process: the same words and verbs, without what starting a process costs.

For a machine that has little time to spare. Where a resident runs, questions are put to it over its
socket, as the command would, but with patience.
"""

import io
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from program import Program

from memcli import __main__ as process
from memcli import surroundings
from memcli.environment import NAMES
from memcli.resident import client

PATIENCE_S = 600


@dataclass(frozen=True)
class Inside(Program):
    """A store that this process fills by itself."""

    def ran(self, *argv, stdin="", cwd=None):
        """Run one command; its streams as text, as if it had been a process."""
        if argv[0] == "watch":
            return super().ran(*argv, stdin=stdin, cwd=cwd)
        if argv[0] == "recall" and (answered := self._by_resident(argv)):
            return answered
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        stands = self._stands(Path(cwd or self.folder))
        with (
            mock.patch.object(surroundings, "read", return_value=stands),
            mock.patch.multiple(sys, stdin=given, stdout=out, stderr=err),
        ):
            code = process.main(list(argv))
            out.flush()
            err.flush()
        return subprocess.CompletedProcess(
            argv, code, *(one.buffer.getvalue().decode() for one in (out, err))
        )

    def _by_resident(self, argv):
        """What the resident answers; None where none listens, or it declines."""
        line = client.knock(os.fsencode(self.folder / ".mem" / "resident"))
        if line is None:
            return None
        words = [word.encode() for word in argv]
        stands = [part.encode() for pair in self.environment.items() for part in pair]
        here = os.fsencode(self.folder)
        line.settimeout(PATIENCE_S)
        line.sendall(
            client.framed(b"run", client.KIN, here, b"000", b"0", b"", b"%d" % len(words), *words, *stands)
        )
        pieces = []
        while piece := line.recv(1 << 16):
            pieces.append(piece)
        line.close()
        return _answer(argv, b"".join(pieces))

    def _stands(self, cwd):
        environment = self.environment
        home = surroundings.home_of(environment)
        return surroundings.Surroundings(
            environment={name: environment[name] for name in NAMES if name in environment},
            cwd=cwd,
            now=int(time.time()),
            width=80,
            ttys=(False, False, False),
            terminal=False,
            home=home,
            own=surroundings.own_of(environment, home),
        )


def _answer(argv, reply):
    if not reply.startswith(client.ANSWERED):
        return None
    code, out = reply[1], int.from_bytes(reply[2:6], "big")
    told = reply[10:]
    return subprocess.CompletedProcess(argv, code, told[:out].decode(), told[out:].decode())


def program_of(given, name="store"):
    """The store below the given folder, asked by processes or, with --inside, within this one."""
    return (Inside if given.inside else Program).at(given.work, given.mem, name)
