"""Whether receipts of random questions replay to equal bytes once their store has moved on.

    python tests/benchmarks/receipts.py --work WORK [--mem .venv/bin/mem] [--receipts 200] [--out docs/figures]

A store of invented memories changes in rounds (remembered, superseded, reworded by hand,
reported, told in a session); in each some random questions are asked with a receipt, with
random options, a resident answering. In the end all are replayed, then each is altered in
one key and verified, then some memories are forgotten and all are replayed once more.
"""

import json
import random
import statistics
import time
from collections import Counter
from itertools import islice
from pathlib import Path

import stock
from intervals import wilson
from kept import write_figures
from program import Program, circumstances, measuring
from sentences import claims

from memcli.memory import receipt

SEED = 20261130
BEGINNING = 300  # memories
ROUNDS = 20
TOGETHER = 20  # receipts that one process replays
FORGOTTEN = 10
OPTIONS = (
    (),
    ("-k", "1"),
    ("-k", "20"),
    ("--budget", "60"),
    ("--floor", "0"),
    ("--floor", "0.6"),
    ("--mode", "history"),
    ("--mode", "wide"),
    ("--as-of", "2025-06-01"),
    ("--type", "decision"),
    ("--tag", "team1"),
    ("--events", "none"),
    ("--evidence", "full"),
    ("--known-at", "HEAD~2"),
    ("--scope", "project:atlas"),
    ("--scope", "*"),
)
# One key and what it is altered to; everything else stays, and the id is made to fit.
ALTERED = (
    ("as_of", lambda said: "2031-01-01T00:00:00Z"),
    ("outcome", lambda said: "absent" if said["outcome"] != "absent" else "found"),
    ("tokens", lambda said: said["tokens"] + 1),
    ("selected", lambda said: said["selected"][1:] if said["selected"] else [_made_up()]),
    ("output", lambda said: said["output"] | {"sha256": "0" * 64}),
    ("tree", lambda said: "0" * 40),
    ("withheld", lambda said: said["withheld"] | {"count": said["withheld"]["count"] + 1}),
    ("query", lambda said: said["query"] + " tomorrow"),
)


def _made_up():
    whole = dict.fromkeys(("rank", "score", "match", "vector", "lexical"), 1)
    return whole | {"kind": "schema", "id": "aaaaaaaaaaaa", "blob": None, "via": "direct"}


class Store:
    """The store that changes, and its questions."""

    def __init__(self, program):
        self.program, self.drawn = program, random.Random(SEED)
        self.told = claims(SEED)
        self.said = []

    def begin(self):
        """Memories to begin with, as files that somebody committed."""
        stock.fill(self.program.folder, BEGINNING, SEED)
        self.program.git("add", "-A")
        self.program.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "stock")
        self.said = [self._claim(path) for path in stock.files(self.program.folder)]

    def _claim(self, path):
        return path.read_text().split("---\n\n", 1)[1].partition("\n")[0]

    def change(self):
        """One round of changes, each a commit of its own."""
        lines = [
            {"text": claim, "concept": f"thing {self.drawn.randrange(40)}", "scope": self._scope()}
            for claim in islice(self.told, 6)
        ]
        self.program.batch(lines)
        self.said += [one["text"] for one in lines]
        for claim in islice(self.told, 2):
            concept = f"thing {self.drawn.randrange(40)}"
            self.program.ran(
                "remember", "--concept", concept, "--supersede-concept", "--scope", self._scope(), "--", claim
            )
        for path in self.drawn.sample(stock.files(self.program.folder), 2):
            stock.edit(path, next(self.told))
        self.program.ran("save")
        self.program.ran("observe", "-", "--scope", self._scope(), stdin=self._talk())
        self.program.ran("consolidate")

    def _talk(self):
        turns = [{"role": "user", "text": next(self.told)} for _ in range(4)]
        return "".join(json.dumps(turn) + "\n" for turn in turns)

    def _scope(self):
        return self.drawn.choice(("project:atlas", "project:p1", "user", "global"))

    def ask(self):
        """One random question with a receipt: its id."""
        words = self.drawn.choice(self.said).split()
        at = self.drawn.randrange(max(len(words) - 4, 1))
        options = [*self.drawn.choice(OPTIONS)]
        if "--scope" not in options:
            options += ["--scope", self._scope()]
        answer = self.program.recall(" ".join(words[at : at + 5]), "--receipt", *options)
        return answer["receipt"], " ".join(options), answer["outcome"]


