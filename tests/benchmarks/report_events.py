"""What the pages about what was said are filled with: its recall, and what taking it in costs."""

import json
from pathlib import Path

from locomo_summary import OUTCOMES
from report_quality import COLUMNS
from tables import counted, interval, made, table, thousands

FIGURES = Path(__file__).parents[2] / "docs" / "figures"


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
    (over, gains), *_ = record["gains"].items()
    return {
        "figures": _quality(record),
        "over": over,
        "gains": _gains(gains),
        "within": _within(record),
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


def beside(record):
    """Recall where claims are believed beside what was said."""
    before = json.loads((FIGURES / "beside-memories-first.json").read_text())
    shipped = record["as_shipped"].items()
    return {
        "made": f"{made(record)} {record['mem']}.",
        "n": thousands(next(iter(record["figures"].values()))["n"]),
        "sessions": record["sessions"],
        "decisions": ", ".join(f"{thousands(many)} {what}" for what, many in record["decisions"].items()),
        "shipped": table(("", "all of the evidence"), ([name, interval(one)] for name, one in shipped)),
        "gains_shipped": "; ".join(
            f"{over} {_gain(one)}" for over, one in record["gains_as_shipped"].items()
        ),
        "shown": "; ".join(
            f"{name} {_counted(record['shown'][f'{name}, as shipped'])}" for name, _ in shipped
        ),
        "figures": _quality(record),
        "gains": "; ".join(f"{over} {_gains(gains)}" for over, gains in record["gains"].items()),
        "within": _within(record),
        "leaked": record["leaks"]["leaked"],
        "rows": thousands(record["leaks"]["rows"]),
        "answers": thousands(record["leaks"]["answers"]),
        "before": interval(before["as_shipped"]["default"]),
    }


def _counted(shown):
    """How many words and things an answer shows on average."""
    names = {"schema": "memories", "event": "turns", "words": "words"}
    return ", ".join(f"{shown[kind]} {name}" for kind, name in names.items() if kind in shown)


def _quality(record):
    return table(
        ("", *COLUMNS),
        ([name, *(interval(row[c]) for c in COLUMNS)] for name, row in record["figures"].items()),
    )


def _within(record):
    within = record["within_words"]
    return table(
        ("words shown", *within),
        (
            [many, *(interval(found[many]) for found in within.values())]
            for many in next(iter(within.values()))
        ),
    )


def _gains(gains):
    return ", ".join(f"{name} {_gain(one)}" for name, one in gains.items())


def _gain(one):
    return f"{one[0]:+.1f} ({one[1]:+.1f} to {one[2]:+.1f})"


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
