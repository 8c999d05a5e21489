"""Killed at any moment, an act is whole or was never begun, and the next command needs no repair.

Once systematically: a real process that ends, without any clean-up, at the n-th change it
makes to the disk. And once by chance: a process that acts as fast as it can is killed.
`--campaign N` kills at N times as many points.
"""

import os
import random
import re
import signal
import subprocess
import sys
import time

import pytest
from trial import PERSON

POINTS = 4  # of each act, in the short form
ROUNDS = 4
CLAIM = "The refund window is 30 days."
OTHER = "Deploys to production happen on Tuesdays only."
TEXTS = [CLAIM, OTHER, "Stock is counted in June.", "Wages are paid on the 25th."]

# Runs one command, and ends as by SIGKILL just before the n-th change of a file or folder.
KILLED = """
import os, sys
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.link", "os.rmdir", "os.truncate"}
WRITES = os.O_WRONLY | os.O_RDWR
left = [int(sys.argv[1])]
def look(event, args):
    writes = event == "open" and isinstance(args[2], int) and args[2] & WRITES and args[0] != os.devnull
    if event in CHANGES or writes:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), 9)
from memcli import __main__ as process
sys.addaudithook(look)
code = process.main(sys.argv[2:])
print(int(sys.argv[1]) - left[0], file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture
def peopled(trial):
    """A store with four memories, one of them forgotten, and an edit not yet saved."""
    trial.ids = [trial.remember(text)["id"] for text in TEXTS]
    trial.forget(trial.ids[3])
    return trial


def edits(trial):
    """What a person did by hand: a rewording, a forgetting, a new file, a deletion, a move."""
    first, second, third, _ = (trial.path(id_) for id_ in trial.ids)
    first.write_text(first.read_text() + "\nGift cards are excluded.\n")
    second.write_text(
        second.read_text().replace("---\n", "---\nstatus: forgotten\n", 1).replace("status: active\n", "")
    )
    third.rename(third.with_name("renamed.md"))
    trial.write("hand0000aaaa", "Invoices are numbered per country.")


ACTS = {
    "remember": lambda ids: ["remember", "Coffee is free on Fridays."],
    "forget": lambda ids: ["forget", ids[0], "--yes"],
    "unforget": lambda ids: ["unforget", ids[3], "--yes"],
    "supersede": lambda ids: ["supersede", ids[0], "--with", "The refund window is 14 days."],
    "move": lambda ids: ["move", ids[1], "project:shop"],
    "undo": lambda ids: ["undo", "--yes"],
    "save": lambda ids: ["save"],
}


def files(trial):
    """Path → bytes of all that history keeps."""
    found = [*trial.root.glob("schemas/**/*.md"), *trial.root.glob("events/**/*.jsonl")]
    return {str(path.relative_to(trial.root)): path.read_bytes() for path in found}


def killed(trial, number, argv):
    """Run a command that dies at its n-th change; its exit code, and how many it made if it lived."""
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, str(number), *argv],
        cwd=trial.root,
        env={**trial.process.environment, **PERSON},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    told = ran.stderr.strip().rpartition("\n")[2]
    return ran.returncode, int(told) if told.isdigit() else 0


def told(trial):
    """Id → status from the trailers alone."""
    out = trial.git("log", "--reverse", "--format=%B")
    found = dict(re.findall(r"^Mem-Id: (.*)\nMem-Prior-Status: .*\nMem-Status: (.*)$", out, re.MULTILINE))
    return {id_: status for id_, status in found.items() if status != "none"}


def stands(trial):
    """Id → status that counts, in every scope."""
    return trial.statuses("--scope", "*")


def check_before_or_after(trial, head, before):
    """Look as a reader, then write as the next command would: nothing is between."""
    assert trial.ran("recall", "refund window").code in (0, 1)
    if trial.head() == head:
        assert files(trial) == before
    trial.did("remember", "Tea is free on Mondays.")
    trial.did("save")  # edits made by hand, whose saving was what was killed
    assert trial.git("status", "--porcelain") == ""
    assert told(trial) == stands(trial)
    assert not list(trial.root.glob("schemas/**/.mem-write-*"))
    assert trial.ran("check").code == 0
    assert trial.ran("index", "verify").code == 0
    assert not list((trial.root / ".git").glob("**/*.lock"))
    trial.git("fsck", "--strict")


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("act", ACTS)
def test_killed_before_any_change_to_the_disk_an_act_is_whole_or_absent(peopled, tmp_path, campaign, act):
    argv = ACTS[act](peopled.ids)
    if act == "save":
        edits(peopled)
    whole = peopled.copy(tmp_path / "whole")
    code, changes = killed(whole, 10**6, argv)
    assert code == 0
    assert changes > 10
    dice = random.Random(act)
    points = dice.sample(range(1, changes + 1), min(changes, POINTS * campaign))
    for number in sorted(points):
        victim = peopled.copy(tmp_path / str(number))
        head, before = victim.head(), files(victim)
        code, _ = killed(victim, number, argv)
        assert code in (-signal.SIGKILL, 0), number
        check_before_or_after(victim, head, before)


# Acts as fast as it can and says what was acknowledged.
BUSY = """
import sys, io, json, random
from memcli import __main__ as process
dice = random.Random(sys.argv[1])
ids = sys.argv[2:]
def ran(*argv):
    kept, sys.stdout = sys.stdout, io.StringIO()
    sys.stdout.reconfigure = lambda **_: None
    try:
        code = process.main([*argv, "--json"])
        return code, json.loads(sys.stdout.getvalue() or "{}")
    finally:
        sys.stdout = kept
