import errno
import fcntl
import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memcli.errors import BadFile, TryAgain, Unavailable
from memcli.store import lock
from memcli.store.lock import hold, holder
from memcli.store.place import Place

SOURCE = str(Path(__file__).parents[2])


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def start(place, body, wait_s=30, holder="mem remember"):
    """A process that runs `body` while it holds the lock, and says `in` once it does."""
    code = f"""
import os, signal, sys, time
from pathlib import Path
from memcli.store.lock import hold
from memcli.store.place import Place
root = Path({str(place.root)!r})
with hold(Place(root), wait_s={wait_s}, holder={holder!r}):
    print("in", flush=True)
    {body}
"""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
    )


@pytest.fixture
def holding(place):
    """Another process that holds the lock until it is told to go on."""
    other = start(place, "sys.stdin.read(); (root / 'done').touch()")
    assert other.stdout.readline() == b"in\n"
    yield other
    other.kill()
    other.communicate()


def test_a_lock_is_free_again_after_its_block(place):
    for _ in range(3):
        with hold(place, wait_s=0, holder="x"):
            assert place.lock_file.exists()


def test_a_lock_is_free_again_after_a_failure(place):
    with pytest.raises(ZeroDivisionError), hold(place, wait_s=0, holder="x"):
        raise ZeroDivisionError
    with hold(place, wait_s=0, holder="x"):
        pass


def test_one_that_holds_it_and_asks_again_is_told_so_at_the_stated_time(place):
    with (
        hold(place, wait_s=0, holder="outer"),
        pytest.raises(TryAgain),
        hold(place, wait_s=0.05, holder="inner"),
    ):
        pass


@pytest.mark.case("P-CONC-12")
def test_a_frozen_holder_is_waited_for_as_long_as_stated_named_and_not_robbed(place, holding):
    holding.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    with pytest.raises(TryAgain) as refused, hold(place, wait_s=0.4, holder="second"):
        pass
    waited = time.monotonic() - began
    assert 0.4 <= waited < 1.5
    assert f"mem remember (process {holding.pid}) still holds it after 0.4 s" in refused.value.message
    assert refused.value.code == 8
    assert holding.poll() is None
    holding.send_signal(signal.SIGCONT)
    holding.communicate(b"")
    assert (place.root / "done").exists()
    with hold(place, wait_s=0, holder="second"):
        pass


def test_a_holder_killed_at_once_leaves_nothing_to_clean_up(place, holding):
    holding.kill()
    holding.wait()
    with hold(place, wait_s=0.5, holder="next"):
        pass


def test_one_that_waits_gets_it_soon_after_it_is_free(place):
    other = start(place, "time.sleep(0.3)")
    other.stdout.readline()
    began = time.monotonic()
    with hold(place, wait_s=10, holder="x"):
        assert time.monotonic() - began < 1
    other.communicate()


@pytest.mark.case("P-CONC-01")
def test_many_writers_take_turns(place):
    (place.root / "count").write_text("0")
    body = "n = int((root / 'count').read_text()); time.sleep(0.005); (root / 'count').write_text(str(n + 1))"
    others = [start(place, body) for _ in range(12)]
    for other in others:
        other.communicate()
    assert [other.returncode for other in others] == [0] * 12
    assert (place.root / "count").read_text() == "12"


def test_a_private_folder_deleted_meanwhile_does_not_lead_to_a_lock_on_a_ghost(place, holding):
    shutil.rmtree(place.private)
    with hold(place, wait_s=0, holder="a"), pytest.raises(TryAgain), hold(place, wait_s=0, holder="b"):
        pass


def test_a_child_started_meanwhile_does_not_keep_the_lock(place):
    with hold(place, wait_s=0, holder="x"):
        child = subprocess.Popen(["sleep", "30"])
    try:
        with hold(place, wait_s=0, holder="y"):
            pass
    finally:
        child.kill()
        child.wait()


@pytest.mark.case("P-SEC-11")
@pytest.mark.parametrize("umask", [0, 0o277])
def test_the_lock_and_its_folder_are_private_whatever_the_umask(place, umask):
    before = os.umask(umask)
    try:
        with hold(place, wait_s=0, holder="x"):
            assert place.private.stat().st_mode & 0o777 == 0o700
            assert place.lock_file.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


@pytest.mark.case("P-SEC-10")
@pytest.mark.parametrize("name", [".mem", ".mem/lock"])
def test_a_link_in_place_of_the_lock_is_not_followed(place, tmp_path_factory, name):
    target = tmp_path_factory.mktemp("private")
    (target / "lock").write_text("mine")
    place.private.mkdir() if "/" in name else None
    (place.root / name).symlink_to(target / "lock" if "/" in name else target)
    with pytest.raises((BadFile, Unavailable)), hold(place, wait_s=0, holder="x"):
        pass
    assert (target / "lock").read_text() == "mine"


