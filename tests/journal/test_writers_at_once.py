"""Many writers, foreign locks, killed processes: what was acknowledged is in history, and once."""

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from itertools import count, islice
from pathlib import Path

import pytest
from journal_store import Store

from memcli.errors import TryAgain
from memcli.journal import history, swap, tree

SOURCE = str(Path(__file__).parents[2])
WRITER = """
import fcntl, os, signal, sys
from pathlib import Path
from memcli.journal.commit import commit
from memcli.journal.message import Message
from memcli.journal.repository import Journal
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run where it is ignored
root, who, count, lock = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
for n in range(count):
    path = f"schemas/project/t{n % 3}/{who}-{n}.md"
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(f"{who} {n}\\n")
    with open(lock or os.devnull) as held:
        if lock:
            fcntl.flock(held, fcntl.LOCK_EX)
        said = Message("remember", tx=f"{who}-{n}")
        made = commit(Journal.open(root, os.environ), [path], said, actor_name=who)
    print(made, path, flush=True)
"""


def writer(store, who, count, lock=""):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store.root), who, str(count), lock],
        env={**store.environment, "PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def acknowledged(processes):
    lines = []
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert not err
        lines += [line.split(" ") for line in out.splitlines()]
    return lines


@pytest.mark.parametrize("locked", [True, False], ids=["one lock", "no lock"])
def test_sixteen_processes_lose_and_double_nothing(begun, locked):
    lock = str(begun.root / ".git" / "mem-test-lock") if locked else ""
    if locked:
        Path(lock).touch()
    made = acknowledged([writer(begun, f"p{n}", 4, lock) for n in range(16)])
    assert len(made) == 64
    reachable = begun.git("rev-list", "HEAD").split()
    assert sorted(commit for commit, _ in made) == sorted(reachable[:-1])
    entries = {one.commit: one.paths for one in history.entries(begun.journal)}
    assert {commit: entries[commit] for commit, _ in made} == {commit: (path,) for commit, path in made}
    assert len({one.tx for one in history.entries(begun.journal) if one.tx}) == 64
    assert begun.status == ""
    assert begun.sound
    assert not list((begun.root / ".git").rglob("*.lock"))


def test_sixteen_threads_of_one_process_lose_nothing(begun):
    made, failed = [], []

    def work(who):
        try:
            made.append(begun.remember(f"schemas/project/t/{who}.md", f"{who}\n"))
        except Exception as error:  # noqa: BLE001 - a thread's error is the test's
            failed.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert sorted(made) == sorted(begun.git("rev-list", "HEAD").split()[:-1])
    assert begun.status == ""
    assert begun.sound


def test_a_person_who_commits_at_the_same_time_loses_nothing_either(begun):
    process = writer(begun, "mem", 25)
    theirs = []
    for n in range(12):
        begun.write(f"user-{n}.txt")
        begun.git("add", f"user-{n}.txt", check=False)
        begun.git("commit", "-qm", f"user {n}", check=False)
        theirs.append(f"user-{n}.txt")
    made = acknowledged([process])
    begun.git("add", "user-*.txt", check=False)
    begun.git("commit", "-qm", "the rest", check=False)
    assert {commit for commit, _ in made} <= set(begun.git("rev-list", "HEAD").split())
    tracked = set(begun.git("ls-tree", "-r", "--name-only", "HEAD").split())
    assert {path for _, path in made} <= tracked
    assert begun.status == ""
    assert begun.sound


@pytest.mark.case("P-GIT-11")
def test_two_worktrees_commit_at_once(begun, tmp_path, environment):
    begun.git("worktree", "add", "-q", str(tmp_path / "w2"))
    second = Store(tmp_path / "w2", environment)
    processes = [writer(begun, "one", 8), writer(second, "two", 8)]
    made = acknowledged(processes)
    assert len(made) == 16
    assert len(begun.git("rev-list", "main").split()) == len(begun.git("rev-list", "w2").split()) == 9
    assert (begun.status, second.status) == ("", "")


@pytest.mark.case("P-GIT-02")
def test_a_foreign_lock_on_the_staging_area_is_waited_for(begun):
    lock = begun.root / ".git/index.lock"
    lock.touch()
    timer = threading.Timer(0.4, lock.unlink)
    timer.start()
    started = time.monotonic()
    begun.remember()
    timer.join()
    assert time.monotonic() - started > 0.3
    assert begun.status == ""


@pytest.mark.case("P-GIT-02")
@pytest.mark.parametrize("lock", ["index.lock", "refs/heads/main.lock"])
def test_a_lock_that_stays_is_neither_removed_nor_blamed_on_the_user(begun, lock):
    (begun.root / ".git" / lock).write_text("theirs")
    begun.options["wait_s"] = 0.4
    before = begun.head
    with pytest.raises(TryAgain) as refusal:
        begun.remember()
    assert (begun.root / ".git" / lock).read_text() == "theirs"
    assert begun.head == before
    assert "lock" not in refusal.value.message + refusal.value.hint
    (begun.root / ".git" / lock).unlink()
    assert begun.status == "?? schemas/\n"
    begun.commit("schemas/project/t/a.md")
    assert begun.status == ""


@pytest.mark.parametrize("round_", range(30))
def test_killed_in_mid_commit_history_is_before_or_after(begun, round_):
    process = writer(begun, "p", 1000)
    process.stdout.readline()
    time.sleep(0.003 * round_)
    process.kill()
    rest, _ = process.communicate()
    begun.options["wait_s"] = 10
    reachable = begun.git("rev-list", "HEAD").split()
    assert {line.split(" ")[0] for line in rest.splitlines()} <= set(reachable)
    made = begun.remember("schemas/project/t/after.md")
    assert begun.git("rev-parse", f"{made}^").strip() == reachable[0]
    left = [line for line in begun.status.splitlines() if not line.startswith(("?? ", "A  "))]
    assert left == []  # at most files that nobody committed yet
    assert len(begun.status.splitlines()) <= 1
    begun.commit(*(one.path for one in tree.uncommitted(begun.journal)))
    assert begun.status == ""
    assert begun.sound


def test_our_own_lock_of_a_killed_process_is_cleared(begun, monkeypatch):
    monkeypatch.setattr(swap, "DEAD_S", 0.2)
    gone = subprocess.Popen(["true"])
    gone.wait()
    for lock in ("index.lock", "refs/heads/main.lock"):
        orphan = begun.root / ".git" / f"mem-lock-{gone.pid}.{len(lock)}"
        orphan.write_text("half done")
        os.link(orphan, begun.root / ".git" / lock)
    begun.remember()
    assert begun.status == ""
    assert not list((begun.root / ".git").rglob("*lock*"))


def test_the_lock_of_a_live_process_is_not(begun, monkeypatch):
    monkeypatch.setattr(swap, "DEAD_S", 0.0)
    begun.options["wait_s"] = 0.3
    held = begun.root / ".git" / f"mem-lock-{os.getpid()}.x"
    held.write_text("at work")
    os.link(held, begun.root / ".git/index.lock")
    with pytest.raises(TryAgain):
        begun.remember()
    assert (begun.root / ".git/index.lock").exists()


def test_interrupted_while_waiting_leaves_nothing_staged(begun):
    (begun.root / ".git/refs/heads/main.lock").touch()
    process = writer(begun, "p", 1)
    deadline = time.monotonic() + 20
    while not begun.git("ls-files", "schemas") and time.monotonic() < deadline:
        time.sleep(0.02)  # until it waits for the branch, with the file staged
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in err
    assert begun.status == "?? schemas/\n"


def sampled():
    """Texts whose blobs fall into the folder by which git estimates the number of loose objects."""
    texts = (f"{n}\n" for n in count())
    return (
        text
        for text in texts
        if hashlib.sha1(b"blob %d\0%s" % (len(text), text.encode())).digest()[0] == 0x17
    )


@pytest.mark.case("P-GIT-19")
def test_upkeep_in_the_background_loses_nothing_and_holds_nobody_up(begun):
    begun.git("config", "gc.auto", "1")
    begun.git("config", "gc.autoDetach", "true")
    made, slowest = [], 0.0
    for n, text in enumerate(islice(sampled(), 30)):
        started = time.monotonic()
        made.append(begun.remember(f"schemas/project/t{n % 5}/{n}.md", text))
        slowest = max(slowest, time.monotonic() - started)
    assert slowest < 5
    deadline = time.monotonic() + 20
    while (begun.root / ".git/gc.pid").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert set(made) <= set(begun.git("rev-list", "HEAD").split())
    assert list((begun.root / ".git/objects/pack").glob("*.pack"))
    assert begun.status == ""
    assert begun.sound
