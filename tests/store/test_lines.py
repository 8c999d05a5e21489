import errno
import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.errors import BadFile, TryAgain, Unavailable
from memcli.store import lines
from memcli.store.lines import Addition
from memcli.store.place import Place

PATH = "events/2026/11/s1.jsonl"


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def append(place, *values, path=PATH):
    addition = lines.plan(place, path, values)
    lines.add(place, addition)
    return addition


def values(place, path=PATH):
    return [dict(line.value) for line in lines.read(place, path).found]


def problems(place):
    return [str(one) for one in lines.read(place, PATH).problems]


def test_what_is_appended_is_read_in_its_order(place):
    append(place, {"n": 1}, {"n": 2})
    append(place, {"n": 3})
    assert values(place) == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert place.at(PATH).read_bytes() == b'{"n":1}\n{"n":2}\n{"n":3}\n'


def test_a_file_that_is_missing_holds_nothing(place):
    assert lines.read(place, PATH) == lines.Lines((), ())
    assert lines.plan(place, PATH, []) == Addition(PATH, 0, b"")


@pytest.mark.parametrize(
    "text", ["a\nb\r\nc", "\u2028\x85\x0b\x00", "é 👩‍👩‍👧‍👦 שלום", '"\\', "<<<<<<< HEAD", "\x1b[2J", ""]
)
@pytest.mark.case("P-ENC-07")
def test_any_text_takes_one_line_and_comes_back_whole(place, text):
    append(place, {"text": text}, {"text": "next"})
    assert place.at(PATH).read_bytes().count(b"\n") == 2
    assert values(place) == [{"text": text}, {"text": "next"}]


@pytest.mark.case("P-ENC-04")
def test_half_a_character_is_written_as_the_replacement_character(place):
    append(place, {"text": "caf\udce9 é"})
    assert values(place) == [{"text": "caf\ufffd é"}]


def test_text_is_written_as_people_read_it(place):
    append(place, {"text": "Läden"})
    assert "Läden".encode() in place.at(PATH).read_bytes()


@pytest.mark.parametrize("torn", [b'{"n":', b'{"n":1}', b"\xff\xfe", b" "])
def test_a_torn_last_line_is_never_glued_to_the_next(place, torn):
    append(place, {"n": 0})
    with place.at(PATH).open("ab") as file:
        file.write(torn)
    append(place, {"n": 2})
    assert [one["n"] for one in values(place)] in ([0, 2], [0, 1, 2])
    assert place.at(PATH).read_bytes().endswith(torn + b'\n{"n":2}\n')


def test_lines_that_cannot_be_read_are_reported_and_hide_no_other(place):
    place.at(PATH).parent.mkdir(parents=True)
    rows = [b'{"n":1}', b"<<<<<<< HEAD", b"[1]", b"\xff", b"", b"{" * 5000, b'{"n":2}', b'{"n":']
    place.at(PATH).write_bytes(b"\n".join(rows))
    assert values(place) == [{"n": 1}, {"n": 2}]
    said = "the line is no JSON object and was passed over"
    assert problems(place) == [f"{PATH}:{number}: {said}" for number in (2, 3, 4, 6)] + [
        f"{PATH}:8: the line is torn and was passed over"
    ]


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_none_is_no_object(place, number):
    place.at(PATH).parent.mkdir(parents=True)
    place.at(PATH).write_text(f'{{"n":{number}}}\n{{"n":1e308}}\n')
    assert values(place) == [{"n": 1e308}]
    assert problems(place) == [f"{PATH}:1: the line is no JSON object and was passed over"]
    with pytest.raises(ValueError, match=number):
        lines.finite(number)


def test_a_line_that_is_too_long_is_passed_over_whole(place, monkeypatch):
    monkeypatch.setattr(lines, "_LINE_BYTES", 100)
    append(place, {"n": 1}, {"text": "x" * 1000}, {"n": 2})
    assert values(place) == [{"n": 1}, {"n": 2}]
    assert problems(place) == [f"{PATH}:2: the line is torn and was passed over"]


def test_only_lines_that_hold_the_bytes_are_looked_at(place):
    append(place, {"id": "aa"}, {"id": "bb"})
    with place.at(PATH).open("ab") as file:
        file.write(b"garbage\n")
    found = lines.read(place, PATH, holding=b"bb")
    assert [(line.number, dict(line.value)) for line in found.found] == [(2, {"id": "bb"})]
    assert found.problems == ()


def test_an_addition_is_refused_where_the_file_has_grown_since(place):
    addition = lines.plan(place, PATH, [{"n": 1}])
    append(place, {"n": 0})
    with pytest.raises(TryAgain):
        lines.add(place, addition)
    assert values(place) == [{"n": 0}]


