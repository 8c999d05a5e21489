"""What the pages about the gate, and about forgotten claims that are imported again, are filled with."""

from tables import counted, interval, made, table, thousands

PARTS = ("tuned", "held", "fresh", "all")


def gate(record):
    """How often the gate is wrong, in both directions."""
    constants = record["constants"]
    return {
        "made": f"{made(record)} {record['mem']}.",
        "encoder": record["encoder"],
        "evidence": constants["gate.evidence"],
        "words": constants["gate.words"],
        "n": thousands(sum(row["n"] for row in record["gate"]["all"].values())),
        "halves": table(
            ("", "needed", "missed", "missed by the floor", "not needed", "opened", "opened by the floor"),
            (_part(record, name) for name in PARTS),
        ),
        "kinds": table(
            ("", "n", "wrong"), ([kind, *_wrong(row)] for kind, row in record["kinds"]["all"].items())
        ),
        "larger": table(
            ("more memories", "missed", "opened"),
            (
                [thousands(int(size)), counted(row["missed"]), counted(row["opened"])]
                for size, row in record["larger"].items()
            ),
        ),
        "times": table(
            ("", "n", "p50 ms", "p95 ms"),
            (
                [f"mem {verb}", row["n"], row["p50"], row["p95"]]
                for verb, row in record["milliseconds"].items()
            ),
        ),
    }


def _part(record, name):
    ours, floor = record["gate"][name], record["floor"][name]
    cells = [name]
    for side in ("missed", "opened"):
        cells += [ours[side]["n"], f"{ours[side]['count']}: {counted(ours[side])}", counted(floor[side])]
    return cells


def _wrong(row):
    return row["n"], row["wrong"]


def guard_import(record):
    """Forgotten claims in other words, brought in from another store."""
    ways = list(record["sets"][0]["ways"])
    live = sum(one["ways"][way]["live"] for one in record["sets"] for way in ways)
    rows = (
        [one["set"], one["pairs"], *(_caught(one["ways"][way]) for way in ways)] for one in record["sets"]
    )
    return {
        "made": f"{made(record)} {record['mem']}.",
        "brought": table(("set", "pairs", *ways), rows),
        "live": live,
    }


def _caught(row):
    return interval([row["percent"], row["low"], row["high"]])