def replayed(program, ids):
    """What became of each when it was replayed, and milliseconds for each."""
    found, took = {}, []
    for at in range(0, len(ids), TOGETHER):
        some = ids[at : at + TOGETHER]
        began = time.perf_counter()
        ran = program.ran("receipt", "replay", *some, "--scope", "*", "--json")
        took += [1000 * (time.perf_counter() - began) / len(some)] * len(some)
        for line in ran.stdout.splitlines():
            told = json.loads(line)
            found[told["id"]] = "equal" if told["equal"] else told["refused"] or "unequal"
    return [found.get(id_, "no answer") for id_ in ids], took


def altered(program, ids, drawn):
    """How many of as many altered receipts verify says are altered, by the key."""
    folder = program.folder / ".mem" / "receipts"
    named = {}
    for id_ in ids:
        said = json.loads((folder / f"{id_}.json").read_text())
        key, to = drawn.choice(ALTERED)
        said[key] = to(said)
        said["id"] = receipt.id_of(said)
        (folder / f"{said['id']}.json").write_bytes(receipt.canonical(said) + b"\n")
        named[said["id"]] = key
    found = Counter()
    for at in range(0, len(named), TOGETHER):
        some = list(named)[at : at + TOGETHER]
        ran = program.ran("receipt", "verify", *some, "--scope", "*", "--json")
        for line in ran.stdout.splitlines():
            told = json.loads(line)
            found[named[told["id"]]] += told["outcome"] == "altered"
    for id_ in named:
        (folder / f"{id_}.json").unlink()
    return Counter(named.values()), found


def measured(program, many):
    """The figures."""
    store = Store(program)
    store.begin()
    program.ran("index", "rebuild")
    asked = []
    for _ in range(ROUNDS):
        program.ran("watch", "--detach")
        asked += [
            (*store.ask(), int(program.git("rev-list", "--count", "HEAD"))) for _ in range(many // ROUNDS)
        ]
        program.ran("watch", "--stop")
        store.change()
    commits = int(program.git("rev-list", "--count", "HEAD"))
    ids = [one[0] for one in asked]
    first, took = replayed(program, ids)
    of, found = altered(program, ids, store.drawn)
    active = [line.split("\t")[0] for line in program.ran("list", "--scope", "*").stdout.splitlines()]
    program.ran("forget", *store.drawn.sample(active, FORGOTTEN), "--yes")
    after, _ = replayed(program, ids)
    return {
        "receipts": len(ids),
        "distinct": len(set(ids)),
        "outcomes": dict(Counter(one[2] for one in asked)),
        "options": dict(Counter(one[1].partition(" --scope")[0] for one in asked)),
        "memories": len(stock.files(program.folder)),
        "commits": commits,
        "commits_since": {
            "median": statistics.median(commits - one[3] for one in asked),
            "most": max(commits - one[3] for one in asked),
        },
        "replayed": dict(Counter(first)),
        "equal_interval": [round(part, 4) for part in wilson(first.count("equal"), len(first))[1:]],
        "milliseconds_each": round(statistics.median(took), 1),
        "altered": {key: [found[key], of[key]] for key in sorted(of)},
        "forgotten": FORGOTTEN,
        "replayed_after_forgetting": dict(Counter(after)),
    }


def main():
    words = measuring(__doc__)
    words.add_argument("--receipts", type=int, default=200)
    given = words.parse_args()
    program = Program.at(given.work, given.mem, "receipts")
    record = {**circumstances(program), **measured(program, given.receipts)}
    print(json.dumps(record, indent=1))
    if given.out:
        write_figures(Path(given.out) / "receipts.json", record)


if __name__ == "__main__":
    main()