@pytest.mark.case("P-FILE-04")
@pytest.mark.parametrize("existing", [0, 1])
@pytest.mark.parametrize("step", ["write", "short", "fsync"])
def test_a_disk_that_fails_leaves_nothing_of_the_addition(place, monkeypatch, existing, step):
    for n in range(existing):
        append(place, {"n": n})
    before = place.at(PATH).read_bytes() if existing else None
    write, fsync = os.write, os.fsync

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    def short(descriptor, data):
        monkeypatch.setattr(os, "write", full)
        return write(descriptor, bytes(data[:3]))

    addition = lines.plan(place, PATH, [{"n": 7}])
    if step == "fsync":
        calls = iter([fsync] * (0 if existing else 3))  # the folders that are made come first

        def later_full(descriptor):
            next(calls, full)(descriptor)

        monkeypatch.setattr(os, "fsync", later_full)
    else:
        monkeypatch.setattr(os, "write", full if step == "write" else short)
    with pytest.raises(Unavailable):
        lines.add(place, addition)
    monkeypatch.undo()
    if existing and step == "fsync":  # whole, though perhaps not on the disk yet: the intent takes it back
        lines.cut(place, PATH, addition.length)
    assert (place.at(PATH).read_bytes() if place.at(PATH).exists() else None) == before
    append(place, {"n": 8})
    assert values(place)[-1] == {"n": 8}


@pytest.mark.case("P-SEC-10")
@pytest.mark.parametrize("name", ["events", "events/2026", PATH])
def test_a_link_on_the_way_is_followed_neither_for_reading_nor_for_writing(place, tmp_path_factory, name):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "s1.jsonl").write_text('{"n":1}\n')
    link = place.root / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "s1.jsonl" if name == PATH else outside)
    with pytest.raises(BadFile):
        lines.read(place, PATH)
    with pytest.raises(BadFile):
        lines.add(place, Addition(PATH, 8, b"x\n"))
    assert (outside / "s1.jsonl").read_text() == '{"n":1}\n'
    assert [one.name for one in outside.iterdir()] == ["s1.jsonl"]


@pytest.mark.case("P-FILE-13")
def test_a_pipe_in_place_of_the_file_is_refused_without_waiting(place):
    place.at(PATH).parent.mkdir(parents=True)
    os.mkfifo(place.at(PATH))
    for attempt in (lambda: lines.read(place, PATH), lambda: lines.plan(place, PATH, [])):
        with pytest.raises(BadFile):
            attempt()
    with pytest.raises(TryAgain):
        lines.add(place, Addition(PATH, 0, b"x\n"))


@pytest.mark.case("P-SEC-11")
def test_new_files_and_folders_are_private(place):
    append(place, {})
    assert place.at(PATH).stat().st_mode & 0o777 == 0o600
    assert place.events.stat().st_mode & 0o777 == 0o700


def test_cutting_takes_back_exactly_what_was_added(place):
    append(place, {"n": 1})
    kept = place.at(PATH).read_bytes()
    addition = append(place, {"n": 2}, {"n": 3})
    assert lines.after(place, PATH, addition.length) == addition.raw
    lines.cut(place, PATH, addition.length)
    assert place.at(PATH).read_bytes() == kept
    assert lines.after(place, PATH, addition.length) == b""
    assert lines.after(place, PATH, addition.length + 1) is None
    lines.cut(place, PATH, 0)
    assert not place.at(PATH).exists()
    assert lines.after(place, PATH, 0) is None


def test_what_was_cut_is_gone_from_the_disk_before_anybody_is_told(place, monkeypatch):
    addition = append(place, {"n": 1})
    synced = []
    monkeypatch.setattr(lines.inside, "sync", lambda opened: synced.append(os.fstat(opened).st_ino))
    lines.cut(place, PATH, 1)
    file, folder = place.at(PATH).stat().st_ino, place.at(PATH).parent.stat().st_ino
    assert synced == [file, folder]
    lines.add(place, lines.plan(place, PATH, []))
    assert synced == [file, folder, file]
    assert addition.length == 0


def test_the_length_is_that_of_the_file_and_of_a_missing_one_nothing(place):
    assert lines.length(place, PATH) == 0
    addition = append(place, {"n": 1})
    assert lines.length(place, PATH) == len(addition.raw)


def test_what_was_lost_is_put_back_before_what_was_kept_and_once(place):
    before = append(place, {"n": 1}, {"n": 2}, {"n": 3}).raw
    place.at(PATH).write_bytes(lines.encoded({"n": 2}) + lines.encoded({"n": 4}))
    assert lines.restore(place, PATH, before) == 2
    assert values(place) == [{"n": 1}, {"n": 2}, {"n": 3}, {"n": 4}]
    kept = place.at(PATH).read_bytes()
    assert lines.restore(place, PATH, before) == 0
    assert place.at(PATH).read_bytes() == kept
    assert [path.name for path in place.at(PATH).parent.iterdir()] == [place.at(PATH).name]


