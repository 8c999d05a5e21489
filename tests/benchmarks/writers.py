"""Many processes that remember at once: is every memory that was acknowledged in HEAD exactly once?

    python tests/benchmarks/writers.py --work WORK --mem .venv/bin/mem --out docs/figures

Sixteen writers, each a chain of 25 processes `mem remember`, on one store. An answer with
exit code 0 is an acknowledgement. Counted against git and the index: acknowledged claims
that HEAD holds once, not at all, or more than once; refused ones that it holds all the
same; evidence and commits; whether `git status` is clean and `mem index verify` finds
nothing. The claims are synthetic. WORK is a folder that does not exist yet.
"""

import argparse
import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from clock import spread
from kept import write_figures
from program import Program, circumstances
from sentences import first

WRITERS, EACH = 16, 25
SCOPE = "project:crowd"


@dataclass(frozen=True)
class Answer:
    """What one process said about a claim: exit code, decision, the memory's id; and the seconds it took."""

    claim: str
    code: int
    decision: str
    id: str
    seconds: float


def crowd(program, writers, each):
    """All answers of `writers` that remember at the same time, one claim after the other."""
    claims = first(writers * each, seed=3)
    shares = [claims[at::writers] for at in range(writers)]
    with ThreadPoolExecutor(writers) as pool:
        answers = pool.map(lambda share: [_remember(program, claim) for claim in share], shares)
        return [one for chain in answers for one in chain]


def _remember(program, claim):
    start = time.perf_counter()
    ran = program.ran("remember", "--scope", SCOPE, "--json", "--", claim)
    took = time.perf_counter() - start
    told = json.loads(ran.stdout) if ran.stdout else {}
    return Answer(claim, ran.returncode, told.get("decision") or "", told.get("id") or "", took)


def counted(program, answers):
    """The answers held against what git and the index hold."""
    done = [one for one in answers if one.code == 0]
    created = [one for one in done if one.decision == "created"]
    files = committed(program)
    holding = Counter(text.split("---\n", 2)[2].strip() for text in files)
    times = Counter(holding[one.claim] for one in created)
    refused = [one.claim for one in answers if one.code]
    named = Counter(program.git("log", "--format=%(trailers:key=Mem-Id,valueonly)").split())
    return {
        "processes": len(answers),
        "acknowledged": len(done),
        "decisions": dict(Counter(one.decision for one in done)),
        "refused_by_exit_code": dict(Counter(str(one.code) for one in answers if one.code)),
        "in_head_once": times[1],
        "in_head_never": times[0],
        "in_head_more_than_once": sum(n for found, n in times.items() if found > 1),
        "refused_and_in_head": sum(holding[claim] > 0 for claim in refused),
        "files_in_head": len(files),
        "evidence_in_head": sum(text.count("event:") for text in files),
        "made_by_one_commit": sum(named[one.id] == 1 for one in created),
        "commits": int(program.git("rev-list", "--count", "HEAD")) - 1,
        "git_status": program.git("status", "--porcelain").splitlines(),
        "index_verify": program.ran("index", "verify").returncode,
        "index": json.loads(program.ran("index", "status", "--json").stdout),
    }


def committed(program):
    """The texts of all schema files in HEAD."""
    paths = program.git("ls-tree", "-r", "--name-only", "HEAD", "schemas").splitlines()
    return [program.git("show", f"HEAD:{path}") for path in paths if path.endswith(".md")]


def sound(found):
    """Whether nothing was lost, doubled or left behind."""
    created = found["decisions"].get("created", 0)
    return (
        found["in_head_once"] == found["made_by_one_commit"] == found["files_in_head"] == created
        and found["evidence_in_head"] == found["commits"] == found["acknowledged"]
        and not found["refused_and_in_head"]
        and not found["git_status"]
        and not found["index_verify"]
        and found["index"]["rows"] == created
    )


def main():
    """Let them write, count, print, write down."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--work", type=Path, required=True)
    words.add_argument("--mem", type=Path, help="the executable to measure")
    words.add_argument("--out", type=Path, help="folder for the figures")
    words.add_argument("--writers", type=int, default=WRITERS)
    words.add_argument("--each", type=int, default=EACH)
    given = words.parse_args()
    program = Program.at(given.work, given.mem)
    found = circumstances(program) | {"writers": given.writers, "each": given.each}
    start = time.perf_counter()
    answers = crowd(program, given.writers, given.each)
    found["seconds"] = round(time.perf_counter() - start, 1)
    found["milliseconds"] = spread([one.seconds for one in answers])
    found |= counted(program, answers)
    found["sound"] = sound(found)
    print(found)
    if given.out:
        write_figures(given.out / "writers.json", {"format": "mem.benchmark.writers/1", **found})


if __name__ == "__main__":
    main()
