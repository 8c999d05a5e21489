"""The list of trusted stores names each by one line, whatever its path holds."""

import pytest

from memcli.engine import trust
from memcli.surroundings import Surroundings


@pytest.mark.parametrize("end", ["\n", "\u2028", "\x0b", "\r"])
def test_a_line_end_in_a_path_trusts_that_store_and_no_other(tmp_path, end):
    surroundings = Surroundings({}, None, 0, 80, (False,) * 3, terminal=False, home=tmp_path, own=None)
    odd = tmp_path / f"odd{end}{tmp_path.relative_to('/')}" / "mine"
    assert not trust.add(surroundings, odd).before
    assert trust.holds(surroundings, odd)
    assert trust.add(surroundings, odd).before
    assert not trust.holds(surroundings, tmp_path / "mine")
    assert not trust.holds(surroundings, tmp_path / "odd")
