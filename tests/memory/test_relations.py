"""Relations by content are few and say only that; exact duplicates stand behind the earliest evidence."""

from dataclasses import replace

from memcli.memory import relations
from memcli.memory.schema import Evidence, Link, Schema, Status, Type, Validity
from memcli.memory.scope import Scope

SHOP = Scope("project", "shop")
ONE = Schema("one", SHOP, "The refund window is 14 days.", evidence=(Evidence("e2"),))


def test_the_nearest_few_are_related_and_what_is_far_is_not():
    near = {"a": 0.61, "b": 0.9, "c": 0.59, "d": 0.7, "e": 0.7}
    assert relations.related(near) == (("b", 0.9), ("d", 0.7), ("e", 0.7))


def test_a_link_is_made_once_and_not_to_itself():
    change = relations.linked(ONE, [("two", 0.8), ("one", 1.0)])
    assert change.keys == {"links": [{"to": "two", "rel": "relates_to", "weight": 0.8}]}
    assert relations.linked(replace(ONE, links=(Link("two"),)), [("two", 0.8)]) is None


def test_other_links_stay_and_only_so_many_are_added():
    full = replace(ONE, links=tuple(Link(f"x{nth}") for nth in range(relations.MOST)))
    assert relations.linked(full, [("two", 0.8)]) is None
    other = replace(ONE, links=(Link("x", "blocks"),))
    assert [one["to"] for one in relations.linked(other, [("two", 0.8)]).keys["links"]] == ["x", "two"]


def test_the_earliest_evidence_is_canonical_and_what_has_none_comes_last():
    early = replace(ONE, id="early", claim="the refund window is 14 days", evidence=(Evidence("e1"),))
    by_hand = replace(ONE, id="hand", evidence=())
    (found,) = relations.twins([by_hand, ONE, early])
    assert (found.canonical.id, [one.id for one in found.others]) == ("early", ["one", "hand"])


def test_what_differs_in_number_scope_window_type_detail_or_status_is_no_duplicate():
    others = [
        replace(ONE, claim="The refund window is 30 days."),
        replace(ONE, scope=Scope("project", "other")),
        replace(ONE, validity=Validity(10)),
        replace(ONE, type=Type.DECISION),
        replace(ONE, detail="For online orders."),
        replace(ONE, status=Status.STAGED),
        replace(ONE, concept="refunds"),
    ]
    for other in others:
        assert relations.twins([ONE, replace(other, id="two")]) == ()


def test_a_duplicate_is_archived_with_its_link_and_keeps_the_others():
    change = relations.duplicate_of(replace(ONE, links=(Link("x"),)), "two", "duplicate_of")
    assert (change.prior, change.status) == (Status.ACTIVE, Status.ARCHIVED)
    assert change.keys == {
        "links": [{"to": "x", "rel": "relates_to"}, {"to": "two", "rel": "duplicate_of"}],
        "status": "archived",
        "archive_reason": "duplicate",
    }
