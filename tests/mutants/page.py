"""Write docs/mutation.md from the records in docs/figures.

    python tests/mutants/page.py

No number is written by hand. Of each mistake that no test noticed stands why, in
tests/mutants/explained.yaml, or that nobody has found a test yet.
"""

import json
import sys
from pathlib import Path
from string import Template

import aims
import yaml

sys.path.insert(0, str(aims.ROOT / "tests" / "benchmarks"))
from intervals import wilson

FIGURES = aims.ROOT / "docs" / "figures"
PAGE = aims.ROOT / "docs" / "mutation.md"
WORDS = Path(__file__).parent / "words.md"
EXPLAINED = Path(__file__).parent / "explained.yaml"
NOTICED = {"killed", "endless"}


def page():
    """The whole text."""
    coverage = json.loads((FIGURES / "coverage.json").read_text("utf-8"))
    about = json.loads((FIGURES / "mutation.json").read_text("utf-8"))
    lines = (FIGURES / "mutation-records.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    parts = {
        "covered_at": f"{coverage['commit']}, Python {coverage['python']}",
        "covered": _covered(coverage),
        "uncovered": _uncovered(coverage),
        "tried_at": f"Python {about['python']}, seed {about['seed']}",
        "score": _score(rows, about["made"]),
        "survivors": _survivors(rows),
    }
    filled = {name: "\n".join(lines) if isinstance(lines, list) else lines for name, lines in parts.items()}
    return Template(WORDS.read_text("utf-8")).substitute(filled)


def _covered(coverage):
    table = ["| part | modules | statements run | branches taken |", "|---|---|---|---|"]
    for part in aims.PARTS:
        found = coverage[part].values()
        ran, all_of = (sum(one[key] for one in found) for key in ("ran", "statements"))
        taken, branches = (sum(one[key] for one in found) for key in ("taken", "branches"))
        row = (
            f"{ran:,} of {all_of:,} ({ran / all_of:.1%}) | {taken:,} of {branches:,} ({taken / branches:.1%})"
        )
        table.append(f"| {part} | {len(found)} | {row} |")
    return table


def _uncovered(coverage):
    """Per module what no test ran, where there is something."""
    table = ["| module | lines | branches, from line to line |", "|---|---|---|"]
    for part in aims.PARTS:
        for name, one in coverage[part].items():
            if one["lines"] or one["jumps"]:
                jumps = [jump for jump in one["jumps"] if int(jump.partition("-")[0]) not in one["lines"]]
                table.append(f"| {name} | {_runs(one['lines'])} | {', '.join(jumps)} |")
    return table


def _runs(numbers):
    """1, 2, 3, 7 as `1-3, 7`."""
    runs = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _score(rows, made):
    table = ["| part | can be made | tried | noticed at first | asked again | noticed now | explained | at |"]
    table.append("|---|---|---|---|---|---|---|---|")
    for part in aims.PARTS:
        of_part = [row for row in rows if row["part"] == part]
        noticed = sum(row["outcome"] in NOTICED for row in of_part)
        first = sum(row.get("first", row["outcome"]) in NOTICED for row in of_part)
        left = [row for row in of_part if row["outcome"] not in NOTICED]
        reasons = sum(bool(why(row)) for row in left)
        again = sum("first" in row for row in of_part)
        commits = ", ".join(dict.fromkeys(row["commit"] for row in of_part))
        told = f"{_share(first, of_part)} | {again} | {_share(noticed, of_part)} | {reasons} of {len(left)}"
        counts = f"{made[part]:,} | {len(of_part)} | {told}"
        table.append(f"| {part} | {counts} | {commits} |")
    return table


def _share(noticed, tried):
    """So many of those that were tried, with the interval of the share."""
    share, low, high = wilson(noticed, len(tried))
    return f"{noticed} = {share:.0%} ({low:.0%}-{high:.0%})" if tried else "none yet"


def _survivors(rows):
    table = ["| where | mistake | why no test notices it |", "|---|---|---|"]
    for row in rows:
        if row["outcome"] not in NOTICED:
            told = row["told"].replace("|", "\\|").replace("`", "'").replace("\n", " ")
            table.append(f"| {row['module']}:{row['line']} | `{told}` | {why(row) or '—'} |")
    return table


def why(row, known={}):  # noqa: B006  (read once)
    """The reason that is given for a mistake that no test notices, or ""."""
    if not known:
        entries = yaml.safe_load(EXPLAINED.read_text("utf-8")) or []
        known.update({(one["module"], one["told"]): one["why"] for one in entries})
    return known.get((row["module"], row["told"]), "")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
