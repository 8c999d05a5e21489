"""How long the index takes, in milliseconds, at several sizes.

Run: python tests/benchmarks/index_speed.py [ROWS ...]   (default 1000 10000 100000)
Vectors are random, words drawn with frequencies like 1/rank^0.9, 15 of 8,000 a row; 50 scopes, each in a row.
"""

import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from memcli.index.rows import IndexRow
from memcli.index.tables import Index
from memcli.memory.schema import Schema, Status
from memcli.memory.scope import Scope
from memcli.memory.visibility import Viewer, viewer_from

DIMENSIONS = 384
FINGERPRINT = "benchmark/1"
NOW = 1_800_000_000
ASKED = ("w3x", "w50x", "w700x", "w2000x")
EVERYTHING = Viewer(None, NOW)
BATCH = 2000
ONE_SCOPE = viewer_from(Scope("project", "p1"), NOW)


def corpus(size):
    """`size` rows and their vectors."""
    words = [f"w{number}x" for number in range(8000)]
    weights = [1 / (number + 1) ** 0.9 for number in range(8000)]
    drawn = random.Random(0)
    vectors = np.random.default_rng(0).standard_normal((size, 1, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    rows = [_row(number, size, " ".join(drawn.choices(words, weights, k=15))) for number in range(size)]
    return rows, list(vectors)


def _row(number, size, claim):
    scope = Scope("project", f"p{number * 50 // size}")
    schema = Schema(f"id{number:010d}", scope, claim)
    return IndexRow(schema, f"schemas/{scope.folder}/a-claim-{schema.id}.md", f"{number:032x}", Status.ACTIVE)


def timed(act, *given, times=15, **named):
    """Milliseconds of a call: the median and the best of `times`."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        act(*given, **named)
        taken.append(1000 * (time.perf_counter() - start))
    return f"{statistics.median(taken):7.1f} (best {min(taken):.1f})"


def measure(size, folder):
    """Print the figures of an index of `size` rows in `folder`."""
    rows, vectors = corpus(size)
    start = time.perf_counter()
    batches = ((rows[at : at + BATCH], vectors[at : at + BATCH]) for at in range(0, size, BATCH))
    with Index.rebuild(folder, dimensions=DIMENSIONS, fingerprint=FINGERPRINT, batches=batches) as index:
        print(f"{size} rows: rebuild {time.perf_counter() - start:.2f} s, {index.size()[1] / 1e6:.1f} MB")
        one = iter(range(size))
        print("  upsert of one row ", timed(lambda: index.upsert([rows[n := next(one)]], [vectors[n]])))
        print("  drop of one row   ", timed(lambda: index.drop([rows[next(one)].path])))
        print("  tidy              ", timed(index.tidy, force=True, times=1))
    read(folder, "one scope of 50", ONE_SCOPE, vectors[7][0])
    read(folder, "every scope", EVERYTHING, vectors[7][0])
    best = min((cold(folder) for _ in range(7)), key=lambda laps: sum(laps[:-1]))
    names = ("numpy", "other imports", "open", "words", "nearest", "take")
    told = ", ".join(f"{name} {lap:.0f}" for name, lap in zip(names, best[:-1], strict=True))
    print(f"  cold, best of 7: {sum(best[:-1]):.0f} ms ({told}), {best[-1]:.0f} MB")


def read(folder, name, viewer, asked):
    """Print how long each question takes of an index just opened; and all of them, asked once more."""
    laps = [_asked(folder, viewer, asked) for _ in range(9)]
    hits = laps[0].pop("hits")
    print(f"  {name}: {hits.visible} visible, {len(hits.paths)} with a word of the query")
    for step in ("open", "words", "nearest 200", "take 200", "held", "again"):
        taken = [lap[step] for lap in laps]
        print(f"    {step:18} {statistics.median(taken):7.1f} (best {min(taken):.1f})")


def _asked(folder, viewer, asked):
    taken, last = {}, time.perf_counter()

    def lap(name):
        nonlocal last
        taken[name], last = 1000 * (time.perf_counter() - last), time.perf_counter()

    with Index.open(folder, dimensions=DIMENSIONS, fingerprint=FINGERPRINT, writable=False) as index:
        lap("open")
        taken["hits"] = index.words(viewer, ASKED)
        lap("words")
        near = index.nearest(viewer, asked, 200)
        lap("nearest 200")
        index.take([one.path for one in near], ASKED)
        lap("take 200")
        index.held(viewer, ASKED, asked, 50)
        lap("held")
        index.words(viewer, ASKED[1:])
        index.take([one.path for one in index.nearest(viewer, -asked, 200)], ASKED[1:])
        lap("again")
    return taken


COLD = """
import sys, time
laps = [time.perf_counter()]
lap = lambda: laps.append(time.perf_counter())
import numpy
lap()
from pathlib import Path
from memcli.index import native
from memcli.index.tables import Index
from memcli.memory.scope import Scope
from memcli.memory.visibility import viewer_from
native.load()
lap()
index = Index.open(Path(sys.argv[1]), dimensions=int(sys.argv[2]), fingerprint=sys.argv[3], writable=False)
lap()
viewer = viewer_from(Scope("project", "p1"), int(sys.argv[4]))
hits = index.words(viewer, sys.argv[5:])
lap()
near = index.nearest(viewer, numpy.eye(index.about.dimensions, dtype="float32")[0], 200)
lap()
index.take([one.path for one in near], sys.argv[5:])
lap()
peak = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
print(*(1000 * (after - before) for before, after in zip(laps, laps[1:])), int(peak) / 1024)
"""


def cold(folder):
    """A fresh process that answers one question: the milliseconds of its steps, and its peak memory in MB."""
    given = [str(folder), str(DIMENSIONS), FINGERPRINT, str(NOW), *ASKED]
    done = subprocess.run([sys.executable, "-c", COLD, *given], capture_output=True, text=True, check=True)
    return [float(lap) for lap in done.stdout.split()]


if __name__ == "__main__":
    for count in [int(size) for size in sys.argv[1:]] or [1000, 10_000, 100_000]:
        with tempfile.TemporaryDirectory() as place:
            measure(count, Path(place) / "index")
