"""What a consolidated line says of the events before it, whatever a merge did to the order of lines."""

from types import MappingProxyType

import pytest

from memcli.memory.scope import Scope
from memcli.store import digested
from memcli.store.event import Event, Kind


def said(id_, kind=Kind.TURN, **data):
    return Event(id_, 0, Scope("user"), "human:ana", kind, "1", data=MappingProxyType(data))


def line(through, logic="1", **more):
    return said(f"z{through}{logic}", Kind.CONSOLIDATED, through=through, logic=logic, **more)


def test_what_stands_before_the_line_up_to_its_event_was_digested():
    found = digested.digested([said("a"), said("b"), line("b"), said("c")])
    assert dict(found.passed) == {"a": "1", "b": "1"}
    assert [one.id for one in found.pending] == ["c"]


@pytest.mark.parametrize(
    "events",
    [
        [said("a"), said("c"), line("a")],
        [said("a"), line("b"), said("b")],
        [line("c"), said("a")],
        [said("a"), line("b")],
        [said("a"), line(5)],
    ],
)
def test_what_the_line_does_not_name_or_does_not_follow_is_pending(events):
    assert [one.id for one in digested.digested(events).pending] != []


def test_two_clones_that_digested_the_same_file_leave_nothing_pending():
    merged = [said("a"), line("a"), said("b"), line("b"), line("a")]
    assert digested.digested(merged).pending == ()


def test_the_newest_rules_that_passed_an_event_count_and_numbers_sort_as_numbers():
    found = digested.digested([said("a"), line("a", "9"), line("a", "10"), said("b"), line("b", "9")])
    assert dict(found.passed) == {"a": "10", "b": "9"}
    assert [one.id for one in found.older("10")] == ["b"]
    assert found.older("9") == ()


def test_echoes_are_what_the_lines_say():
    assert digested.digested([said("a"), line("a", echoes=["a"])]).echoes == {"a"}
    assert digested.digested([said("a"), line("a", echoes="a")]).echoes == frozenset()
