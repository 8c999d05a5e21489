"""Writes that happen whole or not at all, on full disks, against swapped links and other writers."""

import errno
import os
import resource
import socket
import stat
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from memcli.errors import BadFile, Refused, TryAgain, Unavailable
from memcli.store import atomic, inside
from memcli.store.format import LIMIT_BYTES, digest
from memcli.store.place import Place
from memcli.store.scan import scan

PATH = "schemas/project/t/a.md"
OLD = b"old content\n"


@pytest.fixture
def place(tmp_path):
    (tmp_path / "store").mkdir()
    return Place(tmp_path / "store")


@pytest.fixture
def file(place):
    path = place.at(PATH)
    path.parent.mkdir(parents=True)
    path.write_bytes(OLD)
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@contextmanager
def umask(bits: int):
    before = os.umask(bits)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.case("P-SEC-11")
@pytest.mark.parametrize("bits", [0o022, 0o000, 0o077, 0o277])
def test_new_files_and_folders_are_private_whatever_the_umask(place, bits):
    place.at("schemas").mkdir()
    with umask(bits):
        atomic.create(place, PATH, b"x")
    assert (mode(place.at(PATH)), mode(place.at(PATH).parent)) == (0o600, 0o700)
    assert place.at(PATH).read_bytes() == b"x"
    assert place.at(PATH).stat().st_nlink == 1
    assert names(place.at(PATH).parent) == ["a.md"]


@pytest.mark.case("P-SEC-11")
@pytest.mark.parametrize("bits", [0o600, 0o644, 0o664, 0o400])
def test_a_replaced_file_keeps_its_mode_and_attributes(place, file, bits):
    try:
        os.setxattr(file, "user.colour", b"blue")
    except OSError:
        has_attributes = False
    else:
        has_attributes = True
    file.chmod(bits)
    with umask(0o022):
        atomic.replace(place, PATH, b"new", digest(OLD))
    assert (mode(file), file.read_bytes()) == (bits, b"new")
    if has_attributes:
        assert os.getxattr(file, "user.colour") == b"blue"


@pytest.mark.case("P-SEC-11")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_replaced_file_keeps_its_owner_and_loses_its_set_user_bit(place, file):
    os.chown(file, 1234, 4321)
    file.chmod(0o4750)
    atomic.replace(place, PATH, b"new", digest(OLD))
    assert (file.stat().st_uid, file.stat().st_gid, mode(file)) == (1234, 4321, 0o750)


def test_a_file_that_exists_is_never_replaced_by_a_new_one(place, file):
    with pytest.raises(TryAgain, match="exists already"):
        atomic.create(place, PATH, b"new")
    assert (file.read_bytes(), names(file.parent)) == (OLD, ["a.md"])


@pytest.mark.case("P-FILE-11")
@pytest.mark.parametrize("name", ["A.md", "a.MD", "cafe\u0301.md"])
def test_a_second_spelling_of_a_name_is_never_made(place, file, name):
    (file.parent / "caf\u00e9.md").write_bytes(OLD)
    with pytest.raises(BadFile, match="only in case or accents"):
        atomic.create(place, f"schemas/project/t/{name}", b"new")
    assert names(file.parent) == ["a.md", "caf\u00e9.md"]


