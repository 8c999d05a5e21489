"""A13, from what was said to what is known: staged, resonated with or given up, and regretted or not."""

from talk import CLUSTER, CLUSTER_AGAIN, claim, consolidate, observe
from trial import DAY

WEAK = "It rained today."
SIMILAR = "The rain fell on the roof today."


def weak(trial, session="s1", text=WEAK):
    """A claim that is too weak to believe, observed and digested; its id."""
    before = set(trial.statuses())
    observe(trial, session, claim(text))
    consolidate(trial)
    (new,) = set(trial.statuses()) - before
    return new


def regret(trial):
    return trial.told("stats")["regret"]["discard"]


def test_something_similar_that_was_there_before_promotes_nothing(trial):
    """A13: a similar active row alone does not promote; a later session does."""
    trial.remember(SIMILAR)
    id_ = weak(trial)
    assert trial.status(id_) == "staged"
    assert consolidate(trial)["commit"] is None
    observe(trial, "s1", "It rained today, as I said.")
    consolidate(trial)
    assert trial.status(id_) == "staged"
    observe(trial, "s2", "It rained all day today.")
    consolidate(trial)
    assert trial.status(id_) == "active"
    assert regret(trial) == {"wanted": 0, "of": 1}


def test_what_was_given_up_and_is_said_again_is_regretted(trial):
    """A13: regret is counted, 0 of 1 and then 1 of 1."""
    id_ = weak(trial)
    assert regret(trial) == {"wanted": 0, "of": 1}
    trial.moment += 15 * DAY
    consolidate(trial)
    assert trial.status(id_) == "archived"
    assert regret(trial) == {"wanted": 0, "of": 1}
    assert trial.remember(WEAK)["id"] == id_
    assert trial.status(id_) == "active"
    assert regret(trial) == {"wanted": 1, "of": 1}


def test_what_two_sessions_said_stands_in_the_queue_with_its_evidence(trial):
    observe(trial, "s1", CLUSTER)
    observe(trial, "s2", CLUSTER_AGAIN)
    consolidate(trial)
    (waits,) = trial.told("review", "list")["items"]
    assert (waits["why"], waits["sessions"], waits["events"]) == ("proposal", 2, 2)
    assert {line["text"] for line in waits["evidence"]} <= {CLUSTER, CLUSTER_AGAIN}
    trial.did("review", "accept", waits["id"], "--yes")
    assert waits["id"] in trial.found(CLUSTER)
    assert consolidate(trial)["commit"] is None
    assert trial.status(waits["id"]) == "active"


def test_what_was_rejected_is_not_proposed_again(trial):
    observe(trial, "s1", CLUSTER)
    observe(trial, "s2", CLUSTER_AGAIN)
    consolidate(trial)
    (waits,) = trial.told("review", "list")["items"]
    trial.did("review", "reject", waits["id"], "--yes")
    observe(trial, "s3", CLUSTER)
    observe(trial, "s4", CLUSTER_AGAIN)
    consolidate(trial)
    assert trial.told("review", "list", code=1)["items"] == []
    assert trial.status(waits["id"]) == "archived"


def test_a_report_of_an_agent_stands_in_the_queue_and_can_be_taken_back(trial):
    """ENGINE 9: a stale report is applied at once, queued, and reversible by a person."""
    id_ = trial.remember("Deploys to production happen on Tuesdays only.")["id"]
    raw = trial.path(id_).read_bytes()
    agent = {"MEM_ACTOR": "agent:claude"}
    trial.told("activate", "--task", "deploy to production on Tuesdays", env=agent)
    receipt = trial.recall("production deploys on Tuesdays", env=agent)["receipt"]
    trial.told(
        "feedback", receipt, "--stale", id_, "--reason", "outdated", "--coverage", "partial", env=agent
    )
    assert trial.status(id_) == "stale"
    (waits,) = trial.told("review", "list")["items"]
    assert (waits["id"], waits["why"], waits["by"]) == (id_, "reported", "agent:claude")
    assert [line["text"] for line in waits["evidence"]] == ["Deploys to production happen on Tuesdays only."]
    (theirs,) = trial.told("review", "list", env=agent)["items"]
    assert theirs["evidence"] == []
    trial.did("review", "accept", id_, "--yes")
    assert trial.status(id_) == "active"
    assert trial.path(id_).read_bytes() == raw
    assert trial.told("review", "list", code=1)["items"] == []


def test_what_was_reported_with_a_successor_is_left_out_or_taken_back(trial):
    agent = {"MEM_ACTOR": "agent:claude"}
    pairs = []
    for port in ("web", "mail"):
        old = trial.remember(f"The {port} port of the old gateway is open.")["id"]
        new = trial.remember(f"The {port} gateway was shut down for good.")["id"]
        pairs.append((old, new))
    raw = {id_: trial.path(id_).read_bytes() for pair in pairs for id_ in pair}
    trial.told("activate", "--task", "gateway ports", env=agent)
    receipt = trial.recall("port of the old gateway", "--floor", "0", env=agent)["receipt"]
    for old, new in pairs:
        words = ["--stale", old, "--reason", "outdated", "--superseded-by", new, "--coverage", "partial"]
        trial.told("feedback", receipt, *words, env=agent)
    assert {one["why"] for one in trial.told("review", "list")["items"]} == {"reported"}
    (first, _), (second, successor) = pairs
    trial.did("review", "reject", first, "--yes")
    trial.did("review", "accept", second, "--yes")
    assert (trial.status(first), trial.status(second)) == ("superseded", "active")
    assert trial.path(second).read_bytes() == raw[second]
    assert "supersedes" not in trial.path(successor).read_text()
    assert trial.told("review", "list", code=1)["items"] == []
