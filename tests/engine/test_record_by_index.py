"""A10, the path of git: the index of revisions answers for every point as the tree of its commit does."""

import random

from recorded import asked_both_ways, happenings, rows_both_ways

from memcli.engine.recorded import growing, recording
from memcli.memory.visibility import Mode

QUERIES = ("otters in the harbour", "which lanterns hang where", "turbines number 4", "granite")


def test_the_index_answers_as_the_tree_does_at_twelve_points_for_four_questions(trial, campaign):
    """A10, A7."""
    chance = random.Random(3)
    happenings(trial, chance, 24 * campaign)
    commits = trial.git("rev-list", "--first-parent", "HEAD").splitlines()
    found = 0
    for commit in chance.sample(commits, 12):
        for query in QUERIES:
            mode = chance.choice(list(Mode))
            by_index, by_tree = asked_both_ways(trial, query, commit, mode=mode, floor=0.0)
            assert by_index == by_tree, (commit, query, mode)
            found += len(by_index["items"])
    assert found


def test_every_row_of_every_point_counts_and_is_hidden_as_the_tree_has_it(trial, campaign):
    """A10: also what says again what was removed then, or is forgotten now."""
    chance = random.Random(22)
    happenings(trial, chance, 28 * campaign)
    withheld = 0
    for commit in trial.git("rev-list", "--first-parent", "HEAD").splitlines():
        by_index, by_tree = rows_both_ways(trial, commit)
        assert by_index == by_tree, commit
        withheld += sum(row.status != stated for _, row, stated, _ in by_tree.values())
        withheld += sum(bool(row.hidden_in) for _, row, _, _ in by_tree.values())
    assert withheld


def test_an_index_that_follows_head_holds_what_one_made_at_once_holds(trial, campaign, monkeypatch):
    """A10: asked after every third thing that happened."""
    made, grown, calls = recording._made, growing.grow, {"made": 0, "grown": 0}

    def counted(name, call):
        def counting(*words, **more):
            found = call(*words, **more)
            calls[name] += 1
            return found

        return counting

    monkeypatch.setattr(recording, "_made", counted("made", made))
    monkeypatch.setattr(growing, "grow", counted("grown", grown))
    chance = random.Random(32)
    happenings(trial, chance, 28 * campaign, lambda: chance.random() < 0.3 and rows_both_ways(trial, "HEAD"))
    for commit in trial.git("rev-list", "--first-parent", "HEAD").splitlines():
        by_index, by_tree = rows_both_ways(trial, commit)
        assert by_index == by_tree, commit
    assert calls["grown"] > 2
    assert calls["made"] > 1
