"""Write docs/benchmarks.md from the records in docs/figures.

    python tests/benchmarks/report.py

Nothing is measured here and no number is written by hand: a figure changes when its record
does. What misses its goal stands first. The words around the tables are in pages/.
"""

import json
from pathlib import Path
from string import Template

from goals import goals
from report_events import beside, ingest, observed
from report_gate import gate, guard_import
from report_quality import floor, guard, locomo
from report_receipts import receipts
from report_record import known_at
from report_rivals import beside_rivals
from report_sets import coding, crowd, guard_said, updates
from report_speed import commits, growth, huge, resident, scale, writers
from tables import table

DOCS = Path(__file__).parents[2] / "docs"
WORDS = Path(__file__).parent / "pages"
PAGES = {
    "locomo": locomo,
    "observed": observed,
    "beside": beside,
    "coding": coding,
    "updates": updates,
    "crowd": crowd,
    "rivals": beside_rivals,
    "floor": floor,
    "guard": guard,
    "guard-import": guard_import,
    "guard-said": guard_said,
    "gate": gate,
    "scale-1000": scale,
    "scale-10000": scale,
    "resident-1000": resident,
    "resident-10000": resident,
    "resident-100000": resident,
    "huge-100000": huge,
    "huge-1000000": huge,
    "growth": growth,
    "ingest": ingest,
    "known-at-1000": known_at,
    "known-at-10000": known_at,
    "receipts": receipts,
    "commits": commits,
    "writers": writers,
}


def records(folder):
    """Every record that is there, by its name."""
    files = {name: folder / f"{name}.json" for name in PAGES}
    return {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}


def page(found):
    """The whole text."""
    parts = [_filled("head", _goals(found))]
    parts += [_filled(fill.__name__, fill(found[name])) for name, fill in PAGES.items() if name in found]
    return "\n".join(parts)


def _filled(name, values):
    return Template((WORDS / f"{name}.md").read_text()).substitute(values)


def _goals(found):
    rows = sorted(goals(found), key=lambda row: row[3])
    missed = sum(not row[3] for row in rows)
    told = f"Missed: {missed} of {len(rows)}." if missed else f"All {len(rows)} are reached."
    cells = ([*row[:3], "yes" if row[3] else "**no**"] for row in rows)
    return {"summary": told, "goals": table(("", "goal", "measured", "reached"), cells)}


if __name__ == "__main__":
    (DOCS / "benchmarks.md").write_text(page(records(DOCS / "figures")))
