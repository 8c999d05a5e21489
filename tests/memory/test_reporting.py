"""What feedback covers, and what a stale report does to one memory."""

import pytest

from memcli.memory import lifecycle, times
from memcli.memory.reporting import Spoken, counted, lacking
from memcli.memory.schema import Schema, StaleReason, Status, Validity
from memcli.memory.scope import Scope

SHOWN = {"r1": ("a", "b"), "r2": ("b", "c")}
NOW = times.parse("2026-07-01")


def spoken(id_, receipt, *named, **how):
    return Spoken(id_, receipt, frozenset(named), **how)


def test_everything_that_was_shown_lacks_feedback_until_it_is_spoken_of():
    assert lacking(SHOWN, ()) == ("a", "b", "c")
    assert lacking(SHOWN, [spoken("1", "r1", "a")]) == ("b", "c")
    assert lacking(SHOWN, [spoken("1", "r1", "a"), spoken("2", "r2", "b", "c")]) == ()


def test_what_was_said_of_a_memory_once_holds_for_every_answer():
    assert lacking(SHOWN, [spoken("1", "r1", "a", "b")]) == ("c",)


def test_partial_coverage_asks_for_nothing_of_its_answer_alone():
    assert lacking(SHOWN, [spoken("1", "r1", coverage="partial")]) == ("b", "c")
    assert lacking(SHOWN, [spoken("1", "r1", coverage="complete")]) == ("a", "b", "c")


def test_a_shadow_counts_for_nothing_and_refines_nothing():
    first = spoken("1", "r1", "a")
    shadow = spoken("2", "r1", "b", refines="1", shadow=True)
    assert counted([first, shadow]) == (first,)
    assert lacking({"r1": ("a", "b")}, [first, shadow]) == ("b",)


def test_of_a_chain_of_corrections_the_last_counts():
    chain = [spoken("1", "r1", "a"), spoken("2", "r1", "b", refines="1"), spoken("3", "r1", refines="2")]
    assert counted(chain) == (chain[2],)
    assert lacking({"r1": ("a", "b")}, chain) == ("a", "b")
    assert lacking({"r1": ("a", "b")}, chain[:2]) == ("a",)


def schema(status=Status.ACTIVE, start=None, end=None):
    return Schema("x", Scope("project", "t"), "A claim.", status=status, validity=Validity(start, end))


def test_a_report_closes_the_window_and_puts_it_to_review():
    change = lifecycle.report_stale(schema(), StaleReason.OUTDATED, NOW)
    assert (change.prior, change.status) == (Status.ACTIVE, Status.STALE)
    assert change.keys == {
        "status": "stale",
        "stale_reason": "outdated",
        "review": {"reason": "reported"},
        "validity.to": "2026-07-01T00:00:00Z",
    }


@pytest.mark.parametrize(
    ("start", "end", "closes"),
    [
        (None, None, True),
        (NOW - 1, NOW + 1, True),
        (NOW, None, False),  # it would end as it begins
        (NOW + 1, None, False),
        (None, NOW, False),  # ended already, or sooner
        (None, NOW - 1, False),
    ],
)
def test_a_window_is_only_shortened_and_never_emptied(start, end, closes):
    change = lifecycle.report_stale(schema(start=start, end=end), StaleReason.OUTDATED, NOW)
    assert change.status is Status.STALE
    assert ("validity.to" in change.keys) is closes


@pytest.mark.parametrize("status", Status)
def test_what_counts_no_more_is_not_reported_again(status):
    change = lifecycle.report_stale(schema(status), StaleReason.OUTDATED, NOW)
    assert (change is not None) is (status in (Status.ACTIVE, Status.STAGED, Status.NEEDS_REVIEW))