def test_who_holds_it_is_shown_in_one_printable_line(place):
    long = "x\n\x1b[2J" + "y" * 500
    with (
        hold(place, wait_s=0, holder=long),
        pytest.raises(TryAgain) as refused,
        hold(place, wait_s=0, holder="z"),
    ):
        pass
    assert refused.value.message.isprintable()
    assert len(refused.value.message) < 400


def test_a_store_that_is_gone_is_not_made_by_locking_it(tmp_path):
    with pytest.raises(Unavailable), hold(Place(tmp_path / "gone"), wait_s=0, holder="x"):
        pass
    assert not (tmp_path / "gone").exists()


@pytest.mark.case("P-FILE-15")
def test_a_read_only_store_is_unavailable_for_writing_without_waiting(place):
    place.root.chmod(0o500)
    code = f"""
import os, time
from pathlib import Path
from memcli.errors import Unavailable
from memcli.store.lock import hold
from memcli.store.place import Place
if os.geteuid() == 0:
    os.setuid(65534)
began = time.monotonic()
try:
    with hold(Place(Path({str(place.root)!r})), wait_s=30, holder="x"):
        pass
except Unavailable as error:
    print(error.code, error.message.isprintable(), time.monotonic() - began < 1)
"""
    for parent in (place.root.parent, place.root.parent.parent):
        parent.chmod(0o755)
    place.root.chmod(0o555)
    said = subprocess.check_output([sys.executable, "-c", code], env={"PYTHONPATH": SOURCE}, text=True)
    place.root.chmod(0o700)
    assert said == "6 True True\n"


def test_who_holds_it_is_told_without_waiting_and_nobody_where_it_is_free(place, holding):
    began = time.monotonic()
    assert holder(place) == f"mem remember (process {holding.pid})"
    assert time.monotonic() - began < 10
    holding.communicate(b"")
    assert holder(place) is None


def test_a_holder_that_could_not_say_who_it_is_is_another_process(place, holding):
    place.lock_file.write_text("")
    assert holder(place) == "another process"


def test_a_name_that_the_disk_does_not_give_is_that_of_another_process(place, monkeypatch):
    with hold(place, wait_s=0, holder="x"):
        monkeypatch.setattr(lock.os, "pread", _failing(errno.EIO))
        assert holder(place) == "another process"
        with (
            pytest.raises(TryAgain, match="another process still holds it"),
            hold(place, wait_s=0, holder="y"),
        ):
            pass


def test_to_ask_who_holds_it_writes_nothing_and_keeps_nobody_out(place):
    assert holder(place) is None
    assert list(place.root.iterdir()) == []
    with hold(place, wait_s=0, holder="x"):
        assert holder(place) == f"x (process {os.getpid()})"
    with hold(place, wait_s=0, holder="y"):
        pass


def test_nothing_is_left_open_however_it_ends(place, holding):
    before = open_files()
    holder(place)
    for _ in range(3):
        with pytest.raises(TryAgain), hold(place, wait_s=0, holder="x"):
            pass
    holding.communicate(b"")
    for _ in range(3):
        with hold(place, wait_s=0, holder="x"):
            pass
    holder(place)
    assert open_files() == before - 2  # the pipes to the other process


def test_one_that_let_go_is_named_no_more(place):
    with hold(place, wait_s=0, holder="x"):
        assert place.lock_file.read_text() == f"x (process {os.getpid()})"
    assert place.lock_file.read_bytes() == b""


def test_a_short_name_leaves_nothing_of_a_longer_one(place):
    place.private.mkdir()
    place.lock_file.write_text("z" * 400)
    with hold(place, wait_s=0, holder="x"):
        assert place.lock_file.read_text() == f"x (process {os.getpid()})"


def test_a_name_that_is_no_text_is_no_reason_to_stop(place):
    with hold(place, wait_s=0, holder="mem \udcff"):
        assert place.lock_file.read_text() == f"mem ? (process {os.getpid()})"


def test_a_name_that_is_cut_in_the_middle_of_a_letter_is_still_told(place):
    with hold(place, wait_s=0, holder="x" + "é" * 150):
        assert len(place.lock_file.read_bytes()) == 200
        assert holder(place) == "x" + "é" * 99 + "\ufffd"


def test_the_private_folder_hides_itself_from_git_once(place):
    with hold(place, wait_s=0, holder="x"):
        assert (place.private / ".gitignore").read_bytes() == b"*\n"
    (place.private / ".gitignore").write_text("mine")
    with hold(place, wait_s=0, holder="x"):
        assert (place.private / ".gitignore").read_text() == "mine"


