"""How long things take with many memories, beside what people would otherwise use.

    python tests/benchmarks/scale.py --schemas 10000 --work WORK --mem .venv/bin/mem --out docs/figures

The schemas are synthetic (sentences.py): half of them in the scope that is asked, the others
in nine more, written as files and committed with git. Every time is that of a whole process,
by hyperfine; nothing stays resident. Ratios are between medians of this one run. WORK is a
folder that does not exist yet.
"""

import os
import shutil
import sys
from pathlib import Path

import stock
from clock import RUNS, Act, brief, once, timed
from kept import write_figures
from program import Program, circumstances, measuring
from sentences import QUERIES, WORD, first

HERE = Path(__file__).parent
FEW = 5  # runs of what takes seconds
PARSE = """
import sys
from pathlib import Path
import frontmatter
for path in Path(sys.argv[1]).rglob("*.md"):
    frontmatter.loads(path.read_text())
"""
AGAINST = {
    "recall": ("import lancedb", "search by plain words"),
    "edit, then recall": ("import lancedb",),
    "rebuild, vectors kept": ("parsing the YAML alone",),
    "mem save of one edit": ("git add -A and git commit",),
    "mem list": ("a bare interpreter",),
    "mem show": ("a bare interpreter",),
    "mem --version": ("a bare interpreter",),
}


