"""Whether what a store has forgotten comes back in other words through `mem import`.

    python tests/benchmarks/guard_import.py --work WORK --mem .venv/bin/mem --out docs/figures

The claims are those of fixtures/gold/guard.json: of each forty the first text is remembered and
forgotten in one store, and its paraphrase, or an update that must pass, remembered in another.
What that other store exports is then brought in: as a person who says that things count here as
they count there, for review, and as bare claims. Caught is what the guard names as its rule; the
same pairs put to the guard alone stand in the record of guard.py.
"""

import json
from collections import Counter
from dataclasses import dataclass

from intervals import wilson
from kept import write_figures
from pairs import frozen
from program import Program, circumstances, measuring

from memcli.memory.guard import Rule

WAYS = {"a person's word": "--yes", "for review": "--review", "bare claims": "--review"}
BARE = "bare claims"
SCOPE = "project:brought"
OUT = ("skipped", "review")  # what keeps a claim from counting


@dataclass(frozen=True)
class Stores:
    """One store that has forgotten, and one that says it in other words."""

    here: Program
    there: Program

    @classmethod
    def of(cls, given, nth, one):
        """Both, filled with the pairs of the set `one`."""
        made = cls(*(Program.at(given.work, given.mem, f"{side}-{nth}") for side in ("here", "there")))
        removed = {pair.removed for pair in one.pairs}
        ids = [row["id"] for row in _remembered(made.here, sorted(removed))]
        ran = made.here.ran("forget", *ids, "--yes")
        if ran.returncode:
            raise RuntimeError(f"forget ended with {ran.returncode}: {ran.stderr}")
        _remembered(made.there, [pair.candidate for pair in one.pairs])
        return made

    def brought(self, way, pairs):
        """What the import of these pairs decides about each, by its text; nothing is written."""
        lines = self.there.ran("export", "--scope", SCOPE).stdout
        if way == BARE:
            lines = "\n".join(json.dumps({"text": pair.candidate, "scope": SCOPE}) for pair in pairs)
        ran = self.here.ran("import", "--json", "--dry-run", WAYS[way], "-", stdin=lines)
        if ran.returncode:
            raise RuntimeError(f"import ended with {ran.returncode}: {ran.stderr}")
        return {row["text"]: row for row in json.loads(ran.stdout)["memories"]}


def _remembered(program, texts):
    rows = program.batch([{"text": text, "scope": SCOPE} for text in texts])
    return [row for row in rows if row.get("id")]


def caught(row):
    """Whether the guard decided it."""
    return row is not None and row["rule"] in set(Rule)


def measured(given, nth, one):
    """Counts and decisions of one set, by the way it was brought in."""
    stores, found = Stores.of(given, nth, one), {}
    for way in WAYS:
        rows = stores.brought(way, one.pairs)
        told = [rows.get(pair.candidate) for pair in one.pairs]
        hits = sum(map(caught, told))
        share, low, high = (100 * part for part in wilson(hits, len(told)))
        found[way] = {
            "caught": hits,
            "percent": share,
            "low": low,
            "high": high,
            "live": sum(row["decision"] not in OUT for row in told if caught(row)),
            "decided": Counter(row["decision"] if row else "not brought" for row in told),
        }
        print(one.name, way, found[way], flush=True)
    return {"set": one.name, "kind": one.kind, "pairs": len(one.pairs), "ways": found}


def main():
    """Forget, bring in, write."""
    given = measuring(__doc__).parse_args()
    sets = [measured(given, nth, one) for nth, one in enumerate(frozen())]
    found = circumstances(Program.at(given.work, given.mem, "here-0")) | {"sets": sets}
    if given.out:
        write_figures(given.out / "guard-import.json", found)


if __name__ == "__main__":
    main()