def test_a_lock_that_vanishes_as_it_is_taken_is_taken_again(place, monkeypatch):
    gone = []

    def flock(descriptor, how):
        fcntl_flock(descriptor, how)
        if not gone:
            gone.append(place.lock_file.unlink())

    fcntl_flock = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", flock)
    with hold(place, wait_s=5, holder="a"), pytest.raises(TryAgain), hold(place, wait_s=0, holder="b"):
        pass
    assert gone


def test_a_link_put_in_the_place_of_the_lock_as_it_is_taken_is_not_taken_for_it(place, monkeypatch):
    moved = place.private / "moved"

    def flock(descriptor, how):
        fcntl_flock(descriptor, how)
        place.lock_file.rename(moved)
        place.lock_file.symlink_to(moved)

    fcntl_flock = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(Unavailable, match="lock"), hold(place, wait_s=5, holder="a"):
        pass


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS])
def test_a_file_system_without_locks_is_said_at_once(place, monkeypatch, number):
    monkeypatch.setattr(fcntl, "flock", _failing(number))
    began = time.monotonic()
    with pytest.raises(Unavailable, match="keeps no locks"), hold(place, wait_s=30, holder="x"):
        pass
    assert time.monotonic() - began < 5


def test_any_other_failure_of_the_lock_is_not_taken_for_a_missing_one(place, monkeypatch):
    monkeypatch.setattr(fcntl, "flock", _failing(errno.EIO))
    with (
        pytest.raises(Unavailable, match="lock could not be read or written"),
        hold(place, wait_s=30, holder="x"),
    ):
        pass


def in_a_thread(act):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(act).result(timeout=60)


def held(place, wait_s):
    with hold(place, wait_s=wait_s, holder="x"):
        return True


def test_a_thread_that_waits_looks_often_but_not_without_a_pause(place, holding, monkeypatch):
    """A clock of the test's own: it moves by what is slept and by nothing else."""
    slept, looks = [], itertools.count()
    monkeypatch.setattr(lock.time, "monotonic", lambda: 100 + sum(slept) + 10 * (next(looks) > 5000))
    monkeypatch.setattr(lock.time, "sleep", slept.append)
    with pytest.raises(TryAgain):
        in_a_thread(lambda: held(place, 2))
    assert sum(slept) == pytest.approx(2)
    *pauses, last = [pause for pause in slept if pause > 1e-9]  # what rounding left over is no pause
    assert all(0.0005 <= pause <= 0.038 for pause in pauses)
    assert pauses[0] <= 0.0031
    assert max(pauses) > 0.02
    assert 40 < len(pauses) < 200
    assert len(set(pauses)) > 10  # those who wait do not all look at the same instant
    assert 0 < last <= 0.038


def test_a_thread_gets_it_once_it_is_free(place, holding):
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(held, place, 30)
        holding.communicate(timeout=30)
        assert waiting.result(timeout=60)
    assert (place.root / "done").exists()


def test_whoever_waits_in_the_main_thread_does_not_look_again_and_again(place, holding, monkeypatch):
    looks = []

    def flock(descriptor, how):
        looks.append(how)
        return fcntl_flock(descriptor, how)

    fcntl_flock = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setattr(lock.time, "sleep", lambda _: pytest.fail("it slept"))
    with pytest.raises(TryAgain, match=r"after 0\.3 s"):
        held(place, 0.3)
    assert looks == [fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_EX, fcntl.LOCK_EX | fcntl.LOCK_NB]


@pytest.mark.parametrize("free", [True, False], ids=["got", "given up"])
def test_an_alarm_of_somebody_else_is_theirs_again_afterwards(place, holding, free):
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        if free:
            holding.communicate(timeout=30)
            assert held(place, 30)
        else:
            with pytest.raises(TryAgain):
                held(place, 0.1)
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        os.kill(os.getpid(), signal.SIGALRM)
        assert rung == [1]
    finally:
        signal.signal(signal.SIGALRM, before)


def test_an_interrupted_one_stops_waiting_and_holds_nothing(place, holding):
    with start(place, "pass") as other:
        while f"-> FLOCK  ADVISORY  WRITE {other.pid} " not in Path("/proc/locks").read_text():
            assert other.poll() is None
            time.sleep(0.02)
        other.send_signal(signal.SIGINT)
        assert other.communicate(timeout=30)[0] == b""
        assert other.returncode != 0
    holding.communicate(timeout=30)
    assert held(place, 0)


def test_one_that_does_not_wait_looks_once(place, holding, monkeypatch):
    monkeypatch.setattr(lock.time, "monotonic", lambda: 100.0)
    monkeypatch.setattr(lock.time, "sleep", lambda _: pytest.fail("it waited"))
    with pytest.raises(TryAgain, match="after 0 s"), hold(place, wait_s=0, holder="x"):
        pass


def open_files():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def _failing(number):
    def fails(*_):
        raise OSError(number, "as the test asked for")

    return fails
