import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import Unavailable, Usage
from memcli.memory.schema import ID_ALPHABET
from memcli.memory.scope import USER, parse
from memcli.store import events
from memcli.store.event import moment_of, month_of, said
from memcli.store.events import Event, Kind, new_id, schema_id
from memcli.store.place import Place

NOVEMBER = 1796034600123  # 2026-11-30 10:30 UTC
MACHINE = "0m1n2p3q4r5s"
OTHER = "zzzzzzzzzzzz"
CHANCE = bytes(range(10))


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def event(nth=0, ms=NOVEMBER, **keys):
    usual = {
        "id": new_id(ms, CHANCE, nth),
        "at": ms // 1000,
        "scope": parse("project:shop"),
        "actor": "human:ana",
        "kind": Kind.CLAIM,
        "logic": "1",
        "text": "The refund window is 30 days.",
    }
    return Event(**{**usual, **keys})


def test_ids_sort_by_time_then_by_their_place_in_a_batch():
    ids = [new_id(ms, CHANCE, nth) for ms in (0, 1, NOVEMBER, NOVEMBER + 1, 2**47) for nth in range(40)]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(f"[{ID_ALPHABET}]{{26}}", one) for one in ids)


@given(st.integers(0, 253402300799999), st.binary(min_size=10, max_size=10), st.integers(0, 10**6))
def test_an_id_tells_its_month(ms, entropy, nth):
    text = month_of(new_id(ms, entropy, nth))
    assert re.fullmatch(r"\d{4}/\d{2}", text)
    assert month_of(new_id(ms, bytes(10))) == text


def test_an_id_tells_its_moment():
    assert moment_of(new_id(NOVEMBER, CHANCE, 5)) == NOVEMBER
    assert moment_of("01k8z3v7q4") == 0


@pytest.mark.parametrize(
    "foreign", ["", "01k8z3v7q4", "x" * 26, "8" + "0" * 25, "../../../etc/passwd", "\udcff"]
)
def test_an_id_of_another_make_tells_no_month(foreign):
    assert month_of(foreign) is None


@pytest.mark.case("P-CONC-01")
def test_ids_need_no_coordination():
    assert len({new_id(NOVEMBER, os.urandom(10)) for _ in range(2000)}) == 2000


def test_a_schemas_id_follows_from_its_event():
    one = schema_id("01k8z3v7q40000000000000000")
    assert one == schema_id("01k8z3v7q40000000000000000") == "pf963zgbehb4"
    assert len({schema_id(str(n)) for n in range(2000)}) == 2000


def test_an_event_lies_in_the_month_of_its_id_and_is_found_by_it(place):
    path = events.append(place, event(), MACHINE)
    assert path == f"events/2026/11/{MACHINE}.jsonl"
    assert events.find(place, event().id) == event()
    assert events.find(place, event(1).id) is None
    assert events.find(place, "nothing") is None


def test_an_event_comes_back_with_all_its_fields(place):
    full = event(
        occurred_at=0, session="s1", key="k", data={"receipt": ["a", 1, None]}, kind=Kind.FEEDBACK, scope=USER
    )
    path = events.append(place, full, MACHINE)
    assert events.read(place, path) == events.Read((full,), ())


def test_what_is_empty_is_not_written(place):
    path = events.append(place, event(text=""), MACHINE)
    line = place.at(path).read_text()
    assert re.findall(r'"(\w+)":', line) == ["id", "at", "scope", "actor", "kind", "logic"]
    assert '"at":"2026-11-30T' in line


def test_events_of_a_batch_are_planned_a_file_each_in_their_order(place):
    batch = [event(0), event(1, session="s1"), event(2), event(3, ms=NOVEMBER + 10**9)]
    additions = events.plan(place, batch, MACHINE)
    assert [one.path for one in additions] == [
        f"events/2026/11/{MACHINE}.jsonl",
        "events/2026/11/s1.jsonl",
        f"events/2026/12/{MACHINE}.jsonl",
    ]
    for addition in additions:
        events.add(place, addition)
    assert events.read(place, additions[0].path).events == (batch[0], batch[2])
    assert list(events.files(place)) == [one.path for one in additions]
    assert list(events.files(place, "2026/12")) == [additions[2].path]


