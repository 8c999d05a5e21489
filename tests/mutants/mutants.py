"""Make one small mistake at a time, and see whether a test fails.

    python tests/mutants/covered.py --work WORK --out docs/figures/coverage.json
    python tests/mutants/mutants.py --work WORK --sample 200 --out docs/figures
    python tests/mutants/mutants.py --work WORK --again --out docs/figures
    python tests/mutants/page.py

Each mistake is made in a copy of the tree below WORK, and the tests that run its line are run,
the quickest first, until one fails. A process that has loaded what is slow to load is forked for
each, before anything of mem is imported. Of a part with more mistakes than `--sample`, that many
are drawn (`--seed`); `--again` looks once more at those that no test noticed and that
tests/mutants/explained.yaml does not explain. It may be stopped
and begun again: what is in WORK/mutants.jsonl is not asked twice.
"""

import argparse
import json
import os
import platform
import random
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import aims
import coverage
import pytest
from mutations import mutated, mutations, within_functions
from page import why

sys.path.insert(0, str(aims.ROOT / "tests" / "benchmarks"))
from kept import Kept, write_figures, write_lines

TESTS_EACH = 120  # the quickest of those that run the line: schema.py is run by nearly all
PATIENCE_S = 60  # a mistake may make an endless loop; on a busy machine a test takes long too
PATIENCE_TIMES = 15
COPIED = ("memcli", "tests", "fixtures", "schemas", "pyproject.toml")


class Reach:
    """Which tests run a line, and how long each takes, as `covered.py` left it in WORK."""

    def __init__(self, work):
        self.known = coverage.CoverageData(str(work / "coverage"))
        self.known.read()
        self.seconds = json.loads((work / "seconds.json").read_text())

    def tests(self, module, first, last):
        """The tests of these lines, the quickest first; of lines that run at import those of the module.

        Those run once, in whichever test imports the module first. A test named for the module is
        asked in any case: it may run it in processes of its own.
        """
        by_line = self.known.contexts_by_lineno(str(aims.ROOT / "memcli" / module))
        found = {test for line in range(first, last + 1) for test in by_line.get(line, ())}
        if not within_functions(_source(module)).issuperset(range(first, last + 1)):
            found = {test for tests in by_line.values() for test in tests}
        own = f"/test_{Path(module).stem}.py::"
        named = {test for test in self.seconds if own in test}
        quick = sorted(found & set(self.seconds) - named, key=self._order)[: TESTS_EACH - len(named)]
        return sorted([*quick, *named], key=self._order)

    def _order(self, test):
        return self.seconds[test], test

    def patience(self, tests):
        """Seconds after which a run of these tests is taken for endless."""
        return PATIENCE_S + PATIENCE_TIMES * sum(self.seconds[test] for test in tests)


class Bench:
    """A copy of the tree in which mistakes are made."""

    def __init__(self, work):
        self.tree, self.scratch, self.failed = work / "tree", work / "scratch", work / "failed"
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir(parents=True)
        for name in COPIED:
            copy = shutil.copytree if (aims.ROOT / name).is_dir() else shutil.copy
            copy(aims.ROOT / name, self.tree / name)

    def outcome(self, module, source, tests, patience_s):
        """(`killed`, `survived` or `endless`, the test that failed) when `module` reads `source`."""
        path = self.tree / "memcli" / module
        original = path.read_bytes()
        for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            stale.unlink()
        path.write_text(source, "utf-8")
        try:
            return self.ran(tests, patience_s)
        finally:
            path.write_bytes(original)

    def ran(self, tests, patience_s):
        """What comes of the tests in the tree as it stands."""
        self.failed.write_text("")
        child = os.fork()
        if not child:
            os._exit(_child(self, tests))
        deadline = time.monotonic() + patience_s
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return ("survived", "") if status == 0 else ("killed", self.failed.read_text())
            time.sleep(0.02)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "endless", ""

    def pytest_runtest_logreport(self, report):
        """Keep the name of the test that failed."""
        if report.failed:
            self.failed.write_text(report.nodeid)


