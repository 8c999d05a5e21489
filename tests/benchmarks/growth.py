"""What many single updates leave behind: the size of the index, its files, and the time of a recall.

    python tests/benchmarks/growth.py --updates 10000 --work WORK --mem .venv/bin/mem --out docs/figures

A store of 1,000 synthetic schemas is watched by a resident; one claim after the other is
replaced in its file, each followed by a question that must show it. Then the index is
compared with one that is made anew from the same files.
"""

import os
import time
from itertools import islice

import stock
from clock import RUNS, spread
from kept import write_figures
from program import circumstances, measuring
from scale import sizes
from sentences import QUERIES, claims
from warm import Resided, asked_frame, reply_of

SCHEMAS = 1000
TOLD = 500  # updates between two lines of progress


def updated(measured, updates):
    """Replace claims one by one: how often the next question missed it, the seconds of each, and on the way
    what the resident held, in bytes."""
    files = [path for path in stock.files(measured.store) if path.parent.name == "atlas"]
    door, missed, times = os.fsencode(measured.store / ".mem" / "resident"), 0, []
    held = [measured.standing()["memory_bytes"]]
    for number, claim in enumerate(islice(claims(seed=41), updates)):
        path = files[number * 7 % len(files)]
        said = f"{claim[:-1]}, see ticket {number}."  # else another file may say the same
        begun = time.perf_counter()
        stock.edit(path, said)
        reply = reply_of(door, asked_frame(measured, ["recall", "--scope", stock.LARGE, "--ids", said]))
        times.append(time.perf_counter() - begun)
        missed += path.stem[-12:].encode() not in reply
        if number % TOLD == TOLD - 1:
            held.append(measured.standing()["memory_bytes"])
            print(number + 1, sizes(measured)["index"], f"missed {missed}, held {held[-1]}", flush=True)
    return missed, times, held


def stands(measured):
    """The size of the index, and what a recall without a resident takes."""
    argv = [*measured.mem, "--no-daemon", "recall", "--scope", stock.LARGE, QUERIES[0]]
    measured.time("recall", argv, runs=RUNS)
    return {**sizes(measured)["index"], "recall": measured.times["recall"]}


def main():
    """Fill, update, compare, write."""
    words = measuring(__doc__)
    words.add_argument("--updates", type=int, default=10_000)
    given = words.parse_args()
    measured = Resided(given.work, given.mem, SCHEMAS)
    before = circumstances(measured.program)
    measured.filled()
    measured.started()
    missed, times, held = updated(measured, given.updates)
    measured.program.ran("watch", "--stop")
    grown = stands(measured)
    measured.program.ran("index", "rebuild")
    fresh = stands(measured)
    spent = spread(times)
    found = before | {
        "load_after": round(os.getloadavg()[0], 1),
        "schemas": SCHEMAS,
        "updates": given.updates,
        "missed": missed,
        "update_ms": {name: spent[name] for name in ("n", "p50", "p95")},
        "memory_mb": [round(one / 1e6, 1) for one in held],
        "grown": grown,
        "fresh": fresh,
        "size_ratio": round(grown["mb"] / fresh["mb"], 2),
        "recall_ratio": round(grown["recall"]["p50"] / fresh["recall"]["p50"], 2),
    }
    print({name: found[name] for name in ("missed", "size_ratio", "recall_ratio", "grown", "fresh")})
    if given.out:
        write_figures(given.out / "growth.json", {"format": "mem.benchmark.growth/1", **found})


if __name__ == "__main__":
    main()
