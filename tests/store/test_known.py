"""What the index last saw: nothing that changed is missed, nothing unverified is taken as gone."""

import os
import zlib
from collections import UserDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.store import known as seen
from memcli.store.known import KnownFile
from memcli.store.place import Place
from memcli.store.problem import Problem
from memcli.store.scan import Scan, Seen, scan


@pytest.fixture
def place(tmp_path):
    (tmp_path / "schemas/project/t").mkdir(parents=True)
    (tmp_path / ".mem").mkdir()
    return Place(tmp_path)


TEXT = st.text(st.characters(exclude_characters="\0"), min_size=1)


@given(
    entries=st.dictionaries(
        TEXT, st.tuples(st.sampled_from(["", "1:2:3:4"]), TEXT, TEXT, st.text()), max_size=5
    )
)
def test_what_is_saved_is_loaded(entries, tmp_path_factory):
    file = tmp_path_factory.mktemp("known") / "known"
    known = {path: KnownFile(*fields) for path, fields in entries.items()}
    seen.save(file, known)
    loaded = seen.load(file)
    assert loaded == {
        path: entry._replace(problem=entry.problem.replace("\0", " ")) for path, entry in known.items()
    }


def test_a_missing_torn_or_foreign_file_is_nothing_known(tmp_path):
    file = tmp_path / "known"
    assert seen.load(file) is None
    seen.save(file, {"a.md": KnownFile("1:2:3:4", "d" * 32, "abc", "")})
    raw = file.read_bytes()
    damaged = [raw[:cut] for cut in range(len(raw))]
    damaged += [raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :] for at in range(len(raw))]
    damaged += [b"\0" * len(raw), raw.replace(b"known 2", b"known 9")]
    for each in damaged:
        file.write_bytes(each)
        assert seen.load(file) is None
    file.write_bytes(raw)
    assert seen.load(file) is not None


def test_additions_replace_and_remove_and_one_that_is_torn_is_passed_over(tmp_path):
    file = tmp_path / "known"
    one, two, three = (KnownFile(f"1:2:3:{at}", "d" * 32, "abc", "") for at in range(3))
    seen.add(file, {"a.md": one}, ["b.md"], {"a.md": one, "c.md": three})  # none there yet: written whole
    assert seen.load(file) == {"a.md": one, "c.md": three}
    seen.add(file, {"b.md": two}, ["c.md"], {})
    assert seen.load(file) == {"a.md": one, "b.md": two}
    raw = file.read_bytes()
    seen.add(file, {"c.md": three, "a.md": two}, ["b.md"], {})
    longer = file.read_bytes()
    assert seen.load(file) == {"c.md": three, "a.md": two}
    for cut in range(len(raw), len(longer)):
        file.write_bytes(longer[:cut])
        assert seen.load(file) == {"a.md": one, "b.md": two}
    file.write_bytes(raw + b"\0")
    assert seen.load(file) == {"a.md": one, "b.md": two}


def test_additions_are_written_together_before_they_outgrow_the_whole(tmp_path):
    file = tmp_path / "known"
    known = {f"{at}.md": KnownFile(f"1:2:3:{at}", "d" * 32, "abc", "") for at in range(100)}
    seen.save(file, known)
    size = file.stat().st_size
    for at in range(3000):
        known["5.md"] = KnownFile(f"1:2:3:{at}", "d" * 32, "abc", "")
        seen.add(file, {"5.md": known["5.md"]}, [], known)
    assert seen.load(file) == known
    assert file.stat().st_size < 2 * size + (1 << 17)


def test_a_failed_save_keeps_what_was_there(tmp_path, monkeypatch):
    file = tmp_path / "known"
    seen.save(file, {})
    before = file.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(file), "replace", full)
    with pytest.raises(OSError, match="No space"):
        seen.save(file, {"a": KnownFile("1:1:1:1", "", "")})
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_new_changed_and_vanished_files_are_told_apart():
    known = {
        "a.md": KnownFile("1:1:1:1", "x", "a"),
        "b.md": KnownFile("2:2:2:2", "x", "b"),
        "c.md": KnownFile("3:3:3:3", "x", "c"),
        "d.md": KnownFile(seen.UNSETTLED, "x", "d"),
    }
    found = Scan(
        (Seen("a.md", "1:1:1:1"), Seen("b.md", "2:9:2:2"), Seen("d.md", "4:4:4:4"), Seen("e.md", "5:5:5:5"))
    )
    assert seen.difference(found, known) == (("b.md", "d.md", "e.md"), ("c.md",), False)


