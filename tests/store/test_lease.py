import errno
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memcli.errors import BadFile, Unavailable
from memcli.store.lease import held
from memcli.store.place import Place

SOURCE = str(Path(__file__).parents[2])


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_one_has_it_and_another_is_told_at_once_that_it_does_not(place):
    with held(place) as mine:
        assert mine is True
        with held(place) as second:
            assert second is False
        with held(place) as third:  # who did not have it did not let it go
            assert third is False
    with held(place) as again:
        assert again is True


def test_it_is_free_again_after_a_failure(place):
    with pytest.raises(ZeroDivisionError), held(place):
        raise ZeroDivisionError
    with held(place) as mine:
        assert mine is True


def test_another_work_has_a_lease_of_its_own(place):
    with held(place) as one, held(place, place.private / "other") as two:
        assert (one, two) == (True, True)


def test_a_holder_killed_at_once_leaves_nothing_to_clean_up(place):
    code = f"""
import sys
from pathlib import Path
from memcli.store.lease import held
from memcli.store.place import Place
with held(Place(Path({str(place.root)!r}))) as mine:
    print(mine, flush=True)
    sys.stdin.read()
"""
    words = [sys.executable, "-c", code]
    other = subprocess.Popen(words, env={"PYTHONPATH": SOURCE}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout.readline() == b"True\n"
    with held(place) as mine:
        assert mine is False
    other.send_signal(signal.SIGKILL)
    other.communicate()
    with held(place) as mine:
        assert mine is True


def test_a_child_started_meanwhile_does_not_keep_it(place):
    with held(place):
        child = subprocess.Popen(["sleep", "30"])
    try:
        with held(place) as mine:
            assert mine is True
    finally:
        child.kill()
        child.wait()


def test_nothing_is_left_open(place):
    before = sum(1 for _ in Path("/proc/self/fd").iterdir())
    with held(place), held(place):
        pass
    assert sum(1 for _ in Path("/proc/self/fd").iterdir()) == before


@pytest.mark.case("P-SEC-10")
def test_a_link_in_its_place_is_not_followed(place, tmp_path_factory):
    target = tmp_path_factory.mktemp("private") / "file"
    place.private.mkdir()
    place.lease_file.symlink_to(target)
    with pytest.raises((BadFile, Unavailable)), held(place):
        pass
    assert not target.exists()


@pytest.mark.case("P-SEC-11")
def test_it_is_private_whatever_the_umask(place):
    before = os.umask(0)
    try:
        with held(place):
            assert place.private.stat().st_mode & 0o777 == 0o700
            assert place.lease_file.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


def test_a_file_system_without_locks_is_said(place, monkeypatch):
    def fails(*_):
        raise OSError(errno.ENOLCK, "as the test asked for")

    monkeypatch.setattr(fcntl, "flock", fails)
    with pytest.raises(Unavailable, match="keeps no locks"), held(place):
        pass
