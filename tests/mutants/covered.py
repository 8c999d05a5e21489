"""Which lines and branches the tests of some parts run, and which tests run each line.

    python tests/mutants/covered.py --work WORK --out docs/figures/coverage.json
    python tests/mutants/covered.py --work WORK --more --out docs/figures/coverage.json TEST...

The tests that `aims` names run once, in this process, with branches on record. What a test
runs in processes of its own is not seen. WORK keeps what `mutants.py` asks: for each line its
tests, and how long each of them takes. `--more` adds tests to it, such as new ones, or those that
failed, once they are mended: no figure is written before. It holds only while the modules are the same.
"""

import argparse
import json
import platform
import sys
import time
from pathlib import Path

import aims
import coverage
import pytest

sys.path.insert(0, str(aims.ROOT / "tests" / "benchmarks"))
from kept import write_figures


class Watch:
    """Says to the measure which test runs, and keeps how long it took."""

    def __init__(self, measure):
        self.measure, self.seconds, self.failed = measure, {}, set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        self.measure.switch_context(item.nodeid)
        began = time.monotonic()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = round(time.monotonic() - began, 3)
            self.measure.switch_context("")

    def pytest_runtest_logreport(self, report):
        """A test that fails without any mistake notices none."""
        if report.failed:
            self.failed.add(report.nodeid)


def measured(work, tests, *, more):
    """Run the tests; the measure, or an exit where one fails, which is then not asked about anything."""
    sys.path.insert(0, str(aims.ROOT))
    measure = coverage.Coverage(
        data_file=str(work / "coverage"), branch=True, source=[str(aims.ROOT / "memcli")], config_file=False
    )
    watch = Watch(measure)
    if more:
        measure.load()
        watch.seconds = json.loads((work / "seconds.json").read_text())
    measure.start()
    code = pytest.main(["-q", "--rootdir", str(aims.ROOT), *tests], plugins=[watch])
    measure.stop()
    measure.save()
    kept = {test: seconds for test, seconds in watch.seconds.items() if test not in watch.failed}
    (work / "seconds.json").write_text(json.dumps(kept))
    if code:
        sys.exit("A test failed: no figure is written. Mend it, and run it with --more.")
    return measure


def figures(measure):
    """Counts for each part and module, with every line and branch that no test ran."""
    return {part: {name: counted(measure, name) for name in aims.modules(part)} for part in aims.PARTS}


def counted(measure, name):
    """Statements and branches of a module, those that ran, and where the others are."""
    path = str(aims.ROOT / "memcli" / name)
    found = measure._analyze(path)
    numbers = found.numbers
    return {
        "statements": numbers.n_statements,
        "ran": numbers.n_executed,
        "branches": numbers.n_branches,
        "taken": numbers.n_executed_branches,
        "lines": sorted(found.missing),
        "jumps": sorted(
            f"{begin}-{end}" for begin, ends in found.missing_branch_arcs().items() for end in ends
        ),
    }


def main():
    """Measure and write."""
    ask = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    ask.add_argument("--work", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--more", action="store_true")
    ask.add_argument("tests", nargs="*", default=aims.TESTS)
    asked = ask.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    parts = figures(measured(asked.work, asked.tests, more=asked.more))
    write_figures(asked.out, {"commit": aims.commit(), "python": platform.python_version(), **parts})


if __name__ == "__main__":
    main()
