"""How long a commit of one file takes, against `git add` and `git commit`, at 1,000 and 10,000 files.

    python tests/benchmarks/commits.py [--rounds 30] [--out docs/figures]

Both ways take turns in the same repository, each with a new file; medians of wall time and
of CPU time (ours and our children's), and their ratio. `git status` is asked afterwards and
must be clean. Then the journal of 10,000 commits is read back.
"""

import argparse
import os
import random
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from kept import write_figures
from program import circumstances

from memcli.journal import history
from memcli.journal.commit import commit
from memcli.journal.message import Change, Message, compose
from memcli.journal.repository import Journal

NAMED = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (("NAME", "Ana"), ("EMAIL", "ana@example.org"))
}


def cpu_s():
    """CPU seconds of this process and of the children that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def folder(n, layout):
    """Where file `n` lies: 100 files a folder, or one scope sharded by the first two characters of the id."""
    if layout == "folders":
        return f"schemas/project/p{n // 100}"
    id_ = random.Random(n).choices("0123456789abcdefghjkmnpqrstvwxyz", k=2)
    return f"schemas/project/shop/{''.join(id_)}"


class Repository:
    """A store of `count` files in `layout`, packed, with a clean staging area."""

    def __init__(self, root, count, layout, environment):
        self.root, self.layout, self.count, self.environment = root, layout, count, environment
        self.git("init", "-q", "-b", "main")
        self.git("config", "gc.auto", "0")  # neither way pays for upkeep here
        for n in range(count):
            self.write(n)
        self.git("add", ".")
        self.git("commit", "-qm", "first")
        self.git("gc", "-q")

    def git(self, *words, given=None):
        return subprocess.run(
            ["git", *words], cwd=self.root, env=self.environment, input=given, capture_output=True, check=True
        ).stdout

    def write(self, n):
        path = f"{folder(n, self.layout)}/a-claim-about-thing-{n:012}.md"
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"---\nid: {n:012}\n---\n\nThe claim number {n} says this and that.\n")
        return path

    def by_mem(self, path):
        message = Message("remember", "A claim.", changes=(Change("k3v9x2m4", "none", "active"),), tx=path)
        commit(Journal.open(self.root, self.environment), [path], message, actor_name="ana")

    def by_git(self, path):
        self.git("add", "--", path)
        self.git("commit", "-qm", "m")


def measured(repository, rounds):
    """Medians of (wall, CPU) milliseconds for mem and for git, taken in turns."""
    taken = {repository.by_mem: [], repository.by_git: []}
    for n in range(rounds):
        for way, times in taken.items():
            path = repository.write(repository.count + 2 * n + (way == repository.by_git))
            wall, cpu = time.perf_counter(), cpu_s()
            way(path)
            times.append((1000 * (time.perf_counter() - wall), 1000 * (cpu_s() - cpu)))
    return [[statistics.median(column) for column in zip(*times, strict=True)] for times in taken.values()]


def long_history(root, environment, commits=10_000):
    """Milliseconds to sum up the trailers of `commits` commits."""
    lines = []
    for n in range(commits):
        text = compose(Message("remember", f"claim {n}", changes=(Change(f"id{n}", "none", "active"),)))
        lines.append(
            f"commit refs/heads/main\ncommitter A <a@b> {1700000000 + n} +0000\ndata {len(text)}\n{text}\n"
        )
    subprocess.run(["git", "init", "-q", "-b", "main", root], check=True, env=environment)
    subprocess.run(
        ["git", "fast-import", "--quiet"],
        cwd=root,
        input="".join(lines).encode(),
        check=True,
        env=environment,
    )
    started = time.perf_counter()
    found = history.statuses(Journal.open(root, environment))
    return len(found), 1000 * (time.perf_counter() - started)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--out", type=Path, help="folder for the figures")
    given = parser.parse_args()
    rounds, rows, before = given.rounds, [], circumstances()
    with tempfile.TemporaryDirectory() as folder_:
        environment = {"PATH": os.environ["PATH"], "HOME": folder_, **NAMED}
        print("files  layout   mem wall  cpu ms   git wall  cpu ms   wall  cpu ratio")
        for count in (1_000, 10_000):
            for layout in ("folders", "sharded"):
                root = Path(folder_) / f"{count}-{layout}"
                root.mkdir()
                repository = Repository(root, count, layout, environment)
                (wall, cpu), (git_wall, git_cpu) = measured(repository, rounds)
                clean = "" if not repository.git("status", "--porcelain") else "  NOT CLEAN"
                rows.append([count, layout, wall, cpu, git_wall, git_cpu, not clean])
                print(
                    f"{count:6} {layout:8} {wall:8.1f} {cpu:7.1f} {git_wall:10.1f} {git_cpu:7.1f}"
                    f" {wall / git_wall:7.2f} {cpu / git_cpu:6.2f}{clean}",
                    flush=True,
                )
        ids, took = long_history(Path(folder_) / "long", environment)
        print(f"last word on {ids} ids from 10,000 commits: {took:.0f} ms")
    if given.out:
        named = ("files", "layout", "ms", "cpu_ms", "git_ms", "git_cpu_ms", "clean")
        rows = [dict(zip(named, row, strict=True)) for row in rows]
        found = {"format": "mem.benchmark.commits/1", **before, "rounds": rounds, "rows": rows}
        write_figures(given.out / "commits.json", found | {"read_back": {"ids": ids, "ms": took}})


if __name__ == "__main__":
    main()
