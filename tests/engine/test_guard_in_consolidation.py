"""A3 and P-LIFE-01 through observe and consolidate: what was forgotten is not learnt again; what is new is."""

import json
from pathlib import Path

import pytest
from talk import claim, consolidate, observe

CLAIM = "The refund window is 30 days."
UPDATE = "The refund window is 14 days."
BESIDE = "Deploys to production happen on Tuesdays only."
NEW = "The warehouse in Leeds closes for two weeks in August."
FILLER = "Meeting notes: we spoke about the roadmap, the budget and the new office. "
LONG = FILLER * 33 + CLAIM + " " + FILLER * 33
VARIANTS = {
    "the same text": CLAIM,
    "other case": "THE REFUND WINDOW IS 30 DAYS",
    "other punctuation": "«The refund-window: is 30 days!!»",
    "5,000 characters that contain it": LONG,
}
TRIPLES = json.loads((Path(__file__).parents[2] / "fixtures/gold/guard.json").read_text("utf-8"))["second"]


@pytest.fixture(scope="module")
def forgotten(empty, tmp_path_factory):
    """A store in which CLAIM was forgotten, with what stands beside it."""
    made = empty.copy(tmp_path_factory.mktemp("forgotten"))
    made.batch([CLAIM, BESIDE])
    (id_,) = made.found("refund window")
    made.forget(id_, "--reason", "wrong customer")
    return made


@pytest.fixture
def shop(forgotten, tmp_path):
    return forgotten.copy(tmp_path / "shop")


def lost(store):
    return next(id_ for id_, status in store.statuses().items() if status == "forgotten")


def stays_out(store):
    """Whether the claim is out of every answer, while its neighbour is in."""
    for mode in ("wide", "history"):
        answer = store.recall("how long is the refund window", "--mode", mode, "--floor", "0")
        said = [item["text"].lower() for item in answer["items"] if item.get("kind") != "event"]
        assert not [text for text in said if "30 days" in text or "thirty" in text], mode
        assert store.recall(BESIDE, "--mode", mode)["items"][0]["text"] == BESIDE
    return True


@pytest.mark.case("P-LIFE-01")
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_claim_that_was_forgotten_is_not_learnt_again_in_ten_consolidations(shop, variant):
    """Control: in the same runs a new claim is learnt, and the update of the number."""
    out, before = lost(shop), shop.statuses()
    for nth in range(10):
        observe(shop, f"s{nth}", claim(VARIANTS[variant]), {"role": "user", "text": VARIANTS[variant]})
        consolidate(shop)
    observe(shop, "s99", claim(NEW), claim(UPDATE))
    consolidate(shop)
    assert shop.statuses()[out] == "forgotten"
    learnt = {id_: status for id_, status in shop.statuses().items() if id_ not in before}
    assert list(learnt.values()).count("active") == 2
    said = [shop.told("show", id_)["text"] for id_ in learnt]
    assert {NEW, UPDATE} <= set(said)
    assert not [text for text in said if "30 days" in text]
    assert [one["because"] for one in shop.skips()].count("forgotten") >= 10
    assert not any("refund" in json.dumps(one) for one in shop.skips())
    assert stays_out(shop)


@pytest.mark.case("P-LIFE-01")
def test_two_sessions_that_say_it_lead_to_no_proposal_and_the_skip_is_logged(shop):
    """Control: two other sessions that say something new lead to one."""
    for nth in range(10):
        observe(
            shop, f"s{nth}", CLAIM, "I see, that is good to know.", NEW, "I will tell the others about it."
        )
        consolidate(shop)
    assert sorted(shop.statuses().values()) == ["active", "forgotten", "needs_review"]
    assert [one["because"] for one in shop.skips()] == ["forgotten"]
    assert stays_out(shop)


@pytest.mark.case("P-LIFE-01")
def test_whatever_rests_only_on_the_events_of_a_forgotten_claim_stays_out_in_any_words(trial, monkeypatch):
    from memcli.engine import drafting

    observe(trial, "s1", claim(CLAIM), claim(BESIDE))
    consolidate(trial)
    (id_,) = trial.found("refund window")
    trial.forget(id_)
    trial.path(id_).unlink()
    trial.did("save", "--yes")
    trial.forgets_the_index()
    consolidate(trial)
    monkeypatch.setattr(drafting, "LOGIC", "2")
    answer = trial.told("replay", "--explain")
    assert [step["what"] for step in answer["steps"]] == ["skipped"]
    assert list(trial.statuses().values()) == ["active"]
    assert stays_out(trial)


@pytest.mark.case("P-LIFE-01")
def test_near_misses_of_a_forgotten_claim_are_learnt(trial):
    """Control of the guard: another number, the reverse and a new subject are none of it."""
    for text in (CLAIM, "We deploy to production on Fridays."):
        trial.forget(trial.remember(text)["id"])
    observe(trial, "s1", claim(UPDATE), claim("We never deploy to production on Fridays."), claim(NEW))
    assert consolidate(trial)["counts"]["created"] == 3


def test_paraphrases_are_caught_as_often_through_a_consolidation_as_by_remember(trial, tmp_path):
    """Forty frozen paraphrases of forgotten claims: nothing is believed that `remember` would not let in."""
    chosen = TRIPLES[:40]
    trial.batch([one for one, _, _ in chosen])
    trial.forget(*[id_ for id_, status in trial.statuses().items() if status == "active"])
    other = trial.copy(tmp_path / "other")
    decided = [one["decision"] for one in trial.batch([other for _, other, _ in chosen])]
    observe(other, "s1", *[claim(other) for _, other, _ in chosen])
    steps = consolidate(other)["steps"]
    kept_out = {"skipped", "review"}
    assert sum(one in kept_out for one in decided) <= sum(step["what"] in kept_out for step in steps)


def test_a_resemblance_waits_for_a_person(shop):
    observe(shop, "s1", claim("Refunds are possible within a window of 30 days after buying."))
    counts = consolidate(shop)["counts"]
    assert counts.keys() <= {"review", "skipped"}
