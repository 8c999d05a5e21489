"""An index that is not what was written never answers, and the old one outlives a killed rebuild."""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest
from rowmaking import build, paths, reopen, row, vectors, viewer

from memcli.errors import Unavailable
from memcli.index import generations, seal
from memcli.index.lance import Damaged
from memcli.index.tables import Index

ROWS = [row(number, f"refund window number{number}") for number in range(60)]
HERE = str(Path(__file__).parent)


@pytest.fixture
def folder(tmp_path):
    with build(tmp_path / "index", ROWS) as index:
        index.upsert([row(70, "refund more")], [vectors(70)])
    return tmp_path / "index"


def _table(folder) -> Path:
    return generations.current(folder) / "tables" / "schemas.lance"


def _cut_versions(table):
    for file in (table / "_versions").iterdir():
        file.write_bytes(file.read_bytes()[:10])


def _delete_data(table):
    for file in (table / "data").iterdir():
        file.unlink()


def _scramble_data(table):
    for file in (table / "data").iterdir():
        file.write_bytes(random.Random(1).randbytes(file.stat().st_size))


def _scramble_a_page(table):
    file = max((table / "data").iterdir(), key=lambda one: one.stat().st_size)
    raw = bytearray(file.read_bytes())
    raw[100:400] = random.Random(1).randbytes(300)
    file.write_bytes(raw)


def _scramble_indexes(table):
    for file in (table / "_indices").rglob("*.lance"):
        raw = bytearray(file.read_bytes())
        raw[10:60] = random.Random(1).randbytes(50)
        file.write_bytes(raw)


def _empty_the_table(table):
    shutil.rmtree(table)
    table.mkdir()


def _delete_versions(table):
    shutil.rmtree(table / "_versions")


DAMAGE = [
    _cut_versions,
    _delete_data,
    _scramble_data,
    _empty_the_table,
    _delete_versions,
    _scramble_a_page,
    _scramble_indexes,
]


@pytest.mark.case("P-IDX-02")
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_is_not_opened_and_a_rebuilt_one_answers(folder, damage, capfd):
    damage(_table(folder))
    assert reopen(folder) is None
    assert reopen(folder, writable=True) is None
    with build(folder, ROWS) as index:
        assert len(index.words(viewer(), ("refund",)).paths) == 60
    with reopen(folder) as index:
        assert index.verify() == []
        assert len(index.nearest(viewer(), vectors(3)[0], 60)) == 60
    assert len([one for one in folder.iterdir() if one.is_dir()]) == 1
    assert capfd.readouterr().err == ""


def test_bytes_that_changed_without_a_trace_are_found_by_reading_all(folder):
    with reopen(folder) as index:
        file = max((_table(folder) / "data").iterdir(), key=lambda one: one.stat().st_size)
        before = file.stat()
        _scramble_a_page(_table(folder))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert "its contents changed" in index.verify()[0]


@pytest.mark.parametrize("damage", [_delete_data, _scramble_data, _scramble_a_page, _delete_versions])
def test_damage_under_an_open_index_is_noticed_by_the_next_refresh_or_reading(folder, damage):
    with reopen(folder) as index:
        damage(_table(folder))
        try:
            noticed = not index.refresh()
            index.take(paths(index))
        except Damaged as error:
            noticed = "mem index rebuild" in error.hint
        assert noticed
        assert index.verify() != []


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"a": 1}', '{"a": [1]}'])
def test_an_index_without_its_seal_is_not_opened(folder, text):
    file = generations.current(folder) / seal.SEAL
    file.unlink() if text is None else file.write_text(text)
    assert reopen(folder) is None


@pytest.mark.parametrize("text", ["", "x", "{}", '{"layout": 1}', "[1]", '{"dimensions": 16, "more": 2}'])
def test_a_generation_that_does_not_say_what_it_is_is_not_opened(folder, text):
    (generations.current(folder) / generations.ABOUT).write_text(text)
    assert reopen(folder) is None


@pytest.mark.parametrize("text", ["", "..\n", "7\n", "/etc\n", "one", "\u0663", "1 2"])
def test_a_pointer_that_names_no_generation_is_no_index(folder, text):
    (folder / generations.CURRENT).write_text(text)
    assert reopen(folder) is None


@pytest.mark.case("P-IDX-03")
def test_an_index_of_another_layout_encoder_or_size_is_not_opened(folder, monkeypatch):
    assert reopen(folder, fingerprint="other/1") is None
    assert reopen(folder, dimensions=8) is None
    assert reopen(folder, dimensions=0, fingerprint="words") is None
    with reopen(folder) as index:
        assert len(paths(index)) == 61
    monkeypatch.setattr(generations.About, "__init__", _of_another_layout(generations.About.__init__))
    assert reopen(folder) is None


def _of_another_layout(original):
    def made(self, dimensions, fingerprint, layout=99):
        original(self, dimensions, fingerprint, layout)

    return made


@pytest.mark.case("P-IDX-01")
def test_a_missing_index_is_none(tmp_path):
    assert reopen(tmp_path / "none") is None
    (tmp_path / "empty").mkdir()
    assert reopen(tmp_path / "empty") is None


