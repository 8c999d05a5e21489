"""How long the index takes, in milliseconds: medians at several sizes.

Run: python tests/benchmarks/index_speed.py [ROWS ...]   (default 1000 10000 100000)
Vectors are random, words drawn with frequencies like 1/rank^0.9: 15 of 8,000 a row; 50 scopes.
"""

import random
import resource
import statistics
import subprocess
import sys
import tempfile
import textwrap
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
ONE_SCOPE = viewer_from(Scope("project", "p1"), NOW)


def corpus(size):
    """`size` rows and their vectors."""
    words = [f"w{number}x" for number in range(8000)]
    weights = [1 / (number + 1) ** 0.9 for number in range(8000)]
    drawn = random.Random(0)
    vectors = np.random.default_rng(0).standard_normal((size, 1, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    rows = [_row(number, " ".join(drawn.choices(words, weights, k=15))) for number in range(size)]
    return rows, list(vectors)


def _row(number, claim):
    scope = Scope("project", f"p{number % 50}")
    schema = Schema(f"id{number:010d}", scope, claim)
    return IndexRow(schema, f"schemas/{scope.folder}/a-claim-{schema.id}.md", f"{number:032x}", Status.ACTIVE)


def median(act, times=9):
    """Milliseconds of `act`, the median of `times`."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        act()
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken)


def measure(size, folder):
    """Print the figures of an index of `size` rows in `folder`."""
    rows, vectors = corpus(size)
    start = time.perf_counter()
    batches = [(rows[at : at + 2000], vectors[at : at + 2000]) for at in range(0, size, 2000)]
    index = Index.rebuild(folder, dimensions=DIMENSIONS, fingerprint=FINGERPRINT, batches=batches)
    print(f"{size} rows: rebuild {time.perf_counter() - start:.2f} s, {index.size()[1] / 1e6:.1f} MB")
    asked = vectors[7][0]
    for name, viewer in (("one scope of 50", ONE_SCOPE), ("every scope", EVERYTHING)):
        hits = index.words(viewer, ASKED)
        near = [one.path for one in index.nearest(viewer, asked, 200)]
        print(f"  {name}: {hits.visible} visible, {len(hits.paths)} with a word of the query")
        print(f"    words            {median(lambda: index.words(viewer, ASKED)):7.1f}")
        print(f"    nearest 200      {median(lambda: index.nearest(viewer, asked, 200)):7.1f}")
        print(f"    take {len(near)} + vectors {median(lambda: index.take(near, ASKED)):5.1f}")
        print(f"    held             {median(lambda: index.held(viewer, ASKED, asked, 50)):7.1f}")
    one = iter(range(size))
    print(f"  upsert of one row  {median(lambda: index.upsert([rows[n := next(one)]], [vectors[n]])):7.1f}")
    print(f"  drop of one row    {median(lambda: index.drop([rows[next(one)].path]), 3):7.1f}")
    start = time.perf_counter()
    index.tidy(force=True)
    print(f"  tidy               {1000 * (time.perf_counter() - start):7.1f}")
    index.close()
    print(f"  cold: {cold(folder)}")


def cold(folder):
    """A process that answers one question: the best of five, by its own clock, with its peak memory."""
    return min((_cold(folder) for _ in range(5)), key=lambda text: float(text.split("total ")[1].split()[0]))


def _cold(folder):
    code = f"""
        import time
        start = time.perf_counter()
        import numpy
        numpied = time.perf_counter()
        from pathlib import Path
        from memcli.index.tables import Index
        from memcli.memory.visibility import viewer_from
        from memcli.memory.scope import Scope
        imported = time.perf_counter()
        index = Index.open(Path({str(folder)!r}), dimensions={DIMENSIONS}, fingerprint={FINGERPRINT!r}, writable=False)
        opened = time.perf_counter()
        viewer = viewer_from(Scope("project", "p1"), {NOW})
        hits = index.words(viewer, {ASKED!r})
        searched = time.perf_counter()
        near = index.nearest(viewer, numpy.eye({DIMENSIONS}, dtype="float32")[0], 200)
        index.take([one.path for one in near], {ASKED!r})
        end = time.perf_counter()

        print(f"numpy {{1000 * (numpied - start):.0f}}, other imports {{1000 * (imported - numpied):.0f}}, "
              f"open {{1000 * (opened - imported):.0f}}, words {{1000 * (searched - opened):.0f}}, "
              f"nearest and take {{1000 * (end - searched):.0f}}, total {{1000 * (end - start):.0f}} ms, "
              f"{{int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024}} MB")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


if __name__ == "__main__":
    for count in [int(size) for size in sys.argv[1:]] or [1000, 10_000, 100_000]:
        with tempfile.TemporaryDirectory() as place:
            measure(count, Path(place) / "index")
    print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
