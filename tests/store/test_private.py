import errno
import os

import pytest

from memcli.errors import BadFile, Unavailable
from memcli.store import private
from memcli.store.place import Place


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_a_private_file_is_written_read_and_removed(place):
    file = place.private / "sub" / "x"
    assert private.read(place, file) is None
    assert not private.exists(place, file)
    for raw in (b"one", b""):
        private.write(place, file, raw)
        assert private.read(place, file) == raw
    assert private.exists(place, file)
    private.remove(place, file)
    private.remove(place, file)
    assert private.read(place, file) is None


@pytest.mark.case("P-SEC-11")
@pytest.mark.parametrize("umask", [0, 0o022, 0o277])
def test_a_private_file_is_its_owners_alone_whatever_the_umask(place, umask):
    before = os.umask(umask)
    try:
        private.write(place, place.machine_file, b"x")
        private.put(place.known_file, b"x")
    finally:
        os.umask(before)
    for file in (place.machine_file, place.known_file):
        assert file.stat().st_mode & 0o777 == 0o600
    assert place.private.stat().st_mode & 0o777 == 0o700


@pytest.mark.case("P-CONC-03")
def test_what_a_kill_left_is_gone_after_the_next_write(place):
    place.private.mkdir()
    (place.private / "machine.tmp").write_text("half")
    private.write(place, place.machine_file, b"x")
    assert [one.name for one in place.private.iterdir()] == ["machine"]


@pytest.mark.case("P-FILE-04")
def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(place, monkeypatch):
    private.write(place, place.machine_file, b"old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Unavailable):
        private.write(place, place.machine_file, b"new")
    assert private.read(place, place.machine_file) == b"old"
    assert [one.name for one in place.private.iterdir()] == ["machine"]


@pytest.mark.case("P-SEC-10")
@pytest.mark.parametrize("name", ["machine", "machine.tmp"])
def test_a_link_that_came_with_a_store_is_replaced_and_not_followed(place, tmp_path_factory, name):
    target = tmp_path_factory.mktemp("outside") / "file"
    target.write_text("mine")
    place.private.mkdir()
    (place.private / name).symlink_to(target)
    assert private.read(place, place.machine_file) is None
    private.write(place, place.machine_file, b"x")
    assert private.read(place, place.machine_file) == b"x"
    assert target.read_text() == "mine"


@pytest.mark.case("P-SEC-10")
def test_a_private_folder_that_is_a_link_is_refused(place, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    place.private.symlink_to(outside)
    with pytest.raises(BadFile):
        private.write(place, place.machine_file, b"x")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("make", ["mkdir", "fifo"])
def test_what_is_no_file_is_read_as_nothing(place, make):
    place.private.mkdir()
    place.machine_file.mkdir() if make == "mkdir" else os.mkfifo(place.machine_file)
    assert private.read(place, place.machine_file) is None
