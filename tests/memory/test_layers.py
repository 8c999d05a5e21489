"""One neighbour and one candidate: which layer finds that the one says the other again, and how surely."""

import pytest

from memcli.memory import claim
from memcli.memory.layers import Claimed, Neighbour, Reach, Rule, buried, match, pieces
from memcli.memory.schema import ArchiveReason, Evidence, Schema, Status, Validity
from memcli.memory.scope import Scope

SHOP = Scope("project", "shop")
NOW = 1_000_000
CLAIM = "The refund window is 14 days."
OTHER = "Customers may send goods back within two weeks."


def gone(status=Status.FORGOTTEN, text=CLAIM, **keys):
    return Schema("gone", SHOP, text, status=status, **keys)


def said(text=OTHER, **keys):
    return Claimed(text, NOW, NOW, **keys)


def found(text, near, **keys):
    return match(said(text, **keys), near, {})


def test_a_neighbour_of_which_nothing_more_is_said_is_of_the_same_scope_and_of_no_duplicate():
    near = Neighbour(gone())
    assert near.reach is Reach.OWN
    assert (near.path, near.cosines, near.since, near.canonical, near.digest) == ("", None, None, "", "")


def test_a_candidate_of_which_nothing_more_is_said_is_nobodys_on_purpose():
    one = said()
    assert (one.events, one.validity, one.spared) == (frozenset(), Validity(), frozenset())
    assert (one.explicit, one.person, one.arrived) == (False, False, False)


def test_a_text_is_compared_whole_and_by_each_sentence_where_there_are_several():
    assert pieces("One. Two!") == ("One. Two!", "One.", "Two!")
    assert pieces("One.") == ("One.",)


@pytest.mark.parametrize(
    ("act", "status", "reason"),
    [
        ("forgotten", Status.FORGOTTEN, None),
        ("purged", Status.FORGOTTEN, None),
        ("retracted", Status.RETRACTED, None),
        ("rejected", Status.ARCHIVED, ArchiveReason.REJECTED),
        ("?", Status.FORGOTTEN, None),
    ],
)
def test_a_tombstone_stands_for_a_schema_of_its_act(act, status, reason):
    made = buried("gone", SHOP, act, ["e1", "e2"], CLAIM)
    assert (made.id, made.scope, made.claim, made.status) == ("gone", SHOP, CLAIM, status)
    assert made.archive_reason is reason
    assert [one.event for one in made.evidence] == ["e1", "e2"]
    assert buried("gone", SHOP, act).claim == ""


def test_the_words_come_before_the_events_and_these_before_the_vectors():
    near = Neighbour(gone(evidence=(Evidence("e1"),)), cosines=(0.99,))
    assert found(CLAIM, near, events=frozenset({"e1"})) == (Rule.DIGEST, 1.0)
    assert found(OTHER, near, events=frozenset({"e1"})) == (Rule.LINEAGE, 1.0)
    assert found(OTHER, near, events=frozenset({"e1", "e2"})) == (Rule.BLOCK, 0.99)
    assert found(OTHER, near) == (Rule.BLOCK, 0.99)


@pytest.mark.parametrize("keyed", [False, True])
def test_of_a_purged_claim_its_digest_is_found_whole_and_within(keyed):
    digest = claim.keyed_digest(CLAIM, "gone") if keyed else claim.digest(CLAIM)
    near = Neighbour(gone(text=""), digest=digest)
    assert found("the refund window is 14 days", near) == (Rule.DIGEST, 1.0)
    assert found(f"Listen. {CLAIM} That is all.", near) == (Rule.DIGEST, 1.0)
    assert found(OTHER, near) == (None, 0.0)
    assert found("", Neighbour(gone(text=""))) == (None, 0.0)


@pytest.mark.parametrize(
    ("schema", "within"),
    [
        (gone(Status.FORGOTTEN), True),
        (gone(Status.RETRACTED), True),
        (gone(Status.SUPERSEDED), True),
        (gone(Status.ARCHIVED, archive_reason=ArchiveReason.REJECTED), True),
        (gone(Status.ARCHIVED, archive_reason=ArchiveReason.DUPLICATE), False),
        (gone(Status.STAGED), False),
        (gone(Status.NEEDS_REVIEW), False),
        (gone(Status.ACTIVE, validity=Validity(NOW + 1)), False),
        (gone(Status.ACTIVE, validity=Validity(NOW)), True),
        (gone(Status.ACTIVE, validity=Validity(None, NOW - 1)), True),
    ],
)
def test_what_would_take_the_candidate_in_must_match_it_whole(schema, within):
    longer = f"{CLAIM} Gift cards expire."
    assert found(CLAIM, Neighbour(schema)) == (Rule.DIGEST, 1.0)
    assert (found(longer, Neighbour(schema))[0] is Rule.DIGEST) is within
    nearest = Neighbour(schema, cosines=(0.1, 0.1, 0.95))
    if not within:
        assert found(f"{OTHER} Gift cards expire.", nearest) == (None, 0.0)


@pytest.mark.parametrize(
    ("status", "cosine", "answer"),
    [
        (Status.FORGOTTEN, 0.95, (Rule.BLOCK, 0.95)),
        (Status.FORGOTTEN, 0.85, (Rule.HOLD, 0.85)),
        (Status.FORGOTTEN, 0.70, (None, 0.0)),
        (Status.SUPERSEDED, 0.95, (Rule.BLOCK, 0.95)),
        (Status.SUPERSEDED, 0.85, (None, 0.0)),
    ],
)
def test_near_blocks_less_near_holds_against_what_a_person_took_out(status, cosine, answer):
    assert found(OTHER, Neighbour(gone(status), cosines=(cosine,))) == answer


def test_the_surest_piece_counts_and_a_certain_one_before_a_nearer_that_only_holds():
    text = f"{OTHER} Gift cards expire."
    near = Neighbour(gone(), cosines=(0.81, 0.90, 0.93))
    assert found(text, near) == (Rule.BLOCK, 0.93)
    near = Neighbour(gone(), cosines=(0.81, 0.83, 0.10))
    assert found(text, near) == (Rule.HOLD, 0.83)


def test_an_opposite_is_not_said_again_however_near():
    never = "The refund window is never 14 days."
    assert found(never, Neighbour(gone(), cosines=(0.99,))) == (None, 0.0)