def test_a_clone_goes_on_in_the_session_that_it_began(place):
    first = events.append(place, event(0, session="s1"), MACHINE)
    assert events.append(place, event(1, session="s1"), MACHINE) == first == "events/2026/11/s1.jsonl"


def test_a_clone_continues_anothers_session_beside_it(place):
    events.append(place, event(0, session="s1"), OTHER)
    (place.private / "own").rename(place.root / "elsewhere")
    beside = events.append(place, event(1, session="s1"), MACHINE)
    assert beside == f"events/2026/11/s1.{MACHINE}.jsonl"
    assert events.append(place, event(2, session="s1"), MACHINE) == beside
    found = [one.id for path in events.files(place) for one in events.read(place, path).events]
    assert sorted(found) == [event(nth).id for nth in (0, 1, 2)]


@pytest.mark.case("P-SEC-01")
@pytest.mark.parametrize(
    "session", ["../../x", "/etc/x", "..", ".hidden", "a/b", "a\0b", "a\nb", "-rf", "x" * 65, "ü", "%2e%2e"]
)
def test_a_session_whose_name_could_lead_elsewhere_is_refused_before_anything_is_opened(place, session):
    with pytest.raises(Usage) as refused:
        events.append(place, event(session=session), MACHINE)
    assert refused.value.message.isprintable()
    assert list(place.root.iterdir()) == []


def test_an_event_seen_twice_after_a_merge_by_union_is_one(place):
    path = events.append(place, event(), MACHINE)
    place.at(path).write_bytes(place.at(path).read_bytes() * 2)
    assert events.read(place, path).events == (event(),)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("{}", "it has no id"),
        ('{"id": 5}', "its id is no text"),
        ('{"id": "a", "at": "soon", "scope": "user", "kind": "claim"}', "'soon' is not a time"),
        ('{"id": "a", "at": "2026-11-30", "scope": "..", "kind": "claim"}', "'..' is not a scope"),
        (
            '{"id": "a", "at": "2026-11-30", "scope": "user", "kind": "rumour"}',
            "'rumour' is not a valid Kind",
        ),
    ],
)
def test_a_line_that_is_no_event_is_reported_and_hides_no_other(place, line, what):
    path = events.append(place, event(0), MACHINE)
    with place.at(path).open("a") as file:
        file.write(line + "\n")
    events.append(place, event(1), MACHINE)
    found = events.read(place, path)
    assert found.events == (event(0), event(1))
    (problem,) = found.problems
    assert str(problem).startswith(f"{path}:2: the line is no event and was passed over: {what}")


def test_an_id_of_another_make_is_found_too(place):
    path = events.append(place, event(0), MACHINE)
    line = place.at(path).read_text().replace(event(0).id, "01k8z3v7q4")
    place.at(path).write_text(line)
    assert events.find(place, "01k8z3v7q4").text == event(0).text


def test_an_event_is_found_by_its_key_in_its_scope(place):
    for nth, key, scope in ((0, "k", "project:shop"), (1, "k", "user"), (2, "other", "project:shop")):
        events.append(place, event(nth, key=key, scope=parse(scope), text="mentions k"), MACHINE)
    events.append(place, event(3, ms=NOVEMBER + 10**10, key='k "é\n', text=""), MACHINE)
    assert [one.id for one in events.keyed(place, parse("project:shop"), "k")] == [event(0).id]
    assert [one.key for one in events.keyed(place, parse("project:shop"), 'k "é\n')] == ['k "é\n']
    assert list(events.keyed(place, parse("project:shop"), "none")) == []


@pytest.mark.case("P-SEC-10")
def test_a_link_among_the_folders_of_events_is_not_searched(place, tmp_path_factory):
    outside = Place(tmp_path_factory.mktemp("outside"))
    events.append(outside, event(), MACHINE)
    place.events.symlink_to(outside.events)
    assert list(events.files(place)) == []
    assert events.find(place, event().id) is None


