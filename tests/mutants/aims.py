"""The parts of mem on which everything rests: which modules they are, and which tests are asked about them."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

PARTS = {
    "format": [
        "memory/schema.py",
        *(f"store/{name}.py" for name in ("format", "edit", "fields", "keys", "body", "fences")),
        *(f"store/{name}.py" for name in ("compose", "splice", "plain", "rewording", "lines")),
    ],
    "journal": ["journal/*.py"],
    "lock": ["store/lock.py", "store/lease.py"],
    "filter": ["index/filter.py"],
    "guard": [f"memory/{name}.py" for name in ("guard", "layers", "opposites")],
    "visibility": [f"memory/{name}.py" for name in ("visibility", "ladder", "scope")],
}
# Whole acts that go through what no test of the journal's room does: meeting other clones, signing, purging,
# and the line of commits at its earlier points.
_ACTS = (
    *(
        "meeting_clones",
        "parted_clones",
        "landing",
        "doubts_travel",
        "signed_acts",
        "purging",
        "purging_clones",
        "purging_places",
    ),
    *("points_of_record", "record_by_index", "timeline", "whole_journal"),
)
# Rooms whose tests are about these modules, and those acts.
TESTS = [
    "tests/memory",
    "tests/store",
    "tests/journal",
    "tests/index/test_filter.py",
    "tests/index/test_search.py",
    *(f"tests/engine/test_{name}.py" for name in _ACTS),
]


def modules(part):
    """The files of a part, relative to memcli, in order."""
    home = ROOT / "memcli"
    found = [path for pattern in PARTS[part] for path in sorted(home.glob(pattern))]
    return [path.relative_to(home).as_posix() for path in found]


def commit():
    """The commit that is measured."""
    ran = subprocess.run(
        ["git", "rev-parse", "--short=10", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()
