"""What it costs to take in what is said, as a store grows: observe, consolidate, and the first question after.

    python tests/benchmarks/ingest.py --events 100000 --work WORK --mem .venv/bin/mem --out docs/figures

Synthetic turns (sentences.py) in sessions of 100, one `mem observe` a session, one `mem
consolidate` and one `mem recall` after every thousand events. Each is a process of its own and
nothing stays resident. The exponent says how the cost of an event grows with the number of
events before it: 0 is flat.
"""

import json
import math
import time
from itertools import islice

import numpy as np
from kept import Kept, write_figures
from program import Program, circumstances, measuring
from sentences import QUERIES, claims
from stock import LARGE

SESSION, STEP = 100, 1000  # turns
SPEAKERS = ("Ana", "Bo")
TOLD = (1000, 10_000, 100_000)
PARTS = ("observe", "consolidate", "recall")


def step(program, number, texts):
    """Take in one more thousand; the seconds of each part, and what became of it."""
    seconds = dict.fromkeys(PARTS, 0.0)
    for nth in range(STEP // SESSION):
        lines = [
            json.dumps({"role": "user", "name": SPEAKERS[at % 2], "text": text})
            for at, text in enumerate(islice(texts, SESSION))
        ]
        options = ("--scope", LARGE, "--session", f"s{number * STEP // SESSION + nth:05}")
        seconds["observe"] += ran(program, "observe", "-", *options, stdin="\n".join(lines))
    seconds["consolidate"] = ran(program, "consolidate")
    seconds["recall"] = ran(program, "recall", "--scope", LARGE, "--", QUERIES[number % len(QUERIES)])
    return {"events": (number + 1) * STEP, **{part: round(took, 3) for part, took in seconds.items()}}


def ran(program, *argv, stdin=""):
    """The seconds of one command that must not fail."""
    begun = time.perf_counter()
    done = program.ran(*argv, stdin=stdin)
    took = time.perf_counter() - begun
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{argv[0]} ended with {done.returncode}: {done.stderr}")
    return took


def exponent(rows, part):
    """The slope of the cost of an event over the events before it, both as logarithms."""
    after = [row for row in rows if row["events"] > STEP]
    if len(after) < 3:
        return None
    many = [math.log(row["events"] - STEP) for row in after]
    cost = [math.log(row[part]) for row in after]
    return round(float(np.polyfit(many, cost, 1)[0]), 3)


def main():
    """Grow, measure each step, write."""
    words = measuring(__doc__)
    words.add_argument("--events", type=int, default=100_000)
    given = words.parse_args()
    program = Program.at(given.work, given.mem)
    kept = Kept(given.work / "steps.jsonl")
    before = circumstances(program)
    texts = islice(claims(seed=71), len(kept.rows) * STEP, None)
    for number in range(len(kept.rows), given.events // STEP):
        kept.add(step(program, number, texts))
        print(kept.rows[-1], flush=True)
    found = before | {
        "steps": kept.rows,
        "exponents": {part: exponent(kept.rows, part) for part in PARTS},
        "per_event_ms": {
            row["events"]: {part: row[part] for part in PARTS} for row in kept.rows if row["events"] in TOLD
        },
    }
    print(found["exponents"], found["per_event_ms"])
    if given.out:
        write_figures(given.out / "ingest.json", {"format": "mem.benchmark.ingest/1", **found})


if __name__ == "__main__":
    main()
