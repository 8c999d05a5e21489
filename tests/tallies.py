"""What a campaign counted, kept as a record that the documentation is made from.

A campaign is a test that kills, races or rolls dice. It counts what happened, in plain words,
in its `tally`; only what passed is recorded, so that "0 lost" is what was asserted, beside how
often it could have been otherwise.
"""

import json
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

FORMAT = "mem.campaign/1"
ROOT = Path(__file__).parents[1]


def keep(folder, name, part, told):
    """Put one part's tally into the record `name` of `folder`, beside the parts that are there."""
    path = folder / f"{name}.json"
    known = json.loads(path.read_text("utf-8")) if path.exists() else {"format": FORMAT, "parts": {}}
    known["parts"][part] = told
    known["parts"] = dict(sorted(known["parts"].items()))
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(known, indent=1) + "\n", "utf-8")


def named(nodeid):
    """The campaign and the part of it that a test's id names: `a.py::test_killed[forget]`."""
    test = nodeid.rpartition("::")[2]
    name, _, part = test.partition("[")
    return name.removeprefix("test_"), part.removesuffix("]") or "whole"


def told(tally, *, campaign, seed, seconds):
    """What a record says of one part: when and where it ran, how large it was, what was counted."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "commit": _commit(),
        "python": platform.python_version(),
        "kernel": re.match(r"[\w.]+", platform.release())[0],
        "campaign": campaign,
        "seed": seed,
        "seconds": round(seconds),
        "counts": dict(tally),
    }


def records(folder):
    """{name: record} of all that `folder` keeps, in order."""
    found = (json.loads(path.read_text("utf-8")) | {"name": path.stem} for path in folder.glob("*.json"))
    return {
        one["name"]: one for one in sorted(found, key=lambda one: one["name"]) if one.get("format") == FORMAT
    }


def together(record):
    """The counts of all parts of a record, added up."""
    whole = {}
    for part in record["parts"].values():
        for word, number in part["counts"].items():
            whole[word] = whole.get(word, 0) + number
    return whole


def _commit():
    ran = subprocess.run(
        ["git", "rev-parse", "--short=10", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return ran.stdout.strip() or None