def test_a_clone_has_one_random_name(place):
    name = events.machine(place)
    assert re.fullmatch(f"[{ID_ALPHABET}]{{12}}", name)
    assert events.machine(place) == name
    assert place.machine_file.stat().st_mode & 0o777 == 0o600


@pytest.mark.case("P-SEC-01")
@pytest.mark.parametrize("said", [b"", b"../../../x", b"\xff", b"x" * 5000])
def test_a_name_of_the_clone_that_is_none_is_made_anew(place, said):
    place.private.mkdir()
    place.machine_file.write_bytes(said)
    name = events.machine(place)
    assert re.fullmatch(f"[{ID_ALPHABET}]{{12}}", name)
    assert events.machine(place) == name


@pytest.mark.case("P-FILE-15")
def test_without_a_store_there_is_no_name(tmp_path):
    with pytest.raises(Unavailable):
        events.machine(Place(tmp_path / "gone"))


@pytest.mark.case("P-CONC-03")
def test_an_acknowledged_event_survives_a_kill_and_no_line_is_glued(place):
    code = f"""
import os
from pathlib import Path
from memcli.memory.scope import USER
from memcli.store import events
from memcli.store.events import Event, Kind, new_id
from memcli.store.place import Place
place = Place(Path({str(place.root)!r}))
for n in range(10**6):
    id = new_id({NOVEMBER}, os.urandom(10))
    events.append(place, Event(id, 0, USER, "human:ana", Kind.TURN, "1", "x" * 3000), {MACHINE!r})
    os.write(1, f"{{id}}\\n".encode())
"""
    acknowledged = []
    for _ in range(4):
        child = subprocess.Popen(
            [sys.executable, "-c", code],
            env={"PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=subprocess.PIPE,
        )
        acknowledged += [child.stdout.readline().decode().strip() for _ in range(3)]
        child.kill()
        acknowledged += child.communicate()[0].decode().split()
    found = events.read(place, f"events/2026/11/{MACHINE}.jsonl")
    assert set(acknowledged) <= {one.id for one in found.events}
    assert all("torn" in one.what or "no JSON" in one.what for one in found.problems)


def test_only_what_was_appended_is_read_again(place):
    path = events.append(place, event(1), MACHINE)
    first, mark = events.read_since(place, path)
    events.append(place, event(2), MACHINE)
    more, end = events.read_since(place, path, mark)
    assert [one.id for one in first.events] == [event(1).id]
    assert [one.id for one in more.events] == [event(2).id]
    assert events.read_since(place, path, end) == (events.Read((), ()), end)
    assert events.at(place, path, more.spans[0]) == event(2)
    assert events.sizes(place) == {path: end.end}


def test_where_an_event_stood_another_is_not_taken_for_it(place):
    path = events.append(place, event(1), MACHINE)
    found, _ = events.read_since(place, path)
    ((start, end),) = found.spans
    assert events.at(place, path, (start, end)) == event(1)
    assert events.at(place, path, (start + 1, end)) is None
    assert events.at(place, "events/2026/11/none.jsonl", (0, 9)) is None


def test_a_torn_line_is_read_once_it_is_whole(place):
    path = events.append(place, event(1), MACHINE)
    file = place.root / path
    whole = file.read_bytes()
    file.write_bytes(whole[:-5])
    nothing, mark = events.read_since(place, path)
    file.write_bytes(whole)
    found, _ = events.read_since(place, path, mark)
    assert not nothing.events
    assert [one.id for one in found.events] == [event(1).id]


def test_a_file_with_other_bytes_before_the_mark_is_to_be_read_anew(place):
    path = events.append(place, event(1), MACHINE)
    _, mark = events.read_since(place, path)
    file = place.root / path
    file.write_bytes(b'{"merged": 1}\n' + file.read_bytes())
    with pytest.raises(ValueError, match="jsonl"):
        events.read_since(place, path, mark)
    file.unlink()
    with pytest.raises(ValueError, match="jsonl"):
        events.read_since(place, path, mark)


def test_what_is_searched_of_an_event_names_who_said_it():
    assert said(event(data={"subject": "Ana"})) == "Ana: The refund window is 30 days."
    assert said(event()) == "The refund window is 30 days."
