"""What the pages about other sets are filled with: coding sessions, updates, all sets in one store."""

import json
from pathlib import Path

from locomo_summary import OUTCOMES
from report_quality import signed
from tables import counted, interval, made, table, thousands

FIGURES = Path(__file__).parents[2] / "docs" / "figures"
CODING = ("R@1", "R@5", "R@10", "full@5", "full@10", "MRR", "words")
UPDATES = ("new before old", "new first of all", "new shown", "old shown")


def coding(record):
    """Questions about coding sessions."""
    before = json.loads((FIGURES / "coding-first.json").read_text())
    return {
        "made": f"{made(record)} {record['mem']}.",
        "decisions": ", ".join(f"{many} {what}" for what, many in record["decisions"].items()),
        "figures": table(
            ("", *CODING),
            ([name, *(interval(row[c]) for c in CODING)] for name, row in record["figures"].items()),
        ),
        "kinds": table(
            ("kind, n", *record["kinds"]),
            (
                [f"{kind}, {row['n']}", *(_kind(found[kind]) for found in record["kinds"].values())]
                for kind, row in next(iter(record["kinds"].values())).items()
            ),
        ),
        "updates": table(
            ("", "updates", "newest first"),
            ([name, row["n"], interval(row["percent"])] for name, row in record["updates"].items()),
        ),
        "abstention": table(
            ("", "n", *OUTCOMES),
            (
                [name, row["n"], *(counted(row[one]) for one in OUTCOMES)]
                for name, row in record["abstention"].items()
            ),
        ),
        "before": "; ".join(f"{name} {counted(row['found'])}" for name, row in before["abstention"].items()),
        "before_full": "; ".join(
            f"{name} {interval(row['full@10'])}" for name, row in before["figures"].items()
        ),
        **_leaks(record),
    }


def _kind(row):
    return f"{row['full@10'][0]} / {row['words'][0]}"


def _leaks(record):
    leaks = record["leaks"]
    return {
        "leaked": leaks["leaked"],
        "rows": thousands(leaks["rows"]),
        "answers": thousands(leaks["answers"]),
    }


def updates(record):
    """Old and new."""
    before = json.loads((FIGURES / "updates-first.json").read_text())
    return {
        "made": f"{made(record)} {record['mem']}.",
        "cases": record["cases"],
        "decided": ", ".join(f"{many} {what}" for what, many in record["decided"].items()),
        "refused": record["supersede_refused"],
        "ways": _ways(record),
        "before": _ways(before),
        **_leaks(record),
    }


def _ways(record):
    return table(
        ("", "n", *UPDATES, "found"),
        (
            [name, row["n"], *(interval(row[one]["interval"]) for one in UPDATES), counted(row["found"])]
            for name, row in record["ways"].items()
        ),
    )


def guard_said(record):
    """Forgotten claims in other words, said again."""
    rows = ([one["set"], one["kind"], one["pairs"], interval(one["percent"])] for one in record["sets"])
    return {
        "made": f"{made(record)} {record['mem']}.",
        "said": table(("set", "kind", "pairs", "withheld"), rows),
    }


def crowd(record):
    """All sets in one store."""
    measures = ("R@1", "R@10", "full@10", "MRR")
    return {
        "made": f"{made(record)} {record['mem']}.",
        "held": thousands(record["turns and memories"]),
        "sets": table(
            ("", "n", *measures, "found", "strangers"),
            (
                [
                    name,
                    row["n"],
                    *(interval(row[one]) for one in measures),
                    counted(row["found"]),
                    interval(row["strangers"]),
                ]
                for name, row in record["sets"].items()
            ),
        ),
        "gains": table(
            ("", *measures),
            (
                [name, *(signed(found[one]) for one in measures)]
                for name, found in record["everywhere_over_own"].items()
            ),
        ),
        **_leaks(record),
    }
