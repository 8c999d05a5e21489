"""Which act is legal from which status, what it writes, and what a status written by hand is worth."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.errors import NoSuchMemory, Refused
from memcli.memory import lifecycle
from memcli.memory.schema import Evidence, Schema, Status, Validity
from memcli.memory.scope import Scope

SHOP = Scope("project", "shop")
DAY = 86_400
STATUS = st.sampled_from(list(Status))
REMOVED = (Status.FORGOTTEN, Status.RETRACTED, Status.SUPERSEDED)


def schema(id_="aaaa", status=Status.ACTIVE, **keys):
    return Schema(id_, SHOP, "The refund window is 30 days.", status=status, **keys)


def applied(before, change):
    """What the schema would read after the change; only the keys that these acts write."""
    keys = change.keys
    after = before
    if "status" in keys:
        after = replace(after, status=Status(keys["status"] or "active"))
    if keys.get("superseded_by"):
        after = replace(after, superseded_by=keys["superseded_by"])
    return after


@pytest.mark.case("P-LIFE-03")
@pytest.mark.parametrize("status", [s for s in Status if s is not Status.FORGOTTEN])
def test_unforget_gives_back_exactly_what_forget_took(status):
    before = schema(status=status)
    forgotten = applied(before, forget := lifecycle.forget(before))
    assert forget.prior is status
    assert lifecycle.forget(forgotten) is None
    back = lifecycle.unforget(forgotten, forget.prior)
    assert applied(forgotten, back) == before
    assert lifecycle.unforget(before, status) is None


@pytest.mark.case("P-LIFE-03")
def test_unforget_takes_the_key_out_where_there_was_none():
    forgotten = schema(status=Status.FORGOTTEN)
    assert lifecycle.unforget(forgotten, Status.ACTIVE, stated=False).keys == {"status": None}


@pytest.mark.case("P-LIFE-08")
def test_a_file_that_says_active_again_is_forgotten_again():
    resurrected = schema(status=Status.ACTIVE)
    change = lifecycle.forget(resurrected, Status.FORGOTTEN)
    assert change.prior is Status.FORGOTTEN
    assert change.keys == {"status": "forgotten"}


@pytest.mark.case("P-LIFE-08")
@given(stated=STATUS, confirmed=STATUS)
def test_nothing_comes_back_out_of_forgotten_retracted_or_superseded_by_hand(stated, confirmed):
    status, held = lifecycle.effective(stated, confirmed)
    assert status in (stated, confirmed)
    if confirmed in REMOVED and stated in (Status.ACTIVE, Status.STAGED, Status.NEEDS_REVIEW, Status.STALE):
        assert (status, held) == (confirmed, True)
    if confirmed is Status.FORGOTTEN:
        assert status is Status.FORGOTTEN
    if stated in (Status.FORGOTTEN, confirmed) or confirmed not in REMOVED:
        assert (status, held) == (stated, False)


@given(stated=STATUS)
def test_a_file_that_the_journal_does_not_know_counts_as_it_says(stated):
    assert lifecycle.effective(stated, None) == (stated, False)


def test_withholding_more_counts_at_once():
    assert lifecycle.effective(Status.FORGOTTEN, Status.SUPERSEDED) == (Status.FORGOTTEN, False)
    assert lifecycle.effective(Status.ARCHIVED, Status.RETRACTED) == (Status.ARCHIVED, False)
    assert lifecycle.effective(Status.RETRACTED, Status.FORGOTTEN) == (Status.FORGOTTEN, True)


def test_superseding_closes_the_window_and_links_both_sides():
    act = lifecycle.supersede(schema(), 10 * DAY, "bbbb")
    assert act.old.keys == {
        "status": "superseded",
        "validity.to": "1970-01-11T00:00:00Z",
        "superseded_by": "bbbb",
    }
    assert act.new == {"validity.from": "1970-01-11T00:00:00Z", "supersedes": ["aaaa"]}
    assert (act.old.prior, act.old.status, act.until) == (Status.ACTIVE, Status.SUPERSEDED, 10 * DAY)


@given(
    start=st.none() | st.integers(0, 50),
    end=st.none() | st.integers(51, 100),
    switch=st.integers(51, 200),
)
def test_a_window_is_only_ever_shortened(start, end, switch):
    act = lifecycle.supersede(schema(validity=Validity(start, end)), switch, "bbbb")
    assert act.until <= switch
    assert end is None or act.until <= end
    assert ("validity.to" in act.old.keys) == (end is None or switch < end)


@pytest.mark.parametrize("switch", [DAY, DAY - 1])
def test_a_switch_at_or_before_the_beginning_is_refused(switch):
    with pytest.raises(Refused, match="true from 1970-01-02"):
        lifecycle.supersede(schema(validity=Validity(DAY)), switch, "bbbb")
    assert lifecycle.supersede(schema(validity=Validity(DAY)), DAY + 1, "bbbb").until == DAY + 1


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.ACTIVE])
def test_only_an_active_schema_can_be_superseded(status):
    with pytest.raises(Refused, match=status.value):
        lifecycle.supersede(schema(status=status), DAY, "bbbb")


@pytest.mark.case("P-LIFE-04")
def test_circles_are_refused():
    with pytest.raises(Refused, match="circle"):
        lifecycle.supersede(schema("aaaa"), DAY, "aaaa")
    with pytest.raises(Refused, match="circle"):
        lifecycle.supersede(schema("bbbb"), DAY, "aaaa", {"aaaa": "bbbb"})
    with pytest.raises(Refused, match="circle"):
        lifecycle.supersede(schema("cccc"), DAY, "aaaa", {"aaaa": "bbbb", "bbbb": "cccc"})
    assert lifecycle.supersede(schema("cccc"), DAY, "dddd", {"aaaa": "bbbb", "bbbb": "cccc"})


@pytest.mark.case("P-LIFE-04")
def test_a_missing_or_removed_successor_is_refused():
    with pytest.raises(NoSuchMemory, match="zzzz"):
        lifecycle.succeeding(None, "zzzz", "aaaa", DAY)
    for status in (s for s in Status if s is not Status.ACTIVE):
        with pytest.raises(Refused, match=status.value):
            lifecycle.succeeding(schema("bbbb", status), "bbbb", "aaaa", DAY)
    with pytest.raises(Refused, match="until"):
        lifecycle.succeeding(schema("bbbb", validity=Validity(None, DAY)), "bbbb", "aaaa", DAY)


def test_an_existing_successor_gets_its_beginning_and_its_link_once():
    new = schema("bbbb", validity=Validity(DAY), supersedes=("zzzz",))
    assert lifecycle.succeeding(new, "bbbb", "aaaa", DAY) == {"supersedes": ["zzzz", "aaaa"]}
    linked = schema("bbbb", supersedes=("aaaa",))
    assert lifecycle.succeeding(linked, "bbbb", "aaaa", DAY) == {
        "supersedes": ["aaaa"],
        "validity.from": "1970-01-02T00:00:00Z",
    }


@pytest.mark.case("P-LIFE-04")
def test_a_chain_is_followed_to_its_end_and_a_circle_made_by_hand_ends_it():
    chain = {"a": "b", "b": "c"}
    assert lifecycle.followers("a", chain) == ("b", "c")
    assert lifecycle.forerunners("c", chain) == {"a", "b"}
    assert lifecycle.followers("a", {"a": "b", "b": "a"}) == ("b",)
    assert lifecycle.followers("a", {"a": "b", "b": "c", "c": "b"}) == ("b", "c")


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.ACTIVE])
def test_by_concept_only_an_active_schema_is_replaced(status):
    sibling = schema("bbbb", concept="Refund  Window")
    other = schema("aaaa", status, concept="refund window")
    found = lifecycle.superseded_by_concept([(other, 9), (sibling, 1)], "refund window")
    assert found == sibling
    assert lifecycle.superseded_by_concept([(other, 9)], "refund window") is None


def test_by_concept_the_newest_with_the_required_tags_is_replaced():
    old, new = schema("aaaa", concept="x"), schema("bbbb", concept="X ")
    tagged = schema("cccc", concept="x", tags=("eu", "b2b"))
    assert lifecycle.superseded_by_concept([(new, 2), (old, 1)], "x") == new
    assert lifecycle.superseded_by_concept([(new, 2), (tagged, 1)], "x", ["eu"]) == tagged
    assert lifecycle.superseded_by_concept([(schema(concept=""), 1)], "") is None


def test_evidence_is_added_once():
    before = schema(evidence=(Evidence("e1", "quoted", 0.5),))
    change = lifecycle.reinforce(before, [Evidence("e1"), Evidence("e2")])
    assert change.keys == {"evidence": [{"event": "e1", "quote": "quoted", "weight": 0.5}, {"event": "e2"}]}
    assert (change.prior, change.status) == (Status.ACTIVE, Status.ACTIVE)
    assert lifecycle.reinforce(before, [Evidence("e1")]) is None


def test_promotion_makes_a_staged_schema_active():
    change = lifecycle.reinforce(schema(status=Status.STAGED), [Evidence("e2")], promote=True)
    assert (change.prior, change.status, change.keys["status"]) == (Status.STAGED, Status.ACTIVE, "active")
