"""What the pages about finding are filled with: recall beside the baselines, the floor, the forget guard."""

import json
from pathlib import Path

from intervals import wilson
from locomo_summary import SHIPPED, UNFLOORED
from placed import Placed, figures, gained, percent
from splits import FIRST_CONVERSATIONS
from tables import counted, interval, made, table, thousands

FIGURES = Path(__file__).parents[2] / "docs" / "figures"
COLUMNS = ("R@1", "R@5", "R@10", "R@20", "full@10", "full@20", "MRR", "nDCG@10")
GAINS = ("R@10", "full@10", "full@20", "nDCG@10")
OUTCOMES = ("found", "withheld", "absent")
LAYERS = ("cosine", "block", "block or hold", "words only")
RUNS = {"ranking": "no floor", "shipped": "as shipped", "foreign": "another conversation's scope"}


def locomo(record):
    """Recall through the command."""
    taken, leaks = record["taken_in"], record["leaks"]
    return {
        "made": f"{made(record)} {record['mem']}.",
        "n": thousands(record["figures"][UNFLOORED]["n"]),
        "turns": thousands(taken["turns"]),
        "decisions": ", ".join(f"{thousands(n)} {decided}" for decided, n in taken["decisions"].items()),
        "seconds": round(taken["seconds"]),
        "speed": taken["turns_a_second"],
        "auroc": record["abstention"]["auroc"],
        "leaked": leaks["leaked"],
        "rows": thousands(leaks["rows"]),
        "answers": thousands(leaks["answers"]),
        "at_most": f"{100 * leaks['at_most']:.4f}",
        **_locomo_tables(record),
        **_since(record),
    }


def _locomo_tables(record):
    figures, kinds = record["figures"].items(), record["kinds"].items()
    outcomes = [(name, record["abstention"][name]) for name in ("own", "foreign")]
    return {
        "figures": table(
            ("", *COLUMNS), ([name, *(interval(row[c]) for c in COLUMNS)] for name, row in figures)
        ),
        "gains": table(
            ("over", *GAINS),
            ([name, *(signed(row[c]) for c in GAINS)] for name, row in record["gains"].items()),
        ),
        "kinds": table(
            ("", "n", *COLUMNS),
            ([kind, row["n"], *(f"{row[c][0]:.1f}" for c in COLUMNS)] for kind, row in kinds),
        ),
        "abstention": table(
            ("asked in", "n", *OUTCOMES, "shown, mean"), (_outcome(*pair) for pair in outcomes)
        ),
        "times": table(
            ("", "n", "p50 ms", "p95 ms"),
            ([RUNS[run], row["n"], row["p50"], row["p95"]] for run, row in record["recall_ms"].items()),
        ),
    }


def _since(record):
    """What changed since the first record, on the conversations that no weight was chosen on."""
    first = json.loads((FIGURES / "locomo-first.json").read_text())
    lines = (FIGURES / "locomo-records.jsonl").read_text().splitlines()
    rows = {row["id"]: [row["wanted"], row["places"], row["shipped"]] for row in map(json.loads, lines)}
    late = [name for name in rows if int(name.split("_")[1]) >= FIRST_CONVERSATIONS]
    told = []
    for name, at in ((UNFLOORED, 1), (SHIPPED, 2)):
        before, now = (
            [Placed(one, found[one][0], tuple(found[one][at])) for one in late]
            for found in (first["rows"], rows)
        )
        shares = (interval(figures(placed)["full@10"]) for placed in (before, now))
        told.append([name, len(late), *shares, signed(gained(now, before, "full@10"))])
    return {
        "since": table(("last five conversations", "n", "full@10 before", "full@10", "gained"), told),
        "foreign_before": counted(first["abstention"]["foreign"]["found"]),
        "own_before": counted(first["abstention"]["own"]["found"]),
    }


def signed(parts):
    value, low, high = parts
    return f"{value:+.1f} ({low:+.1f} to {high:+.1f})"


def _outcome(name, row):
    return [name, row["n"], *(counted(row[one]) for one in OUTCOMES), row["shown_mean"]]


def floor(record):
    """What the floor withholds and lets through."""
    kept, constants = record["evidence"], record["constants"]
    return {
        "encoder": record["encoder"],
        "floor": constants["recall.floor"],
        "notice": constants["recall.notice"],
        "k": constants["recall.k"],
        "outcomes": table(
            ("questions", "n", *OUTCOMES, "shown, mean"),
            (_outcome(row["group"], row) for row in record["outcomes"]),
        ),
        "n": thousands(kept["n"]),
        "before": counted(kept["full_at_10"]),
        "after": counted(kept["full_at_10_above_floor"]),
        "tuned": counted(record["evidence_first_five"]["full_at_10"]),
        "fresh": counted(record["evidence_last_five"]["full_at_10"]),
    }


def guard(record):
    """What the forget guard catches."""
    return {
        "encoder": record["encoder"],
        "sets": table(("set", "kind", "pairs", *LAYERS), (_set(one) for one in record["sets"])),
    }


def _set(one):
    shares = (percent(wilson(one["caught"][layer], one["pairs"])) for layer in LAYERS)
    seen = " (seen)" if one.get("seen") else ""
    return [one["set"] + seen, one["kind"], thousands(one["pairs"]), *(interval(share) for share in shares)]
