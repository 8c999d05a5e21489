"""What the page about receipts is filled with."""

from tables import interval, made, table, thousands

NAMES = {"equal": "equal, to the byte", "unequal": "**not equal**"}


def receipts(record):
    """Random receipts replayed, altered, and replayed once more after something was forgotten."""
    first, after = record["replayed"], record["replayed_after_forgetting"]
    since = record["commits_since"]
    equal = first.get("equal", 0)
    low, high = record["equal_interval"]
    share = 100 * equal / record["receipts"]
    return {
        "made": f"{made(record)} {record['mem']}.",
        "n": record["receipts"],
        "memories": thousands(record["memories"]),
        "commits": record["commits"],
        "median": f"{since['median']:g}",
        "most": since["most"],
        "milliseconds": f"{record['milliseconds_each']:g}",
        "forgotten": record["forgotten"],
        "equal": f"{equal} ({interval([share, 100 * low, 100 * high])} %)",
        "outcomes": ", ".join(f"{name} {count}" for name, count in sorted(record["outcomes"].items())),
        "replayed": table(
            ("", "at once", f"after {record['forgotten']} were forgotten"),
            (
                [NAMES.get(name, f"refused: `{name}`"), first.get(name, 0), after.get(name, 0)]
                for name in dict.fromkeys([*first, *after])
            ),
        ),
        "altered": table(
            ("key altered", "detected"),
            ([f"`{key}`", f"{found} of {of}"] for key, (found, of) in record["altered"].items()),
        ),
    }
