"""Two versions of one memory's keys made one: each key by its rule, and the same from either side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory.joining import joined
from memcli.memory.schema import Status

BASE = {"id": "x", "status": "active", "concept": "refund", "tags": ["a", "b"]}


def both(ours, theirs, base=BASE):
    """What two changed versions come to, asked from both sides."""
    one = joined(base, {**base, **ours}, {**base, **theirs})
    other = joined(base, {**base, **theirs}, {**base, **ours})
    assert (dict(one.keys), one.conflicts) == (dict(other.keys), other.conflicts)
    return one


def test_what_one_side_changed_is_taken_and_what_both_changed_alike():
    found = both({"concept": "refund window", "type": "fact"}, {"type": "fact", "key": "k"})
    assert found.keys == {**BASE, "concept": "refund window", "type": "fact", "key": "k"}
    assert found.conflicts == ()


def test_a_key_that_one_side_took_out_is_out():
    base = {**BASE, "confidence": "0.5"}
    assert joined(base, BASE, base).keys == BASE
    assert joined(base, base, BASE).keys == BASE


def test_what_no_rule_settles_is_a_conflict_and_is_left_out():
    found = both({"concept": "refunds"}, {"concept": "returns", "tags": ["a", "b", "c"]})
    assert found.conflicts == ("concept",)
    assert found.keys == {"id": "x", "status": "active", "tags": ["a", "b", "c"]}


@pytest.mark.parametrize("status", [one.value for one in Status])
def test_a_forget_on_one_side_is_a_forget_on_both(status):
    assert both({"status": "forgotten"}, {"status": status}).keys["status"] == "forgotten"


def test_the_stronger_removal_holds_with_what_belongs_to_it_and_no_link_is_lost():
    found = both(
        {"status": "stale", "stale_reason": "outdated"},
        {"status": "superseded", "superseded_by": "new", "validity.to": "2026-07-01"},
    )
    assert found.keys == {**BASE, "status": "superseded", "superseded_by": "new", "validity.to": "2026-07-01"}
    found = both({"status": "forgotten"}, {"status": "superseded", "superseded_by": "new"})
    assert (found.keys["status"], found.keys["superseded_by"]) == ("forgotten", "new")


def test_taking_a_removal_back_is_taken_back_on_both():
    base = {**BASE, "status": "forgotten"}
    found = joined(base, {**base, "tags": ["c"]}, {**base, "status": "superseded"})
    assert found.keys == {**BASE, "status": "superseded", "tags": ["c"]}


def test_lists_gather_what_both_added_less_what_either_took_out():
    found = both({"tags": ["b", "c"]}, {"tags": ["a", "b", "d"]})
    assert found.keys["tags"] == ["b", "c", "d"]
    rests = [{"event": "e1"}]
    base = {**BASE, "evidence": rests}
    ours, theirs = [*rests, {"event": "e3"}], [*rests, {"event": "e2", "quote": "so"}]
    found = both({"evidence": ours}, {"evidence": theirs}, base)
    assert found.keys["evidence"] == [{"event": "e1"}, {"event": "e2", "quote": "so"}, {"event": "e3"}]


def test_what_one_side_changed_of_a_link_stays_where_the_other_side_added_one():
    link, other = {"to": "a", "rel": "relates_to", "weight": "0.5"}, {"to": "b", "rel": "relates_to"}
    base = {**BASE, "links": [link]}
    heavier = {**link, "weight": "0.9"}
    assert both({"links": [heavier]}, {"links": [link, other]}, base).keys["links"] == [heavier, other]
    assert both({"links": []}, {"links": [heavier, other]}, base).keys["links"] == [other]
    lighter = {**link, "weight": "0.1"}
    assert both({"links": [heavier]}, {"links": [lighter]}, base).keys["links"] == [lighter]


def test_two_links_to_one_memory_are_two():
    near, same = {"to": "a"}, {"to": "a", "rel": "duplicate_of"}
    assert both({"links": [near]}, {"links": [same]}).keys["links"] == [same, near]
    spelled = {"to": "a", "rel": "relates_to"}
    assert both({"links": [spelled]}, {"links": [near]}).keys["links"] == [spelled]


def test_two_pieces_of_evidence_from_one_event_are_both_kept():
    told = [{"event": "e1", "quote": "so"}, {"event": "e1", "quote": "not so"}]
    base = {**BASE, "evidence": told}
    found = both({"evidence": told[:1]}, {"evidence": [*told, {"event": "e2"}]}, base)
    assert found.keys["evidence"] == [told[0], {"event": "e2"}]


def test_a_window_is_only_ever_shortened_and_trust_and_reach_only_lowered():
    found = both(
        {"validity.to": "2026-07-01", "trust": "untrusted", "stage": "global", "confidence": "0.9"},
        {
            "validity.to": "2026-06-30T10:00:00Z",
            "trust": "trusted",
            "stage": "portable",
            "confidence": "0.65",
        },
    )
    assert found.conflicts == ()
    assert (found.keys["validity.to"], found.keys["trust"]) == ("2026-06-30T10:00:00Z", "untrusted")
    assert (found.keys["stage"], found.keys["confidence"]) == ("portable", "0.65")
    assert both({"validity.to": "soon"}, {"validity.to": "2026-07-01"}).conflicts == ("validity.to",)


def test_two_successors_of_one_memory_agree_on_both_clones():
    found = both(
        {"status": "superseded", "superseded_by": "p", "validity.to": "2026-07-02"},
        {"status": "superseded", "superseded_by": "k", "validity.to": "2026-07-01"},
    )
    assert (found.keys["superseded_by"], found.keys["validity.to"]) == ("k", "2026-07-01")


def test_two_files_that_were_made_apart_are_one_where_they_say_the_same():
    one = {"id": "x", "status": "active", "evidence": [{"event": "e1"}]}
    other = {"id": "x", "status": "active", "evidence": [{"event": "e2"}]}
    found = both(one, other, {})
    assert found.keys["evidence"] == [{"event": "e1"}, {"event": "e2"}]
    assert both(one, {**other, "id": "y"}, {}).conflicts == ("id",)


KEYS = st.dictionaries(
    st.sampled_from(
        ["status", "tags", "links", "concept", "validity.to", "superseded_by", "review", "trust", "other"]
    ),
    st.one_of(
        st.sampled_from(["active", "forgotten", "superseded", "2026-07-01", "2026-07-02", "x"]),
        st.lists(st.sampled_from(["a", "b", "c"]), unique=True),
        st.lists(st.fixed_dictionaries({"to": st.sampled_from("ab")}, optional={"weight": st.just("0.5")})),
    ),
).map(lambda keys: {"id": "x", **keys})


@given(KEYS, KEYS, KEYS)
def test_neither_side_is_favoured_and_joining_again_changes_nothing(base, ours, theirs):
    one, other = joined(base, ours, theirs), joined(base, theirs, ours)
    assert (dict(one.keys), one.conflicts) == (dict(other.keys), other.conflicts)
    assert joined(base, ours, ours).keys == ours
    assert joined(base, base, theirs).keys == theirs
    if not one.conflicts:
        again = joined(ours, ours, one.keys)
        assert again.keys == one.keys
