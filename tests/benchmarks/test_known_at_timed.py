"""A short history asked both ways: the short form of the benchmark."""

import known_at
from known_at import History, compared

COMMITS, PAIRS = 20, 3


def test_index_and_tree_give_equal_answers_and_both_are_timed(tmp_path, monkeypatch):
    monkeypatch.setattr(known_at, "PAIRS", PAIRS)
    history = History(tmp_path, None, COMMITS)
    history.written()
    assert history.there
    rows = compared(history)
    assert [row["equal"] for row in rows] == [True] * PAIRS
    assert all(row[key] > 0 for row in rows for key in ("index_s", "tree_s", "point_s", "read_s"))