def test_a_disk_without_hard_links_gets_new_files_too(place, file, monkeypatch):
    def unsupported(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(atomic.os, "link", unsupported)
    atomic.create(place, "schemas/project/t/b.md", b"x")
    assert names(file.parent) == ["a.md", "b.md"]
    with pytest.raises(TryAgain):
        atomic.create(place, "schemas/project/t/b.md", b"y")
    assert place.at("schemas/project/t/b.md").read_bytes() == b"x"


@pytest.mark.case("P-CONC-02")
def test_a_file_that_changed_underneath_is_left_alone(place, file):
    for act in (
        lambda: atomic.replace(place, PATH, b"new", digest(b"other")),
        lambda: atomic.remove(place, PATH, ""),
    ):
        with pytest.raises(TryAgain, match="changed meanwhile"):
            act()
    assert (file.read_bytes(), names(file.parent)) == (OLD, ["a.md"])


@pytest.mark.case("P-CONC-02")
def test_an_editor_that_saves_during_the_write_wins(place, file, monkeypatch):
    write = atomic._write_all

    def saving(*args):
        write(*args)
        file.write_bytes(b"saved by an editor")

    monkeypatch.setattr(atomic, "_write_all", saving)
    with pytest.raises(TryAgain):
        atomic.replace(place, PATH, b"new", digest(OLD))
    assert (file.read_bytes(), names(file.parent)) == (b"saved by an editor", ["a.md"])


def test_what_is_gone_is_told_as_gone(place, file):
    atomic.remove(place, PATH, digest(OLD))
    assert names(file.parent) == []
    for act in (
        lambda: atomic.read(place, PATH),
        lambda: atomic.remove(place, PATH, digest(OLD)),
        lambda: atomic.replace(place, PATH, b"", digest(OLD)),
        lambda: atomic.read(place, "schemas/no/such/folder.md"),
    ):
        with pytest.raises(TryAgain, match="not there any more"):
            act()


@pytest.mark.case("P-FILE-14")
def test_a_store_that_is_gone_is_no_missing_file(tmp_path):
    with pytest.raises(Unavailable, match="the store is not there"):
        atomic.read(Place(tmp_path / "gone"), PATH)


@pytest.mark.case("P-FILE-04")
def test_a_disk_that_takes_half_a_file_leaves_the_old_one(place, file):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # the kernel cuts the write short, then refuses
    try:
        with pytest.raises(Unavailable, match="the disk is full"):
            atomic.replace(place, PATH, b"x" * 5000, digest(OLD))
        with pytest.raises(Unavailable, match="the disk is full"):
            atomic.create(place, "schemas/project/t/b.md", b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (file.read_bytes(), names(file.parent)) == (OLD, ["a.md"])
    atomic.replace(place, PATH, b"x" * 5000, digest(OLD))
    assert file.read_bytes() == b"x" * 5000


@pytest.mark.case("P-FILE-04")
def test_a_write_that_takes_one_byte_at_a_time_is_written_whole(place, file, monkeypatch):
    real = os.write
    monkeypatch.setattr(atomic.os, "write", lambda opened, raw: real(opened, raw[:1]))
    atomic.replace(place, PATH, b"0123456789" * 20, digest(OLD))
    assert file.read_bytes() == b"0123456789" * 20


STEPS = ["open", "write", "fchmod", "fsync", "rename", "link", "mkdir"]


@pytest.mark.case("P-FILE-04")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("step", STEPS)
def test_a_failure_at_any_step_leaves_no_trace(place, file, monkeypatch, step, number):
    real = getattr(os, step)

    def failing(*args, **kwargs):
        reading = step == "open" and not args[1] & os.O_CREAT
        syncing_a_folder = step == "fsync" and stat.S_ISDIR(os.fstat(args[0]).st_mode)
        if reading or syncing_a_folder:
            return real(*args, **kwargs)
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(atomic.os, step, failing)
    if step not in ("link", "mkdir"):
        with pytest.raises(Unavailable):
            atomic.replace(place, PATH, b"new", digest(OLD))
    if step != "rename":
        with pytest.raises(Unavailable):
            atomic.create(place, "schemas/project/new/b.md", b"new")
    monkeypatch.undo()
    assert (file.read_bytes(), names(file.parent)) == (OLD, ["a.md"])
    assert not place.at("schemas/project/new").exists() or names(place.at("schemas/project/new")) == []


def test_the_folder_is_synced_after_every_change(place, file, monkeypatch):
    synced = []
    real = os.fsync

    def noting(opened):
        synced.append(os.path.samestat(os.fstat(opened), file.parent.stat()))
        real(opened)

    monkeypatch.setattr(inside.os, "fsync", noting)
    atomic.create(place, "schemas/project/t/b.md", b"x")
    atomic.replace(place, PATH, b"new", digest(OLD))
    atomic.remove(place, PATH, digest(b"new"))
    assert synced == [False, True, False, True, True]


@pytest.mark.case("P-CONC-03")
def test_a_left_over_of_a_killed_write_is_never_read_and_can_be_swept(place, file):
    left = file.parent / ".mem-write-0011223344556677.tmp"
    left.write_bytes(b"cut")
    found = scan(place)
    assert [path for path, _ in found.files] == [PATH]
    assert found.leftovers == (f"schemas/project/t/{left.name}",)
    atomic.sweep(place, [*found.leftovers, PATH, "schemas/gone/.mem-write-1.tmp"])
    assert names(file.parent) == ["a.md"]


@pytest.mark.case("P-EMB-02")
def test_a_text_above_the_limit_is_refused_before_anything_is_written(place, file):
    with pytest.raises(BadFile, match="larger than 1024 KiB"):
        atomic.replace(place, PATH, b"x" * (LIMIT_BYTES + 1), digest(OLD))
    atomic.replace(place, PATH, b"x" * LIMIT_BYTES, digest(OLD))
    assert len(atomic.read(place, PATH)) == LIMIT_BYTES


@pytest.mark.case("P-SEC-01")
@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a/../../b", "..", "", "a//b", "a/./b", "a\0b", "schemas/"]
)
def test_a_path_that_could_lead_out_is_refused_before_anything_is_opened(place, monkeypatch, path):
    monkeypatch.setattr(inside.os, "open", None)
    for act in (
        lambda: atomic.read(place, path),
        lambda: atomic.create(place, path, b""),
        lambda: atomic.replace(place, path, b"", ""),
        lambda: atomic.remove(place, path, ""),
    ):
        with pytest.raises(Refused):
            act()


@pytest.mark.case("P-FILE-07")
def test_links_are_neither_read_nor_written_through(place, file, tmp_path):
    private = tmp_path / "private"
    private.mkdir()
    (private / "a.md").write_bytes(OLD)
    (file.parent / "link.md").symlink_to(private / "a.md")
    (file.parent / "folder").symlink_to(private)
    for path in ("schemas/project/t/link.md", "schemas/project/t/folder/a.md"):
        with pytest.raises(BadFile, match="link"):
            atomic.read(place, path)
        with pytest.raises((BadFile, TryAgain)):
            atomic.replace(place, path, b"new", digest(OLD))
        with pytest.raises((BadFile, TryAgain)):
            atomic.remove(place, path, digest(OLD))
    with pytest.raises(BadFile, match="link"):
        atomic.create(place, "schemas/project/t/folder/new.md", b"new")
    with pytest.raises(TryAgain, match="exists already"):
        atomic.create(place, "schemas/project/t/link.md", b"new")
    assert (names(private), (private / "a.md").read_bytes()) == (["a.md"], OLD)


@pytest.mark.case("P-FILE-13")
def test_what_is_no_regular_file_is_refused_without_waiting(place, file, monkeypatch):
    os.mkfifo(file.parent / "pipe.md")
    (file.parent / "folder.md").mkdir()
    with (file.parent / "big.md").open("wb") as big:
        big.truncate(2 * 1024**3)
    monkeypatch.chdir(file.parent)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock.md")
        for name in ("pipe.md", "sock.md", "folder.md", "big.md"):
            with pytest.raises(BadFile):
                atomic.read(place, f"schemas/project/t/{name}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_set_aside_alone(place, file):
    file.chmod(0)
    with pytest.raises(BadFile, match="cannot be read"):
        atomic.read(place, PATH)


@pytest.mark.case("P-SEC-10")
@pytest.mark.parametrize("swapped", ["file", "folder"])
@pytest.mark.parametrize("moment", ["_expected", "_write_all", "_dress"])
def test_a_link_put_in_place_during_a_write_is_never_followed(place, file, monkeypatch, swapped, moment):
    tmp_path = place.root.parent
    private = tmp_path / "private"
    private.mkdir()
    (private / "a.md").write_bytes(b"private")
    target = file if swapped == "file" else file.parent
    real = getattr(atomic, moment)

    def swapping(*args):
        answer = real(*args)
        target.rename(tmp_path / "moved away")
        target.symlink_to(private / "a.md" if swapped == "file" else private)
        return answer

    monkeypatch.setattr(atomic, moment, swapping)
    with pytest.raises((TryAgain, BadFile)):
        atomic.replace(place, PATH, b"new", digest(OLD))
    assert (names(private), (private / "a.md").read_bytes()) == (["a.md"], b"private")
    moved = tmp_path / "moved away"
    assert (moved if swapped == "file" else moved / "a.md").read_bytes() == OLD


@pytest.mark.case("P-SEC-10")
def test_a_folder_that_flickers_between_itself_and_a_link_leaks_and_changes_nothing(place, file, tmp_path):
    private, real = tmp_path / "private", tmp_path / "store/real"
    private.mkdir()
    (private / "a.md").write_bytes(b"private")
    stop = threading.Event()

    def flicker():
        while not stop.is_set():
            file.parent.rename(real)
            file.parent.symlink_to(private)
            file.parent.unlink()
            real.rename(file.parent)

    thread = threading.Thread(target=flicker)
    thread.start()
    read, content = 0, OLD
    try:
        for number in range(2000):
            try:
                assert atomic.read(place, PATH) == content
                read += 1
                atomic.replace(place, PATH, b"%d" % number, digest(content))
                content = b"%d" % number
            except (TryAgain, BadFile):
                pass
            if read > 30:
                break
    finally:
        stop.set()
        thread.join()
    assert (names(private), (private / "a.md").read_bytes()) == (["a.md"], b"private")
    assert (names(file.parent), file.read_bytes()) == (["a.md"], content)


def test_no_descriptor_is_left_open_by_anything(place, file):
    def opened() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    before = opened()
    for act in (
        lambda: atomic.create(place, "schemas/n/new/b.md", b"x"),
        lambda: atomic.create(place, PATH, b"x"),
        lambda: atomic.replace(place, PATH, b"x", digest(OLD)),
        lambda: atomic.replace(place, PATH, b"x", digest(OLD)),
        lambda: atomic.read(place, "schemas/project/t"),
        lambda: atomic.read(place, "schemas/project/t/a.md/b.md"),
        lambda: atomic.read(place, PATH),
    ):
        try:
            act()
        except (TryAgain, BadFile):
            continue
    assert opened() == before
