"""What the pages about what was said are filled with: its recall, and what taking it in costs."""

from locomo_summary import OUTCOMES
from report_quality import COLUMNS
from tables import counted, interval, made, table, thousands


def observed(record):
    """Recall of what was observed, through the command."""
    leaks, statuses = record["leaks"], record["statuses"]
    first = next(iter(record["figures"].values()))
    return {
        "made": f"{made(record)} {record['mem']}.",
        "n": thousands(first["n"]),
        "sessions": record["sessions"],
        "turns": thousands(record["turns"]),
        "observe_s": round(record["observe_s"]),
        "consolidate_s": round(record["consolidate_s"]),
        "statuses": ", ".join(f"{thousands(n)} {status}" for status, n in statuses.items()) or "none",
        "caught": ", ".join(f"{thousands(n)} {why}" for why, n in record["caught"].items()) or "none",
        "words": thousands(record["words"]),
        "words_said": thousands(record["words_said"]),
        "share": f"{100 * record['words'] / record['words_said']:.1f}",
        "leaked": leaks["leaked"],
        "rows": thousands(leaks["rows"]),
        "answers": thousands(leaks["answers"]),
        **_tables(record),
    }


def _tables(record):
    within = record["within_words"]
    (over, gains), *_ = record["gains"].items()
    return {
        "figures": table(
            ("", *COLUMNS),
            ([name, *(interval(row[c]) for c in COLUMNS)] for name, row in record["figures"].items()),
        ),
        "over": over,
        "gains": ", ".join(
            f"{name} {one[0]:+.1f} ({one[1]:+.1f} to {one[2]:+.1f})" for name, one in gains.items()
        ),
        "within": table(
            ("words shown", *within),
            (
                [many, *(interval(found[many]) for found in within.values())]
                for many in next(iter(within.values()))
            ),
        ),
        "abstention": table(
            ("", "n", *OUTCOMES),
            (
                [name, row["n"], *(counted(row[one]) for one in OUTCOMES)]
                for name, row in record["abstention"].items()
            ),
        ),
        "times": table(
            ("", "n", "p50 ms", "p95 ms"),
            ([name, row["n"], row["p50"], row["p95"]] for name, row in record["recall_ms"].items()),
        ),
    }


def ingest(record):
    """What taking in costs as the store grows."""
    rows = [row for row in record["steps"] if str(row["events"]) in record["per_event_ms"]]
    return {
        "made": f"{made(record)} {record['mem']}.",
        "events": record["steps"][-1]["events"],
        "rows": table(
            ("events there then", "observe, events/s", "consolidate, events/s", "next recall, s"),
            (
                [
                    thousands(row["events"]),
                    round(1000 / row["observe"]),
                    round(1000 / row["consolidate"]),
                    f"{row['recall']:.1f}",
                ]
                for row in rows
            ),
        ),
        "exponents": ", ".join(
            f"{part} {one:+.3f}" for part, one in record["exponents"].items() if one is not None
        ),
    }
