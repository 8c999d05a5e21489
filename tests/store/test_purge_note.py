"""The note of a purge that did not end: what came with somebody else's store is none, and stops nobody."""

import hashlib
import json

import pytest

from memcli.store import purging
from memcli.store.place import Place

EMPTY = {"ids": [], "commit": "c", "moves": [], "commits": {}, "logs": {}, "files": {}}


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def forge(place, told):
    raw = told.encode() if isinstance(told, str) else json.dumps({**EMPTY, **told}).encode()
    place.private.mkdir(exist_ok=True)
    place.purge_file.write_bytes(hashlib.sha256(raw).hexdigest().encode() + b"\n" + raw)


def test_it_comes_back_as_it_was_written(place):
    moves = (("refs/heads/main", "a", "b"),)
    files = {"schemas/a.md": ("d", b"x\n"), ".mem/y": ("d", None)}
    told = purging.Note(("i",), "c", moves, {"a": "b"}, {"logs/HEAD": (3, b"l")}, files)
    purging.begin(place, told)
    assert purging.pending(place) == told
    purging.end(place)
    assert purging.pending(place) is None


@pytest.mark.parametrize(
    "told",
    [
        {"files": {"../x": ["d", None]}},
        {"files": {"/etc/x": ["d", None]}},
        {"files": {"notes.txt": ["d", None]}},
        {"logs": {"../logs/HEAD": [0, ""]}},
        {"logs": {"config": [0, ""]}},
        {"moves": [["HEAD", "a", "b"]]},
        {"moves": [["refs/heads/a b", "a", "b"]]},
    ],
)
def test_one_that_reaches_no_file_or_name_of_a_store_is_none(place, told):
    forge(place, told)
    assert purging.pending(place) is None


@pytest.mark.parametrize(
    "told", ["", "[]", "null", "[" * 5000, '{"ids":1}', {"logs": {"logs/HEAD": [float("inf"), ""]}}]
)
def test_one_of_another_shape_is_none(place, told):
    forge(place, told)
    assert purging.pending(place) is None
