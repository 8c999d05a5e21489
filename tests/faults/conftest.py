"""What campaigns share: a store that has seen everything, and processes that are quickly there."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from cli.conftest import environment_in
from faults import deeds, nursery


@pytest.fixture(scope="session")
def cradle(tmp_path_factory, out_of_bounds):
    """Bears processes that have their imports behind them."""
    made = nursery.Nursery(environment_in(tmp_path_factory.mktemp("cradle")))
    yield made
    made.close()


@pytest.fixture(scope="session")
def life(empty, tmp_path_factory):
    """A store that has seen everything, to be copied."""
    return deeds.lived(empty, tmp_path_factory.mktemp("life"))


@dataclass
class Ground:
    """Where acts are disturbed: the store, who bears processes, a folder for copies."""

    life: deeds.Lived
    cradle: nursery.Nursery
    folder: Path

    def begun(self, act):
        """A copy in which all is done that comes before the act."""
        made = self.life.copy(self.folder / "begun")
        act.before(made)
        return made


@pytest.fixture
def ground(life, cradle, tmp_path):
    """Where acts are disturbed."""
    return Ground(life, cradle, tmp_path)