@pytest.mark.case("P-FILE-12")
def test_a_file_in_a_folder_that_could_not_be_listed_has_not_vanished():
    known = {path: KnownFile("1:1:1:1", "x", path[-4:-3]) for path in ("schemas/t/a.md", "schemas/t/in/b.md")}
    found = Scan((), (Problem("schemas/t/in/", 0, "", "cannot be listed"),), (), ("schemas/t/in/",))
    assert seen.difference(found, known).vanished == ("schemas/t/a.md",)


@pytest.mark.case("P-FILE-14")
def test_a_store_that_lost_everything_at_once_says_so():
    known = {"a.md": KnownFile("1:1:1:1", "x", "a"), "b.md": KnownFile("1:1:1:1", "x", "b")}
    assert seen.difference(Scan(()), known).emptied
    assert not seen.difference(Scan((Seen("a.md", "1:1:1:1"),)), known).emptied
    assert not seen.difference(Scan(()), {}).emptied


@pytest.mark.case("P-FILE-06")
def test_a_file_too_large_to_read_has_vanished_from_the_index(place):
    file = place.schemas / "project/t/a.md"
    file.write_text("x")
    known = {path: KnownFile(signature, "", "") for path, signature in scan(place).files}
    with file.open("wb") as big:
        big.truncate(2**21)
    assert seen.difference(scan(place), known).vanished == ("schemas/project/t/a.md",)


def test_an_edit_within_the_same_tick_of_the_clock_is_never_missed(place):
    file = place.schemas / "project/t/a.md"
    for number in range(300):
        file.write_text(f"{number:04d} one")
        taken = seen.present(place.private)
        known = seen.settled({path: KnownFile(s, "", "") for path, s in scan(place).files}, taken)
        with file.open("r+") as same:  # in place, same size
            same.write(f"{number:04d} two")
        assert seen.difference(scan(place), known).changed == ("schemas/project/t/a.md",)
    assert list(place.private.iterdir()) == []


def test_a_file_older_than_the_snapshot_stays_settled():
    old, young = KnownFile("1:100:200:4", "x", "a"), KnownFile("1:100:300:4", "x", "b")
    settled = seen.settled({"a": old, "b": young, "c": young._replace(signature="")}, 300)
    assert settled == {"a": old, "b": young._replace(signature=""), "c": young._replace(signature="")}
    assert seen.settled({"b": young}, 301) == {"b": young}


class Counting(UserDict):
    asked = 0

    def get(self, key, default=None):
        type(self).asked += 1
        return self.data.get(key, default)


def test_a_comparison_asks_once_a_file_and_reads_none(place, monkeypatch):
    files = tuple(Seen(f"schemas/project/t/{number:05d}.md", f"1:1:1:{number}") for number in range(10_000))
    known = Counting({path: KnownFile(signature, "d" * 32, path[-8:-3]) for path, signature in files})
    seen.save(place.known_file, known)
    assert seen.load(place.known_file) == known.data
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", None)
        patch.setattr(os, "open", None)
        assert seen.difference(Scan(files), known) == ((), (), False)
    assert Counting.asked == len(files)


@pytest.mark.parametrize(
    "body", [b"a\0b\0", b"\xff\0" * 5, b"a\0x\0y\0z\0"], ids=["odd", "not UTF-8", "short"]
)
def test_what_is_sound_by_its_sum_and_senseless_is_nothing_known(tmp_path, body):
    file = tmp_path / "known"
    header = b"mem known 2 %08x %d\n" % (zlib.crc32(body), len(body))
    file.write_bytes(header + body)
    assert seen.load(file) is None
    seen.save(file, {"a.md": KnownFile("1:2:3:4", "d" * 32, "abc", "")})
    file.write_bytes(file.read_bytes() + header + body)
    assert seen.load(file) is None
    file.write_bytes(b"mem known 2 00000000 " + b"9" * 5000 + b"\n")
    assert seen.load(file) is None


def test_a_pipe_or_a_link_in_its_place_is_nothing_known_and_is_not_waited_for(tmp_path):
    file, victim = tmp_path / "known", tmp_path / "victim"
    victim.write_bytes(b"mem known 2 00000000 0\n")
    file.symlink_to(victim)
    assert seen.load(file) is None
    seen.add(file, {}, [], {"a.md": KnownFile("1:2:3:4", "d" * 32, "abc", "")})
    assert victim.read_bytes() == b"mem known 2 00000000 0\n"
    file.unlink()
    os.mkfifo(file)
    assert seen.load(file) is None
