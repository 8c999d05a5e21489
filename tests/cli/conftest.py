"""A store in a temporary folder, and `mem` as a real process, with or without a terminal."""

import io
import os
import pty
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memcli import __main__ as process
from memcli import surroundings
from memcli.environment import NAMES

ROOT = Path(__file__).parents[2]
SCOPE = "project:t"


@dataclass
class Ran:
    """One process: what it printed and how it ended; `screen` is what a terminal showed."""

    code: int
    out: str = ""
    err: str = ""
    raw: bytes = b""
    screen: str = ""


@dataclass
class Mem:
    """Runs `mem` in a folder, with an environment that reaches nothing of the user's."""

    folder: Path
    environment: dict[str, str]
    command: list[str] = field(default_factory=lambda: [sys.executable, "-m", "memcli"])
    patience_s: int = 60

    def __call__(self, *argv, stdin=b"", env=None, cwd=None):
        ran = subprocess.run(
            [*self.command, *argv],
            cwd=cwd or self.folder,
            env={**self.environment, **(env or {})},
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            start_new_session=True,  # no controlling terminal, wherever the tests run
            check=False,
            timeout=self.patience_s,
        )
        out = ran.stdout.decode("utf-8", "surrogateescape")
        return Ran(ran.returncode, out, ran.stderr.decode("utf-8", "replace"), ran.stdout)

    def at_terminal(self, *argv, answers=(), env=None, pipe_out=False, columns=80):
        """Run with a controlling terminal; each answer is typed once its prompt (text, answer) shows."""
        controller, terminal = pty.openpty()
        os.set_inheritable(terminal, True)
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, str(terminal), *self.command, *argv],
            cwd=self.folder,
            env={**self.environment, "TERM": "xterm", "COLUMNS": str(columns), **(env or {})},
            stdin=terminal,
            stdout=writing if pipe_out else terminal,
            stderr=terminal,
            pass_fds=(terminal,),
            start_new_session=True,
        )
        os.close(terminal)
        os.close(writing)
        screen = _watched(controller, process, list(answers))
        out = b""
        while piece := os.read(reading, 65536):
            out += piece
        os.close(reading)
        return Ran(process.wait(60), out.decode(), "", out, screen)


@dataclass
class Within:
    """Runs `mem` inside this process, which spares the imports: for looks, not for processes."""

    folder: Path
    environment: dict[str, str]

    def __call__(self, *argv, stdin=b"", env=None, cwd=None, terminal=False, columns=80):
        environment = {**self.environment, **(env or {})}
        home = surroundings.home_of(environment)
        stands = surroundings.Surroundings(
            environment={name: environment[name] for name in NAMES if name in environment},
            cwd=Path(cwd or self.folder),
            now=int(time.time()),
            width=surroundings.width_of(environment.get("COLUMNS", ""), columns),
            ttys=(terminal, terminal, terminal),
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
        return Ran(code, raw.decode("utf-8", "surrogateescape"), told, raw, raw.decode("utf-8", "replace"))

    def at_terminal(self, *argv, **how):
        """The same, as if all streams were a terminal."""
        return self(*argv, terminal=True, **how)


_TAKE_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0)
os.close(int(sys.argv[1])) if int(sys.argv[1]) > 2 else None
os.execv(sys.argv[2], sys.argv[2:])
"""


def _watched(controller, process, answers):
    """Read what the terminal shows until the process ends, typing the answers at their prompts."""
    shown = b""
    looked = 0
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        if select.select([controller], [], [], 0.05)[0]:
            try:
                piece = os.read(controller, 65536)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        elif process.poll() is not None:
            break
        if answers and answers[0][0].encode() in shown[looked:]:
            looked = len(shown)
            os.write(controller, answers.pop(0)[1].encode() + b"\n")
    os.close(controller)
    return shown.decode("utf-8", "replace").replace("\r\n", "\n")


def environment_in(home):
    """An environment in which nothing of the user's can be reached."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {
        name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT") if name in os.environ
    }
    return {
        **kept,
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"],  # one prepared model for all tests
        "XDG_CONFIG_HOME": str(home / "config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


@dataclass
class Store:
    """A store in a folder called t, so that its scope is project:t."""

    root: Path
    environment: dict[str, str]

    @classmethod
    def made(cls, folder):
        """An empty one below `folder`."""
        store = cls(folder / "t", environment_in(folder / "home"))
        (store.root / "schemas").mkdir(parents=True)
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=store.root, env=store.environment, check=True)
        (store.root / "mem.toml").write_text("")
        (store.root / ".gitignore").write_text(".mem/\n")
        return store

    def write(self, id_, claim, *, folder="project/t", head=""):
        """A memory's file; `head` are further lines of its frontmatter."""
        path = self.root / "schemas" / folder / f"{id_}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"---\nid: {id_}\n{head}---\n\n{claim}\n".encode("utf-8", "surrogateescape"))
        return path

    def commit(self):
        """Commit everything, as somebody does by hand."""
        for argv in (
            ["add", "-A"],
            ["-c", "user.name=ana", "-c", "user.email=a@b.c", "commit", "-qm", "by hand"],
        ):
            subprocess.run(["git", *argv], cwd=self.root, env=self.environment, check=True)

    def head(self):
        """The commit that HEAD names."""
        argv = ["git", "rev-parse", "HEAD"]
        return subprocess.run(
            argv, cwd=self.root, env=self.environment, check=True, capture_output=True
        ).stdout


@pytest.fixture
def store(tmp_path):
    """Two memories, committed."""
    made = Store.made(tmp_path)
    made.write("refund00aaaa", "The refund window is 30 days.")
    made.write("deploy00aaaa", "Deploys to production happen on Tuesdays only.", head="type: constraint\n")
    made.commit()
    return made


@pytest.fixture
def mem(store):
    """`mem` in the store, in the scope of its folder (project:t)."""
    return Mem(store.root, store.environment)


@pytest.fixture
def within(store):
    """`mem` in the store, inside this process."""
    return Within(store.root, store.environment)
