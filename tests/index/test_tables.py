"""Writing, generations, and many processes at one index: bounded growth, no reader disturbed."""

import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest
from rowmaking import build, paths, reopen, row, vectors, viewer

from memcli.errors import TryAgain
from memcli.index import generations, seal, turns, writer
from memcli.index.lance import Damaged
from memcli.memory.schema import Status

ROWS = [row(number, f"refund window number{number}") for number in range(100)]
HERE = str(Path(__file__).parent)


def test_an_upsert_adds_replaces_and_takes_further_pieces_along(tmp_path):
    with build(tmp_path, [row(1, "apple"), row(2, "apple")], [vectors(1, 3), vectors(2)]) as index:
        index.upsert([row(1, "pear"), row(3, "plum")], [vectors(11), vectors(3, 2)])
        assert len(paths(index)) == 3
        first, second, third = index.take([row(1).path, row(2).path, row(3).path], ("pear", "appl"))
        assert (first.counts, second.counts) == ({"pear": 1}, {"appl": 1})
        assert np.array_equal(first.vectors, vectors(11))
        assert [len(one.vectors) for one in (first, second, third)] == [1, 1, 2]
        near = index.nearest(viewer(), vectors(1, 3)[2], 3)
        assert near[0].cosine < 0.99  # the piece that went is found no more
        index.drop([row(3).path, "schemas/none.md"])
        assert paths(index) == {row(1).path, row(2).path}


def test_of_two_rows_for_one_file_the_last_counts(tmp_path):
    with build(tmp_path, [row(1, "apple"), row(1, "pear")]) as index:
        assert index.take([row(1).path], ("appl", "pear"))[0].counts == {"pear": 1}
        index.upsert([row(1, "plum"), row(1, "apple")], [vectors(1), vectors(2)])
        assert index.take([row(1).path], ("appl", "plum"))[0].counts == {"appl": 1}
        assert index.verify() == []


def test_many_rows_are_replaced_and_dropped_at_once(tmp_path):
    rows = [row(number) for number in range(3000)]
    with build(tmp_path, rows, [vectors(number % 7, 1 + number % 2) for number in range(3000)]) as index:
        index.upsert(rows, [vectors(1)] * 3000)
        assert index.pieces() == 3000
        index.drop([one.path for one in rows[:2999]])
        assert paths(index) == {rows[2999].path}


def test_an_index_that_nobody_closed_is_present_no_more_when_it_is_gone(tmp_path):
    build(tmp_path, ROWS)
    with reopen(tmp_path, writable=True) as index:
        assert len(paths(index)) == 100
        with index._presence.alone() as alone:
            assert alone


def test_what_the_index_holds_is_for_its_owner_alone(tmp_path):
    with build(tmp_path / "index", ROWS) as index:
        assert (tmp_path / "index").stat().st_mode & 0o077 == 0
        assert index.generation.stat().st_mode & 0o077 == 0


def test_writing_nothing_writes_nothing(tmp_path):
    with build(tmp_path, [row(1)]) as index:
        before = index.size()
        index.upsert([], [])
        index.drop([])
        index.tidy()
        assert index.size() == before


def test_a_status_changes_in_place(tmp_path):
    with build(tmp_path, ROWS) as index:
        index.upsert([row(5, "refund window", status=Status.FORGOTTEN)], [vectors(5)])
        assert index.counts() == {"active": 99, "forgotten": 1}
        assert row(5).path not in index.words(viewer(), ("refund",)).paths


def test_a_reader_sees_what_another_process_wrote_after_refresh(tmp_path):
    build(tmp_path, ROWS).close()
    with reopen(tmp_path) as reader, reopen(tmp_path, writable=True) as other:
        other.upsert([row(200, "new")], [vectors(200)])
        assert len(paths(reader)) == 100
        assert reader.refresh()
        assert len(paths(reader)) == 101


