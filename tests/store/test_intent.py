import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.errors import Refused, Unavailable
from memcli.memory.scope import USER
from memcli.store import atomic, events, intent, lines
from memcli.store.events import Event, Kind, new_id
from memcli.store.format import digest
from memcli.store.intent import Intent
from memcli.store.lines import Addition
from memcli.store.lock import hold
from memcli.store.place import Place

A, B, GROWS = "schemas/project/t/a.md", "schemas/project/t/b.md", "events/2026/11/m.jsonl"


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def begin(place, tx, before, after=None, added=None):
    intent.begin(place, Intent(tx, before, after or {}, added or {}))


def put(place, path, raw):
    place.at(path).parent.mkdir(parents=True, exist_ok=True)
    place.at(path).write_bytes(raw)


def held(place, *paths):
    return {path: place.at(path).read_bytes() if place.at(path).exists() else None for path in paths}


def test_an_intent_comes_back_as_it_was_written(place):
    before = {A: b"\x00\xff---\r\n", B: None, GROWS: 17, "tombstones.jsonl": 0}
    after = {A: "d" * 32, B: None}
    begin(place, "tx1", before, after)
    assert intent.pending(place) == Intent("tx1", before, after)
    intent.end(place)
    assert intent.pending(place) is None
    intent.end(place)


def test_a_name_that_is_no_text_comes_back_too(place):
    begin(place, "tx", {"schemas/user/bad\udcff.md": None})
    assert list(intent.pending(place).before) == ["schemas/user/bad\udcff.md"]


@pytest.mark.case("P-SEC-11")
def test_the_intent_is_private(place):
    begin(place, "tx", {A: b"secret"})
    assert place.intent_file.stat().st_mode & 0o777 == 0o600
    kept = {one.name: one.stat().st_mode & 0o777 for one in place.private.iterdir()}
    assert kept == {"intent": 0o600, "spare": 0o600}


@pytest.mark.case("P-IDX-09")
def test_nothing_that_is_kept_says_where_the_store_lies(place, tmp_path_factory):
    with hold(place, wait_s=0, holder="mem remember"):
        event = Event(new_id(0, bytes(10)), 0, USER, "human:ana", Kind.CLAIM, "1", "x", session="s1")
        events.append(place, event, events.machine(place))
        begin(place, "tx", {A: b"x", B: None}, {A: digest(b"y")})
        kept = [one for one in place.root.rglob("*") if one.is_file()]
        assert len(kept) >= 6
        assert not [one for one in kept if str(place.root).encode() in one.read_bytes()]
    moved = Place(tmp_path_factory.mktemp("moved") / "store")
    place.root.rename(moved.root)
    assert intent.pending(moved).tx == "tx"
    assert events.find(moved, event.id) == event
    with hold(moved, wait_s=0, holder="mem remember"):
        assert intent.undo(moved, intent.pending(moved)) == (A,)


FORBIDDEN = [
    *("../x.md", "/etc/passwd", "schemas/../../x", "schemas//x", "schemas/./x", "", "schemas", "a\0b"),
    *(".git/hooks/post-commit", "schemas/.git/config", "events/x/.git/HEAD", "schemas/.hidden.md"),
    *("pyproject.toml", "README.md", ".mem/lock", ".bashrc", "src/x.py", "SCHEMAS/x.md"),
]


@pytest.mark.case("P-SEC-01")
@pytest.mark.parametrize("path", FORBIDDEN)
def test_an_operation_may_change_no_file_but_a_stores_own(place, path):
    with pytest.raises(Refused) as refused:
        begin(place, "tx", {path: None})
    assert refused.value.message.isprintable()
    assert not place.intent_file.exists()


@pytest.mark.case("P-SEC-01")
@pytest.mark.parametrize("path", FORBIDDEN)
def test_an_intent_that_came_with_a_store_reaches_no_other_file(place, path):
    forge(place, json.dumps({"tx": "x", "before": {A: None, path: "cHdu"}, "after": {}}).encode())
    assert intent.pending(place) is None


def forge(place, raw):
    place.private.mkdir(exist_ok=True)
    place.intent_file.write_bytes(hashlib.sha256(raw).hexdigest().encode() + b"\n" + raw)


@pytest.mark.parametrize(
    "raw",
    [
        *(b"", b"{}", b"[]", b"null", b"[" * 5000, b"\xff", b'{"tx":1,"before":[],"after":{}}'),
        *(
            b'{"tx":1,"before":{"schemas/a":true},"after":{}}',
            b'{"tx":1,"before":{"schemas/a":-1},"after":{}}',
        ),
        *(
            b'{"tx":1,"before":{"schemas/a":"*"},"after":{}}',
            b'{"tx":1,"before":{"schemas/a":1.5},"after":{}}',
        ),
    ],
)
def test_an_intent_of_another_shape_is_none(place, raw):
    forge(place, raw)
    assert intent.pending(place) is None or intent.pending(place).before == {"schemas/a": b""}


