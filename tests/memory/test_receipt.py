"""A receipt as a value: one spelling, an id that is the hash of it all, and nothing believed that is not whole."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory import receipt

BODY = {
    "of": "recall",
    "query": "refund window",
    "masked": False,
    "scope": "project:shop",
    "mode": "default",
    "k": 8,
    "budget": 800,
    "floor": None,
    "types": [],
    "tags": [],
    "evidence": "refs",
    "events": "auto",
    "frame": [0, 0],
    "asked": {"as_of": None, "known_at": None, "gate": False},
    "as_of": "2026-11-30T09:12:00Z",
    "known_at": None,
    "commit": "3f" * 20,
    "tree": "4e" * 20,
    "uncommitted": [],
    "stale": False,
    "settings": "sha256:00",
    "engine": {"encoder": None, "logic": 1},
    "gate": None,
    "outcome": "absent",
    "withheld": {"count": 0, "top": None, "threshold": 3000, "by": {}},
    "selected": [],
    "procedures": [],
    "tokens": 0,
    "session": None,
    "output": {"sha256": "00", "bytes": 2},
}
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip)


def test_the_body_names_every_key_and_is_read_back():
    made = receipt.made(BODY)
    assert made.said.keys() == receipt.KEYS.keys()
    assert receipt.read(made.raw) == made
    assert receipt.touched(made.raw, made.id) == ()


@given(TEXTS, st.integers(1, 2**31), st.sampled_from(["0.0", "0.3", "1.0", None]))
def test_whatever_was_asked_it_is_read_back_as_it_was(query, k, floor):
    made = receipt.made({**BODY, "query": query, "k": k, "floor": floor})
    assert receipt.read(made.raw) == made
    assert made.raw.isascii()


@given(st.permutations(list(BODY)))
def test_the_order_of_keys_makes_no_other_receipt(order):
    assert receipt.made({key: BODY[key] for key in order}).raw == receipt.made(BODY).raw


@pytest.mark.parametrize("key", [key for key in receipt.KEYS if key not in ("id", "format")])
def test_every_key_is_part_of_the_id(key):
    made = receipt.made(BODY)
    value = made.said[key]
    other = {str: "x", int: 7, bool: True, list: ["x"], dict: {"x": 1}, type(None): "x"}[type(value)]
    assert receipt.id_of({**made.said, key: other}) != made.id


def test_a_changed_byte_another_name_and_another_spelling_are_told_apart():
    made = receipt.made(BODY)
    other = receipt.canonical({**made.said, "k": 9})
    assert [one.key for one in receipt.touched(other, made.id)] == ["id"]
    assert [one.key for one in receipt.touched(made.raw, "r_" + "0" * 20)] == ["name"]
    spaced = json.dumps(made.said).encode()
    assert [one.key for one in receipt.touched(spaced, made.id)] == ["spelling"]


@pytest.mark.parametrize(
    "changes",
    [
        {"k": 1.5},
        {"k": True},
        {"k": 0},
        {"query": " "},
        {"mode": "sideways"},
        {"as_of": "soon"},
        {"known_at": "then"},
        {"asked": {"as_of": "2026-02-30", "known_at": None, "gate": False}},
        {"floor": "high"},
        {"floor": "nan"},
        {"floor": "2"},
        {"scope": "a b"},
        {"frame": [0]},
        {"frame": ["0", 0]},
        {"types": [1]},
        {"commit": "HEAD"},
        {"of": "remember"},
        {"asked": {}},
        {"engine": {"encoder": None, "logic": "1"}},
        {"selected": [{}]},
        {"selected": ["k3v9"]},
        {"procedures": [{"name": 1}]},
        {"further": 1},
    ],
)
def test_what_cannot_have_been_asked_or_answered_is_no_receipt(changes):
    said = {"format": receipt.FORMAT, **BODY, **changes}
    raw = json.dumps({**said, "id": "r_" + "0" * 20}).encode()
    with pytest.raises(receipt.NotAReceipt):
        receipt.read(raw)


@given(st.binary(max_size=200))
def test_no_bytes_at_all_are_more_than_no_receipt(raw):
    with pytest.raises(receipt.NotAReceipt):
        receipt.read(raw)
