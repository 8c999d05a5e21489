"""A store on trial: commands run inside this process, at moments of the test's own choosing.

What a person at a terminal would confirm is said by --yes here; that a terminal is asked
at all is shown with real ones in tests/cli.
"""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli.conftest import Mem, Ran, environment_in

from memcli import __main__ as process
from memcli import surroundings
from memcli.environment import NAMES
from memcli.memory.schema import Status

BEGINNING = 1_796_000_000  # 2026-11-29T23:33:20Z
MINUTE = 60
DAY = 86_400
PERSON = {"MEM_ACTOR": "human:ana"}
AGENT = {"MEM_ACTOR": "agent:claude"}


@dataclass
class Trial:
    """One store, and who asks it: each command runs a minute after the one before."""

    root: Path
    environment: dict[str, str]
    moment: int = BEGINNING

    @classmethod
    def made(cls, folder):
        """An empty store below `folder`, in a folder called t: its scope is project:t."""
        made = cls(folder / "t", environment_in(folder / "home") | PERSON)
        made.ran("init", "t", cwd=folder)
        return made

    def ran(self, *argv, stdin=b"", env=None, cwd=None, now=None, ttys=(False, False, False)):
        """Run one command: code, out, err."""
        self.moment += MINUTE
        environment = {**self.environment, **(env or {})}
        home = surroundings.home_of(environment)
        stands = surroundings.Surroundings(
            environment={name: environment[name] for name in NAMES if name in environment},
            cwd=Path(cwd or self.root),
            now=self.moment if now is None else now,
            width=80,
            ttys=ttys,
            terminal=False,
            home=home,
            own=surroundings.own_of(environment, home),
        )
        given = io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin)
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(surroundings, "read", lambda: stands)
            patch.setattr(sys, "stdin", io.TextIOWrapper(given))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = process.main(list(argv))
            out.flush()
            err.flush()
        raw, told = out.buffer.getvalue(), err.buffer.getvalue().decode()
        return Ran(code, raw.decode("utf-8", "surrogateescape"), told, raw)

    def did(self, *argv, **how):
        """Run one command that must succeed; what it printed."""
        ran = self.ran(*argv, **how)
        assert ran.code == 0, (argv, ran.code, ran.out, ran.err)
        return ran.out

    def told(self, *argv, code=0, **how):
        """Run one command with --json; its object."""
        ran = self.ran("--json", *argv, **how)
        assert ran.code == code, (argv, ran.code, ran.out, ran.err)
        return json.loads(ran.out)

    def remember(self, text, *options, code=0, **how):
        """Remember one claim; what was decided."""
        return self.told("remember", *options, "--", text, code=code, **how)

    def batch(self, lines, **how):
        """Remember many: texts, or objects as `--batch` takes them; the decisions."""
        objects = [{"text": line} if isinstance(line, str) else line for line in lines]
        stdin = "\n".join(json.dumps(one) for one in objects)
        ran = self.ran("remember", "--batch", "-", stdin=stdin, **how)
        return [json.loads(line) for line in ran.out.splitlines()]

    def forget(self, *ids, **how):
        """Forget as a person; the acts."""
        ran = self.did("forget", *ids, "--yes", "--json", **how)
        return [json.loads(line) for line in ran.splitlines()]

    def unforget(self, *ids, **how):
        """Take back what was forgotten, as a person; the acts."""
        ran = self.did("unforget", *ids, "--yes", "--json", **how)
        return [json.loads(line) for line in ran.splitlines()]

    def recall(self, query, *options, **how):
        """The answer as an object, found or not."""
        ran = self.ran("recall", *options, "--json", "--", query, **how)
        assert ran.code in (0, 1), (query, options, ran.err)
        return json.loads(ran.out)

    def found(self, query, *options, **how):
        """The ids of the answer, in order."""
        return [item["id"] for item in self.recall(query, *options, **how)["items"]]

    def status(self, id_):
        """The status that counts."""
        return self.told("show", id_)["status"]

    def statuses(self, *options):
        """Id → status of every memory that this scope sees, whatever it is."""
        every = [word for status in Status for word in ("--status", status.value)]
        ran = self.ran("list", *every, "--format", r"{id}\t{status}", *options)
        return dict(line.split("\t") for line in ran.out.splitlines())

    def path(self, id_):
        """The file of a memory whose frontmatter names its id."""
        named = re.compile(rf"^id: [\"']?{re.escape(id_)}[\"']?\s*$", re.MULTILINE)
        return next(
            path for path in self.root.glob("schemas/**/*.md") if named.search(path.read_text("utf-8"))
        )

    def write(self, id_, claim, head="", *, folder="project/t"):
        """A memory's file, by hand; `head` are further lines of its frontmatter."""
        path = self.root / "schemas" / folder / f"{id_}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\nid: {id_}\n{head}---\n\n{claim}\n", "utf-8")
        return path

    def git(self, *argv, check=True, cwd=None):
        """Git as a person runs it in the store; what it printed."""
        who = {"GIT_AUTHOR_NAME": "ana", "GIT_AUTHOR_EMAIL": "a@b.c"}
        who |= {"GIT_COMMITTER_NAME": "ana", "GIT_COMMITTER_EMAIL": "a@b.c"}
        ran = subprocess.run(
            ["git", *argv],
            cwd=cwd or self.root,
            env={**self.environment, **who},
            capture_output=True,
            text=True,
            check=False,
        )
        assert not check or ran.returncode == 0, (argv, ran.stdout, ran.stderr)
        return ran.stdout.strip()

    def head(self):
        """The commit that HEAD names."""
        return self.git("rev-parse", "HEAD")

    def commits(self):
        """How many commits HEAD has."""
        return int(self.git("rev-list", "--count", "HEAD"))

    def touched(self, rev="HEAD", below="schemas"):
        """The paths below a folder that one commit changed."""
        out = self.git("show", "--name-only", "--no-renames", "--format=", rev, "--", below)
        return sorted(filter(None, out.splitlines()))

    def commit_by_hand(self, message="by hand"):
        """Commit everything with plain git."""
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def skips(self):
        """The lines that skipped claims left."""
        file = self.root / ".mem" / "skips.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def forgets_the_index(self):
        """Delete everything that can be rebuilt."""
        shutil.rmtree(self.root / ".mem")

    def clone(self, folder):
        """A clone in `folder`/t, of what is committed."""
        folder.mkdir(parents=True, exist_ok=True)
        self.git("clone", "-q", str(self.root), str(folder / "t"))
        return Trial(folder / "t", self.environment, self.moment)

    def copy(self, folder):
        """The whole store, its index included, in `folder`/t."""
        shutil.copytree(self.root, folder / "t", symlinks=True)
        return Trial(folder / "t", self.environment, self.moment)

    @property
    def process(self):
        """The same store as real processes see it."""
        return Mem(self.root, {**self.environment, "PATH": os.environ["PATH"]})
