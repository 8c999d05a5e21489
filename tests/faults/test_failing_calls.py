"""Every call that changes the disk fails, or is the last: an act is whole or was never begun.

strace stands between a real process and the kernel. It kills the process as it enters the n-th
call of a kind, or lets that call fail as a full, broken or read-only disk would, once or from
then on. Python's own calls, those of the index and of git are all met alike. The form in
the suite takes some points by chance; `--campaign N` takes N times as many.
"""

import random
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter

import pytest
from faults.test_kills import check_before_or_after, files
from trial import PERSON

POINTS = 3  # of each act and way to fail, in the short form
CHANGING = (
    "write",
    "pwrite64",
    "writev",
    "ftruncate",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "symlink",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "openat",
)
# What a disk or a process at its limit answers; of openat, which also reads, the limit alone.
FAILURES = ("ENOSPC", "EIO", "EROFS")
LIMIT = "EMFILE"
DOCUMENTED = (0, 6, 8)
# onnxruntime looks at processors and graphics cards as it is loaded, and dies where it may not open them.
NATIVE = (-signal.SIGSEGV, 128 + signal.SIGSEGV)
PATIENCE_S = 120
PROGRAM = "import sys; from memcli.__main__ import main; sys.exit(main(sys.argv[1:]))"

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")

ACTS = {
    "remember": lambda ids: ["remember", "Coffee is free on Fridays."],
    "forget": lambda ids: ["forget", ids[0], "--yes"],
    "supersede": lambda ids: ["supersede", ids[0], "--with", "The refund window is 14 days."],
    "consolidate": lambda ids: ["consolidate"],
}


@pytest.fixture
def peopled(trial):
    """A store with memories, one of them forgotten, and turns that no consolidation has seen."""
    texts = ["The refund window is 30 days.", "Stock is counted in June.", "Wages are paid on the 25th."]
    trial.ids = [trial.remember(text)["id"] for text in texts]
    trial.forget(trial.ids[2])
    trial.did("observe", "-", stdin='{"role": "user", "text": "We ship on Mondays."}\n')
    return trial


def strace(trial, argv, *options, program=PROGRAM):
    """Run a command of the store under strace with these options."""
    return subprocess.run(
        ["strace", "-f", "-qq", *options, sys.executable, "-c", program, *argv],
        cwd=trial.root,
        env={**trial.process.environment, **PERSON},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def counted(trial, argv, log, program=PROGRAM):
    """How often one process or thread makes each changing call at most, as strace counts them."""
    ran = strace(trial, argv, "-o", str(log), "-e", f"trace={','.join(CHANGING)}", program=program)
    assert ran.returncode == 0, ran.stderr
    made = Counter(re.findall(r"^(\d+) +(\w+)\(", log.read_text(), re.MULTILINE))
    return {call: max((n for (_, name), n in made.items() if name == call), default=0) for call in CHANGING}


def points(calls, begun, ways, dice, many):
    """So many calls, each with its number and a way to end it, by chance; those `begun` are Python's own."""
    every = [
        (call, at, way)
        for call, most in calls.items()
        for at in range(begun[call] + 1, most + 1)
        for way in ways(call)
    ]
    return dice.sample(every, min(many, len(every)))


def failing(call):
    """How `call` can fail: with each error, at one call or from one on.

    By `write` the threads of the index also wake each other, and strace cannot tell these calls
    from those to a file: full disks are met at each step in tests/store instead.
    """
    if call == "write":
        return []
    errors = (LIMIT,) if call == "openat" else FAILURES
    return [f"error={error}:when={{at}}{more}" for error in errors for more in ("", "+")]


def dying(_call):
    """How any call can be the last."""
    return [f"signal={signal.SIGKILL.name}:when={{at}}"]


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("ways", [dying, failing], ids=["killed", "failed"])
def test_at_whatever_call_it_ends_an_act_is_whole_or_absent(peopled, tmp_path, campaign, act, ways):
    argv = ACTS[act](peopled.ids)
    calls = counted(peopled.copy(tmp_path / "whole"), argv, tmp_path / "calls")
    assert calls["fsync"] > 1, "the act that is to be disturbed changes nothing"
    begun = counted(peopled, (), tmp_path / "begun", program="import memcli.__main__")
    dice = random.Random(f"{act} {ways.__name__}")
    for number, (call, at, way) in enumerate(points(calls, begun, ways, dice, POINTS * campaign)):
        victim = peopled.copy(tmp_path / str(number))
        head, before = victim.head(), files(victim)
        inject = f"inject={call}:{way.format(at=at)}"
        ran = strace(victim, argv, "-o", "/dev/null", "-e", f"trace={call}", "-e", inject)
        why = (inject, ran.returncode, ran.stderr)
        assert "Traceback" not in ran.stderr, why
        if ways is dying:
            assert ran.returncode in (0, -signal.SIGKILL, 128 + signal.SIGKILL), why
        else:
            assert ran.returncode in DOCUMENTED or (call == "openat" and ran.returncode in NATIVE), why
            assert ran.returncode in (0, *NATIVE) or ran.stderr.strip(), why
        if ran.returncode == 0:
            assert victim.head() != head, why
        check_before_or_after(victim, head, before)