def test_a_file_that_was_deleted_is_put_back_whole_and_private(place):
    before = append(place, {"n": 1}, {"n": 2}).raw
    place.at(PATH).unlink()
    assert lines.restore(place, PATH, before) == 2
    assert place.at(PATH).read_bytes() == before
    assert place.at(PATH).stat().st_mode & 0o777 == 0o600


def test_a_file_that_others_may_read_is_put_back_for_them_too(place):
    before = append(place, {"n": 1}, {"n": 2}).raw
    place.at(PATH).write_bytes(b"")
    place.at(PATH).chmod(0o640)
    assert lines.restore(place, PATH, before) == 2
    assert place.at(PATH).stat().st_mode & 0o777 == 0o640


def test_what_is_put_back_without_its_last_line_break_is_not_glued_to_what_follows(place):
    append(place, {"n": 4})
    assert lines.restore(place, PATH, b'{"n":1}') == 1
    assert values(place) == [{"n": 1}, {"n": 4}]


def test_of_what_was_read_before_only_what_follows_is_read(place):
    append(place, {"n": 1})
    found, first = lines.since(place, PATH)
    assert [dict(one.value) for one in found.found] == [{"n": 1}]
    assert lines.since(place, PATH, first) == (lines.Lines((), ()), first)
    append(place, {"n": 2}, {"n": 3})
    with place.at(PATH).open("ab") as file:
        file.write(b'\n{broken\n{"torn')
    found, second = lines.since(place, PATH, first)
    assert [(one.number, one.value["n"]) for one in found.found] == [(1, 2), (2, 3)]
    assert [problem.line for problem in found.problems] == [4]
    assert second.end == lines.length(place, PATH) - len(b'{"torn')
    for one in found.found:
        assert lines.at(place, PATH, one.start, one.end) == one.value
    assert lines.mark(place, PATH, second.end) == second
    assert lines.mark(place, PATH, first.end) == first


def test_the_place_of_each_line_is_that_in_the_whole_file_however_far_it_was_read(place):
    append(place, *({"n": number, "text": "x" * number} for number in range(40)))
    _, end = lines.since(place, PATH)
    append(place, {"n": 40})
    (one,) = lines.since(place, PATH, end)[0].found
    assert len(end.tail) == 64
    assert lines.mark(place, PATH, end.end) == end
    assert place.at(PATH).read_bytes()[one.start : one.end] == lines.encoded({"n": 40})


@pytest.mark.parametrize("rewritten", [b'{"n":7}\n', b'{"n":7}\n{"n":8}\n', b""])
def test_a_file_with_another_past_is_to_be_read_again_and_that_is_said(place, rewritten):
    append(place, {"n": 1})
    _, read = lines.since(place, PATH)
    place.at(PATH).write_bytes(rewritten)
    with pytest.raises(ValueError, match=PATH.replace(".", "[.]")):
        lines.since(place, PATH, read)
    place.at(PATH).unlink()
    with pytest.raises(ValueError, match=PATH.replace(".", "[.]")):
        lines.since(place, PATH, read)
    assert lines.since(place, PATH) == (lines.Lines((), ()), lines.START)


def test_where_no_object_stands_any_more_there_is_none(place):
    assert lines.at(place, PATH, 0, 8) is None
    append(place, {"n": 1})
    assert lines.at(place, PATH, 0, 8) == {"n": 1}
    assert lines.at(place, PATH, 1, 8) is None
    assert lines.at(place, PATH, 0, 7) == {"n": 1}  # the line break is no part of it
    assert lines.at(place, PATH, 8, 16) is None


def test_the_lines_of_a_blob_are_read_like_those_of_a_file():
    raw = b'{"n":1}\n\n[2]\n{"n":3,"who":"a"}\n{"n":4'
    found = lines.of_bytes(PATH, raw)
    assert [(one.number, one.value["n"], raw[one.start : one.end]) for one in found.found] == [
        (1, 1, b'{"n":1}\n'),
        (4, 3, b'{"n":3,"who":"a"}\n'),
    ]
    assert [str(one) for one in found.problems] == [
        f"{PATH}:3: the line is no JSON object and was passed over"
    ]
    chosen = lines.of_bytes(PATH, raw, [b"nobody", b"who"])
    assert ([one.value["n"] for one in chosen.found], chosen.problems) == ([3], ())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None)
@given(objects=st.lists(st.dictionaries(st.text(), JSON, max_size=4), max_size=6))
def test_any_objects_come_back_as_they_were(tmp_path_factory, objects):
    place = Place(tmp_path_factory.getbasetemp())
    path = "events/any.jsonl"
    place.at(path).unlink(missing_ok=True)
    append(place, *objects, path=path)
    assert values(place, path) == json.loads(json.dumps(objects))
