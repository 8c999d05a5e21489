"""How long whole processes take (hyperfine) and how much memory they reach."""

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

RUNS, WARMUP = 10, 2

# A process that starts another and tells what it took: its own memory is the least that can be seen (9 MB).
_WAIT = """
import json, os, sys, time
out = os.open(os.devnull, os.O_WRONLY)
start = time.perf_counter()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
_, status, used = os.wait4(child, 0)
took = time.perf_counter() - start
print(json.dumps([os.waitstatus_to_exitcode(status), took, used.ru_utime + used.ru_stime, used.ru_maxrss]))
"""


@dataclass(frozen=True)
class Act:
    """One command to time; `before` runs untimed before each run, `stdin` is a file that it reads."""

    name: str
    argv: list
    before: list = field(default_factory=list)
    runs: int = RUNS
    stdin: Path | None = None


def timed(act, folder, environment):
    """Milliseconds of the runs of `act`: {n, p50, p95, cpu}; `cpu` is the mean of user and system."""
    asked = ["hyperfine", "-N", "--style", "none", "--output", "pipe", "--export-json", "/dev/stdout"]
    asked += ["--warmup", str(WARMUP), "--runs", str(act.runs)]
    asked += ["--prepare", shlex.join(act.before)] if act.before else []
    ran = subprocess.run(
        [*asked, shlex.join(_reading(act))],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise RuntimeError(f"{act.name}: {ran.stderr}")
    (found,) = json.loads(ran.stdout)["results"]
    return spread(found["times"]) | {"cpu": round(1000 * (found["user"] + found["system"]), 1)}


def timed_each(act, values, folder, environment):
    """As `timed`, one run for each of `values`, which replaces the word `{each}` of the command."""
    asked = ["hyperfine", "-N", "--style", "none", "--output", "pipe", "--export-json", "/dev/stdout"]
    asked += ["--warmup", "0", "--runs", "1", "-L", "each", ",".join(values), shlex.join(act.argv)]
    ran = subprocess.run(asked, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{act.name}: {ran.stderr}")
    results = json.JSONDecoder().raw_decode(ran.stdout)[0]["results"]  # printed anew after every run
    if len(results) != len(values):
        results = json.loads(ran.stdout[ran.stdout.rindex('{\n  "results"') :])["results"]
    cpu = [one["user"] + one["system"] for one in results]
    return spread([one["times"][0] for one in results]) | {"cpu": round(1000 * float(np.mean(cpu)), 1)}


def brief(row):
    """A row without its single runs."""
    return {name: value for name, value in row.items() if name != "ms"}


def _reading(act):
    """The command with its stdin; older versions of hyperfine give it none, so a shell does."""
    return (
        ["sh", "-c", f"exec {shlex.join(act.argv)} < {shlex.quote(str(act.stdin))}"]
        if act.stdin
        else act.argv
    )


def spread(seconds):
    """Milliseconds at the median and at 95 %, and every single one as `ms`."""
    every = 1000 * np.asarray(seconds)
    middle, late = np.percentile(every, [50, 95])
    found = {"n": len(seconds), "p50": round(float(middle), 1), "p95": round(float(late), 1)}
    return found | {"ms": [round(float(one), 1) for one in every]}


def once(argv, folder, environment):
    """One run: {seconds, cpu_seconds, peak_mb}; the peak is that of the largest of its processes."""
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _WAIT, *argv],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    code, took, cpu, peak = json.loads(ran.stdout)
    if code:
        raise RuntimeError(f"{shlex.join(argv)} ended with {code}: {ran.stderr}")
    return {"seconds": round(took, 2), "cpu_seconds": round(cpu, 2), "peak_mb": round(peak / 1024, 1)}
