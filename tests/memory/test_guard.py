"""What was taken out stays out, updates pass, and what merely resembles waits for a person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory.claim import digest
from memcli.memory.guard import Claimed, Neighbour, Reach, Rule, Verdict, buried, judge, pieces
from memcli.memory.schema import (
    ArchiveReason,
    Evidence,
    ReviewReason,
    Schema,
    StaleReason,
    Status,
    Validity,
)
from memcli.memory.scope import GLOBAL, Scope

SHOP = Scope("project", "shop")
NOW = 1_000_000
CLAIM = "The refund window is 14 days."
PARAPHRASE = "Customers may send goods back within two weeks."
FILLER = "The parser keeps one token of lookahead and reports the line of each error. " * 60
REMOVED = (Status.FORGOTTEN, Status.RETRACTED)
STALE_REASON, REJECTED = StaleReason.OUTDATED, ArchiveReason.REJECTED


def old(status=Status.FORGOTTEN, claim=CLAIM, id_="gone", **keys):
    return Schema(id_, SHOP, claim, status=status, **keys)


def said(text, **keys):
    return Claimed(text, as_of=NOW, evidence_at=keys.pop("evidence_at", NOW), **keys)


def beside(schema, cosine=0.0, text=None, **keys):
    """`schema` as a neighbour, each piece of `text` at the same cosine."""
    return Neighbour(schema, cosines=(cosine,) * len(pieces(text or CLAIM)), **keys)


def ruled(text, schema, cosine=0.0, *, reach=Reach.OWN, since=None, **keys):
    return judge(said(text, **keys), [beside(schema, cosine, text, reach=reach, since=since)], {})


@pytest.mark.case("P-LIFE-01")
@pytest.mark.parametrize(
    "text",
    [
        CLAIM,
        "the REFUND window is 14 days",
        "The refund window — is: 14 days!!",
        "**The refund window is 14 days**",
        FILLER + CLAIM + " " + FILLER,
        f"Note to self: {CLAIM[:-1].lower()}, as agreed.",
    ],
)
def test_the_same_words_stay_forgotten(text):
    ruling = ruled(text, old())
    assert (ruling.verdict, ruling.rule, ruling.of) == (Verdict.SKIP, Rule.DIGEST, "gone")
    assert ruled(FILLER, old()).verdict is Verdict.PASS


@pytest.mark.case("P-LIFE-01")
def test_what_rests_only_on_the_events_of_the_forgotten_is_caught_in_any_words():
    forgotten = old(evidence=(Evidence("e1"), Evidence("e2")))
    ruling = ruled("Something else entirely.", forgotten, events=frozenset({"e1"}))
    assert (ruling.verdict, ruling.rule) == (Verdict.SKIP, Rule.LINEAGE)
    independent = ruled("Something else entirely.", forgotten, events=frozenset({"e1", "e9"}))
    assert independent.verdict is Verdict.PASS
    assert ruled("Something else entirely.", forgotten).verdict is Verdict.PASS


@pytest.mark.case("P-LIFE-01")
@pytest.mark.parametrize(
    ("cosine", "verdict", "rule"),
    [
        (0.88, Verdict.SKIP, Rule.BLOCK),
        (0.87, Verdict.REVIEW, Rule.HOLD),
        (0.80, Verdict.REVIEW, Rule.HOLD),
        (0.79, Verdict.PASS, None),
    ],
)
def test_a_paraphrase_is_blocked_or_held_by_its_cosine(cosine, verdict, rule):
    ruling = ruled(PARAPHRASE, old(), cosine)
    assert (ruling.verdict, ruling.rule) == (verdict, rule)
    assert (ruling.review is ReviewReason.RESEMBLES) == (verdict is Verdict.REVIEW)


def test_words_hold_from_half_a_cosine_on():
    text = "The window for a refund: 14 days, no more to say."
    assert ruled(text, old(), 0.5).verdict is Verdict.REVIEW
    assert ruled(text, old(), 0.49).verdict is Verdict.PASS


def test_without_an_encoder_words_alone_hold():
    text = "The window for a refund: 14 days, so be quick."
    assert judge(said(text), [Neighbour(old())], {}).verdict is Verdict.REVIEW
    assert judge(said("We deploy on Fridays."), [Neighbour(old())], {}).verdict is Verdict.PASS
    assert judge(said(CLAIM), [Neighbour(old())], {}).verdict is Verdict.SKIP


@pytest.mark.parametrize(
    ("removed", "update"),
    [
        ("The refund window is 14 days.", "The refund window is 30 days."),
        ("We deploy on Fridays.", "We never deploy on Fridays."),
        ("Ana owns billing.", "Bob owns billing."),
        ("Backups run daily.", "Backups run weekly."),
    ],
)
def test_an_update_passes_however_near_it_lies(removed, update):
    assert ruled(update, old(claim=removed), 0.99).verdict is Verdict.PASS
    assert ruled(removed, old(claim=removed), 0.99).verdict is Verdict.SKIP


def test_a_new_subject_passes():
    assert ruled("Invoices are numbered per country.", old(), 0.3).verdict is Verdict.PASS


def test_one_sentence_that_matches_holds_the_whole():
    text = f"Invoices are numbered per country. {PARAPHRASE} Gift cards expire."
    assert pieces(text) == (text, *[f"{part}." for part in text[:-1].split(". ")])
    near = Neighbour(old(), cosines=(0.4, 0.1, 0.9, 0.2))
    assert judge(said(text), [near], {}).verdict is Verdict.SKIP
    assert judge(said(text), [Neighbour(old(), cosines=(0.4, 0.1, 0.2, 0.2))], {}).verdict is Verdict.PASS


def test_only_forgotten_and_retracted_hold():
    for status in Status:
        schema = old(status, archive_reason=REJECTED, stale_reason=STALE_REASON)
        verdict = ruled(PARAPHRASE, schema, 0.85).verdict
        assert verdict is (Verdict.REVIEW if status in REMOVED else Verdict.PASS)


@pytest.mark.parametrize("status", [Status.RETRACTED, Status.SUPERSEDED, Status.STALE])
def test_newer_evidence_goes_to_review_and_older_is_skipped(status):
    schema = old(status)
    newer = ruled(CLAIM, schema, since=NOW - 1, events=frozenset({"e9"}))
    assert (newer.verdict, newer.review, newer.because) == (
        Verdict.REVIEW,
        ReviewReason.NEWER_EVIDENCE,
        status.value,
    )
    assert ruled(CLAIM, schema, since=NOW).verdict is Verdict.SKIP
    assert ruled(CLAIM, schema, since=None).verdict is Verdict.SKIP


def test_newer_evidence_never_brings_back_the_forgotten():
    assert ruled(CLAIM, old(), since=NOW - 1).verdict is Verdict.SKIP


@pytest.mark.parametrize(
    ("schema", "explicit", "verdict"),
    [
        (old(Status.STAGED), True, Verdict.PROMOTE),
        (old(Status.STAGED), False, Verdict.ADD),
        (old(Status.NEEDS_REVIEW), True, Verdict.ADD),
        (old(Status.ACTIVE, validity=Validity(NOW + 1)), True, Verdict.ADD),
        (old(Status.ACTIVE), True, Verdict.PASS),
        (old(Status.ACTIVE, validity=Validity(None, NOW)), True, Verdict.PASS),
        (old(Status.ACTIVE, validity=Validity(None, NOW - 5)), True, Verdict.PASS),
        (old(Status.ARCHIVED, archive_reason=ArchiveReason.LOW_SALIENCE), True, Verdict.REVIVE),
        (old(Status.ARCHIVED, archive_reason=ArchiveReason.NEVER_RESONATED), False, Verdict.REVIVE),
        (old(Status.ARCHIVED, archive_reason=ArchiveReason.DUPLICATE), False, Verdict.REVIVE),
        (old(Status.ARCHIVED, archive_reason=ArchiveReason.REJECTED), True, Verdict.SKIP),
    ],
)
def test_what_becomes_of_it_depends_on_why_the_other_does_not_count(schema, explicit, verdict):
    assert ruled(CLAIM, schema, explicit=explicit).verdict is verdict


def test_an_ended_claim_is_accepted_only_with_evidence_from_after_its_end():
    ended = old(Status.ACTIVE, validity=Validity(None, NOW - 10))
    assert ruled(CLAIM, ended, evidence_at=NOW - 11).verdict is Verdict.SKIP
    assert ruled(CLAIM, ended, evidence_at=NOW - 10).verdict is Verdict.PASS
    another_time = Validity(NOW + 10, NOW + 20)
    assert ruled(CLAIM, ended, evidence_at=NOW - 11, validity=another_time).verdict is Verdict.PASS


def test_the_canonical_of_a_duplicate_is_named():
    duplicate = old(Status.ARCHIVED, archive_reason=ArchiveReason.DUPLICATE)
    near = beside(duplicate, canonical="first")
    assert judge(said(CLAIM), [near], {}).of == "first"


def test_a_longer_text_is_not_lost_in_a_staged_schema_that_it_contains():
    assert ruled(f"{CLAIM} Gift cards expire.", old(Status.STAGED)).verdict is Verdict.PASS
    assert ruled(f"{CLAIM} Gift cards expire.", old()).verdict is Verdict.SKIP


def test_a_person_is_told_and_an_agent_is_not_asked():
    person = ruled(CLAIM, old(Status.SUPERSEDED), since=NOW - 1, explicit=True, person=True)
    assert (person.verdict, person.told) == (Verdict.SKIP, True)
    agent = ruled(CLAIM, old(Status.SUPERSEDED), since=NOW - 1, explicit=True)
    assert (agent.verdict, agent.told) == (Verdict.REVIEW, False)
    held = ruled(PARAPHRASE, old(), 0.85, explicit=True, person=True)
    assert (held.verdict, held.told) == (Verdict.REVIEW, True)


def test_an_overridden_schema_is_not_compared_and_others_are():
    spared = frozenset({"gone"})
    assert ruled(CLAIM, old(), spared=spared).verdict is Verdict.PASS
    both = [beside(old()), beside(old(id_="gone too"))]
    assert judge(said(CLAIM, spared=spared), both, {}).of == "gone too"


@pytest.mark.case("P-LIFE-02")
def test_on_a_merge_only_forgotten_and_retracted_count_as_removed():
    for status in Status:
        schema = old(status, archive_reason=REJECTED, stale_reason=STALE_REASON)
        verdict = ruled(CLAIM, schema, arrived=True).verdict
        assert verdict is (Verdict.SKIP if status in REMOVED else Verdict.PASS)


def test_a_match_in_a_narrower_scope_withholds_it_there_only():
    ruling = ruled(CLAIM, old(), reach=Reach.NARROWER)
    assert (ruling.verdict, ruling.hidden_in) == (Verdict.PASS, ("project:shop",))
    assert ruled(CLAIM, old(), reach=Reach.SEEN).verdict is Verdict.SKIP


def test_evidence_is_not_added_to_a_schema_of_another_scope():
    staged = Schema("staged", GLOBAL, CLAIM, status=Status.STAGED)
    assert ruled(CLAIM, staged, reach=Reach.SEEN, explicit=True).verdict is Verdict.PASS
    assert ruled(CLAIM, staged, reach=Reach.NARROWER).hidden_in == ()


def test_a_match_outweighs_a_resemblance_and_a_resemblance_keeps_a_staged_one_staged():
    staged = old(Status.STAGED, id_="staged")
    resembled = beside(old(claim="Goods may be sent back within 14 days."), 0.85)
    ruling = judge(said(CLAIM, explicit=True), [resembled, beside(staged)], {})
    assert (ruling.verdict, ruling.of) == (Verdict.ADD, "staged")
    assert judge(said(CLAIM, explicit=True), [beside(staged)], {}).verdict is Verdict.PROMOTE
    forgotten = [beside(staged), resembled, beside(old())]
    assert judge(said(CLAIM, explicit=True), forgotten, {}).verdict is Verdict.SKIP


@pytest.mark.parametrize(
    ("act", "because", "newer"),
    [
        ("forgotten", "forgotten", Verdict.SKIP),
        ("retracted", "retracted", Verdict.REVIEW),
        ("rejected", "rejected", Verdict.SKIP),
        ("purged", "forgotten", Verdict.SKIP),
        ("an act of a later version", "forgotten", Verdict.SKIP),
    ],
)
def test_a_tombstone_guards_like_the_schema_that_it_stands_for(act, because, newer):
    tombstone = buried("gone", SHOP, act, events=("e1",), text=CLAIM)
    ruling = ruled(CLAIM, tombstone)
    assert (ruling.verdict, ruling.because, ruling.of) == (Verdict.SKIP, because, "gone")
    assert ruled(CLAIM, tombstone, since=NOW - 1).verdict is newer
    assert ruled("Other words.", tombstone, events=frozenset({"e1"})).rule is Rule.LINEAGE
    assert buried("gone", SHOP, act).claim == ""


def test_of_two_matches_the_surer_rule_is_named_whatever_their_ids():
    by_event = beside(old(id_="a", claim="Other words.", evidence=(Evidence("e1"),)))
    by_words = beside(old(id_="z"))
    ruling = judge(said(CLAIM, events=frozenset({"e1"})), [by_event, by_words], {})
    assert (ruling.rule, ruling.of) == (Rule.DIGEST, "z")


def test_two_sentences_are_compared_each_by_itself_and_one_is_not():
    assert pieces(f"{CLAIM} Gift cards expire.") == (
        f"{CLAIM} Gift cards expire.",
        CLAIM,
        "Gift cards expire.",
    )
    assert pieces(CLAIM) == (CLAIM,)


def test_what_was_rejected_is_found_in_a_longer_text_and_what_was_put_away_is_not():
    longer = f"{CLAIM} Gift cards expire."
    rejected = old(Status.ARCHIVED, archive_reason=REJECTED)
    put_away = old(Status.ARCHIVED, archive_reason=ArchiveReason.LOW_SALIENCE)
    assert ruled(longer, rejected).verdict is Verdict.SKIP
    assert ruled(longer, put_away).verdict is Verdict.PASS
    assert ruled(CLAIM, put_away).verdict is Verdict.REVIVE


def test_cosines_of_another_text_are_a_mistake_and_not_a_verdict():
    with pytest.raises(ValueError, match="zip"):
        judge(said("Something else."), [Neighbour(old(), cosines=(0.1, 0.9))], {})


def test_a_purged_claim_is_still_known_by_its_digest():
    near = Neighbour(buried("gone", SHOP, "purge"), digest=digest(CLAIM))
    assert judge(said("the refund window is 14 days"), [near], {}).verdict is Verdict.SKIP
    assert judge(said(FILLER + CLAIM), [near], {}).verdict is Verdict.SKIP
    assert judge(said(PARAPHRASE), [near], {}).verdict is Verdict.PASS


@given(st.lists(st.sampled_from(list(Status)), max_size=5), st.randoms())
def test_the_order_of_the_neighbours_does_not_matter(statuses, random):
    near = [
        beside(
            old(status, id_=f"n{n}", archive_reason=REJECTED, stale_reason=STALE_REASON),
            random.choice([0.0, 0.85, 0.9]),
        )
        for n, status in enumerate(statuses)
    ]
    ruling = judge(said(CLAIM), near, {})
    random.shuffle(near)
    assert judge(said(CLAIM), near, {}) == ruling