@pytest.mark.case("P-IDX-09")
def test_a_moved_index_and_a_copied_one_work_and_the_copy_writes_into_itself(folder, tmp_path):
    moved = tmp_path / "elsewhere" / "index"
    moved.parent.mkdir()
    folder.rename(moved)
    copy = tmp_path / "copy"
    shutil.copytree(moved, copy, copy_function=shutil.copyfile)  # as cp -r: other times, same contents
    with reopen(copy, writable=True) as index:
        index.drop([ROWS[0].path])
        index.tidy(force=True)
        assert len(paths(index)) == 60
    with reopen(moved) as index:
        assert len(paths(index)) == 61
        assert index.verify() == []


REBUILDING = """
    rows = [row(number, "from the rebuild") for number in range(400)]
    while True:
        build(folder, rows).close()
"""
WRITING = """
    index = reopen(folder, writable=True)
    while True:
        for number in range(8):
            index.upsert([row(number, "refund again")], [vectors(number, 2)])
        index.tidy(force=True)
"""
NURSERY = """
import os, random, signal, sys, time
sys.path.insert(0, {here!r})
from pathlib import Path
from rowmaking import build, reopen, row, vectors
folder = Path({folder!r})
for turn in range({rounds}):
    child = os.fork()  # imports are warm, nothing of LanceDB runs yet
    if not child:
        time.sleep(0)
{act}
    time.sleep(random.Random(turn).uniform(0, {most_s}))
    os.kill(child, signal.SIGKILL)
    killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(killed, flush=True)
    sys.stdin.readline()
"""


def _killings(folder, act, rounds, most_s):
    """Kill a process that does `act`, `rounds` times; yields after each."""
    act = textwrap.indent(textwrap.dedent(act), " " * 8)
    code = NURSERY.format(here=HERE, folder=str(folder), rounds=rounds, act=act, most_s=most_s)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", code], text=True, **pipes) as nursery:
        for _ in range(rounds):
            assert int(nursery.stdout.readline()) == -signal.SIGKILL
            yield
            nursery.stdin.write("next\n")
            nursery.stdin.flush()


@pytest.mark.case("P-IDX-07")
def test_a_rebuild_killed_at_any_moment_leaves_the_old_index_and_the_next_one_finishes(folder):
    for _ in _killings(folder, REBUILDING, rounds=20, most_s=0.2):
        with reopen(folder) as index:
            assert len(paths(index)) in {61, 400}
            assert index.verify() == []
    with build(folder, ROWS) as index:
        assert len(paths(index)) == 60
    assert [one.name for one in folder.iterdir() if one.is_dir()] == [index.generation.name]


@pytest.mark.case("P-IDX-07")
def test_a_write_or_a_tidying_killed_at_any_moment_loses_no_row(folder):
    for _ in _killings(folder, WRITING, rounds=15, most_s=0.3):
        with reopen(folder, writable=True) as index:
            assert len(paths(index)) == 61
            assert index.verify() == []
            index.upsert([row(70, "refund more")], [vectors(70)])
    with reopen(folder, writable=True) as index:
        index.tidy(force=True)
        assert index.size()[0] < 40


def test_a_rebuild_that_fails_leaves_the_old_index_and_nothing_else(folder):
    def failing():
        yield ROWS[:10], [vectors(number) for number in range(10)]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.rebuild(folder, dimensions=16, fingerprint="test/1", batches=failing())
    assert len([one for one in folder.iterdir() if one.is_dir()]) == 1
    with reopen(folder) as index:
        assert len(paths(index)) == 61


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(tmp_path):
    (tmp_path / "index").write_text("a file")
    with pytest.raises(Unavailable) as caught:
        build(tmp_path / "index", [])
    assert str(tmp_path / "index") in caught.value.message


@pytest.mark.case("P-IDX-10")
@pytest.mark.skipif(os.geteuid() != 0, reason="takes the right to write away by becoming somebody else")
def test_an_index_that_may_only_be_read_is_read(folder):
    with tempfile.TemporaryDirectory() as place:  # the folders of pytest are closed to others
        Path(place).chmod(0o755)
        _only_read(Path(shutil.copytree(folder, Path(place) / "index")))


def _only_read(folder):
    for file in [folder, *folder.rglob("*")]:
        file.chmod(0o555 if file.is_dir() else 0o444)
    code = f"""
        import os, sys
        sys.path.insert(0, {HERE!r})
        from pathlib import Path
        from rowmaking import reopen, row, vectors, viewer
        from memcli.errors import Unavailable
        folder = Path({str(folder)!r})
        with reopen(folder) as index:  # warm: the interpreter itself may not be readable by others
            index.words(viewer(), ("refund",)), index.nearest(viewer(), vectors(1)[0], 5)
        os.setgid(65534); os.setuid(65534)
        with reopen(folder) as index:
            assert len(index.words(viewer(), ("refund",)).paths) == 61
            assert len(index.nearest(viewer(), vectors(1)[0], 5)) == 5
        with reopen(folder, writable=True) as index:
            try:
                index.upsert([row(1)], [vectors(1)])
            except Unavailable as error:
                print(error.message)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "cannot be written" in done.stdout


def test_an_index_opened_for_reading_refuses_to_write(folder):
    with reopen(folder) as index:
        for act in (lambda: index.upsert([row(1)], [vectors(1)]), lambda: index.drop(["x"]), index.tidy):
            with pytest.raises(Unavailable):
                act()
