"""Hours of ordinary use with one resident: does it grow, slow down, or lose anything?

    python tests/faults/soak.py --work WORK --mem .venv/bin/mem --hours 2 --out docs/campaigns

Takes at most a quarter of one core: it waits so long after each act. Every minute it looks at
the resident (memory, descriptors, threads, processor time) and at the store (sizes, files of
the index), takes down how long commands took, and compares the whole store with the model of
what was acknowledged. It ends with `mem doctor --deep`, `mem audit` and `mem index verify`.
WORK is a folder that does not exist yet; `soak.json` is written there every minute, and to
the folder of `--out` only if nothing was wrong. tests/faults/test_soak.py is a short form.
"""

import argparse
import json
import os
import random
import resource
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests")]

import tallies  # noqa: E402 -- beside the tests, whose folder is no package
from faults.gauges import (  # noqa: E402
    COLUMNS,
    descriptors,
    grown,
    milliseconds,
    proc,
    processor_s,
    size,
)
from faults.longlife import ACTS, Life  # noqa: E402

MINUTE = 60
DUTY = 0.25  # of one core
WARM = ("recall", "remember")


class Soak:
    """A life with a resident, what was measured of it, and what went wrong."""

    def __init__(self, life):
        self.life, self.series, self.troubles = life, [], []
        self.begun = time.monotonic()
        self.resident = self._started()

    def _started(self):
        return self.life.told("watch", "--detach")["process"]

    def act(self):
        """One act, whatever comes of it."""
        act = self.life.dice.choice(ACTS)
        self.tried(act.__name__, lambda: act(self.life))

    def tried(self, name, act):
        """Do something; what must hold and did not is kept, and the life goes on."""
        try:
            act()
        except Exception as wrong:  # noqa: BLE001 - hours of it shall not end at a mistake of ours either
            self.troubles.append([round(self.elapsed), name, f"{type(wrong).__name__}: {wrong}"[:4000]])
        self.life.tally["things that went wrong"] += 0

    @property
    def elapsed(self):
        return time.monotonic() - self.begun

    def used(self):
        """Seconds of processor time of everything that was started."""
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime + processor_s(self.resident)

    def rested(self):
        """Wait until no more than the share of a core was used."""
        while self.used() > DUTY * self.elapsed:
            time.sleep(0.5)

    def measured(self):
        """Append one row of the series, and look after the resident."""
        if not Path(f"/proc/{self.resident}").exists():
            self.troubles.append([round(self.elapsed), "resident", "it ended"])
            self.resident = self._started()
        took, self.life.took = self.life.took, type(self.life.took)(list)
        told = proc(self.resident)
        mem, git = size(self.life.root / ".mem"), size(self.life.root / ".git")
        other = [one for kind, times in took.items() if kind not in WARM for one in times]
        row = [
            *(
                round(self.elapsed / MINUTE, 1),
                round(told["VmRSS"] / 1024, 1),
                round(told["RssAnon"] / 1024, 1),
            ),
            *(descriptors(self.resident), told["Threads"], round(processor_s(self.resident), 1)),
            *(round(mem[0] / 1e6, 2), mem[1], round(git[0] / 1e6, 2)),
            len(list(self.life.root.glob("schemas/**/*.md"))),
            int(self.life.plain("git", "rev-list", "--count", "HEAD")),
            *(milliseconds(took["recall"], statistics.median), milliseconds(took["recall"], max)),
            *(milliseconds(took["remember"], statistics.median), milliseconds(other, statistics.median)),
            round(os.getloadavg()[0], 1),
        ]
        self.series.append(row)

    def every_minute(self):
        """What is looked at once a minute."""
        self.tried("holds", self.life.holds)
        self.tried("point", self.life.point)
        self.measured()

    def ended(self):
        """Bring all in line, and look at everything as deep as the program can; the doctor's findings."""
        self.tried("meet", self.life.meet)
        self.tried("consolidate", self.life.consolidate)
        self.tried("save", lambda: self.life.told("save", "--yes"))
        self.every_minute()
        self.tried("audit", lambda: self.life.told("audit"))
        self.tried("verify", lambda: self.life.told("index", "verify"))
        told = self.life.told("doctor", "--deep", codes=(0, 6))
        wrong = [one for one in told["findings"] if one["level"] != "ok"]
        self.troubles += [[round(self.elapsed), "doctor", f"{one['name']}: {one['what']}"] for one in wrong]
        self.life.tally["findings of the doctor"] += len(wrong)
        self.life.told("watch", "--stop", codes=(0, 1))
        self.life.tally["things that went wrong"] = len(self.troubles)

    def record(self, given):
        """The record as docs/campaigns keeps it, with the series and all that went wrong beside it."""
        part = tallies.told(self.life.tally, campaign=given.hours, seed=given.seed, seconds=self.elapsed)
        if given.commit:
            part["commit"] = given.commit
        return {
            "format": tallies.FORMAT,
            "parts": {"whole": part | {"counts": part["counts"] | grown(self.series)}},
            "columns": dict(COLUMNS),
            "series": self.series,
            "troubles": self.troubles,
        }


def environment(home, kept=("PATH", "LD_LIBRARY_PATH")):
    """What every process sees: nobody's home and configuration."""
    home.mkdir(parents=True, exist_ok=True)
    shown = {f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("DATA", "CACHE", "CONFIG")}
    git = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": str(home / "gitconfig")}
    mine = {name: os.environ[name] for name in kept if name in os.environ}
    return mine | shown | git | {"HOME": str(home), "LANG": "C.UTF-8", "TZ": "UTC"}


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--work", type=Path, required=True)
    words.add_argument("--mem", type=Path, required=True, help="the executable that is used")
    words.add_argument("--hours", type=float, default=2.0)
    words.add_argument("--seed", default="0")
    words.add_argument("--commit", help="the commit that the executable was built from")
    words.add_argument("--out", type=Path, help="folder for the record")
    given = words.parse_args()
    work = given.work.absolute()
    life = Life(
        [str(given.mem.absolute())], work, environment(work / "home"), random.Random(given.seed), Counter()
    )
    soak = Soak(life)
    looked = 0.0
    while soak.elapsed < given.hours * 3600:
        soak.act()
        if soak.elapsed - looked > MINUTE:
            looked = soak.elapsed
            soak.every_minute()
            (work / "soak.json").write_text(spelled(soak.record(given)))
        soak.rested()
    soak.ended()
    record = spelled(soak.record(given))
    (work / "soak.json").write_text(record)
    print(json.dumps(dict(life.tally), indent=1), *soak.troubles, sep="\n")
    if given.out and not soak.troubles:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "soak.json").write_text(record)
    return bool(soak.troubles)


def spelled(record):
    """A record as text, a line for each minute."""
    rows = ",\n  ".join(json.dumps(row) for row in record["series"])
    return json.dumps(record | {"series": "ROWS"}, indent=1).replace('"ROWS"', f"[\n  {rows}\n ]") + "\n"


if __name__ == "__main__":
    sys.exit(main())
