"""What the pages about the record are filled with: answers about another time, by index and by tree."""

from tables import made, table, thousands

TREE, PARSED = "reading every file of the tree", "reading and parsing them"  # by a bare process
THEN, NOW = "recall --known-at", "recall of now"


def known_at(record):
    """Recall at another point of the record."""
    times = record["processes"]
    return {
        "made": f"{made(record)} {record['mem']}.",
        "n": thousands(record["commits"]),
        "commits": record["commits"],
        "files": thousands(record["files"]),
        "pairs": record["pairs"],
        "equal": record["equal"],
        "found": record["with items"],
        "index_ms": round(1000 * record["index_s"]),
        "tree_ms": round(1000 * record["tree_s"]),
        "point_ms": round(1000 * record["point_s"]),
        "read_ms": round(1000 * record["read_s"]),
        "times": table(
            ("whole processes", "n", "p50 ms", "p95 ms", "CPU ms"),
            ([name, row["n"], row["p50"], row["p95"], row["cpu"]] for name, row in times.items()),
        ),
        "against": table(
            ("", "p50", "CPU"),
            ([f"against {name}", *ratios(record, name)] for name in (TREE, PARSED, NOW)),
        ),
        **{
            key: record["index of revisions, vectors kept"][key]
            for key in ("seconds", "cpu_seconds", "peak_mb")
        },
    }


def ratios(record, name):
    """Recall at another time against one of the others: of medians, and of CPU."""
    ours, other = record["processes"][THEN], record["processes"][name]
    return [f"{ours[kind] / other[kind]:.2f}" for kind in ("p50", "cpu")]
