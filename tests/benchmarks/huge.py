"""Where it bends: a store of a hundred thousand or a million memories, each act a few times.

    python tests/benchmarks/huge.py --schemas 1000000 --work WORK --mem .venv/bin/mem --out docs/figures

The schemas are synthetic (sentences.py) and half of them in one scope. Their vectors are invented
(invented.py): encoding a million texts takes hours, and changes nothing of what is measured here, but
answers are not judged. WORK needs ten gigabytes for a million; a store that is there already is used.
"""

import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from hashlib import sha1
from itertools import islice

import stock
from clock import once, spread
from kept import write_figures
from program import circumstances, measuring
from scale import HERE, sizes
from sentences import QUERIES, WORD, claims, first
from warm import BARE, Resided, asked_frame, questions, reply_of

from memcli.resident import client

FEW = 3  # times that a whole process is run
ASKED, EDITS = 40, 5  # questions to the server; edits followed by a question
PATIENCE_S = 3600


class Huge(Resided):
    """A store of which each act is done a few times."""

    def filled(self):
        """Write and commit the schemas: git takes texts and names as two streams, and lays the files out."""
        named = {}
        with self.fed("fast-import", "--quiet") as stream:
            for number, claim in enumerate(islice(claims(), self.n)):
                path, raw, _ = stock.one(number, claim)
                told = raw.encode()
                stream.write(b"blob\ndata %d\n%s\n" % (len(told), told))
                named[path] = sha1(b"blob %d\0%s" % (len(told), told)).hexdigest()
        with self.fed("update-index", "--index-info") as stream:
            for path in sorted(named):  # in the order of the index, else each moves all behind it
                stream.write(f"100644 {named[path]}\t{path}\n".encode())
        self.program.git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "many")
        self.program.git("checkout-index", "--all", "--force", "--index")

    @contextmanager
    def fed(self, *words):
        """A command of git that is written to."""
        argv, stands = [shutil.which("git"), *words], self.program.environment
        running = subprocess.Popen(argv, cwd=self.store, env=stands, stdin=subprocess.PIPE)
        with running.stdin as stream:
            yield stream
        if running.wait():
            raise RuntimeError(f"git {words[0]} ended with {running.returncode}")

    def few(self, name, argv, before=None, runs=FEW):
        """Run a command some times; each run's seconds, CPU seconds and peak are kept."""
        rows = []
        for _ in range(runs):
            if before:
                subprocess.run(before, cwd=self.store, env=self.program.environment, check=True)
            rows.append(once(argv, self.store, self.program.environment))
        middle = sorted(rows, key=lambda row: row["seconds"])[len(rows) // 2]
        self.once[name] = middle | {"runs": runs, "every": [row["seconds"] for row in rows]}
        print(f"{name:36} {self.once[name]}", flush=True)


def rebuilt(measured):
    """Vectors are invented, then the index is made with all of them kept."""
    shutil.rmtree(measured.store / ".mem", ignore_errors=True)
    invent = [measured.python, str(HERE / "invented.py"), "index", "rebuild"]
    measured.few("rebuild, vectors invented on the way", invent, runs=1)
    measured.few("rebuild, vectors kept", [*measured.mem, "index", "rebuild"], runs=1)


def cold(measured):
    """Whole processes without a resident."""
    edit = measured.prepared("edit", measured.store)
    alone = [*measured.mem, "--no-daemon"]
    recall = [*alone, "recall", "--scope", stock.LARGE]
    _, _, id_ = stock.one(7, "x")
    measured.few("recall", [*recall, QUERIES[0]])
    measured.few("edit, then recall", [*recall, QUERIES[1]], before=edit)
    measured.few("show", [*alone, "show", id_])
    measured.few("remember", [*alone, "remember", "--scope", stock.LARGE, *first(1, seed=8)], runs=1)
    measured.few("save of one edit", [*alone, "save"], before=edit)
    measured.few("status", [*alone, "status"])
    measured.few(BARE, [measured.python, "-I", "-S", "-c", "pass"])
    measured.few("search by plain words", [shutil.which("rg"), "-il", WORD, "schemas"])
    measured.few("git status", [shutil.which("git"), "status", "--porcelain"])


def resided(measured):
    """The same with a resident: what it needs to begin, to answer, to see an edit; bytes that it holds then."""
    begun = time.perf_counter()
    measured.started()
    measured.once["resident has looked"] = {"seconds": round(time.perf_counter() - begun, 2)}
    asked(measured, "server, first questions", questions(3, seed=20))
    asked(measured, "server, new question", questions(ASKED, seed=21))
    asked(measured, "server, repeated question", QUERIES[:1] * ASKED)
    held = measured.standing()["memory_bytes"]
    files = [path for path in stock.files(measured.store) if path.parent.name == "atlas"]
    times, missed = [], 0
    for number, claim in enumerate(islice(claims(seed=time.time_ns()), EDITS)):
        path = files[(211 * number + 5) % len(files)]
        said = f"{claim[:-1]}, see ticket {time.time_ns()}."
        begun = time.perf_counter()
        stock.edit(path, said)
        missed += path.stem[-12:].encode() not in asked_once(measured, said, "--ids")
        times.append(time.perf_counter() - begun)
    measured.times["save, then an answer of the server"] = spread(times)
    measured.program.ran("watch", "--stop")
    return held, missed


def asked(measured, name, queries):
    """Time what the server takes for each."""
    times = []
    for query in queries:
        begun = time.perf_counter()
        asked_once(measured, query)
        times.append(time.perf_counter() - begun)
    measured.times[name] = spread(times)
    print(f"{name:36} {measured.times[name]}", flush=True)


def asked_once(measured, query, *options):
    """The reply of the server, with all the patience that it needs."""
    door = os.fsencode(measured.store / ".mem" / "resident")
    frame = asked_frame(measured, ["recall", "--scope", stock.LARGE, *options, query])
    reply = reply_of(door, frame, PATIENCE_S)
    if not reply.startswith(client.ANSWERED):
        raise RuntimeError(f"the resident declined: {reply[:200]!r}")
    return reply


def main():
    """Fill, measure, print, write."""
    words = measuring(__doc__)
    words.add_argument("--schemas", type=int, required=True)
    given = words.parse_args()
    measured = Huge(given.work, given.mem, given.schemas)
    before = circumstances(measured.program)
    if len(stock.files(measured.store)) < given.schemas:
        measured.filled()
    rebuilt(measured)
    cold(measured)
    held, missed = resided(measured)
    found = before | {
        "load_after": round(os.getloadavg()[0], 1),
        "schemas": given.schemas,
        "synthetic": True,
        "vectors": "invented",
        "once": measured.once,
        "milliseconds": measured.times,
        "resident_mb": round(held / 1e6, 1),
        "edits": EDITS,
        "edits_missed": missed,
        "size": sizes(measured),
        "git_mb": round(sum(one.stat().st_size for one in (measured.store / ".git").rglob("*")) / 1e6, 1),
    }
    if given.out:
        name = f"huge-{given.schemas}.json"
        write_figures(given.out / name, {"format": "mem.benchmark.huge/1", **found})


if __name__ == "__main__":
    main()
