import pytest

from memcli.errors import BadFile
from memcli.memory.scope import USER, parse
from memcli.store import lines, tombstones
from memcli.store.place import Place
from memcli.store.tombstones import Tombstone

ONE = Tombstone(
    "7k3p9x2m4q1z", parse("project:shop"), "ab" * 16, "forgotten", ("e1", "e2"), "The window is 30 days."
)
TWO = Tombstone("p7q2w8n1c4x5", USER, "cd" * 16, "purged")


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_tombstones_come_back_as_they_were(place):
    assert tombstones.load(place) == tombstones.Loaded((), ())
    assert tombstones.append(place, [ONE]) == "tombstones.jsonl"
    tombstones.append(place, [TWO])
    assert tombstones.load(place) == tombstones.Loaded((ONE, TWO), ())


def test_a_purged_one_keeps_no_text(place):
    tombstones.append(place, [TWO])
    assert (
        place.tombstones.read_text()
        == f'{{"id":"{TWO.id}","scope":"user","digest":"{TWO.digest}","act":"purged"}}\n'
    )


def test_a_tombstone_seen_twice_after_a_merge_is_one(place):
    tombstones.append(place, [ONE, TWO, ONE])
    assert tombstones.load(place).tombstones == (ONE, TWO)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"id": "x"}', "its act is not one of forgotten, retracted, rejected, purged"),
        ('{"id": "x", "act": "forgotten", "scope": "user"}', "it has no id or no digest"),
        ('{"id": "x", "act": "forgotten", "digest": "d", "scope": "no"}', "'no' is not a scope"),
        ('{"id": ["x"], "act": "forgotten", "digest": "d", "scope": "user"}', "its id is no text"),
        (
            '{"id": "x", "act": "forgotten", "digest": "d", "scope": "user", "events": "e"}',
            "its events are no list",
        ),
        (
            '{"id": "x", "act": "forgotten", "digest": "d", "scope": "user", "events": [1]}',
            "its event is no text",
        ),
    ],
)
def test_a_line_that_guards_nothing_is_reported_and_hides_no_other(place, line, what):
    tombstones.append(place, [ONE])
    with place.tombstones.open("a") as file:
        file.write(line + "\n")
    tombstones.append(place, [TWO])
    found = tombstones.load(place)
    assert found.tombstones == (ONE, TWO)
    assert str(found.problems[0]).startswith(
        f"tombstones.jsonl:2: the line is no tombstone and guards nothing: {what}"
    )


@pytest.mark.case("P-GIT-08")
def test_marks_of_a_conflict_are_reported_and_both_sides_guard(place):
    tombstones.append(place, [ONE, TWO])
    first, second = place.tombstones.read_text().splitlines()
    place.tombstones.write_text(f"<<<<<<< HEAD\n{first}\n=======\n{second}\n>>>>>>> x\n")
    found = tombstones.load(place)
    assert found.tombstones == (ONE, TWO)
    assert [one.line for one in found.problems] == [1, 3, 5]


@pytest.mark.case("P-SEC-10")
def test_a_link_in_place_of_the_file_is_refused(place, tmp_path_factory):
    place.tombstones.symlink_to(tmp_path_factory.mktemp("outside") / "t.jsonl")
    with pytest.raises(BadFile):
        tombstones.load(place)


def test_a_plan_says_what_would_be_written(place):
    addition = tombstones.plan(place, [ONE])
    assert not place.tombstones.exists()
    lines.add(place, addition)
    assert tombstones.load(place).tombstones == (ONE,)
