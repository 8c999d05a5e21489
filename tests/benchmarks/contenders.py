"""Programs that one would use instead, each with its own way to take in documents and to be asked.

Each works in a folder of its own with a home of its own, offline. What is asked is the
question as it stands, or its content words, whichever the program is made for; where both
make sense there is a row for each. Those that answer over MCP are in served.py.
"""

import json
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from corpora import as_markdown
from packages import AGENT_MEMORY_GIT, AGENTLORE, from_pypi
from placed import DEPTH

QUESTION, WORDS = "the question", "its content words"
KEPT = ("PATH", "LD_LIBRARY_PATH")
DESCRIBED = 140  # characters; what agent-memory-git asks for is under 150
ROOM = "1000000"  # no answer is cut for its length


@dataclass(frozen=True)
class Way:
    """One row of the figures: how a program is asked. `kind` is what the program calls it."""

    name: str
    form: str = QUESTION
    kind: str = ""

    def said(self, sought):
        """What is typed."""
        return sought.text if self.form == QUESTION else " ".join(sought.words)


@dataclass
class Contender:
    """What all have in common: a folder, a home, a process."""

    folder: Path
    name: str
    ways: tuple
    corpora: dict  # by name
    command: Path | str = ""
    runs: int = 10  # of a cold question
    extra: dict = field(default_factory=dict)  # environment

    def __post_init__(self):
        self.home.mkdir(parents=True, exist_ok=True)
        git = "[user]\n\tname = benchmark\n\temail = benchmark@localhost\n[init]\n\tdefaultBranch = main\n"
        (self.home / ".gitconfig").write_text(git)

    @property
    def home(self):
        """Where its own configuration and caches lie."""
        return self.folder / "home"

    @property
    def environment(self):
        """What its processes see."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        git = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": str(self.home / ".gitconfig")}
        return {**kept, **git, "HOME": str(self.home), "LANG": "C.UTF-8", "TZ": "UTC", **self.extra}

    def ran(self, argv, cwd, codes=(0,)):
        """What a process prints."""
        argv = [str(word) for word in argv]
        ran = subprocess.run(argv, cwd=cwd, env=self.environment, capture_output=True, text=True, check=False)
        if ran.returncode not in codes:
            raise RuntimeError(f"{argv[:3]} ended with {ran.returncode}: {ran.stderr[-2000:]}")
        return ran.stdout

    def opened(self):
        """Start what stays while questions are asked."""

    def closed(self):
        """End it."""

    def ready(self, way):
        """Settings for the questions that come now."""


class Ripgrep(Contender):
    """`rg` over a folder of Markdown, files in the order of how many different words they hold."""

    @classmethod
    def at(cls, work, corpora, _python):
        """As it is on the machine."""
        found = cls(work / "rg", "ripgrep", (Way("rg, most content words first", WORDS),), corpora)
        found.name = found.ran(["rg", "--version"], work).splitlines()[0]
        return found

    def take_in(self, corpus):
        """Write the files; there is nothing else to do."""
        as_markdown(corpus, self.folder / corpus.name)

    def ask(self, way, sought):
        """(names in order, share of the words in the first): ties by name."""
        held = {}
        for line in self.ran(*self.cold(way, sought), codes=(0, 1)).splitlines():
            file, _, word = line.rpartition(":")
            held.setdefault(Path(file).stem, set()).add(word.lower())
        order = sorted(held, key=lambda name: (-len(held[name]), name))[:DEPTH]
        return order, len(held[order[0]]) / len(set(sought.words)) if order else 0.0

    def cold(self, way, sought):
        """The command and where it runs."""
        each = [part for word in sought.words for part in ("-e", word)]
        return ["rg", "-i", "-o", "-w", "--no-line-number", *each, "."], self.folder / sought.corpus


@dataclass
class Scripted(Contender):
    """One that is written in Python: its command is run for every question, in one process of its own."""

    running: subprocess.Popen | None = None

    def opened(self):
        """Start that process."""
        argv = [self.command.parent / "python", Path(__file__).with_name("repeated.py")]
        self.running = subprocess.Popen(
            argv, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def closed(self):
        """End it."""
        self.running.communicate()

    def told(self, way, sought):
        """What its command prints."""
        argv, folder = self.cold(way, sought)
        asked = {"argv": [str(word) for word in argv], "cwd": str(folder), "environment": self.extra}
        self.running.stdin.write(json.dumps(asked) + "\n")
        self.running.stdin.flush()
        answer = json.loads(self.running.stdout.readline())
        if answer["code"]:
            raise RuntimeError(f"{self.name} ended with {answer['code']}")
        return answer["out"]


class Agentlore(Scripted):
    """A repository with `.memory/`; an entry is a decision whose title is the text."""

    @classmethod
    def at(cls, work, corpora, python):
        """Installed."""
        command = from_pypi(AGENTLORE, work / "programs" / AGENTLORE.name, python)
        return cls(work / "agentlore", str(AGENTLORE), (Way("agentlore"),), corpora, command)

    def take_in(self, corpus):
        """Write the entries in its own form and let it build its index, as after a review."""
        where = self.folder / corpus.name
        where.mkdir(exist_ok=True)
        self.ran(["git", "init", "-q"], where)
        self.ran([self.command, "init"], where)
        file = where / ".memory" / "decisions.md"
        entries = (_entry(at, day, text) for at, (day, text) in enumerate(corpus.texts.values()))
        file.write_text(file.read_text() + "".join(entries))
        self.ran([self.command, "index"], where)

    def ask(self, way, sought):
        """(names in its order, no score)."""
        told = self.told(way, sought)
        names = list(self.corpora[sought.corpus].texts)
        return [names[int(at, 16)] for at in re.findall(r"(?m)^\[DEC-2026-01-01-([0-9a-f]{4})\]", told)], None

    def cold(self, way, sought):
        """The command and where it runs."""
        asked = [self.command, "recall", "--limit", str(DEPTH), "--budget", ROOM, "--", way.said(sought)]
        return asked, self.folder / sought.corpus


def _entry(at, day, text):
    marks = (
        f"id: DEC-2026-01-01-{at:04x}\ntype: decision\nstatus: accepted\nauthor: benchmark\ncreated: {day}"
    )
    return f"\n## {' '.join(text.split())}\n<!-- agentlore\n{marks}\n-->\n\n{day}\n"


class AgentMemoryGit(Scripted):
    """A data repository of Markdown; agents write into staging, and a command commits."""

    @classmethod
    def at(cls, work, corpora, python):
        """Installed."""
        command = from_pypi(AGENT_MEMORY_GIT, work / "programs" / AGENT_MEMORY_GIT.name, python)
        ways = (Way("agent-memory-git, content words", WORDS),)
        return cls(work / "agent-memory-git", str(AGENT_MEMORY_GIT), ways, corpora, command)

    def take_in(self, corpus):
        """Stage a file a document, then commit all of them at once."""
        where = self.folder / corpus.name
        self.ran([self.command, "init", where], self.folder)
        staged = where / "staging" / "codex-benchmark"
        staged.mkdir(parents=True)
        for name, (day, text) in corpus.texts.items():
            line = " ".join(text.split())[:DESCRIBED].replace('"', "'").replace("\\", "/")
            head = f'name: {name.lower()}\ntype: project\nscope: global\ndescription: "{line}"'
            (staged / f"{name}.md").write_text(f"---\n{head}\n---\n{text}\n\n{day}\n")
        self._use(corpus.name)
        self.ran([self.command, "flush"], where)

    def _use(self, name):
        self.extra["AGENT_MEMORY_DATA"] = str(self.folder / name)

    def ask(self, way, sought):
        """(names in its order, no score): those that hold every word."""
        self._use(sought.corpus)
        told = self.told(way, sought)
        found = re.findall(r"(?m)^- \[.* → \S*/\d{8}-(\S+)-[0-9a-z]{4}\.md$", told)
        return [name.upper() for name in found], None

    def cold(self, way, sought):
        """The command and where it runs."""
        asked = [self.command, "search", "--limit", str(DEPTH), "--", *way.said(sought).split()]
        return asked, self.folder / sought.corpus