class Measured:
    """One store of `n` schemas, and the figures that were taken of it."""

    def __init__(self, work, mem, n):
        self.work, self.n = work, n
        self.program = Program.at(work, mem)
        self.python = str(Path(mem).absolute().with_name("python")) if mem else sys.executable
        self.mem = list(self.program.command)
        self.times, self.once = {}, {}

    @property
    def store(self):
        """The folder of the store."""
        return self.program.folder

    def filled(self):
        """Write and commit the schemas."""
        stock.fill(self.store, self.n)
        self.program.git("add", "-A")
        self.program.git("-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "many")

    def time(self, name, argv, **how):
        """Time one command."""
        where = how.pop("where", self.store)
        self.times[name] = timed(Act(name, argv, **how), where, self.program.environment)
        print(f"{name:28} {brief(self.times[name])}", flush=True)

    def peak(self, name, argv):
        """Run one command once for its memory."""
        self.once[name] = once(argv, self.store, self.program.environment)
        print(f"{name:28} {self.once[name]}", flush=True)

    def prepared(self, act, where, counter="counter"):
        """The command that prepares a run."""
        return [self.python, str(HERE / "prepare.py"), act, str(where), str(self.work / counter)]


def rebuilds(measured):
    """From scratch with every vector to be computed, then with all of them kept."""
    rebuild = [*measured.mem, "index", "rebuild"]
    shutil.rmtree(measured.store / ".mem", ignore_errors=True)
    measured.peak("rebuild, nothing kept", rebuild)
    measured.peak("rebuild, vectors kept", rebuild)
    measured.time("rebuild, vectors kept", rebuild, runs=FEW if measured.n > FEW * 1000 else RUNS)
    parse = [measured.python, "-c", PARSE, str(measured.store / "schemas")]
    measured.time("parsing the YAML alone", parse, runs=FEW)


def readings(measured):
    """Recall of different questions, with nothing changed and after an edit; list, show."""
    asked = [[*measured.mem, "recall", "--scope", stock.LARGE, query] for query in QUERIES]
    for number, argv in enumerate(asked):
        measured.time(f"recall {number + 1}", argv)
    measured.peak("recall", asked[0])
    edit = measured.prepared("edit", measured.store)
    measured.time("edit, then recall", asked[0], before=edit)
    id_ = stock.files(measured.store)[0].stem[-12:]
    for name, words in (
        ("mem list", ["list", "--scope", stock.LARGE]),
        ("mem show", ["show", id_]),
        ("mem --version", ["--version"]),
    ):
        measured.time(name, [*measured.mem, *words])
        measured.peak(name, [*measured.mem, *words])


def is_seen(measured):
    """Whether an edited claim is the first answer to its own words at once."""
    path, claim = stock.files(measured.store)[0], first(1, seed=11)[0]
    stock.edit(path, claim)
    found = measured.program.recall(claim, "--scope", "*")["items"]
    return found[0]["id"] == path.stem[-12:]


def writings(measured):
    """Remember one claim; commit one edit."""
    claim = measured.work / "claim.txt"
    remember = [*measured.mem, "remember", "--scope", stock.LARGE]
    claim.touch()
    measured.time("remember", [*remember, "-"], before=measured.prepared("claim", claim), stdin=claim)
    measured.peak("remember", [*remember, *first(1, seed=8)])
    edit = measured.prepared("edit", measured.store)
    measured.time("mem save of one edit", [*measured.mem, "save"], before=edit)


def others(measured):
    """What the figures are compared with."""
    plain = measured.work / "plain"
    measured.program.git("clone", "-q", str(measured.store), str(plain))
    for key, value in (("user.name", "a"), ("user.email", "a@b.c")):
        measured.program.git("-C", str(plain), "config", key, value)
    edit = measured.prepared("edit", plain, "counter-plain")
    both = ["sh", "-c", "git add -A schemas && git commit -qm edit"]
    measured.time("git add -A and git commit", both, before=edit, where=plain)
    measured.time("search by plain words", ["rg", "-il", WORD, "schemas"])
    measured.time("import lancedb", [measured.python, "-c", "import lancedb"])
    measured.time("a bare interpreter", [measured.python, "-I", "-S", "-c", "pass"])


def sizes(measured):
    """Bytes and files of what is kept for search."""
    found = {}
    for name in ("index", "vectors"):
        files = [path for path in (measured.store / ".mem" / name).rglob("*") if path.is_file()]
        found[name] = {"files": len(files), "mb": round(sum(path.stat().st_size for path in files) / 1e6, 1)}
    return found


def ratios(times, of):
    """One over the other, for what is compared; `of` is p50 or cpu."""
    return {
        name: {other: round(times[name][of] / times[other][of], 3) for other in against}
        for name, against in AGAINST.items()
    }


def pooled(times):
    """The recalls of all questions as one row: the median of their medians, the worst of their p95."""
    rows = [row for name, row in times.items() if name.startswith("recall ")]
    middles = sorted(row["p50"] for row in rows)
    middle = (middles[(len(rows) - 1) // 2] + middles[len(rows) // 2]) / 2
    return {
        "n": sum(row["n"] for row in rows),
        "p50": round(middle, 1),
        "p95": max(row["p95"] for row in rows),
        "cpu": round(sum(row["cpu"] for row in rows) / len(rows), 1),
    }


def main():
    """Fill, measure, print, write."""
    words = measuring(__doc__)
    words.add_argument("--schemas", type=int, required=True)
    given = words.parse_args()
    measured = Measured(given.work, given.mem, given.schemas)
    before = circumstances(measured.program)
    measured.filled()
    for part in (rebuilds, readings, others, writings):
        part(measured)
    seen = is_seen(measured)
    measured.times["recall"] = pooled(measured.times)
    found = before | {
        "load_after": round(os.getloadavg()[0], 1),
        "schemas": given.schemas,
        "synthetic": True,
        "milliseconds": measured.times,
        "once": measured.once,
        "size": sizes(measured),
        "edit_is_first": seen,
        "ratios": ratios(measured.times, "p50"),
        "cpu_ratios": ratios(measured.times, "cpu"),
    }
    print(*(found[name] for name in ("size", "ratios", "cpu_ratios")), sep="\n")
    if given.out:
        write_figures(given.out / f"scale-{given.schemas}.json", {"format": "mem.benchmark.scale/1", **found})


if __name__ == "__main__":
    main()
