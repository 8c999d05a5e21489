"""Console blocks of the documentation, run for real and compared with what they claim.

Blocks fenced as `console` are one session a document: `$ command` lines, each followed by
what it prints. In what is expected, `…` stands for anything on its line, and a line of its
own for any lines. Ids, commits and figures differ from run to run, so an id stands for
whatever id came out there first, seven, ten or forty hexadecimal digits for a commit, a decimal
for a decimal, and TODAY for any day. A comment `<!-- at 2026-01-05T09:00:00Z -->` sets the clock
of everything below it, a minute further for each command, so that a story can take a year; its
days stand for themselves.
"""

import io
import os
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cli.conftest import Mem, environment_in
from clocked import DATES

from memcli import __main__ as process
from memcli import surroundings
from memcli.environment import NAMES
from memcli.memory import times

TODAY = "2025-11-30"
COLUMNS = 80
TYPED = re.compile(r"^Type .*leave it: (\S+)$", re.MULTILINE)
ID = (
    r"(?<![0-9a-z])(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-hjkmnp-tv-z]{12}(?:[0-9a-hjkmnp-tv-z]{8})?(?![0-9a-z])"
)
PREFIX = 4
PARTS = re.compile(
    rf"(?P<id>{ID})"
    rf"|(?P<today>{TODAY}(?: \d\d:\d\d|T[\d:]{{8}}Z)?)"
    r"|(?P<commit>(?<![0-9a-z])(?=[a-f]*[0-9])[0-9a-f]{7}(?:[0-9a-f]{3}(?:[0-9a-f]{30})?)?(?![0-9a-z]))"
    r"|(?P<figure>(?<![\w.])\d?\.\d+(?![\w.]))"
    r"|(?P<any>…)"
    r"|(?P<space>[ \t]+)"
    r"|(?P<text>.)",
    re.DOTALL,
)
CLOCK = re.compile(r"<!-- at (\S+) -->")
CLOCKED = Path(__file__).with_name("clocked.py")
MINUTE_S = 60
SHELL = re.compile(r"""'[^']*'|"[^"$`]*"|(?P<special>[|;&<>()$`*])""")


@dataclass(frozen=True)
class Step:
    """One command, what the document says it prints, the line where it stands, and when it is run.

    `at` is seconds since 1970, None for now.
    """

    command: str
    expected: str
    line: int
    at: int | None = None


@dataclass(frozen=True)
class Block:
    """One fenced block below `heading`."""

    heading: str
    steps: tuple


def blocks(text):
    """The console blocks of a document, in order."""
    heading, opened, at = "", None, None
    for number, line in enumerate(text.splitlines(), start=1):
        if opened is not None:
            if line == "```":
                steps = tuple(_steps(opened, at))
                yield Block(heading, steps)
                opened, at = None, None if at is None else at + MINUTE_S * len(steps)
            else:
                opened.append((number, line))
        elif line == "```console":
            opened = []
        elif said := CLOCK.fullmatch(line):
            at = times.parse(said[1])
        elif line.startswith("#"):
            heading = line.lstrip("# ")


def _steps(lines, at=None):
    starts = [place for place, (_, line) in enumerate(lines) if line.startswith("$ ")]
    for nth, (start, end) in enumerate(zip(starts, [*starts[1:], len(lines)], strict=True)):
        number, command = lines[start]
        expected = "\n".join(line for _, line in lines[start + 1 : end]).rstrip("\n")
        yield Step(command[2:], expected, number, None if at is None else at + MINUTE_S * nth)


def is_plain(command):
    """Whether `command` is words alone, with nothing that a shell would act on."""
    return not any(found["special"] for found in SHELL.finditer(command))


