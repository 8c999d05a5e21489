"""What the page beside the rivals is filled with."""

from corpora import CODED, CODING, CONVERSED
from tables import counted, interval, made, table, thousands

SILENT = ("answerable", "unanswerable")


def beside_rivals(record):
    """Quality, silence and speed of what else one could use."""
    asked = record["questions"]
    return {
        "made": made(record),
        "programs": ", ".join(record["programs"]),
        "seed": record["seed"],
        "conversations": len(record["corpora"]) - 1,
        "turns": thousands(sum(many for name, many in record["corpora"].items() if name != CODING)),
        "messages": record["corpora"][CODING],
        "conversed": asked[CONVERSED][1],
        "coded": asked[CODED][1],
        "foreign": asked[CONVERSED][0] - asked[CONVERSED][1],
        "absent": asked[CODED][0] - asked[CODED][1],
        "ours": record["ours"],
        "less": _less(record["coding_only"]),
        "conversed_figures": _quality(record[CONVERSED]),
        "coded_figures": _quality(record[CODED]),
        "gains": _gains(record),
        "conversed_silence": _silence(record[CONVERSED]),
        "coded_silence": _silence(record[CODED]),
        "speed": _speed(record),
        "not_run": "\n".join(f"- {name}: {why}." for name, why in record["not_run"].items()),
    }


def _less(names):
    """Who took in only a part, as a sentence; empty where nobody did."""
    return f" {', '.join(names)} took in the coding sessions alone, to keep the run short." if names else ""


def _quality(part):
    rows = part["figures"].items()
    measures = [one for one in next(iter(part["figures"].values())) if one != "n"]
    return table(("", *measures), ([name, *(interval(row[one]) for one in measures)] for name, row in rows))


def _gains(record):
    columns = [(kind, "full@10") for kind in (CONVERSED, CODED)]
    names = dict.fromkeys(name for kind, _ in columns for name in record[kind]["gains"])
    rows = (
        [name, *(_gain(record[kind]["gains"].get(name, {}).get(one)) for kind, one in columns)]
        for name in names
    )
    return table(("over", *(f"{kind}, {one}" for kind, one in columns)), rows)


def _gain(parts):
    return "" if parts is None else f"{parts[0]:+.1f} ({parts[1]:+.1f} to {parts[2]:+.1f})"


def _silence(part):
    rows = (
        [name, *(counted(row[one]) for one in SILENT), row.get("auroc", "")]
        for name, row in part["silence"].items()
    )
    return table(("", "where it is", "where it is not", "AUROC of the score"), rows)


def _speed(record):
    rows = (
        [name, thousands(row["documents"]), row["taken_in_cpu_ms_each"] or "", row["cold"]["cpu"]]
        for name, row in record["speed"].items()
    )
    return table(("", "documents", "taking one in", "a question"), rows)
