"""What a resident is worth: the same questions with it and without it, beside what people would use otherwise.

    python tests/benchmarks/warm.py --schemas 10000 --work WORK --mem .venv/bin/mem --out docs/figures

The schemas are synthetic (sentences.py), half of them in the scope that is asked. Times of
whole processes are hyperfine's; a new question comes from stdin, another for each run. The
server alone is asked over its socket by this process. WORK may be a folder that scale.py
filled with as many.
"""

import json
import os
import subprocess
import time
from itertools import islice

import stock
from clock import Act, brief, spread, timed_each
from kept import write_figures
from program import circumstances, measuring
from scale import Measured
from sentences import QUERIES, WORD, claims

from memcli.resident import client

RUNS, ASKED, EDITS = 60, 300, 40
LENGTH = 9  # words of a question
BARE = "a bare interpreter"
NEW = "warm recall, new question"
WORDS = "search by plain words"
LOADING = "loading the shipped model and running it once"
LOAD = """
import sys
import numpy as np, onnxruntime as ort
session = ort.InferenceSession(sys.argv[1])
names = [one.name for one in session.get_inputs()]
row = np.array([[101, 2129, 2003, 102]], np.int64)
session.run(None, {name: np.zeros_like(row) if "type" in name else row for name in names})
"""


class Resided(Measured):
    """A store of `n` schemas with a resident that can be started and stopped."""

    def started(self):
        """Start it, and wait until it has looked at the store."""
        self.program.ran("watch", "--detach")
        while not self.standing().get("looked"):
            time.sleep(0.05)

    def standing(self):
        """How it stands, as it says itself; nothing where it has no time to say so."""
        told = self.program.ran("watch", "--status", "--json").stdout
        return json.loads(told) if told else {}

    def asked(self, *words):
        """The words of a recall in the scope that holds half of the store."""
        return [*self.mem, *words, "recall", "--scope", stock.LARGE]

    def each(self, name, values, *words):
        """Time a recall of each of these questions."""
        act = Act(name, [*self.asked(*words), "{each}"])
        self.times[name] = timed_each(act, values, self.store, self.program.environment)
        print(f"{name:28} {brief(self.times[name])}", flush=True)

    def new_each_time(self, name, argv, runs=RUNS):
        """Time a command that reads another text from stdin in every run."""
        text = self.work / "text.txt"
        text.touch()
        self.time(name, [*argv, "-"], before=self.prepared("claim", text), runs=runs, stdin=text)


def questions(n, seed):
    """As many different questions: the first words of claims that no store holds."""
    return [" ".join(claim.replace(",", "").split()[:LENGTH]) for claim in islice(claims(seed), n)]


def warm(measured):
    """Whole processes, with a resident."""
    measured.started()
    measured.time(BARE, [measured.python, "-I", "-S", "-c", "pass"], runs=RUNS)
    measured.time(WORDS, ["rg", "-il", WORD, "schemas"], runs=RUNS)
    measured.time("warm recall, repeated question", [*measured.asked(), QUERIES[0]], runs=RUNS)
    measured.each(NEW, questions(RUNS, seed=20))
    remember = [*measured.mem, "remember", "--scope", stock.LARGE]
    measured.new_each_time("remember, with a resident", remember, runs=20)
    return measured.standing()["memory_bytes"]


def served(measured):
    """The server alone: milliseconds from knocking to the last byte."""
    door = os.fsencode(measured.store / ".mem" / "resident")
    new = questions(ASKED, seed=21)
    for name, queries in (("server, new question", new), ("server, repeated question", QUERIES[:1] * ASKED)):
        times = []
        for query in queries:
            asked = asked_frame(measured, ["recall", "--scope", stock.LARGE, query])
            begun = time.perf_counter()
            reply = reply_of(door, asked)
            times.append(time.perf_counter() - begun)
            if not reply.startswith(client.ANSWERED):
                raise RuntimeError("the resident declined")
        measured.times[name] = spread(times)
        print(f"{name:28} {brief(measured.times[name])}", flush=True)


