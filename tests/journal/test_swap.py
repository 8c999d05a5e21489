"""One of git's files replaced under git's lock: as a whole, by one, and nobody else's lock is taken."""

import os
import subprocess
from itertools import islice

import pytest

from memcli.journal import swap
from memcli.journal.swap import New, patience, replace


@pytest.fixture
def target(tmp_path):
    file = tmp_path / "refs" / "main"
    file.parent.mkdir()
    file.write_text("old")
    return file


def names(target):
    return sorted(
        path.relative_to(target.parents[1]).as_posix()
        for path in target.parents[1].rglob("*")
        if path.is_file()
    )


def put(target, new=None, still=lambda: True):
    return replace(target, new or New([b"ne", memoryview(b"w")]), beside=target.parents[1], still=still)


def dead():
    """The number of a process that is gone."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    return gone.pid


def orphaned(target, pid, age_s=60.0, *, locks=True):
    """What a process killed with the lock in its hands left, so many seconds ago."""
    orphan = target.parents[1] / f"mem-lock-{pid}.aaaa"
    orphan.write_text("half")
    then = target.stat().st_mtime - age_s
    os.utime(orphan, (then, then))
    if locks:
        os.link(orphan, f"{target}.lock")
    return orphan


def test_the_new_file_stands_whole_and_nothing_beside_it(target):
    assert put(target) is True
    assert target.read_text() == "new"
    assert names(target) == ["refs/main"]


def test_a_file_that_was_not_there_is_made_with_its_mode(target):
    target.unlink()
    before = os.umask(0)
    try:
        assert put(target, New([b"x"], mode=0o640)) is True
    finally:
        os.umask(before)
    assert target.stat().st_mode & 0o777 == 0o640


def test_what_must_outlive_a_loss_of_power_is_synced_and_else_not(target, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    put(target)
    assert synced == []
    put(target, New([b"x"], synced=True))
    assert len(synced) == 1


def test_the_lock_is_held_while_it_is_looked_at_again(target):
    def still():
        assert (target.parent / "main.lock").read_text() == "new"
        assert target.read_text() == "old"
        return True

    assert put(target, still=still) is True


def test_what_has_changed_meanwhile_stays(target):
    assert put(target, still=lambda: False) is False
    assert target.read_text() == "old"
    assert names(target) == ["refs/main"]


def test_a_failure_of_that_look_leaves_no_lock(target):
    with pytest.raises(ZeroDivisionError):
        put(target, still=lambda: 1 / 0)
    assert target.read_text() == "old"
    assert names(target) == ["refs/main"]


def test_the_lock_of_somebody_else_is_neither_taken_nor_removed(target):
    (target.parent / "main.lock").write_text("theirs")
    assert put(target) is False
    assert (target.read_text(), names(target)) == ("old", ["refs/main", "refs/main.lock"])


def test_the_lock_that_a_dead_process_of_ours_left_is_cleared_for_the_next_try(target):
    orphaned(target, dead())
    assert put(target) is False
    assert names(target) == ["refs/main"]
    assert put(target) is True


@pytest.mark.parametrize("age_s", [0.0, 4.5])
def test_a_fresh_one_is_left_alone(target, age_s):
    orphaned(target, dead(), age_s)
    assert put(target) is False
    assert "refs/main.lock" in names(target)


@pytest.mark.parametrize("owner", ["1", "x", str(os.getpid())], ids=["the first", "no number", "this one"])
def test_that_of_a_process_that_lives_or_cannot_be_told_is_left_alone(target, owner):
    orphaned(target, owner)
    assert put(target) is False
    assert "refs/main.lock" in names(target)


def test_an_orphan_of_no_lock_is_removed_and_that_of_another_lock_is_not(target):
    (target.parent / "main.lock").write_text("theirs")
    alone = orphaned(target, dead(), locks=False)
    other = target.parents[1] / f"mem-lock-{dead()}.bbbb"
    other.write_text("half")
    os.utime(other, (0, 0))
    os.link(other, target.parents[1] / "index.lock")
    assert put(target) is False
    assert not alone.exists()
    assert other.exists()
    assert names(target) == ["index.lock", other.name, "refs/main", "refs/main.lock"]


def test_one_that_cannot_be_written_leaves_nothing(target):
    with pytest.raises(OSError, match="bad"):
        put(target, New(_failing()))
    assert (target.read_text(), names(target)) == ("old", ["refs/main"])


def test_patience_gives_one_round_at_least_and_ends(monkeypatch):
    assert len(list(patience(-1))) == 1
    slept = []
    monkeypatch.setattr(swap.time, "monotonic", lambda: sum(slept))
    monkeypatch.setattr(swap.time, "sleep", lambda pause: slept.append(max(pause, 1e-4)))
    rounds = len(list(patience(3)))
    assert 30 < rounds < 400  # neither a storm nor a nap
    assert max(slept) <= 0.1
    assert max(slept[:3]) <= 0.0045
    assert max(slept) > 0.05


def test_no_pause_comes_before_the_first_round(monkeypatch):
    monkeypatch.setattr(swap.time, "sleep", lambda _: pytest.fail("a pause"))
    assert list(islice(patience(10), 1)) == [None]


def _failing():
    yield b"half"
    raise OSError("bad")


def test_a_lock_that_a_dead_process_left_is_let_go_for_those_who_do_not_look(target):
    orphaned(target, dead())
    swap.let_go(target.with_name("main.lock"), target.parents[1])
    assert names(target) == ["refs/main"]
    assert target.read_text() == "old"


def test_one_that_was_left_a_moment_ago_is_waited_for(target, monkeypatch):
    monkeypatch.setattr(swap, "DEAD_S", 0.3)
    orphaned(target, dead(), age_s=0.0)
    swap.let_go(target.with_name("main.lock"), target.parents[1])
    assert names(target) == ["refs/main"]


@pytest.mark.parametrize("whose", ["somebody else's", "a living process's"])
def test_no_other_lock_is_let_go(target, whose):
    lock = target.with_name("main.lock")
    if whose == "somebody else's":
        lock.write_text("theirs")
        orphaned(target, dead(), locks=False)
    else:
        orphaned(target, os.getppid())
    before = names(target)
    swap.let_go(lock, target.parents[1])
    assert names(target) == before
