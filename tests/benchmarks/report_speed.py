"""What the pages about time are filled with: many schemas, commits, many writers."""

from tables import made, table, thousands

ONCE = ("rebuild, nothing kept", "rebuild, vectors kept", "recall", "remember", "mem list", "mem show")


def scale(record):
    """A store of many schemas."""
    size, once = record["size"], record["once"]
    return {
        "made": f"{made(record)} {record['mem']} from a wheel.",
        "n": thousands(record["schemas"]),
        "schemas": record["schemas"],
        "times": table(("", "runs", "p50 ms", "p95 ms", "CPU ms"), _times(record["milliseconds"])),
        "ratios": table(("", "against", "ratio", "CPU ratio"), _ratios(record)),
        "once": table(
            ("", "seconds", "CPU seconds", "peak MB"), ([one, *once[one].values()] for one in ONCE)
        ),
        "index_mb": size["index"]["mb"],
        "index_files": size["index"]["files"],
        "vectors_mb": size["vectors"]["mb"],
        "is_first": "is" if record["edit_is_first"] else "is **not**",
    }


def resident(record):
    """What a resident is worth."""
    return {
        "made": f"{made(record)} {record['mem']} from a wheel.",
        "n": thousands(record["schemas"]),
        "schemas": record["schemas"],
        "times": table(("", "runs", "p50 ms", "p95 ms", "CPU ms"), _whole(record["milliseconds"])),
        "ratios": table(("", "against", "ratio"), record["ratios"]),
        "memory_mb": record["memory_mb"],
        "edits": record["edits"],
        "missed": record["edits_missed"] or "none",
    }


def huge(record):
    """What many memories cost, each act a few times."""
    whole = [
        [name, row.get("runs", 1), row["seconds"], row.get("cpu_seconds", ""), row.get("peak_mb", "")]
        for name, row in record["once"].items()
    ]
    size = record["size"]
    return {
        "made": f"{made(record)} {record['mem']} from a wheel.",
        "n": thousands(record["schemas"]),
        "schemas": record["schemas"],
        "whole": table(("", "runs", "seconds", "CPU seconds", "peak MB"), whole),
        "served": table(
            ("", "times", "p50 ms", "p95 ms"), (row[:4] for row in _whole(record["milliseconds"]))
        ),
        "resident_mb": round(record["resident_mb"]),
        "missed": record["edits_missed"] or "none",
        "edits": record["edits"],
        "index_mb": round(size["index"]["mb"]),
        "index_files": size["index"]["files"],
        "vectors_mb": round(size["vectors"]["mb"]),
        "git_mb": round(record["git_mb"]),
        "apart": record.get("apart", ""),
    }


def growth(record):
    """What many single updates leave behind."""
    rows = [
        [name, record[kind]["mb"], record[kind]["files"], record[kind]["recall"]["p50"]]
        for name, kind in (("after them", "grown"), ("made anew", "fresh"))
    ]
    return {
        "made": f"{made(record)} {record['mem']}.",
        "n": thousands(record["updates"]),
        **{name: record[name] for name in ("updates", "schemas")},
        **{name: record["update_ms"][name] for name in ("p50", "p95")},
        "missed": record["missed"] or "none",
        "memory": ", ".join(str(round(one)) for one in record["memory_mb"]),
        "step": thousands(500),
        "rows": table(("the index", "MB", "files", "recall alone, p50 ms"), rows),
    }


def _whole(times):
    return [[name, row["n"], row["p50"], row["p95"], row.get("cpu", "")] for name, row in times.items()]


def _times(times):
    """Rows by name; those of single questions are in the one that sums them up."""
    shown = [name for name in times if not name.startswith("recall ")]
    for name in sorted(shown, key=lambda name: name != "recall"):
        row = times[name]
        yield [name, row["n"], row["p50"], row["p95"], row["cpu"]]


def _ratios(record):
    for name, others in record["ratios"].items():
        for other, ratio in others.items():
            yield [name, other, f"{ratio:.2f}", f"{record['cpu_ratios'][name][other]:.2f}"]


def commits(record):
    """The journal's commit against git's."""
    heads = ("files", "layout", "mem", "CPU", "git", "CPU", "ratio", "CPU ratio", "status clean")
    return {
        "made": made(record),
        "rounds": record["rounds"],
        "rows": table(heads, (_commit(row) for row in record["rows"])),
        "ids": thousands(record["read_back"]["ids"]),
        "read_back": round(record["read_back"]["ms"]),
    }


def _commit(row):
    numbers = [f"{row[name]:.1f}" for name in ("ms", "cpu_ms", "git_ms", "git_cpu_ms")]
    shares = [f"{row['ms'] / row['git_ms']:.2f}", f"{row['cpu_ms'] / row['git_cpu_ms']:.2f}"]
    return [thousands(row["files"]), row["layout"], *numbers, *shares, "yes" if row["clean"] else "**no**"]


def writers(record):
    """Many processes that remember at once."""
    spread = record["milliseconds"]
    rows = (
        ("acknowledged", record["acknowledged"]),
        ("refused, by exit code", record["refused_by_exit_code"] or "none"),
        (
            "created and in HEAD exactly once",
            f"{record['in_head_once']} of {record['decisions'].get('created', 0)}",
        ),
        ("created and not in HEAD", record["in_head_never"]),
        ("in HEAD more than once", record["in_head_more_than_once"]),
        ("refused and in HEAD all the same", record["refused_and_in_head"]),
        ("commits", record["commits"]),
        ("lines of `git status`", len(record["git_status"])),
        ("rows in the index", record["index"]["rows"]),
        ("exit code of `mem index verify`", record["index_verify"]),
        ("a process, p50 / p95", f"{spread['p50'] / 1000:.1f} s / {spread['p95'] / 1000:.1f} s"),
    )
    named = {name: record[name] for name in ("writers", "each", "seconds")}
    return {
        "made": f"{made(record)} {record['mem']}.",
        **named,
        "rows": table((f"of {record['processes']} processes", ""), rows),
    }