def test_a_reader_of_the_old_generation_goes_on_until_it_looks_again(tmp_path):
    build(tmp_path, ROWS).close()
    with reopen(tmp_path) as reader:
        build(tmp_path, ROWS[:10]).close()
        assert len(reader.take([one.path for one in ROWS])) == 100
        assert len(_generations(tmp_path)) == 2
        assert reader.refresh()
        assert len(paths(reader)) == 10
    build(tmp_path, ROWS[:5], fingerprint="other").close()
    assert not reader.refresh()
    assert len(_generations(tmp_path)) == 1


def _generations(folder):
    return [one.name for one in folder.iterdir() if one.is_dir()]


def test_a_writer_follows_to_the_generation_that_somebody_made_meanwhile(tmp_path):
    with build(tmp_path, ROWS) as one, reopen(tmp_path, writable=True) as other:
        one.tidy(force=True)
        other.upsert([row(200, "new")], [vectors(200)])
        other.drop([ROWS[0].path])
        assert one.refresh()
        assert len(paths(one)) == 100
        assert one.generation == other.generation
        build(tmp_path, ROWS, fingerprint="other").close()
        with pytest.raises(TryAgain):
            other.upsert([row(201)], [vectors(1)])


@pytest.mark.case("P-IDX-05")
def test_two_hundred_single_updates_leave_few_files_and_few_bytes(tmp_path):
    with build(tmp_path / "fresh", ROWS) as fresh:
        small = fresh.size()
    most = 0
    with build(tmp_path / "index", ROWS) as index:
        for turn in range(200):
            index.upsert([row(turn % 100, f"refund update{turn}")], [vectors(turn)])
            most = max(most, index.size()[0])
        index.tidy(force=True)
        files, size = index.size()
        assert len(paths(index)) == 100
    assert most < 400
    assert files <= small[0] + 5
    assert size <= 2 * small[1]


@pytest.mark.case("P-IDX-06")
def test_readers_go_on_while_another_process_writes_and_cleans_up(tmp_path):
    build(tmp_path, ROWS).close()
    code = f"""
        import sys
        sys.path.insert(0, {HERE!r})
        from pathlib import Path
        from rowmaking import paths, reopen, row, vectors, viewer
        folder = Path({str(tmp_path)!r})
        print("ready", flush=True)
        reads = 0
        while not (folder / "stop").exists():
            index = reopen(folder)
            assert index is not None
            hits = index.words(viewer(), ("refund",))
            near = index.nearest(viewer(), vectors(reads)[0], 20)
            taken = index.take([*hits.paths, *(one.path for one in near)], ("refund",))
            assert (len(hits.paths), hits.visible, len(near), len(taken)) == (100, 100, 20, 100)
            index.close()
            reads += 1
        print(reads)
    """
    readers = [_child(code) for _ in range(3)]
    for reader in readers:
        reader.stdout.readline()
    with reopen(tmp_path, writable=True) as index:
        for turn in range(4):
            for number in range(4):
                index.upsert([row(number, f"refund turn{turn}")], [vectors(turn)])
            index.tidy(force=True)
    build(tmp_path, ROWS).close()
    (tmp_path / "stop").touch()
    for reader in readers:
        out, error = reader.communicate(timeout=60)
        assert (reader.returncode, error) == (0, "")
        assert int(out) > 3


def _child(code):
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_what_a_present_reader_may_read_is_not_removed(tmp_path):
    build(tmp_path, ROWS).close()
    with reopen(tmp_path) as reader, reopen(tmp_path, writable=True) as other:
        other.drop([one.path for one in ROWS[50:]])
        other.tidy(force=True)
        other.tidy(force=True)
        assert len(reader.take([one.path for one in ROWS])) == 100
        assert len(_generations(tmp_path)) == 2
        reader.close()
        other.tidy(force=True)
        assert len(_generations(tmp_path)) == 1
        assert len(paths(other)) == 50


