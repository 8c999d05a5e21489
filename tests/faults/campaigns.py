"""Run one campaign at its full size and keep what it counted in docs/campaigns/.

    python tests/faults/campaigns.py            # lists them
    python tests/faults/campaigns.py kills      # runs one; further words go to pytest

The suite runs a short form of each.
"""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "docs" / "campaigns"


@dataclass(frozen=True)
class Campaign:
    """A test file or a test of it, how many times as long it runs as in the suite, and what that is."""

    where: str
    times: int
    what: str


CAMPAIGNS = {
    "kills": Campaign("tests/faults/test_random_kills.py", 10, "2,000 processes killed at random moments"),
    "calls": Campaign(
        "tests/faults/test_killed_calls.py", 1000, "every act killed at every call that changes the disk"
    ),
    "failures": Campaign(
        "tests/faults/test_failing_calls.py", 20, "1,000 calls that fail, once or for good, in every act"
    ),
    "crowd": Campaign(
        "tests/faults/test_crowd.py", 20, "32 writers that act 100 times, beside readers, editor and resident"
    ),
    "clones": Campaign(
        "tests/faults/test_two_clones.py", 250, "500 histories of two clones, compared with a model"
    ),
    "pairs": Campaign(
        "tests/faults/test_pairs_of_acts.py", 1000, "every two acts of two clones on one memory"
    ),
    "disks": Campaign("tests/faults/test_full_disks.py", 10, "disks that are really full (as root)"),
    "faults": Campaign(
        "tests/engine/test_doctor.py", 1, "faults planted in stores, each found by the doctor"
    ),
    "healthy": Campaign(
        "tests/faults/test_healthy_stores.py", 40, "200 stores in which the doctor finds nothing"
    ),
    "files": Campaign("tests/faults/test_fuzzed_schemas.py", 250, "200,000 files that nobody means"),
    "words": Campaign(
        "tests/faults/test_hostile_words.py", 200, "50,000 hostile queries, ids and command lines"
    ),
    "lines": Campaign(
        "tests/faults/test_fuzzed_lines.py",
        20,
        "damaged events, tombstones, imports, receipts, settings, frames",
    ),
}


def main(argv):
    """Run what is named, or list what there is; the exit code of pytest."""
    chosen = CAMPAIGNS.get(argv[0]) if argv else None
    if chosen is None:
        for name, one in CAMPAIGNS.items():
            print(f"{name:12} --campaign {one.times:<5} {one.where}\n{'':12} {one.what}")
        return 0 if not argv else 2
    command = [sys.executable, "-m", "pytest", "-q", chosen.where, "--campaign", str(chosen.times)]
    return subprocess.run([*command, "--record", str(RECORDS), *argv[1:]], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
