"""One decision, in one order, wherever a claim comes from."""

import pytest

from memcli.memory.admission import Candidate, Decision, Earlier, Kind, Known, decide
from memcli.memory.guard import Neighbour, Reach, pieces
from memcli.memory.schema import ReviewReason, Schema, Status, Trust, Validity
from memcli.memory.scope import GLOBAL, Scope

SHOP = Scope("project", "shop")
NOW = 1_000_000
CLAIM = "The refund window is 30 days."
NEW = "The refund window is 14 days."


def candidate(text=CLAIM, **keys):
    return Candidate(text, SHOP, NOW, keys.pop("evidence_at", NOW), **keys)


def near(claim=CLAIM, id_="aaaa", **keys):
    """A neighbour of `of` (one sentence each); other keys are the schema's."""
    cosines = (keys.pop("cosine", 1.0),) * len(pieces(keys.pop("of", CLAIM)))
    reach, order = keys.pop("reach", Reach.OWN), keys.pop("order", 1)
    schema = Schema(id_, keys.pop("scope", SHOP), claim, **keys)
    return Neighbour(schema, f"{id_}.md", cosines, reach, order=order)


def decided(one=None, *neighbours, **keys):
    return decide(one or candidate(), Known(neighbours, **keys))


def test_a_new_claim_is_created_and_active():
    assert decided() == Decision(Kind.CREATED, "new", status=Status.ACTIVE)
    other = near("Invoices are numbered per country.", cosine=0.2)
    assert decided(None, other).kind is Kind.CREATED


def test_the_same_key_with_the_same_payload_is_the_earlier_result():
    one = candidate(key="k", payload="p1", secret="found")
    assert decided(one, earlier=Earlier("aaaa", "p1")) == Decision(Kind.REPEATED, "key", of="aaaa")
    assert decided(one, earlier=Earlier("aaaa", "p2")) == Decision(Kind.REFUSED, "key", of="aaaa")
    assert decided(candidate(key="k", payload="p1")).kind is Kind.CREATED


def test_a_secret_is_refused_by_the_name_of_its_pattern():
    assert decided(candidate(secret="GitHub token"), near()) == Decision(
        Kind.REFUSED, "secret", because="GitHub token"
    )


@pytest.mark.case("P-LIFE-07")
@pytest.mark.parametrize(
    ("text", "cosine", "kind", "rule"),
    [
        (CLAIM, 1.0, Kind.REINFORCED, "equal"),
        ("the refund window is 30 DAYS", 0.5, Kind.REINFORCED, "equal"),
        ("The window for refunds is thirty days.", 0.92, Kind.REINFORCED, "cosine"),
        ("The window for refunds is thirty days.", 0.919, Kind.CREATED, "new"),
        (NEW, 0.99, Kind.CREATED, "new"),
        ("The refund window is 30 days since July 2026.", 0.99, Kind.CREATED, "new"),
        ("The refund window is not 30 days.", 0.99, Kind.CREATED, "new"),
        ("The refund window of Acme is 30 days.", 0.99, Kind.CREATED, "new"),
    ],
)
def test_the_same_claim_is_reinforced_and_never_a_second_file(text, cosine, kind, rule):
    decision = decided(candidate(text), near(cosine=cosine, of=text))
    assert (decision.kind, decision.rule) == (kind, rule)


def test_only_a_live_claim_of_the_same_scope_is_reinforced():
    assert decided(None, near(scope=GLOBAL, reach=Reach.SEEN)).kind is Kind.CREATED
    assert decided(None, near(validity=Validity(None, NOW))).kind is Kind.CREATED
    assert decided(None, near(validity=Validity(None, NOW + 1))).kind is Kind.REINFORCED
    assert decided(None, near(validity=Validity(NOW + 1))).kind is Kind.REINFORCED