def test_tidying_keeps_pieces_and_their_replacement(tmp_path):
    with build(tmp_path, ROWS, [vectors(number, 1 + number % 2) for number in range(100)]) as index:
        index.tidy(force=True)
        assert index.pieces() == 150
        index.upsert(ROWS[:10], [vectors(number) for number in range(10)])
        assert index.pieces() == 145


def test_two_processes_that_write_the_same_new_row_leave_one(tmp_path):
    build(tmp_path, []).close()
    code = f"""
        import sys
        sys.path.insert(0, {HERE!r})
        from pathlib import Path
        from rowmaking import reopen, row, vectors
        index = reopen(Path({str(tmp_path)!r}), writable=True)
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(20):
            index.upsert([row(number)], [vectors(number)])
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    writers = [subprocess.Popen(command, text=True, **pipes) for _ in range(3)]
    for one in writers:
        one.stdout.readline()
    for one in writers:
        one.stdin.write("go\n")
        one.stdin.flush()
    for one in writers:
        one.communicate(timeout=60)
        assert one.returncode == 0
    with reopen(tmp_path) as index:
        assert len(paths(index)) == 20
        assert index.verify() == []


def test_a_writer_that_waits_too_long_is_told_to_try_again(tmp_path):
    with build(tmp_path, ROWS) as index:
        generation = index.generation
        with turns.writing(generation), pytest.raises(TryAgain), turns.writing(generation, wait_s=0.01):
            pass
        with turns.writing(generation, wait_s=0.01):
            pass


def test_a_tidying_that_fails_does_not_fail_the_write(tmp_path, monkeypatch):
    def failing(self):
        raise Damaged("no room")

    monkeypatch.setattr(writer, "WRITES", -1)
    monkeypatch.setattr(writer.Writing, "copy", failing)
    with build(tmp_path, ROWS) as index:
        index.upsert([row(300)], [vectors(1)])
        assert len(paths(index)) == 101


def test_presence_is_shared_and_to_be_alone_is_not(tmp_path):
    turns.prepare(tmp_path)
    one, other = turns.Presence.enter(tmp_path), turns.Presence.enter(tmp_path)
    with one.alone() as alone:
        assert not alone
    other.leave()
    other.leave()
    with one.alone() as alone:
        assert alone
        late = threading.Thread(target=lambda: turns.Presence.enter(tmp_path).leave())
        late.start()
        late.join(0.05)
        assert late.is_alive()
    late.join(5)
    assert not late.is_alive()
    with turns.Presence.enter(tmp_path / "none").alone() as alone:
        assert not alone


def test_the_seal_tells_what_changed(tmp_path):
    with build(tmp_path, ROWS) as index:
        assert seal.broken(index.generation) == []
        file = next((index.generation / "tables" / "schemas.lance" / "data").iterdir())
        raw = file.read_bytes()
        file.write_bytes(raw)  # another time, the same contents
        assert seal.broken(index.generation) == []
        file.write_bytes(b"x" + raw[1:])
        assert seal.broken(index.generation) == [
            f"{file.relative_to(index.generation)}: its contents changed"
        ]
        file.write_bytes(raw + b"x")
        assert seal.broken(index.generation)[0].endswith("its size changed")
        file.unlink()
        assert "No such file" in seal.broken(index.generation)[0]
        assert index.verify()[0].startswith("tables/")


def test_two_rebuilds_at_once_make_two_generations(tmp_path):
    first, presence = generations.begin(tmp_path)
    second, other = generations.begin(tmp_path)
    assert first != second
    generations.sweep(tmp_path)
    assert first.exists()
    assert second.exists()
    presence.leave()
    other.leave()
    generations.sweep(tmp_path)
    assert not first.exists()


def test_size_and_verify_speak_of_the_generation_in_use(tmp_path):
    with build(tmp_path, ROWS) as index:
        files, size = index.size()
        assert 5 < files < 40
        assert size > 100 * 16 * 4
        assert index.verify() == []