def test_a_damaged_intent_is_none_and_the_next_takes_its_place(place):
    begin(place, "tx1", {A: b"x" * 100})
    whole = place.intent_file.read_bytes()
    for damaged in (whole[:-1], whole[:40], b"", whole.replace(b"tx1", b"tx2")):
        place.intent_file.write_bytes(damaged)
        assert intent.pending(place) is None
    begin(place, "tx3", {A: None})
    assert intent.pending(place).tx == "tx3"


@pytest.mark.case("P-FILE-15")
def test_an_intent_that_cannot_be_written_says_so(tmp_path):
    with pytest.raises(Unavailable):
        begin(Place(tmp_path / "gone"), "tx", {A: None})


def test_what_was_half_written_beside_a_file_is_gone_and_no_other_hidden_file(place):
    path = f"schemas/user/{'a' * 12}.md"
    begin(place, "t1", {path: None}, {path: digest(b"whole")})
    folder = place.at(path).parent
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{atomic.TEMPORARY}0123.tmp").write_bytes(b"wh")
    (folder / ".notes.swp").write_bytes(b"an editor's")
    assert intent.undo(place, intent.pending(place)) == ()
    assert [one.name for one in folder.iterdir()] == [".notes.swp"]


def test_a_file_edited_after_the_crash_is_left_alone_and_named(place):
    put(place, A, b"before")
    put(place, B, b"before")
    begin(place, "tx", {A: b"before", B: b"before"}, {A: digest(b"written"), B: digest(b"written")})
    put(place, A, b"edited by a person")
    put(place, B, b"written")
    assert intent.undo(place, intent.pending(place)) == (A,)
    assert held(place, A, B) == {A: b"edited by a person", B: b"before"}
    assert intent.pending(place) is None


def test_a_file_removed_or_made_after_the_crash_is_left_alone(place):
    put(place, B, b"made by a person")
    begin(place, "tx", {A: b"before", B: b"before"}, {A: digest(b"written"), B: None})
    assert intent.undo(place, intent.pending(place)) == (A, B)
    assert held(place, A, B) == {A: None, B: b"made by a person"}


def test_lines_that_others_added_after_the_crash_are_left_alone(place):
    put(place, GROWS, b"old\nours\ntheirs\n")
    begin(place, "tx", {GROWS: 4}, added={GROWS: b"ours\n"})
    assert intent.undo(place, intent.pending(place)) == (GROWS,)
    assert held(place, GROWS) == {GROWS: b"old\nours\ntheirs\n"}


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize(
    "half", [b"", b"o", b"ours", b"ours\n", b"ours\nan", b"\0\0\0\0", b"ou\0\0\0\0\0\0\0\0"]
)
def test_half_a_line_that_a_crash_left_is_taken_back(place, half):
    put(place, GROWS, b"old\n" + half)
    begin(place, "tx", {GROWS: 4}, added={GROWS: b"ours\nand more\n"})
    assert intent.undo(place, intent.pending(place)) == ()
    assert held(place, GROWS) == {GROWS: b"old\n"}


@pytest.mark.parametrize("theirs", [b"our own", b"ours\nand more\n\n", b"theirs", b"\0\0theirs", b"\0" * 99])
def test_what_is_no_part_of_a_line_of_ours_is_left_alone(place, theirs):
    put(place, GROWS, b"old\n" + theirs)
    begin(place, "tx", {GROWS: 4}, added={GROWS: b"ours\nand more\n"})
    assert intent.undo(place, intent.pending(place)) == (GROWS,)
    assert held(place, GROWS) == {GROWS: b"old\n" + theirs}


def test_a_file_that_shrank_after_the_crash_is_left_alone(place):
    put(place, GROWS, b"old")
    begin(place, "tx", {GROWS: 4}, added={GROWS: b"ours\n"})
    assert intent.undo(place, intent.pending(place)) == (GROWS,)
    assert held(place, GROWS) == {GROWS: b"old"}


@pytest.mark.case("P-SEC-10")
@pytest.mark.parametrize("path", [A, GROWS])
def test_a_link_put_in_the_place_of_a_file_is_left_alone(place, tmp_path_factory, path):
    target = tmp_path_factory.mktemp("private") / "file"
    target.write_bytes(b"mine")
    place.at(path).parent.mkdir(parents=True)
    place.at(path).symlink_to(target)
    begin(place, "tx", {path: 0 if path == GROWS else b"before"})
    assert intent.undo(place, intent.pending(place)) == (path,)
    assert target.read_bytes() == b"mine"


def test_a_large_file_that_only_grows_is_cut_and_not_copied(place):
    old = b"x" * (3 << 20) + b"\n"
    put(place, GROWS, old)
    begin(place, "tx", {GROWS: len(old)})
    assert place.intent_file.stat().st_size < 500
    lines.add(place, Addition(GROWS, len(old), b"y" * (2 << 20)))
    assert intent.undo(place, intent.pending(place)) == ()
    assert held(place, GROWS) == {GROWS: old}


