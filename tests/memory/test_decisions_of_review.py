"""Why something waits, what may be decided about it, and which keys a decision writes."""

from dataclasses import replace

import pytest

from memcli.memory import reviewing
from memcli.memory.reviewing import DECISIONS, ORDER, Why
from memcli.memory.schema import Evidence, Review, ReviewReason, Schema, Status, Validity
from memcli.memory.scope import Scope

SHOP = Scope("project", "shop")
FACT = Schema("aaaa", SHOP, "The port is 80.", concept="port", evidence=(Evidence("01a"),))


def waits(reason, status=Status.NEEDS_REVIEW, of=("gone",)):
    return replace(FACT, status=status, review=Review(reason, of))


@pytest.mark.parametrize("reason", ReviewReason)
def test_what_needs_review_waits_for_the_reason_that_its_file_names(reason):
    assert reviewing.why(waits(reason), Status.NEEDS_REVIEW).value == reason.value


@pytest.mark.parametrize("status", Status)
def test_a_report_waits_only_beside_what_it_closed(status):
    found = reviewing.why(waits(ReviewReason.REPORTED, status), status)
    expected = {
        Status.STALE: Why.REPORTED,
        Status.SUPERSEDED: Why.REPORTED,
        Status.NEEDS_REVIEW: Why.REPORTED,
    }
    assert found is expected.get(status, Why.STAGED if status is Status.STAGED else None)


def test_what_does_not_count_as_its_file_says_does_not_wait_by_itself():
    assert reviewing.why(replace(FACT, status=Status.STAGED), Status.STAGED) is Why.STAGED
    assert reviewing.why(replace(FACT, status=Status.STAGED), Status.FORGOTTEN) is None
    assert reviewing.why(FACT, Status.ACTIVE) is None


def test_everything_that_waits_has_a_place_and_a_decision():
    assert set(ORDER) == set(Why) == set(DECISIONS)
    assert all(DECISIONS[why] for why in Why)


@pytest.mark.parametrize("reason", ReviewReason)
def test_accepting_lets_past_exactly_what_it_was_held_for(reason):
    change = reviewing.accepted(waits(reason))
    assert (change.prior, change.status) == (Status.NEEDS_REVIEW, Status.ACTIVE)
    assert (change.keys["status"], change.keys["review"]) == ("active", None)
    passes = reason in (ReviewReason.RESEMBLES, ReviewReason.NEWER_EVIDENCE)
    assert change.keys.get("overrides") == (["gone"] if passes else None)


def test_what_it_was_let_past_before_stays():
    held = replace(waits(ReviewReason.RESEMBLES), overrides=("other",))
    assert reviewing.accepted(held).keys["overrides"] == ["other", "gone"]
    again = replace(held, overrides=("gone",))
    assert "overrides" not in reviewing.accepted(again).keys


def test_accepting_what_counts_changes_nothing():
    assert reviewing.accepted(FACT).keys == {}


def test_rejecting_archives_and_leaving_out_keeps_the_status():
    change = reviewing.rejected(waits(ReviewReason.PROPOSAL))
    assert change.keys == {"status": "archived", "archive_reason": "rejected", "review": None}
    stale = waits(ReviewReason.REPORTED, Status.STALE)
    left = reviewing.left_out(stale)
    assert (left.prior, left.status, left.keys) == (Status.STALE, Status.STALE, {"review": None})


def port(id_, event, **keys):
    return replace(FACT, id=id_, evidence=(Evidence(event),), **keys)


def test_rivals_are_of_one_scope_concept_and_time_the_latest_first():
    old, new = port("old0", "01a"), port("new0", "01b", concept=" PORT ")
    (group,) = reviewing.rivals([old, new])
    assert [one.id for one in group] == ["new0", "old0"]
    for other in (
        port("new0", "01b", scope=Scope("project", "other")),
        port("new0", "01b", concept="host"),
        port("new0", "01b", concept=""),
        port("new0", "01b", status=Status.STAGED),
        port("new0", "01b", validity=Validity(None, 0)),
    ):
        assert reviewing.rivals([replace(old, validity=Validity(0, None)), other]) == []


def test_a_later_one_without_a_rival_hides_no_earlier_pair():
    first = port("aaa0", "01a", validity=Validity(0, 10))
    second = port("bbb0", "01b", validity=Validity(5, 10))
    third = port("ccc0", "01c", validity=Validity(10, None))
    (group,) = reviewing.rivals([first, second, third])
    assert [one.id for one in group] == ["bbb0", "aaa0"]