def say(*words):
    sys.__stdout__.write(" ".join(map(str, words)) + "\\n")
    sys.__stdout__.flush()
ran("recall", "warm up")
say("ready")
for number in range(10**6):
    act = dice.choice(["remember", "remember", "forget", "supersede"])
    if act == "remember":
        code, told = ran("remember", f"Shelf {sys.argv[1]}-{number} holds folder {number * 7 + 3}.")
        if code == 0 and told["decision"] == "created":
            ids.append(told["id"])
            say("active", told["id"])
    elif act == "forget":
        id_ = ids.pop(dice.randrange(len(ids)))
        if ran("forget", id_, "--yes")[0] == 0:
            say("forgotten", id_)
    else:
        id_ = ids.pop(dice.randrange(len(ids)))
        text = f"Case {sys.argv[1]}-{number} holds {number * 5 + 2} nails."
        code, told = ran("supersede", id_, "--with", text)
        if code == 0:
            ids.append(told["new"])
            say("superseded", id_)
            say("active", told["new"])
"""


@pytest.mark.case("P-CONC-03")
def test_killed_at_a_random_moment_no_acknowledged_act_is_lost(peopled, campaign):
    dice = random.Random(11)
    peopled.unforget(peopled.ids[3])
    acknowledged = dict.fromkeys(peopled.ids, "active")
    for number in range(ROUNDS * campaign):
        alive = [id_ for id_, status in acknowledged.items() if status == "active"]
        busy = subprocess.Popen(
            [sys.executable, "-c", BUSY, str(number), *alive],
            cwd=peopled.root,
            env={**peopled.process.environment, **PERSON},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert busy.stdout.readline() == "ready\n"
        time.sleep(dice.uniform(0.01, 0.4))
        os.kill(busy.pid, signal.SIGKILL)
        out = busy.communicate()[0]
        for line in out.splitlines():
            status, id_ = line.split()
            acknowledged[id_] = status
        peopled.did("remember", f"Round {number} of {number * 3 + 1} is over.")
        now = stands(peopled)
        # An act may have been carried out without its word getting through, never the other way round.
        lost = {
            id_: (status, now.get(id_))
            for id_, status in acknowledged.items()
            if not holds(status, now.get(id_))
        }
        assert not lost
        assert peopled.git("status", "--porcelain") == ""
        assert told(peopled) == now
        acknowledged |= {id_: now[id_] for id_ in acknowledged}
    assert peopled.ran("index", "verify").code == 0
    assert not list(peopled.root.glob("schemas/**/.mem-write-*"))
    peopled.git("fsck", "--strict")


def holds(status, now):
    """Whether what was acknowledged still holds, or was acted on once more just before the kill."""
    return now == status or (status == "active" and now in ("forgotten", "superseded"))
