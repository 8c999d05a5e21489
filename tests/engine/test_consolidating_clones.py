"""Two clones digest on their own and meet by plain git: nothing is lost, nothing doubled, a forget holds."""

import pytest
from talk import CLUSTER, CLUSTER_AGAIN, claim, consolidate, observe

REFUND = "The refund window is 14 days for online orders."
INVOICES = "We decided to store invoices in Postgres."


def meet(one, other):
    """Bring what `other` committed into `one`, by git alone."""
    one.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main")
    assert one.git("status", "--porcelain", "-uno", "schemas", "events") == ""


def texts(store):
    """What is believed or waits, by id."""
    shown = {id_: store.told("show", id_) for id_ in store.statuses()}
    return {id_: (one["status"], one["text"]) for id_, one in shown.items() if one["status"] != "forgotten"}


@pytest.fixture
def clones(trial, tmp_path):
    """Two clones of a store in which something was observed that neither has digested."""
    observe(trial, "s1", claim(REFUND), CLUSTER)
    trial.did("save")
    return trial, trial.clone(tmp_path / "clone")


def test_what_both_digested_is_there_once(clones):
    one, other = clones
    for store in clones:
        assert consolidate(store)["counts"] == {"created": 1}
    meet(one, other)
    meet(other, one)
    for store in clones:
        answer = consolidate(store)
        assert (answer["commit"], answer["events"]) == (None, 0)
        assert [text for _, text in texts(store).values()] == [REFUND]
    assert texts(one) == texts(other)


def test_each_learns_from_what_only_the_other_was_told(clones):
    one, other = clones
    observe(one, "s2", claim(INVOICES, "decision"))
    observe(other, "s3", CLUSTER_AGAIN)
    assert consolidate(one)["counts"] == {"created": 2}
    assert consolidate(other)["counts"] == {"created": 1, "review": 1}
    meet(one, other)
    meet(other, one)
    for store in clones:
        assert consolidate(store)["commit"] is None
    assert texts(one) == texts(other)
    assert sorted(status for status, _ in texts(one).values()) == ["active", "active", "needs_review"]


def test_what_one_forgot_is_not_learnt_again_by_what_the_other_was_told(clones):
    """Control: what nobody forgot is learnt."""
    one, other = clones
    consolidate(one)
    (id_,) = one.found("refund window")
    one.forget(id_)
    observe(other, "s4", claim(INVOICES, "decision"), claim(REFUND))
    meet(other, one)
    consolidate(other)
    for store in (other, one):
        assert [text for _, text in texts(store).values()] == ([INVOICES] if store is other else [])
        assert store.status(id_) == "forgotten"
    meet(one, other)
    consolidate(one)
    assert [text for _, text in texts(one).values()] == [INVOICES]
