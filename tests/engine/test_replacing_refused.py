"""What was to be superseded and is not: somebody is told, and `supersede --with` leaves nothing behind."""

import pytest

OLD = "The refund window is 30 days."
NEW = "The refund window is 14 days."
INSTEAD = ("--concept", "refund window", "--supersede-concept")
HEADS = {
    "staged": "status: staged\n",
    "needs_review": "status: needs_review\nreview:\n  reason: proposal\n",
}


def waiting(trial, status):
    """A store with a believed claim, and another of the same concept that does not count yet."""
    old = trial.remember(OLD, "--concept", "refund window")["id"]
    trial.write("waits000aaaa", NEW, f"{HEADS[status]}concept: refund window\n")
    trial.commit_by_hand()
    return old


@pytest.mark.parametrize(
    ("status", "becomes", "then"),
    [
        ("staged", "active", "To replace it: mem supersede {} waits000aaaa"),
        ("needs_review", "needs_review", "until a person decides about waits000aaaa: mem review"),
    ],
)
def test_by_concept_the_memory_that_stays_is_named(trial, status, becomes, then):
    old = waiting(trial, status)
    told = trial.remember(NEW, *INSTEAD)
    assert (told["decision"], told["superseded"]) == ("reinforced", [])
    assert (trial.status(old), trial.status("waits000aaaa")) == ("active", becomes)
    (notice,) = (one for one in told["notices"] if "was not superseded" in one)
    assert old in notice
    assert then.format(old) in notice


@pytest.mark.parametrize("status", list(HEADS))
def test_with_a_text_that_waits_already_nothing_is_superseded_and_nothing_written(trial, status):
    old = waiting(trial, status)
    head, statuses = trial.head(), trial.statuses()
    ran = trial.ran("supersede", old, "--with", NEW)
    assert (ran.code, ran.out) == (5, "")
    assert f"says what a memory says already (waits000aaaa, {status}); nothing was superseded" in ran.err
    assert f"mem supersede {old} waits000aaaa" in ran.err
    assert (trial.head(), trial.statuses()) == (head, statuses)
    assert trial.git("status", "--porcelain") == ""


def test_with_a_text_that_a_memory_has_already_there_is_no_second_one_and_the_hint_replaces(trial):
    old = trial.remember(OLD)["id"]
    twin = trial.remember(NEW)["id"]
    head = trial.head()
    ran = trial.ran("supersede", old, "--with", NEW)
    assert (ran.code, trial.head(), set(trial.statuses())) == (5, head, {old, twin})
    assert f"says what a memory says already ({twin}, active); nothing was superseded" in ran.err
    assert f"Hint: mem supersede {old} {twin}" in ran.err
    trial.did("supersede", old, twin)
    assert (trial.status(old), trial.status(twin)) == ("superseded", "active")


def test_with_a_text_that_resembles_what_was_removed_nothing_is_kept(trial):
    lost = trial.remember("Refunds of the spring sale are paid within 60 days to the customer.")["id"]
    trial.forget(lost)
    old = trial.remember(OLD)["id"]
    head, statuses = trial.head(), trial.statuses()
    ran = trial.ran("supersede", old, "--with", "Refunds of spring sales are paid to a customer in 60 days.")
    assert ran.code == 5
    assert "what was removed" in ran.err
    assert (trial.head(), trial.statuses()) == (head, statuses)


def test_what_replaces_says_so_and_names_no_memory_that_stays(trial):
    old = trial.remember(OLD, "--concept", "refund window")["id"]
    told = trial.remember(NEW, *INSTEAD)
    assert (told["decision"], told["superseded"]) == ("superseded", [old])
    assert "notices" not in told
    ran = trial.ran("supersede", told["id"], "--with", "The refund window is 7 days.")
    assert (ran.code, "conflict" in ran.err) == (0, False)


def test_a_conflict_that_stays_is_named_by_supersede_too(trial):
    other = trial.remember("The refund window is 21 days.", "--concept", "refund window")["id"]
    old = trial.remember(OLD, "--concept", "refund window")["id"]
    ran = trial.ran("supersede", old, "--with", NEW)
    assert ran.code == 0
    assert f"It stands beside {other} of the same concept: a conflict." in ran.err
