"""A12 and A16: consolidating without news changes no byte, and replaying gives the same memories again."""

import pytest
from talk import CLUSTER, CLUSTER_AGAIN, SUBJECTS, claim, consolidate, exchanges, observe, tracked

from memcli.engine import drafting

REFUND = "The refund window is 14 days for online orders."
WEAK = "It rained today."


@pytest.fixture
def digested(trial):
    """A store in which a little was said and digested."""
    trial.remember("Deploys to production happen on Tuesdays only.")
    observe(trial, "s1", claim(REFUND), claim(WEAK, "task"), CLUSTER)
    observe(trial, "s2", CLUSTER_AGAIN, "I see what you mean there.")
    assert consolidate(trial)["counts"]["created"] == 1
    return trial


def answers(store):
    """What two questions are answered with, at one moment."""
    when = ("--as-of", "2026-12-01T00:00:00Z", "--mode", "wide", "--floor", "0")
    return [store.recall(query, *when)["items"] for query in ("refund window", "staging cluster nodes")]


def test_twelve_consolidations_without_news_change_no_byte(digested):
    before, head, said = tracked(digested), digested.head(), answers(digested)
    for _ in range(12):
        answer = consolidate(digested)
        assert (answer["commit"], answer["events"], answer["counts"]) == (None, 0, {})
    assert (tracked(digested), digested.head(), answers(digested)) == (before, head, said)


def test_without_what_can_be_rebuilt_nothing_is_new_either_and_the_answers_are_the_same(digested):
    before, head, said = tracked(digested), digested.head(), answers(digested)
    digested.forgets_the_index()
    assert consolidate(digested)["commit"] is None
    assert (tracked(digested), digested.head(), answers(digested)) == (before, head, said)


def test_a_clone_has_nothing_to_digest_and_learns_from_both(digested, tmp_path):
    """Support counts across clones: one session was heard here, the other there."""
    observe(digested, "s3", "The printers are leased from a company in Hamburg.")
    consolidate(digested)
    clone = digested.clone(tmp_path / "clone")
    assert consolidate(clone)["commit"] is None
    observe(clone, "s4", "Our printers are leased from a Hamburg company.")
    assert consolidate(clone)["counts"] == {"review": 1}


def test_a_staged_claim_is_given_up_after_its_days_whoever_says_when(digested):
    (weak,) = (id_ for id_, status in digested.statuses().items() if status == "staged")
    assert consolidate(digested, "--as-of", "2026-12-12T00:00:00Z")["counts"] == {}
    answer = consolidate(digested, "--as-of", "2026-12-15T00:00:00Z")
    assert answer["counts"] == {"expired": 1}
    assert digested.statuses()[weak] == "archived"
    assert "never_resonated" in digested.path(weak).read_text()
    assert consolidate(digested, "--as-of", "2026-12-16T00:00:00Z")["commit"] is None


def test_a_later_session_promotes_what_was_staged_and_its_own_does_not(digested):
    (weak,) = (id_ for id_, status in digested.statuses().items() if status == "staged")
    observe(digested, "s1", "Yes, today it rained the whole afternoon.")
    assert consolidate(digested)["counts"] == {}
    observe(digested, "s7", "It rained today, so the roof was wet.")
    answer = consolidate(digested)
    assert [(step["what"], step["id"]) for step in answer["steps"]] == [("promoted", weak)]
    assert digested.statuses()[weak] == "active"


@pytest.mark.parametrize("sizes", [(1,), (2, 5), (3, 3, 3, 3), (12,)])
def test_proposals_do_not_depend_on_the_batches_in_which_things_were_said(trial, sizes):
    said = [*exchanges(2), CLUSTER, "We leased the printers in Hamburg.", CLUSTER_AGAIN, *exchanges(1)]
    said += ["Our printers in Hamburg were leased by us.", "Cats sleep for most of the day."]
    rest, batch = list(enumerate(said)), 0
    while rest:
        size = sizes[batch % len(sizes)]
        for nth, text in rest[:size]:
            observe(trial, f"s{nth % 3}", text)
        rest, batch = rest[size:], batch + 1
        consolidate(trial)
    texts = {path.read_text().rpartition("---\n\n")[2].strip() for path in trial.root.glob("schemas/**/*.md")}
    assert texts == {CLUSTER, "We leased the printers in Hamburg.", SUBJECTS[0]}


@pytest.fixture
def newer(monkeypatch):
    """Rules of a later version."""
    monkeypatch.setattr(drafting, "LOGIC", "2")


def test_newer_rules_digest_exactly_what_older_ones_did(digested, newer):
    observe(digested, "s9", claim("We decided to store invoices in Postgres.", "decision"))
    before, status = digested.statuses(), digested.git("status", "--porcelain")
    assert digested.told("replay", "--dry-run")["events"] == 6
    answer = digested.told("replay", "--explain")
    assert (answer["events"], answer["again"]) == (6, 6)
    assert digested.statuses() == before
    assert digested.git("status", "--porcelain") == status  # what is pending stays pending
    assert digested.told("replay")["commit"] is None
    assert consolidate(digested)["counts"] == {"created": 1}


def test_a_replay_keeps_ids_explicit_claims_and_what_a_person_edited(digested, newer):
    before = digested.statuses()
    (refund,) = (id_ for id_ in before if "refund" in digested.path(id_).read_text())
    path = digested.path(refund)
    edited = path.read_text().replace("14 days", "21 days")
    path.write_text(edited)
    digested.did("save", "--yes")
    answer = digested.told("replay", "--explain")
    assert path.read_text() == edited
    assert [step["id"] for step in answer["steps"] if step["what"] == "kept"] == [refund]
    now = digested.statuses()
    assert before.items() <= now.items()
    (beside,) = now.keys() - before.keys()
    assert (now[beside], digested.told("show", beside)["text"]) == ("needs_review", REFUND)
    assert digested.told("replay")["commit"] is None


def test_newer_rules_may_find_salient_what_older_ones_did_not(digested, newer, monkeypatch):
    (weak,) = (id_ for id_, status in digested.statuses().items() if status == "staged")
    settings = digested.root / "mem.toml"
    settings.write_text(settings.read_text() + "\n[salience]\nactive = 0.2\n")
    answer = digested.told("replay", "--explain")
    assert [step["id"] for step in answer["steps"] if step["what"] == "promoted"] == [weak]
    assert digested.statuses()[weak] == "active"
