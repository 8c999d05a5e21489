"""Conflicts: two active claims of one scope and concept that hold at the same time, told on both sides."""

import pytest
from trial import AGENT

THIRTY = "The refund window is 30 days."
FOURTEEN = "The refund window is 14 days."
ABOUT = ("--concept", "refund window")
QUERY = "how long is the refund window"


def conflicts(store, *options):
    """Id → conflict of every item of the answer."""
    return {item["id"]: item["conflict"] for item in store.recall(QUERY, "--floor", "0", *options)["items"]}


@pytest.fixture
def rivals(trial):
    """Two of one concept, the later recorded second; and one that stands beside."""
    first = trial.remember(THIRTY, *ABOUT)["id"]
    second = trial.remember(FOURTEEN, "--concept", "Refund  Window")["id"]
    beside = trial.remember("The refund form has 12 fields.", "--concept", "refund form")["id"]
    return trial, first, second, beside


def test_each_names_the_other_and_the_later_stands_first(rivals):
    trial, first, second, beside = rivals
    for _ in range(2):
        found = conflicts(trial)
        assert (found[first], found[second], found[beside]) == ([second], [first], [])
        order = [id_ for id_ in found if id_ in (first, second)]
        assert order == [second, first]
        trial.forgets_the_index()
    shown = trial.ran("recall", QUERY, "--prompt").out
    assert (first in shown, second in shown) == (True, True)


def shown(store, id_):
    """What `mem show` says clashes with this memory."""
    return store.told("show", id_, "--json")["conflict"]


def test_show_names_the_other_and_none_where_none_is_left(rivals):
    trial, first, second, beside = rivals
    assert [shown(trial, id_) for id_ in (first, second, beside)] == [[second], [first], []]
    assert second in trial.did("show", first, ttys=(False, True, True))
    trial.write("hidden00aaaa", "The refund window is 7 days.", 'concept: "refund wind\\x6fw"\n')
    assert shown(trial, first) == sorted([second, "hidden00aaaa"])
    trial.write("later000aaaa", FOURTEEN, "concept: delivery\nvalidity:\n  from: 2026-07-01\n")
    trial.write("early000aaaa", THIRTY, "concept: delivery\nvalidity:\n  to: 2026-07-01\n")
    assert shown(trial, "early000aaaa") == []
    trial.forget(second)
    assert (shown(trial, first), shown(trial, second)) == (["hidden00aaaa"], [])


def test_the_writer_and_check_are_told(trial):
    first = trial.remember(THIRTY, *ABOUT)["id"]
    ran = trial.ran("remember", FOURTEEN, *ABOUT)
    assert ran.code == 0
    assert first in ran.err
    assert "conflict" in ran.err
    ran = trial.ran("check")
    assert ran.code == 0
    assert ran.out.count("is also claimed by") == 2


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ("from: 2026-01-01\n  to: 2026-07-01", "from: 2026-07-01", False),
        ("from: 2026-01-01\n  to: 2026-07-01", "from: 2026-06-30", True),
        ("to: 2026-07-01", "from: 2026-07-01", False),
        ("to: 2026-07-01", "to: 2026-01-01", True),
        ("", "from: 2026-01-01\n  to: 2026-01-02", True),
    ],
)
def test_only_windows_that_overlap_are_in_conflict(trial, one, other, conflict):
    for id_, claim, window in (("one00000aaaa", THIRTY, one), ("other000aaaa", FOURTEEN, other)):
        trial.write(
            id_,
            claim,
            f"concept: refund window\nvalidity:\n  {window}\n" if window else "concept: refund window\n",
        )
    found = conflicts(trial, "--mode", "history")
    assert (found["one00000aaaa"] == ["other000aaaa"], found["other000aaaa"] == ["one00000aaaa"]) == (
        conflict,
        conflict,
    )
    assert ("is also claimed by" in trial.ran("check").out) is conflict


@pytest.mark.parametrize(
    ("head", "folder"),
    [
        ("status: superseded\nvalidity:\n  to: 2026-01-01\n", "project/t"),
        ("status: forgotten\n", "project/t"),
        ("status: retracted\n", "project/t"),
        ("status: needs_review\nreview:\n  reason: proposal\n", "project/t"),
        ("status: staged\n", "project/t"),
        ("status: archived\narchive_reason: rejected\n", "project/t"),
        ("", "project/other"),
        ("", "user"),
    ],
)
def test_what_does_not_count_here_is_no_rival_and_is_not_named(trial, head, folder):
    trial.write("live0000aaaa", THIRTY, "concept: refund window\n")
    trial.write("other000aaaa", FOURTEEN, f"concept: refund window\n{head}", folder=folder)
    for mode in ("default", "wide", "history"):
        assert conflicts(trial, "--mode", mode)["live0000aaaa"] == []
    trial.write("rival000aaaa", "The refund window is 7 days.", "concept: refund window\n")
    assert conflicts(trial)["live0000aaaa"] == ["rival000aaaa"]


def test_a_conflict_ends_with_either_side(rivals):
    trial, first, second, _ = rivals
    trial.forget(second)
    assert conflicts(trial)[first] == []
    trial.unforget(second)
    assert conflicts(trial)[first] == [second]
    trial.did("supersede", first, second)
    assert conflicts(trial)[second] == []


def test_a_rival_that_an_old_buffer_brought_back_is_none(rivals):
    trial, first, second, _ = rivals
    buffer = trial.path(second).read_bytes()
    trial.forget(second)
    trial.path(second).write_bytes(buffer)
    assert conflicts(trial) == {id_: [] for id_ in conflicts(trial)}
    assert first in conflicts(trial)


def test_a_concept_of_spaces_alone_is_none(trial):
    trial.write("one00000aaaa", THIRTY, 'concept: "\u2003"\n')
    trial.write("other000aaaa", FOURTEEN, 'concept: "\u2003"\n')
    trial.write("third000aaaa", "The refund window is 7 days.")
    assert [*conflicts(trial).values()] == [[], [], []]
    assert "is also claimed by" not in trial.ran("check").out


def test_two_without_a_concept_are_in_no_conflict(trial):
    trial.remember(THIRTY, env=AGENT)
    trial.remember(FOURTEEN, env=AGENT)
    assert [*conflicts(trial).values()] == [[], []]