def test_the_same_words_about_another_subject_or_time_are_another_claim():
    short = candidate("30 days", concept="trial period")
    assert decided(short, near("30 days", of="30 days", concept="refund window")).kind is Kind.CREATED
    assert decided(short, near("30 days", of="30 days", concept=" TRIAL  period")).kind is Kind.REINFORCED
    january, may = Validity(10, 20), Validity(NOW + 10, NOW + 20)
    ahead = near(validity=Validity(NOW + 5, NOW + 30))
    assert decided(candidate(validity=may), ahead).kind is Kind.REINFORCED
    assert decided(candidate(validity=january), ahead).kind is Kind.CREATED
    assert decided(candidate(validity=january), near()).kind is Kind.REINFORCED


def test_the_nearest_of_several_is_reinforced_and_ties_go_by_id():
    several = [
        near(id_="bbbb"),
        near(id_="aaaa"),
        near("The refund window is thirty days", "0000", cosine=0.99),
    ]
    assert decided(None, *several).of == "aaaa"


def test_what_was_forgotten_is_skipped_and_what_resembles_it_waits():
    forgotten = {"status": Status.FORGOTTEN}
    skipped = decided(None, near(**forgotten))
    assert (skipped.kind, skipped.rule, skipped.of, skipped.because) == (
        Kind.SKIPPED,
        "digest",
        "aaaa",
        "forgotten",
    )
    held = decided(candidate("Customers return goods within thirty days."), near(cosine=0.83, **forgotten))
    assert (held.kind, held.status, held.score) == (Kind.REVIEW, Status.NEEDS_REVIEW, 0.83)
    assert (held.review.reason, held.review.of) == (ReviewReason.RESEMBLES, ("aaaa",))
    assert decided(candidate(NEW), near(cosine=0.99, of=NEW, **forgotten)).kind is Kind.CREATED


def test_a_live_twin_is_reinforced_before_the_guard_is_asked():
    live, forgotten = near(id_="live"), near(id_="gone", status=Status.FORGOTTEN)
    assert decided(None, live, forgotten).of == "live"


def test_an_override_lets_a_forgotten_claim_through():
    decision = decided(candidate(overrides=frozenset({"aaaa"})), near(status=Status.FORGOTTEN))
    assert (decision.kind, decision.status) == (Kind.CREATED, Status.ACTIVE)


def test_an_explicit_remember_makes_a_staged_claim_active():
    staged = near(status=Status.STAGED)
    decision = decided(None, staged)
    assert (decision.kind, decision.status) == (Kind.REINFORCED, Status.ACTIVE)
    observed = decided(candidate(explicit=False), staged)
    assert (observed.kind, observed.status) == (Kind.REINFORCED, None)
    untrusted = decided(candidate(trust=Trust.UNTRUSTED), staged)
    assert (untrusted.kind, untrusted.status) == (Kind.REINFORCED, None)


def test_an_untrusted_origin_never_founds_an_active_schema():
    decision = decided(candidate(trust=Trust.UNTRUSTED))
    assert (decision.kind, decision.status) == (Kind.REVIEW, Status.NEEDS_REVIEW)
    assert decision.review.reason is ReviewReason.PROPOSAL
    replacing = candidate(NEW, trust=Trust.UNTRUSTED, concept="refund window", supersede_concept=True)
    assert decided(replacing, near(concept="refund window")).kind is Kind.REVIEW


def test_a_replacement_by_concept_ends_the_newest_active_one():
    one = candidate(NEW, concept="Refund  Window", supersede_concept=True)
    found = [near(id_="old", concept="refund window"), near(id_="new", concept="refund window", order=2)]
    decision = decided(one, *found)
    assert (decision.kind, decision.of, decision.rule, decision.conflicts) == (
        Kind.SUPERSEDED,
        "new",
        "concept",
        ("old",),
    )


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.ACTIVE])
def test_a_replacement_by_concept_never_matches_what_does_not_count(status):
    one = candidate(NEW, concept="refund window", supersede_concept=True)
    gone = near("Unrelated words here.", "gone", cosine=0.0, concept="refund window", status=status, order=9)
    assert decided(one, gone).kind is Kind.CREATED
    assert decided(one, gone, near(id_="live", concept="refund window")).of == "live"


