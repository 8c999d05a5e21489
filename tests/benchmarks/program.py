"""`mem` as a real process in a store of its own, out of reach of whatever the user has."""

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ACTOR = "human:benchmark"
KEPT = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH")
PATIENCE_S = 3600  # a batch of many texts encodes for minutes on a busy machine


@dataclass(frozen=True)
class Program:
    """One store and the command that runs in it. `command` is how the process starts."""

    command: tuple
    folder: Path
    home: Path

    @classmethod
    def at(cls, work, mem=None, name="store"):
        """The store `name` below the folder `work`, made where it is not there yet."""
        work = work.absolute()  # its commands run elsewhere
        program = cls(command_of(mem), work / name, work / "home")
        if not (program.folder / "mem.toml").exists():
            work.mkdir(parents=True, exist_ok=True)
            program.home.mkdir(exist_ok=True)
            program.ran("init", name, cwd=work)
        return program

    @property
    def environment(self):
        """What the process sees: no one's home, no one's git configuration, a person as the actor."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        found = {f"XDG_{kind}_HOME": str(self.home / kind.lower()) for kind in ("DATA", "CACHE", "CONFIG")}
        git = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": str(self.home / "gitconfig")}
        return {
            **kept,
            **found,
            **git,
            "HOME": str(self.home),
            "MEM_ACTOR": ACTOR,
            "LANG": "C.UTF-8",
            "TZ": "UTC",
        }

    def ran(self, *argv, stdin="", cwd=None):
        """Run one command; the finished process, its streams as text."""
        return subprocess.run(
            [*self.command, *argv],
            cwd=cwd or self.folder,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    def git(self, *argv):
        """What git prints in the store."""
        ran = subprocess.run(
            ["git", *argv], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=True
        )
        return ran.stdout

    def batch(self, lines):
        """Remember many, each an object as `--batch` takes them; the decisions in their order."""
        ran = self.ran(
            "remember", "--batch", "-", "--json", stdin="\n".join(json.dumps(one) for one in lines)
        )
        if len(ran.stdout.splitlines()) != len(lines):
            raise RuntimeError(f"the batch ended with {ran.returncode}: {ran.stderr}")
        return [json.loads(line) for line in ran.stdout.splitlines()]

    def recall(self, query, *options):
        """The answer as an object."""
        ran = self.ran("recall", *options, "--json", "--", query)
        if ran.returncode not in (0, 1):
            raise RuntimeError(f"recall ended with {ran.returncode}: {ran.stderr}")
        return json.loads(ran.stdout)


def command_of(mem):
    """How `mem` starts: the given executable, else the module of this interpreter."""
    return (str(Path(mem).absolute()),) if mem else (sys.executable, "-m", "memcli")


def circumstances(program=None):
    """When and on what a measurement was made; `load` is the machine's over the last minute."""
    with Path("/proc/cpuinfo").open() as told:
        model = next(
            (line.split(":")[1].strip() for line in told if line.startswith("model name")), "unknown"
        )
    found = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": f"{os.cpu_count()} shared cores, {model}",
        "python": sys.version.split()[0],
        "load": round(os.getloadavg()[0], 1),
    }
    if program:
        found["mem"] = program.ran("--version", cwd=program.home).stdout.strip()
    return found


def measuring(description):
    """The words that every measurement of a program takes: where it works, what it measures, where to write."""
    words = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    words.add_argument("--work", type=lambda text: Path(text).absolute(), required=True)
    words.add_argument("--mem", type=Path, help="the executable to measure")
    words.add_argument("--out", type=Path, help="folder for the figures")
    words.add_argument("--inside", action="store_true", help="run the commands within this process")
    return words