def _child(bench, tests):
    """Run the tests in this process, quietly; pytest's exit code."""
    tree = bench.tree
    os.setsid()
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(quiet, stream)
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    sys.dont_write_bytecode = True  # two mistakes of one size in one second would share their bytecode
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(tree)}
    words = ["-x", "-q", "-p", "no:cacheprovider", "--rootdir", str(tree), "--basetemp", str(bench.scratch)]
    words += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of what was loaded before the fork
    try:
        return int(pytest.main([*words, *tests], plugins=[bench]))
    except BaseException:  # noqa: BLE001  (whatever it is, this mistake was noticed)
        return 1


def preload():
    """What costs time to import and starts no thread that a fork would lose."""
    import hypothesis  # noqa: F401
    import numpy as np  # noqa: F401
    import pyarrow as pa  # noqa: F401
    import yaml  # noqa: F401


def drawn(part, sample, seed):
    """(module, mutation) of a part: all, or `sample` of them."""
    every = [(name, one) for name in aims.modules(part) for one in mutations(_source(name))]
    if not sample or len(every) <= sample:
        return every
    chosen = random.Random(f"{seed} {part}").sample(range(len(every)), sample)
    return [every[number] for number in sorted(chosen)]


def _source(module):
    return (aims.ROOT / "memcli" / module).read_text("utf-8")


def tried(bench, reach, part, module, one):
    """The record of one mistake."""
    tests = reach.tests(module, one.first, one.last)
    began = time.monotonic()
    outcome, failed = "not reached", ""
    if tests:
        outcome, failed = bench.outcome(module, mutated(_source(module), one), tests, reach.patience(tests))
    return {
        "part": part,
        "commit": aims.commit(),
        "module": module,
        "line": one.first,
        "at": [one.at, one.variant],
        "kind": one.kind,
        "told": one.told,
        "tests": len(tests),
        "outcome": outcome,
        "by": failed,
        "seconds": round(time.monotonic() - began, 1),
    }


def campaign(asked, bench, reach):
    """Try every mistake that is drawn and not on record yet."""
    kept = Kept(asked.work / "mutants.jsonl")
    known = {(row["module"], *row["at"]) for row in kept.rows}
    for part in asked.part or aims.PARTS:
        for module, one in drawn(part, asked.sample, asked.seed):
            if (module, one.at, one.variant) not in known:
                kept.add(tried(bench, reach, part, module, one))
    return kept.rows


def again(asked, bench, reach):
    """Try those once more that no test noticed and nobody explained; where code moved, by their words."""
    file = asked.work / "mutants.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for number, row in enumerate(rows):
        chosen = row["part"] in (asked.part or aims.PARTS) and not why(row)
        if chosen and row["outcome"] in ("survived", "not reached"):
            same = [one for one in mutations(_source(row["module"])) if one.told == row["told"]]
            if same:
                nearest = min(same, key=lambda one: _apart(row, one))
                first = {"first": row.get("first", row["outcome"])}
                rows[number] = tried(bench, reach, row["part"], row["module"], nearest) | first
                write_lines(file, rows)
    return rows


def _apart(row, one):
    """How far a mistake stands from the one on record; that very one is nearest."""
    return [one.at, one.variant] != row["at"], abs(one.first - row["line"])


def must_pass(bench, reach, tests):
    """Leave where one of these tests fails without any mistake: then a failure proves nothing."""
    outcome, failed = bench.ran(tests, reach.patience(tests))
    if outcome != "survived":
        sys.exit(f"{failed or 'The run of a test'} fails without any mistake.")


def main():
    """Try, and write the records and their counts."""
    ask = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    ask.add_argument("--work", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--part", action="append", choices=aims.PARTS)
    ask.add_argument("--sample", type=int, default=200)
    ask.add_argument("--seed", default="0")
    ask.add_argument("--again", action="store_true")
    asked = ask.parse_args()
    preload()
    bench, reach = Bench(asked.work), Reach(asked.work)
    must_pass(bench, reach, sorted(reach.seconds, key=reach.seconds.get)[:5])
    rows = (again if asked.again else campaign)(asked, bench, reach)
    must_pass(bench, reach, sorted({row["by"] for row in rows} - {""}))
    write_lines(asked.out / "mutation-records.jsonl", rows)
    about = {"python": platform.python_version(), "seed": asked.seed}
    about["made"] = {part: len(drawn(part, 0, asked.seed)) for part in aims.PARTS}
    write_figures(asked.out / "mutation.json", about)


if __name__ == "__main__":
    main()