CONTENT = st.none() | st.binary(max_size=30)
STEPS = st.lists(st.tuples(CONTENT, CONTENT), min_size=1, max_size=5)
GROWTH = st.none() | st.tuples(st.integers(0, 3), st.integers(1, 3))


def operation(place, steps, growth):
    """The writes of an operation as calls, with what stood before and what is written."""
    before, after, added, writes = {}, {}, {}, []
    for number, (old, new) in enumerate(steps):
        path = f"schemas/project/t{number % 2}/f{number}.md"
        if old is not None:
            put(place, path, old)
        before[path], after[path] = old, None if new is None else digest(new)
        writes += _write(place, path, old, new)
    if growth:
        old_lines, new_lines = growth
        if old_lines:
            put(place, GROWS, b"{}\n" * old_lines)
        addition = lines.plan(place, GROWS, [{"n": n} for n in range(new_lines)])
        before[GROWS], added[GROWS] = addition.length, addition.raw
        writes.append(lambda: lines.add(place, addition))
    return before, after, added, writes


def _write(place, path, old, new):
    if old == new:
        return []
    if old is None:
        return [lambda: atomic.create(place, path, new)]
    if new is None:
        return [lambda: atomic.remove(place, path, digest(old))]
    return [lambda: atomic.replace(place, path, new, digest(old))]


@pytest.mark.case("P-CONC-03")
@settings(max_examples=60, deadline=None)
@given(steps=STEPS, growth=GROWTH, data=st.data())
def test_whatever_part_of_an_operation_was_done_undoing_gives_what_was_before(
    tmp_path_factory, steps, growth, data
):
    place = Place(tmp_path_factory.getbasetemp() / "property")
    shutil.rmtree(place.root, ignore_errors=True)
    place.root.mkdir()
    before, after, added, writes = operation(place, steps, growth)
    there = held(place, *before)
    begin(place, "tx", before, after, added)
    for write in writes[: data.draw(st.integers(0, len(writes)), label="writes done")]:
        write()
    if data.draw(st.booleans(), label="the undoing is killed too"):
        part = list(before)[: data.draw(st.integers(0, len(before)), label="paths undone")]
        intent.undo(place, Intent("tx", {path: before[path] for path in part}, after, added))
        begin(place, "tx", before, after, added)  # a killed undo has not ended the intent
    assert intent.undo(place, intent.pending(place)) == ()
    assert held(place, *before) == there
    assert intent.pending(place) is None
    assert not list(place.root.rglob("*.tmp"))


KILLED = """
import itertools, os, sys
from pathlib import Path
from memcli.store import atomic, intent, lines
from memcli.store.format import digest
from memcli.store.place import Place
A, B, GROWS = {paths!r}
place = Place(Path({root!r}))
os.write(1, b"go\\n")
for n in itertools.count(int(sys.argv[1])):
    old, new = b"%d" % n, b"%d" % (n + 1)
    addition = lines.plan(place, GROWS, [{{"n": n + 1}}])
    before = {{A: old, B: old, GROWS: addition.length}}
    after, added = {{A: digest(new), B: digest(new)}}, {{GROWS: addition.raw}}
    intent.begin(place, intent.Intent(str(n + 1), before, after, added))
    atomic.replace(place, A, new, digest(old))
    atomic.replace(place, B, new, digest(old))
    lines.add(place, addition)
    intent.end(place)
"""


@pytest.mark.case("P-CONC-03")
def test_killed_at_a_random_moment_an_operation_is_whole_or_undone(place):
    put(place, A, b"0")
    put(place, B, b"0")
    code = KILLED.format(paths=(A, B, GROWS), root=str(place.root))
    undone = 0
    for kill in range(15):
        last = int(place.at(A).read_bytes())
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(last)],
            env={"PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=subprocess.PIPE,
        )
        child.stdout.readline()
        time.sleep(0.001 * (kill % 7))
        child.kill()
        child.communicate()
        pending = intent.pending(place)
        if pending:
            assert intent.undo(place, pending) == ()
            undone += 1
        a, b = place.at(A).read_bytes(), place.at(B).read_bytes()
        assert a == b
        assert [line.value["n"] for line in lines.read(place, GROWS).found] == list(range(1, int(a) + 1))
        assert int(a) >= last
    assert undone


@pytest.mark.case("P-FILE-04")
def test_on_a_full_disk_it_is_taken_back_into_the_room_that_was_kept(place, monkeypatch):
    atomic.create(place, A, b"before")
    begin(place, "tx", {A: b"before", B: None}, {A: digest(b"written"), B: digest(b"new")})
    atomic.replace(place, A, b"written", digest(b"before"))
    atomic.create(place, B, b"new")
    write = os.write

    def full(descriptor, raw):
        if place.spare_file.exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, raw)

    assert place.spare_file.stat().st_blocks * 512 >= 64 * 1024
    monkeypatch.setattr(os, "write", full)
    assert intent.undo(place, intent.pending(place)) == ()
    assert place.at(A).read_bytes() == b"before"
    assert not place.at(B).exists()
    monkeypatch.undo()
    begin(place, "tx", {A: b"before"})
    assert place.spare_file.exists()
