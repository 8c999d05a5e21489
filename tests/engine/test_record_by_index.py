"""A10, the path of git: the index of revisions answers for every point as the tree of its commit does."""

import random

import pytest
from recorded import asked_both_ways, happenings, rows_both_ways

from memcli.memory.visibility import Mode

QUERIES = ("otters in the harbour", "which lanterns hang where", "turbines number 4", "granite")


@pytest.mark.parametrize("seed", [3, 8])
def test_the_index_answers_as_the_tree_does_at_twelve_points_for_four_questions(trial, seed):
    """A10, A7."""
    chance = random.Random(seed)
    happenings(trial, chance, 36)
    commits = trial.git("rev-list", "--first-parent", "HEAD").splitlines()
    found = 0
    for commit in chance.sample(commits, 12):
        for query in QUERIES:
            mode = chance.choice(list(Mode))
            by_index, by_tree = asked_both_ways(trial, query, commit, mode=mode, floor=0.0)
            assert by_index == by_tree, (commit, query, mode)
            found += len(by_index["items"])
    assert found


@pytest.mark.parametrize("seed", [21, 22])
def test_every_row_of_every_point_counts_and_is_hidden_as_the_tree_has_it(trial, seed):
    """A10: also what says again what was removed then, or is forgotten now."""
    chance = random.Random(seed)
    happenings(trial, chance, 40)
    withheld = 0
    for commit in trial.git("rev-list", "--first-parent", "HEAD").splitlines():
        by_index, by_tree = rows_both_ways(trial, commit)
        assert by_index == by_tree, commit
        withheld += sum(row.status != stated for _, row, stated, _ in by_tree.values())
        withheld += sum(bool(row.hidden_in) for _, row, _, _ in by_tree.values())
    assert withheld
