"""The short form of the soak: a few minutes' worth of a store's life, with a resident, as real processes."""

import os
import sys

import pytest
from cli.conftest import ROOT
from faults.longlife import Life
from faults.modelled import Broken
from faults.soak import Soak, environment

ACTS = (
    *(Life.remember,) * 3,
    Life.recall,
    Life.edit,
    Life.forget,
    Life.recall_removed,
    Life.observe,
    Life.supersede,
    Life.meet,
)  # the full form draws them by chance, and others


@pytest.fixture
def life(tmp_path, dice, tally):
    around = environment(tmp_path / "home") | {"PYTHONPATH": str(ROOT)}
    around["XDG_CACHE_HOME"] = os.environ["XDG_CACHE_HOME"]  # one prepared model for all tests
    made = Life([sys.executable, "-m", "memcli"], tmp_path, around, dice, tally)
    yield made
    made.ran("watch", "--stop")


def test_soak_in_short(life, campaign):
    soak = Soak(life)
    for _ in range(campaign):
        for act in ACTS:
            soak.tried(act.__name__, lambda act=act: act(life))
        soak.every_minute()
    assert soak.troubles == []
    assert life.tally["memories compared"] >= 3
    assert len(soak.series) == campaign


def test_a_store_that_lost_something_does_not_hold(life):
    life.remember()
    id_ = next(iter(life.said))
    life.path(id_).unlink()
    with pytest.raises(Broken, match=f"lost .*{id_}"):
        life.holds()
    life.holds()  # the model went on from what is there