def asked_frame(measured, argv):
    """The frame that a client in the store sends."""
    words = [word.encode() for word in argv]
    environment = [part.encode() for pair in measured.program.environment.items() for part in pair]
    here = os.fsencode(measured.store)
    return client.framed(
        b"run", client.KIN, here, b"000", b"0", b"", b"%d" % len(words), *words, *environment
    )


def reply_of(door, asked, patience_s=client.PATIENCE_S):
    """The whole reply of the resident behind `door`, as bytes."""
    line = client.knock(door)
    line.settimeout(patience_s)
    line.sendall(asked)
    pieces = []
    while piece := line.recv(1 << 16):
        pieces.append(piece)
    line.close()
    return b"".join(pieces)


def saved(measured):
    """From an editor's save to the end of the recall that shows it; how often it was not shown."""
    files = [path for path in stock.files(measured.store) if path.parent.name == "atlas"]
    times, missed = [], 0
    for number, claim in enumerate(islice(claims(seed=time.time_ns()), EDITS)):
        path = files[(211 * number + 5) % len(files)]
        said = f"{claim[:-1]}, see ticket {time.time_ns()}."  # else another file may say the same
        begun = time.perf_counter()
        stock.edit(path, said)
        ran = measured.program.ran("recall", "--scope", stock.LARGE, "--ids", said)
        times.append(time.perf_counter() - begun)
        missed += path.stem[-12:] not in ran.stdout.split()
        time.sleep(0.3)
    measured.times["save, then recall, with a resident"] = spread(times)
    print(brief(measured.times["save, then recall, with a resident"]), "missed", missed, flush=True)
    return missed


def cold(measured):
    """The same without a resident."""
    measured.program.ran("watch", "--stop")
    measured.each("cold recall, new question", questions(20, seed=22), "--no-daemon")
    remember = [*measured.mem, "--no-daemon", "remember", "--scope", stock.LARGE]
    measured.new_each_time("remember, without", remember, runs=20)
    measured.time(LOADING, [measured.python, "-c", LOAD, shipped(measured)])
    settings = measured.store / "mem.toml"
    before = settings.read_text()
    settings.write_text(before.replace("\n[watch]\n", "\n[watch]\nautostart = true\n"))
    stop = [*measured.mem, "watch", "--stop", "-q"]
    measured.time("first answer, resident started by it", [*measured.asked(), QUERIES[1]], before=stop)
    settings.write_text(before)
    measured.program.ran("watch", "--stop")


def shipped(measured):
    """Where the model lies that mem ships with."""
    code = "from memcli.index import model; print(model.find(None).model)"
    asked = [measured.python, "-c", code]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def ratios(times):
    """Each goal of docs/benchmarks.md: medians of this one run."""
    pairs = (
        ("warm recall, new question", BARE),
        ("warm recall, repeated question", BARE),
        ("warm recall, new question", WORDS),
        ("warm recall, repeated question", WORDS),
        ("first answer, resident started by it", LOADING),
        ("remember, with a resident", "remember, without"),
        ("warm recall, new question", "cold recall, new question"),
    )
    return [[one, other, round(times[one]["p50"] / times[other]["p50"], 3)] for one, other in pairs]


def main():
    """Fill where it is not filled, measure, write."""
    words = measuring(__doc__)
    words.add_argument("--schemas", type=int, required=True)
    given = words.parse_args()
    measured = Resided(given.work, given.mem, given.schemas)
    before = circumstances(measured.program)
    if len(stock.files(measured.store)) < given.schemas:
        measured.filled()
    measured.program.ran("recall", "warm up")
    memory = warm(measured)
    served(measured)
    missed = saved(measured)
    cold(measured)
    found = before | {
        "load_after": round(os.getloadavg()[0], 1),
        "schemas": given.schemas,
        "synthetic": True,
        "milliseconds": measured.times,
        "memory_mb": round(memory / 1e6, 1),
        "edits": EDITS,
        "edits_missed": missed,
        "ratios": ratios(measured.times),
    }
    print(*found["ratios"], sep="\n")
    if given.out:
        name = f"resident-{given.schemas}.json"
        write_figures(given.out / name, {"format": "mem.benchmark.resident/1", **found})


if __name__ == "__main__":
    main()
