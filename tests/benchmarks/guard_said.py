"""Whether what a store has forgotten comes back in other words because somebody says it again.

    python tests/benchmarks/guard_said.py --data ../shared/eval --work WORK --mem .venv/bin/mem --out docs/figures

The pairs of fixtures/gold/guard.json and every so manieth of STS dev's (no threshold was chosen on
it): the first texts are remembered and forgotten, the second ones observed as one session in the
same scope and consolidated. Then each is asked for in its own words, among what was said. Caught is
what is not shown. A resident answers. Of the public set only ids and verdicts are written.
"""

import json
from dataclasses import replace
from pathlib import Path

from inside import Inside
from intervals import wilson
from kept import Kept, write_figures
from pairs import frozen, paraphrase_sets
from placed import percent
from program import Program, circumstances, measuring

SCOPE = "project:said"
SESSION = "again"
EACH = 80  # pairs of a public set at most


def sets(data):
    """The project's own pairs, and a part of those of the public set that nothing was chosen on."""
    fresh = [one for one in paraphrase_sets(data) if not one.seen]
    cut = [replace(one, pairs=one.pairs[:: -(-len(one.pairs) // EACH)]) for one in fresh]
    return [*frozen(), *cut]


def measured(given, nth, one):
    """Whether each pair's second text is shown once its first is forgotten."""
    kept = Kept(given.work / f"said-{nth}.jsonl")
    program = (Inside if given.inside else Program).at(given.work, given.mem, f"said-{nth}")
    if not list(program.folder.glob(f"events/*/*/{SESSION}.jsonl")):
        _forgotten_and_said(program, one.pairs)
    turns = _turns(program)
    program.ran("watch", "--detach")
    try:
        for pair, turn in list(zip(one.pairs, turns, strict=True))[len(kept.rows) :]:
            options = ("--scope", SCOPE, "--events", "only", "--floor", "0")
            shown = program.recall(pair.candidate, *options)["items"]
            kept.add([pair.id, turn not in {item["id"] for item in shown}])
    finally:
        program.ran("watch", "--stop")
    return _figures(one, kept.rows)


def _forgotten_and_said(program, pairs):
    removed = sorted({pair.removed for pair in pairs})
    rows = program.batch([{"text": text, "scope": SCOPE} for text in removed])
    ids = sorted({row["id"] for row in rows if row.get("id")})
    _done(program, "forget", *ids, "--yes")
    said = "\n".join(json.dumps({"role": "user", "text": pair.candidate}) for pair in pairs)
    _done(program, "observe", "-", "--scope", SCOPE, "--session", SESSION, stdin=said)
    _done(program, "consolidate", "--scope", SCOPE, codes=(0, 1))


def _done(program, *argv, stdin="", codes=(0,)):
    ran = program.ran(*argv, stdin=stdin)
    if ran.returncode not in codes:
        raise RuntimeError(f"{argv[0]} ended with {ran.returncode}: {ran.stderr}")


def _turns(program):
    (file,) = program.folder.glob(f"events/*/*/{SESSION}.jsonl")
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return [line["id"] for line in lines if line["kind"] == "turn"]


def _figures(one, rows):
    hits = sum(caught for _, caught in rows)
    return {
        "set": one.name,
        "kind": one.kind,
        "pairs": len(rows),
        "caught": hits,
        "percent": percent(wilson(hits, len(rows))),
        "records": rows,
    }


def main():
    """Forget, say again, ask, write."""
    words = measuring(__doc__)
    words.add_argument("--data", type=Path, required=True, help="folder with data/paraphrase/")
    given = words.parse_args()
    found = []
    for nth, one in enumerate(sets(given.data / "data")):
        found.append(measured(given, nth, one))
        print({key: value for key, value in found[-1].items() if key != "records"}, flush=True)
    first = Program.at(given.work, given.mem, "said-0")
    if given.out:
        format_ = {"format": "mem.benchmark.guard-said/1"}
        write_figures(given.out / "guard-said.json", format_ | circumstances(first) | {"sets": found})


if __name__ == "__main__":
    main()
