"""The demo: real text in a store of its own, with every command shown as it is run.

It answers for a person where an act is a person's, and says so: the store is its own, and
thrown away.
"""

import io
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import join, quote
from types import MappingProxyType

from memcli.cli import complaint
from memcli.cli.parse import parse
from memcli.cli.streams import Streams, run
from memcli.environment import AGENT_SIGNS
from memcli.errors import MemError, Refused, Usage
from memcli.surroundings import Surroundings

TEXTS = Path(__file__).parents[2] / "demo"
CLAIMS = TEXTS / "claims.jsonl"
ACTOR = "human:demo"


@dataclass(frozen=True, slots=True)
class Tour:
    """What the demo asks, which claim it forgets (by the line it stands on), and how it says that again."""

    questions: tuple[str, ...]
    forget: str
    again: str

    @classmethod
    def read(cls) -> "Tour":
        """The tour that ships with mem."""
        said = json.loads((TEXTS / "tour.json").read_text(encoding="utf-8"))
        return cls(tuple(said["questions"]), said["forget"], said["again"])


def demo(streams: Streams) -> int:
    """`mem demo`."""
    folder = _folder(streams)
    thrown = folder if streams.call.text("dir") else folder.parent  # the temporary folder goes with its store
    tour = Tour.read()
    guide = _Guide(streams, _stage(streams.surroundings, folder))
    guide.explain("A store is a folder of markdown files in git. This one is only for the demo:")
    guide.does("init", str(folder))
    guide.types(f"cd {quote(str(folder))}")
    guide.explain("It takes in the decisions behind mem itself, one JSON line a claim, in one commit:")
    ids = _taken_in(guide)
    for question in tour.questions:
        guide.does("recall", *question.split())
    _forgets(guide, tour, ids)
    guide.explain("All of that stands in the journal, which is git:")
    guide.does("log", "--limit", "5")
    guide.explain(
        f"The store is {folder}: read its files, edit one, ask again.",
        f"Throw it away with: rm -rf {quote(str(thrown))}",
        'Your own store begins with: mem remember "…"',
    )
    return 0


def _taken_in(guide: "_Guide") -> Mapping[str, str]:
    """Text of a claim → its id, read off the answers of the batch."""
    answers = guide.quietly("remember", "--batch", str(CLAIMS))
    texts = [
        json.loads(line)["text"] for line in CLAIMS.read_text(encoding="utf-8").splitlines() if line.strip()
    ]
    ids = {text: json.loads(answer)["id"] or "" for text, answer in zip(texts, answers, strict=True)}
    guide.shows(answers[0], f"… {len(answers)} answers like this one")
    return ids


def _forgets(guide: "_Guide", tour: Tour, ids: Mapping[str, str]) -> None:
    id_ = ids[tour.forget]
    guide.explain(
        "Forgetting is a person's act: at a terminal mem shows the memory and asks for its id.",
        "Here the demo answers for you:",
    )
    guide.types(f"export MEM_ACTOR={ACTOR}")
    guide.does("forget", id_, "--yes", "--reason", "only to show it")
    guide.explain("Nothing returns it now, and whoever says it again, in other words too, is told:")
    guide.does("remember", tour.again)


def _folder(streams: Streams) -> Path:
    """The folder of the demo's store: the one given if it is free, else a fresh one."""
    given = streams.call.text("dir")
    if given is None:
        return Path(tempfile.mkdtemp(prefix="mem-demo-")).resolve() / "memcli-demo"
    folder = Path(streams.surroundings.cwd or "/", given)
    if folder.is_dir() and not any(folder.iterdir()):
        return folder.resolve()
    if folder.exists():
        raise Refused(f"{given} is there already and not empty.", "Name a folder that does not exist yet.")
    if not folder.parent.is_dir():
        raise Usage(f"{folder.parent} is no folder.", "Name a folder inside one that exists.")
    return folder.parent.resolve() / folder.name


def _stage(surroundings: Surroundings, folder: Path) -> Surroundings:
    """The demo's own surroundings: its store, and a person who answers beforehand."""
    hidden = {"MEM_STORE", "MEM_SESSION", *AGENT_SIGNS}
    kept = {name: value for name, value in surroundings.environment.items() if name not in hidden}
    return replace(
        surroundings,
        environment=MappingProxyType({**kept, "MEM_ACTOR": ACTOR}),
        cwd=folder,
        terminal=False,
    )


class _Guide:
    """Prints each command as a person would type it, runs it, and goes on whatever it answers."""

    def __init__(self, streams: Streams, stage: Surroundings) -> None:
        self._streams = streams
        self._stage = stage

    def explain(self, *lines: str) -> None:
        """Say something between the commands."""
        self._streams.line()
        for line in lines:
            self._streams.line((line, "dim"))

    def types(self, typed: str) -> None:
        """Show what a person types."""
        self._streams.line(("$ ", "dim"), (typed, "strong"))

    def shows(self, *lines: str) -> None:
        """Show output."""
        for line in lines:
            self._streams.line(line)

    def does(self, *argv: str) -> None:
        """Type a command and show what it answers."""
        self._streams.line()
        self.types(join(("mem", *argv)))
        self._run(argv, replace(self._streams, err=self._streams.out))

    def quietly(self, *argv: str) -> list[str]:
        """Type a command, and hand its lines back instead of showing them."""
        self.types(join(("mem", *argv)))
        kept = io.StringIO()
        self._run(argv, replace(self._streams, out=kept, err=io.StringIO()))
        return kept.getvalue().splitlines()

    def _run(self, argv: Sequence[str], streams: Streams) -> None:
        call = parse(argv)
        if call is None:
            raise AssertionError(argv)
        try:
            run(replace(streams, call=call, surroundings=self._stage))
        except MemError as error:
            complaint.tell(streams.err, error, as_json=False)
