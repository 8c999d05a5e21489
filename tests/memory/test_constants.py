"""Every number has a key, a default, a meaning and a provenance, and nothing else is accepted."""

import re
from dataclasses import FrozenInstanceError

import pytest

from memcli.memory.constants import DEFAULTS, Constants, NotAConstant, constants


def test_every_constant_says_what_it_does_and_where_it_comes_from():
    for one in DEFAULTS:
        assert re.fullmatch(r"[a-z]+\.[a-z0-9_]+", one.key)
        assert re.fullmatch(r"asserted|measured:[a-z]+", one.provenance), one.key
        assert one.meaning


def test_keys_are_unique():
    keys = [one.key for one in DEFAULTS]
    assert len(keys) == len(set(keys))


def test_an_override_replaces_one_number_and_leaves_the_others():
    changed = constants({"recall.floor": 0.25, "recall.k": 3})
    assert (changed.floor, changed.k) == (0.25, 3)
    assert changed == Constants(floor=0.25, k=3)
    assert constants({}) == DEFAULTS


def test_the_numbers_in_force_are_listed_not_the_defaults():
    listed = {one.key: one.value for one in constants({"recall.floor": 0.25})}
    assert listed["recall.floor"] == 0.25


def test_a_whole_number_is_taken_as_a_share_too():
    assert constants({"recall.floor": 0}).floor == 0.0
    assert constants({"recall.floor": 1}).floor == 1.0


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("recall.flor", 0.2),
        ("floor", 0.2),
        ("recall.floor", "0.2"),
        ("recall.floor", True),
        ("recall.floor", None),
        ("recall.floor", -0.1),
        ("recall.floor", 1.1),
        ("recall.floor", float("nan")),
        ("recall.floor", float("inf")),
        ("recall.k", 2.5),
        ("recall.k", 0),
        ("match.chance_rows", 0),
        ("ranking.k1", 11.0),
    ],
)
def test_anything_else_is_refused_and_the_key_named(key, value):
    with pytest.raises(NotAConstant, match=re.escape(key)):
        constants({key: value})


def test_the_defaults_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        DEFAULTS.floor = 0.5  # type: ignore[misc]


def test_notice_lies_below_the_floor():
    assert 0 < DEFAULTS.notice < DEFAULTS.floor