def test_a_replacement_by_concept_never_matches_another_scope():
    one = candidate(NEW, concept="refund window", supersede_concept=True)
    other = near(scope=GLOBAL, reach=Reach.SEEN, concept="refund window", order=9)
    assert decided(one, other).kind is Kind.CREATED
    assert decided(one, other, near(id_="live", concept="refund window")).of == "live"


def test_a_claim_may_come_back_by_an_explicit_supersession_of_the_current_member():
    thirty = near(id_="thirty", status=Status.SUPERSEDED, superseded_by="14", validity=Validity(None, 10))
    fourteen = near(NEW, "fourteen", concept="refund window", validity=Validity(10))
    back = candidate(CLAIM, concept="refund window", supersede_concept=True)
    decision = decided(back, thirty, fourteen, chain={"thirty": "fourteen"})
    assert (decision.kind, decision.of) == (Kind.SUPERSEDED, "fourteen")
    again = candidate(CLAIM, concept="refund window", explicit=False, evidence_at=5)
    assert decided(again, thirty, fourteen, chain={"thirty": "fourteen"}).kind is Kind.SKIPPED


def test_a_replacement_may_not_bring_back_what_was_forgotten():
    one = candidate(NEW, concept="refund window", supersede_concept=True)
    forgotten = near(NEW, "gone", of=NEW, status=Status.FORGOTTEN)
    assert decided(one, forgotten, near(id_="live", concept="refund window")).kind is Kind.SKIPPED


@pytest.mark.parametrize("status", [Status.FORGOTTEN, Status.RETRACTED])
def test_a_replacement_brings_back_no_earlier_member_that_was_taken_out_since(status):
    thirty = near(id_="thirty", status=status, superseded_by="fourteen")
    fourteen = near(NEW, "fourteen", concept="refund window")
    one = candidate(CLAIM, concept="refund window", supersede_concept=True)
    assert decided(one, thirty, fourteen, chain={"thirty": "fourteen"}).kind is Kind.SKIPPED
    passed = candidate(
        CLAIM, concept="refund window", supersede_concept=True, overrides=frozenset({"thirty"})
    )
    assert decided(passed, thirty, fourteen, chain={"thirty": "fourteen"}).of == "fourteen"


def test_a_replacement_by_id_ends_the_one_that_was_named():
    one = candidate(NEW, supersedes="bbbb")
    decision = decided(one, near(), near(id_="bbbb"))
    assert (decision.kind, decision.of, decision.rule) == (Kind.SUPERSEDED, "bbbb", "id")


def test_a_replacement_that_another_memory_says_word_for_word_makes_no_second_copy():
    """With control: whatever says it and does not count, or holds for another time, is no twin."""
    one = candidate(NEW, supersedes="bbbb")
    old = near(id_="bbbb")
    decision = decided(one, old, near(NEW, "twin", of=NEW))
    assert (decision.kind, decision.of, decision.stays) == (Kind.REINFORCED, "twin", "bbbb")
    assert decided(one, old, near(NEW, "twin", of=NEW, scope=GLOBAL, reach=Reach.SEEN)).of == "bbbb"
    assert decided(one, old, near(NEW, "twin", of=NEW, validity=Validity(None, 5))).of == "bbbb"
    assert decided(one, near(NEW, "bbbb", of=NEW)).kind is Kind.SUPERSEDED


def test_two_live_claims_of_a_concept_are_both_kept_and_named_as_a_conflict():
    one = candidate(NEW, concept="refund window")
    other = near(concept="refund window", of=NEW)
    assert decided(one, other).conflicts == ("aaaa",)
    assert decided(one, near(concept="refund window", of=NEW, validity=Validity(None, 5))).conflicts == (
        "aaaa",
    )
    later = candidate(NEW, concept="refund window", validity=Validity(5))
    assert decided(later, near(concept="refund window", of=NEW, validity=Validity(None, 5))).conflicts == ()


def test_a_claim_forgotten_in_a_narrower_scope_is_created_and_hidden_there():
    wide = Candidate(CLAIM, GLOBAL, NOW, NOW)
    decision = decided(wide, near(status=Status.FORGOTTEN, reach=Reach.NARROWER))
    assert (decision.kind, decision.hidden_in) == (Kind.CREATED, ("project:shop",))