@dataclass
class Session:
    """A person's home and a project called shop, with whatever the commands before left there.

    The project `begins` at that moment, seconds since 1970 (None: now).
    """

    folder: Path
    begins: int | None = None
    ids: dict = field(default_factory=dict)
    code: int = 0

    def __post_init__(self):
        self.cwd = self.folder / "work" / "shop"
        self.cwd.mkdir(parents=True)
        self.environment = environment_in(self.folder / "home") | {"NO_COLOR": "1", "COLUMNS": str(COLUMNS)}
        del self.environment["XDG_DATA_HOME"]
        Path(self.environment["GIT_CONFIG_GLOBAL"]).write_text(
            "[user]\nname = ana\nemail = ana@example.org\n"
        )
        self._shim()
        self._set_clock(self.begins)
        self._shell("git init -q -b main && git commit -q --allow-empty -m 'the project'")

    def _shim(self):
        """`mem` as a command for the shell."""
        programs = self.folder / "bin"
        programs.mkdir()
        file = programs / "mem"
        file.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{CLOCKED}" "$@"\n')
        file.chmod(0o755)
        self.environment["PATH"] = f"{programs}{os.pathsep}{self.environment['PATH']}"

    def run(self, step):
        """What the command printed; `code` is its exit code then."""
        command = self._real(step.command)
        words = shlex.split(command)
        given = {}
        while "=" in words[0]:
            name, _, given[name] = words.pop(0).partition("=")
        self._set_clock(step.at)
        if typed := TYPED.search(step.expected):
            return self._at_terminal(words[1:], self._real(typed[1]))
        if words[0] == "mem" and is_plain(command):
            return self._here(words[1:], given)
        return self._shell(command)

    def _set_clock(self, at):
        """What git and every `mem` take for the time."""
        for name in (*DATES, "CLOCK"):
            self.environment.pop(name, None)
            if at is not None:
                self.environment[name] = str(at) if name == "CLOCK" else f"{at} +0000"

    def _real(self, text, *, whole=True):
        """`text` with the ids that this run made in place of the document's, in part or also whole."""
        for said, real in self.ids.items():
            for length in range(len(said) - (not whole), PREFIX - 1, -1):
                text = re.sub(rf"(?<![0-9a-z]){said[:length]}(?![0-9a-z])", real[:length], text)
        return text

    def _here(self, argv, given):
        """Run `mem` inside this process as at a terminal, which spares its imports."""
        environment = self.environment | given
        now = float(environment.get("CLOCK", time.time()))
        home = surroundings.home_of(environment)
        stands = surroundings.Surroundings(
            environment={name: environment[name] for name in (*NAMES, *DATES) if name in environment},
            cwd=self.cwd,
            now=int(now),
            width=COLUMNS,
            ttys=(True, True, True),
            terminal=False,
            home=home,
            own=surroundings.own_of(environment, home),
            fraction_ms=int(now * 1000) % 1000,
        )
        both = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(surroundings, "read", lambda: stands)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
            patch.setattr(sys, "stdout", both)
            patch.setattr(sys, "stderr", both)
            self.code = process.main(argv)
        return both.buffer.getvalue().decode()

    def _at_terminal(self, argv, answer):
        """Run `mem` as a process that can ask on its own terminal, and type the answer."""
        ran = Mem(self.cwd, self.environment, [sys.executable, str(CLOCKED)]).at_terminal(
            *argv, answers=[("leave it: ", answer)], columns=COLUMNS
        )
        self.code = ran.code
        return ran.screen

    def _shell(self, command):
        ran = subprocess.run(
            ["bash", "-c", command],
            cwd=self.cwd,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            check=False,
            timeout=60,
        )
        self.code = ran.returncode
        return ran.stdout.decode("utf-8", "replace")

    def agrees(self, step, printed):
        """Whether `printed` is what the document says; learns the ids that stand in it.

        On a slow machine a bar was shown before it, or behind a note, of which an empty line is left.
        """
        named = {}
        expected = self._real(step.expected, whole=False).splitlines()
        ends = ["\n\n?" if line.startswith("Note: ") else "\n" for line in expected]
        parts = [
            "(?:.*\n)*?" if line == "…" else self._line(line, named) + end
            for line, end in zip(expected, ends, strict=True)
        ]
        shown = "".join(
            re.sub(r"[ \t]+", " ", line).rstrip() + "\n" for line in printed.strip("\n").splitlines()
        )
        found = re.fullmatch("".join(parts), shown)
        if found:
            self.ids |= {said: found[group] for said, group in named.items()}
        return found is not None

    def _line(self, line, named):
        return "".join(self._part(found, named) for found in PARTS.finditer(line.rstrip()))

    def _part(self, found, named):
        text = found[0]
        if found.lastgroup == "id":
            if text in self.ids:
                return re.escape(self.ids[text])
            if text in named:
                return f"(?P={named[text]})"
            named[text] = f"id{len(named)}"
            return f"(?P<{named[text]}>[0-9a-z]{{{len(text)}}})"
        loose = {
            "today": r"\d{4}-\d\d-\d\d(?: \d\d:\d\d|T[\d:]{8}Z)?",
            "commit": rf"[0-9a-f]{{{len(text)}}}",
            "figure": r"\d?\.\d+",
            "any": ".*?",
            "space": " ",
        }
        return loose.get(found.lastgroup) or re.escape(text)
