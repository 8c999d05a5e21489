"""What is measured of a resident and its store while they live: rows of numbers, and what they come to."""

import os
from contextlib import suppress
from pathlib import Path

COLUMNS = (
    ("minute", "since it began"),
    ("resident_mb", "memory that the resident holds (VmRSS)"),
    ("own_mb", "of it, what is no file's (RssAnon)"),
    ("descriptors", "that it has open"),
    ("threads", "that it has"),
    ("resident_cpu_s", "processor time that it and its children took"),
    ("mem_mb", "size of .mem"),
    ("mem_files", "files below .mem"),
    ("git_mb", "size of .git"),
    ("memories", "files below schemas/"),
    ("commits", "of HEAD"),
    ("recall_ms", "median of recalls in this minute"),
    ("recall_max_ms", "the slowest of them"),
    ("remember_ms", "median of remembers in this minute"),
    ("other_ms", "median of the other commands, most of them without the resident"),
    ("load", "of the machine"),
)


def grown(series):
    """How large everything was at first and in the end, in whole numbers for the table of campaigns."""
    rows = [dict(zip(dict(COLUMNS), row, strict=True)) for row in series]
    if not rows:
        return {}
    first, last = rows[min(len(rows) // 8, len(rows) - 1)], rows[-1]  # once all is loaded, and in the end
    return {
        "minutes": round(last["minute"]),
        f"megabytes of the resident after {first['minute']:.0f} minutes": round(first["resident_mb"]),
        "megabytes of the resident in the end": round(last["resident_mb"]),
        "most descriptors of the resident": max(row["descriptors"] for row in rows),
        "most threads of the resident": max(row["threads"] for row in rows),
        "megabytes of .mem in the end": round(last["mem_mb"]),
        "megabytes of .git in the end": round(last["git_mb"]),
        "memories in the end": last["memories"],
        "commits in the end": last["commits"],
    }


def proc(number):
    """Kilobytes and threads as the kernel tells them of a process, zeros where it is gone."""
    try:
        lines = Path(f"/proc/{number}/status").read_text().splitlines()
    except OSError:
        lines = []
    told = dict(line.split(":", 1) for line in lines)
    return {name: int(told.get(name, "0").split()[0]) for name in ("VmRSS", "RssAnon", "Threads")}


def processor_s(number):
    """Seconds of processor time of a process and its ended children, 0 where it is gone."""
    try:
        words = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(int(word) for word in words[11:15]) / os.sysconf("SC_CLK_TCK")


def descriptors(number):
    """How many a process has open, 0 where it is gone."""
    try:
        return len(list(Path(f"/proc/{number}/fd").iterdir()))
    except OSError:
        return 0


def size(folder):
    """Bytes and number of the files below a folder."""
    sizes = []
    for path in folder.rglob("*"):
        with suppress(OSError):  # the program tidies up meanwhile
            sizes.append(path.lstat().st_size)
    return sum(sizes), len(sizes)


def milliseconds(times, of):
    return round(of(times) * 1000) if times else None
