"""From task to task: what helped earns reach, what was observed is believed, and a correction counts in its place."""

import json

import pytest
from trial import AGENT


def task(trial, name, *options, said=(), outcome="done"):
    """One task from its beginning to its end; what commit told."""
    trial.did("activate", "--task", name, env=AGENT)
    for one in said:
        trial.did("observe", "-", stdin=json.dumps(one), env=AGENT)
    if options:
        trial.did("feedback", *options, env=AGENT)
    trial.did("feedback", "--coverage", "partial", env=AGENT)
    return trial.told("commit", "--outcome", outcome, env=AGENT)


def stage(trial, id_):
    return trial.told("show", id_)["stage"]


@pytest.fixture
def shop(trial):
    trial.id = trial.remember("The refund window is 30 days.")["id"]
    return trial


def test_two_tasks_that_used_it_let_a_memory_travel_and_being_shown_does_not(shop):
    task(shop, "Refund window one")
    task(shop, "Refund window two")
    assert stage(shop, shop.id) == "scoped"
    task(shop, "Refund window three", "--used", shop.id)
    assert stage(shop, shop.id) == "scoped"
    task(shop, "Refund window four", "--used", shop.id)
    assert stage(shop, shop.id) == "portable"
    assert shop.git("status", "--porcelain") == ""


def test_a_shadow_and_what_was_corrected_earn_nothing(shop):
    task(shop, "Refund window one", "--used", shop.id, "--shadow")
    shop.did("activate", "--task", "Refund window two", env=AGENT)
    first = json.loads(shop.did("feedback", "--used", shop.id, "--json", env=AGENT))["events"][0]
    shop.did("feedback", "--refines", first, "--irrelevant", shop.id, env=AGENT)
    shop.did("commit", env=AGENT)
    task(shop, "Refund window three", "--used", shop.id)
    assert stage(shop, shop.id) == "scoped"
    task(shop, "Refund window four", "--used", shop.id)
    assert stage(shop, shop.id) == "portable"


def test_an_observed_claim_is_believed_at_the_end_of_its_task(shop):
    claim = "We decided to number invoices per country because the tax office wants it."
    told = task(shop, "Number the invoices", said=[{"kind": "claim", "text": claim, "type": "decision"}])
    assert told["consolidated"]["counts"] == {"created": 1}
    (item,) = [one for one in shop.recall("how are invoices numbered")["items"] if one["kind"] == "schema"]
    assert (item["text"], item["type"], item["status"]) == (claim, "decision", "active")
    again = task(shop, "Number them again", said=[{"kind": "claim", "text": claim, "type": "decision"}])
    assert again["consolidated"]["counts"].get("created", 0) == 0
    assert len(list(shop.root.glob("schemas/**/*.md"))) == 2


def test_an_observed_claim_that_was_forgotten_stays_so(shop):
    shop.forget(shop.id)
    told = task(shop, "Refunds", said=[{"kind": "claim", "text": "The refund window is 30 days."}])
    assert told["consolidated"]["counts"] == {"skipped": 1}
    assert shop.statuses() == {shop.id: "forgotten"}


def test_a_session_that_is_busy_elsewhere_ends_and_its_consolidation_waits(shop):
    import fcntl

    shop.did("activate", "--task", "Refunds", env=AGENT)
    shop.did("feedback", "--coverage", "partial", env=AGENT)
    shop.did("consolidate")
    with (shop.root / ".mem" / "consolidating").open("a") as lease:
        fcntl.flock(lease, fcntl.LOCK_EX)
        told = shop.told("commit", env=AGENT)
    assert told["consolidated"] is None
    assert "waits" in told["queued"]
    assert shop.told("consolidate")["events"] >= 1


def test_an_observed_claim_keeps_its_window(shop):
    claim = {"kind": "claim", "text": "We decided that the shop closes at noon because of the heat."}
    task(shop, "Opening hours", said=[{**claim, "valid_from": "2026-07-01", "valid_to": "2026-09-01"}])
    item = shop.recall("when does the shop close", "--as-of", "2026-08-01")["items"][0]
    assert item["text"] == claim["text"]
    assert item["validity"] == {"from": "2026-07-01T00:00:00Z", "to": "2026-09-01T00:00:00Z"}
    now = shop.recall("when does the shop close", "--events", "none")["items"]
    assert item["id"] not in [one["id"] for one in now]
