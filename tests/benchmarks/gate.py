"""How often the gate keeps shut where memory is needed, and opens where it is not.

    python tests/benchmarks/gate.py --work WORK --mem .venv/bin/mem --data DATA --out docs/figures

The messages and the memories are those of fixtures/gate, whose README says what *needed* means and how
they are split; `gate.*` was chosen without the fresh ones. Each message is put to the command
`mem gate` with a resident, and to `mem recall`, whose floor is what would decide without a gate.
DATA (as published, not kept) holds letta/, whose facts make the same stores larger; these are asked
by the same functions without LanceDB.
"""

import json
import time
import zlib
from collections import Counter
from pathlib import Path

from clock import brief, spread
from intervals import wilson
from kept import write_figures
from program import Program, circumstances, measuring
from published import letta
from shelf import Shelf, Vectors

from memcli.index import encoder
from memcli.memory import gate
from memcli.memory.constants import DEFAULTS

FOLDER = Path(__file__).parents[2] / "fixtures" / "gate"
FRESH = "fresh"
PARTS = ("tuned", "held", FRESH)
LARGER = (500, 2000)  # memories of others beside the 40 to 48 of a scope


def read(name):
    """The lines of one file of the set."""
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


def messages():
    """Every message with the part of the set that it belongs to."""
    first = [*read("needed.jsonl"), *read("not_needed.jsonl")]
    split = [one | {"part": PARTS[zlib.crc32(one["id"].encode()) % 2]} for one in first]
    return split + [one | {"part": FRESH} for one in read("fresh.jsonl")]


def of_shelf(shelf, text):
    """The gate's decision about `text`, asked of memories without an index."""
    return gate.of_words(text) or gate.of_evidence(text, shelf.ask(text), held=False, meant=True)


def remembered(program, memories):
    """Put the memories into the store."""
    decisions = program.batch([{"text": one["text"], "scope": one["scope"]} for one in memories])
    made = Counter(one["decision"] for one in decisions)
    if made["created"] != len(memories):
        raise RuntimeError(f"not all were created: {made}")


def asked(program, verb, message):
    """What `mem VERB` says of a message, and how long that took in seconds."""
    begun = time.perf_counter()
    ran = program.ran(verb, "--json", "--scope", message["scope"], "-", stdin=message["text"])
    if ran.returncode not in (0, 1):
        raise RuntimeError(f"mem {verb} ended with {ran.returncode}: {ran.stderr}")
    return json.loads(ran.stdout), time.perf_counter() - begun


def shares(rows, opened):
    """Needed ones that stayed shut and others that were opened, each as count, percent and interval."""
    needed = [not opened(row) for row in rows if row["needed"]]
    other = [opened(row) for row in rows if not row["needed"]]
    return {"missed": _share(needed), "opened": _share(other)}


def _share(hits):
    share, low, high = (round(100 * part, 3) + 0.0 for part in wilson(sum(hits), len(hits)))
    return {"n": len(hits), "count": sum(hits), "percent": share, "low": low, "high": high}


def kinds(rows):
    """By kind of message: how many, and how many the gate decided wrongly."""
    found = {}
    for row in rows:
        key = f"{'needed' if row['needed'] else 'not needed'}: {row['kind']}"
        one = found.setdefault(key, {"n": 0, "wrong": 0})
        one["n"] += 1
        one["wrong"] += row["needed"] != row["retrieve"]
    return found


def larger(data, told):
    """The same messages to the same memories among so many of others."""
    vectors = Vectors(encoder.load())
    facts = list(dict.fromkeys(fact for one in letta(data) for fact in one.facts))
    memories, found = read("memories.jsonl"), {}
    for size in LARGER:
        shelves = {
            scope: Shelf(vectors, [one["text"] for one in memories if one["scope"] == scope] + facts[:size])
            for scope in {one["scope"] for one in memories}
        }
        rows = [one | {"open": of_shelf(shelves[one["scope"]], one["text"]).retrieve} for one in told]
        beside = min(size, len(facts))
        found[str(beside)] = shares(rows, lambda row: row["open"])
        print(beside, found[str(beside)], flush=True)
    return found


def measured(program, told):
    """Every message with what gate and recall said of it; and the times of both in milliseconds."""
    rows, times = [], {"gate": [], "recall": []}
    for nth, message in enumerate(told):
        said_of = {}
        for verb in (
            ("gate", "recall") if nth % 2 else ("recall", "gate")
        ):  # the second finds the text encoded
            said_of[verb], took_s = asked(program, verb, message)
            times[verb].append(took_s)
        decided, answer = said_of["gate"], said_of["recall"]
        said = {key: decided[key] for key in ("retrieve", "reason", "evidence")}
        rows.append(message | said | {"found": answer["outcome"] == "found"})
    return rows, {verb: spread(each) for verb, each in times.items()}


def figures(rows):
    """Everything that the page shows of the messages."""
    parts = {name: [row for row in rows if row["part"] == name] for name in PARTS} | {"all": rows}
    return {
        "gate": {name: shares(some, lambda row: row["retrieve"]) for name, some in parts.items()},
        "floor": {name: shares(some, lambda row: row["found"]) for name, some in parts.items()},
        "kinds": {name: kinds(some) for name, some in parts.items()},
        "reasons": Counter(row["reason"] for row in rows),
        "wrong": [[r["id"], r["reason"], r["evidence"]] for r in rows if r["needed"] != r["retrieve"]],
    }


def main():
    """Remember, ask, write."""
    words = measuring(__doc__)
    words.add_argument("--data", type=Path, required=True)
    given = words.parse_args()
    program = Program.at(given.work, given.mem, "gate")
    before = circumstances(program)
    remembered(program, read("memories.jsonl"))
    program.ran("watch", "--detach")
    told = messages()
    try:
        rows, times = measured(program, told)
    finally:
        program.ran("watch", "--stop")
    found = before | {
        "encoder": encoder.load().fingerprint,
        "constants": {one.key: one.value for one in DEFAULTS if one.key.startswith("gate.")},
        "memories": len(read("memories.jsonl")),
        **figures(rows),
        "larger": larger(given.data, told),
        "milliseconds": {
            verb: {key: each[key] for key in ("n", "p50", "p95")} for verb, each in times.items()
        },
    }
    for name in PARTS:
        print(name, found["gate"][name], "floor:", found["floor"][name])
    print({verb: brief(each) for verb, each in times.items()})
    if given.out:
        write_figures(given.out / "gate.json", found)


if __name__ == "__main__":
    main()
