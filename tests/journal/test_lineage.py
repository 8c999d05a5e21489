"""The line of commits: oldest first, moments that only grow, and what it gained since."""

import pytest

from memcli.journal import lineage


def at(store, seconds, name="c"):
    stamp = {"GIT_AUTHOR_DATE": f"@{seconds} +0000", "GIT_COMMITTER_DATE": f"@{seconds} +0000"}
    store.git("commit", "-q", "--allow-empty", "-m", name, setting=stamp)
    return store.head


@pytest.fixture
def line(store):
    """Three commits, of which the second was made by a clock that had gone back."""
    return [at(store, seconds) for seconds in (1_000_000, 400_000, 2_000_000)]


def test_a_clock_that_went_back_reorders_nothing(store, line):
    found = lineage.read(store.journal, line[-1])
    assert found.commits == tuple(line)
    assert found.moments == (1_000_000, 1_000_000, 2_000_000)
    assert found.tip == line[-1]


@pytest.mark.parametrize(
    ("moment", "position"),
    [(999_999, None), (1_000_000, 1), (1_999_999, 1), (2_000_000, 2), (9_000_000, 2)],
)
def test_at_a_moment_the_last_commit_recorded_by_then_stands(store, line, moment, position):
    assert lineage.read(store.journal, line[-1]).until(moment) == position


def test_a_commit_has_its_place_and_a_strange_one_has_none(store, line):
    found = lineage.read(store.journal, line[-1])
    assert [found.position(commit) for commit in line] == [0, 1, 2]
    assert found.position("0" * 40) is None


def test_what_a_line_gained_is_read_alone_and_gives_what_reading_all_gives(store, line):
    before = lineage.read(store.journal, line[-1])
    assert lineage.grown(store.journal, before, line[-1]) is before
    at(store, 1_500_000)
    tip = at(store, 3_000_000)
    grown = lineage.grown(store.journal, before, tip)
    assert grown == lineage.read(store.journal, tip)
    assert grown.moments[-2:] == (2_000_000, 3_000_000)


def test_a_tip_on_another_line_is_no_growth(store, line):
    before = lineage.read(store.journal, line[-1])
    assert lineage.grown(store.journal, before, line[1]) is None
    store.git("switch", "-qc", "side", line[0])
    assert lineage.grown(store.journal, before, at(store, 3_000_000, "side")) is None


def test_of_a_merge_only_the_first_side_is_of_the_line(store, line):
    store.git("switch", "-qc", "side", line[0])
    side = at(store, 2_500_000, "side")
    store.git("switch", "-q", "-")
    store.git("merge", "-q", "--no-ff", "-m", "join", "side")
    found = lineage.read(store.journal, store.head)
    assert found.commits == (*line, store.head)
    assert found.position(side) is None
