"""What all tests share: nothing of the user's in reach, and stores to try things on."""

import os
import random
import time
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
import tallies
from hypothesis import settings
from trial import Trial

settings.register_profile("mem", deadline=None)  # how long an example takes is the machine's affair
settings.load_profile("mem")


def pytest_addoption(parser):
    parser.addoption(
        "--campaign",
        type=int,
        default=1,
        metavar="N",
        help="run what crashes, races and rolls dice N times as long (docs/contributing.md)",
    )
    parser.addoption("--seed", default="0", help="where the dice of campaigns begin")
    parser.addoption("--record", type=Path, metavar="DIR", help="keep there what campaigns counted")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    setattr(item, f"passed_{report.when}", report.passed)
    return report


@pytest.fixture(scope="session")
def campaign(pytestconfig):
    """How many times as long to crash, race and roll dice as the suite does."""
    return pytestconfig.getoption("campaign")


@pytest.fixture
def dice(request):
    """Chance that can be repeated: it begins at `--seed` and at the test's own name."""
    return random.Random(f"{request.config.getoption('seed')} {request.node.name}")


@pytest.fixture
def tally(request, campaign):
    """What a campaign counts, in plain words; kept below `--record` once the test has passed."""
    counted, began = Counter(), time.monotonic()
    yield counted
    folder = request.config.getoption("record")
    if folder and counted and getattr(request.node, "passed_call", False):
        name, part = tallies.named(request.node.nodeid)
        told = tallies.told(
            counted,
            campaign=campaign,
            seed=request.config.getoption("seed"),
            seconds=time.monotonic() - began,
        )
        tallies.keep(folder, name, part, told)


@pytest.fixture(autouse=True, scope="session")
def out_of_bounds(tmp_path_factory):
    """Nobody's home, configuration or agent is seen: what a test needs of them it sets itself."""
    from memcli.environment import AGENT_SIGNS

    home = tmp_path_factory.mktemp("nobody")
    with pytest.MonkeyPatch.context() as patch:
        for name in [*AGENT_SIGNS, *(name for name in os.environ if name.startswith(("GIT_", "MEM_")))]:
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(home))
        for kind in ("DATA", "CACHE", "CONFIG"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
        patch.chdir(home)  # else a command without a folder would write into this project's own store
        yield


@pytest.fixture(scope="session")
def one_encoder(tmp_path_factory):
    """The real encoder, opened once, and asked once for each query: else it would take most of the time."""
    from memcli.index import encoder

    workspace = tmp_path_factory.mktemp("model")
    load = encoder.load

    @cache
    def loaded(path):
        made = load(path, workspace)
        encode, alone = made.encode, cache(lambda text: encode([text]))
        made.encode = lambda texts, *how: alone(*texts).copy() if len(texts) == 1 else encode(texts, *how)
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoder, "load", lambda path=None, workspace=None: loaded(path))
        yield


@pytest.fixture(scope="session")
def empty(tmp_path_factory, one_encoder):
    """An empty store, to be copied."""
    return Trial.made(tmp_path_factory.mktemp("empty"))


@pytest.fixture
def trial(empty, tmp_path):
    """An empty store of its own."""
    return empty.copy(tmp_path)
