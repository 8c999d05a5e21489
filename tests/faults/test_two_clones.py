"""Two clones and chance: whatever they do apart, when they have met both hold the same, and a forget holds."""

import random
import shutil

import pytest
from faults.clones import Clones
from faults.meeting import listed

HISTORIES, PARTS = 2, 20  # in the suite two parts of one; 500 are --campaign 250
ROUNDS, STEPS = 2, 4  # meetings of a history; acts of each side before each


@pytest.fixture(scope="module")
def bundle(empty, tmp_path_factory):
    """What a third store exported."""
    third = empty.copy(tmp_path_factory.mktemp("third"))
    third.batch([f"The brewery holds {n} barrels." for n in (12, 40)])
    file = third.root.parent / "third.jsonl"
    file.write_text(third.did("export"))
    return file


@pytest.fixture
def apart(empty, bundle, tmp_path):
    """Makes two clones of one bare repository in a folder of that name, and what a third store exported."""

    def made(name):
        folder = tmp_path / name
        here, bare = empty.copy(folder), folder / "t.git"  # so that the scope stays that of the folder
        here.git("init", "-q", "--bare", "-b", "main", str(bare))
        here.git("remote", "add", "origin", str(bare))
        here.told("sync")
        there = here.clone(folder / "other")
        there.git("remote", "set-url", "origin", str(bare))
        return (here, there), bundle

    return made


def lived(clones):
    """One history: act apart, meet, compare; and at its end everything made anew from the files."""
    for _ in range(ROUNDS):
        for side in clones.sides:
            side.store.moment += 60
            for _ in range(STEPS):
                clones.step(side)
        clones.meet()
        clones.check()
    for side in clones.sides:
        before = listed(side.store)
        assert side.store.told("audit")["clean"]
        side.store.forgets_the_index()
        assert listed(side.store) == before


def pytest_generate_tests(metafunc):
    """In parts, so that a campaign that breaks off keeps what it has."""
    if "part" in metafunc.fixturenames:
        metafunc.parametrize("part", range(2 if metafunc.config.getoption("campaign") == 1 else PARTS))


@pytest.fixture
def seeds(request, part, campaign):
    """A seed for each history of a part."""
    many = 1 if campaign == 1 else HISTORIES * campaign // PARTS
    return [f"{request.config.getoption('seed')} {part} {number}" for number in range(many)]


def test_two_clones_hold_the_same_once_they_have_met(apart, cradle, seeds, tally):
    for seed in seeds:
        stores, bundle = apart(seed.replace(" ", "-"))
        clones = Clones(stores, bundle, cradle, random.Random(seed), tally)
        try:
            lived(clones)
        except AssertionError as wrong:
            wrong.add_note(f"history {seed}: {clones.done}")
            raise
        tally["histories"] += 1
        shutil.rmtree(stores[0].root.parent)
