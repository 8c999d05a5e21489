"""The difference of two states of the store, in claims: what it names, and what it must not tell."""

import random
from datetime import UTC

import pytest
from trial import AGENT, PERSON

from memcli.store import format

CLAIM = "The refund window is 30 days."
LATER = "The refund window is 14 days since July."
BESIDE = "Deploys to production happen on Tuesdays only."


def differing(trial, *places, code=0, **how):
    """Id → what became of it."""
    return {one["id"]: one["what"] for one in trial.told("diff", *places, code=code, **how)["memories"]}


@pytest.fixture
def two(trial):
    """Two memories; the commit that holds both, and their ids."""
    ids = [one["id"] for one in trial.batch([CLAIM, BESIDE])]
    return trial.head(), *ids


def reword(trial, id_, old, new):
    path = trial.path(id_)
    path.write_text(path.read_text().replace(old, new))


def test_nothing_differs_from_itself(trial, two):
    assert differing(trial, code=1) == {}
    assert differing(trial, "HEAD", "HEAD", code=1) == {}
    assert trial.ran("diff", "--ok-if-empty").code == 0
    assert "No memory differs." in trial.ran("diff").err


def test_an_edit_is_told_before_it_is_saved_and_after(trial, two):
    start, refund, deploys = two
    reword(trial, refund, "30 days", "31 days")
    found = trial.told("diff")
    assert (found["from"]["asked"], found["to"]["commit"]) == ("HEAD", None)
    (one,) = found["memories"]
    assert (one["what"], one["prior_text"], one["text"]) == (
        "reworded",
        CLAIM,
        "The refund window is 31 days.",
    )
    trial.did("save")
    assert differing(trial, code=1) == {}
    assert differing(trial, start) == differing(trial, start, "HEAD") == {refund: "reworded"}
    assert differing(trial, f"{start}..HEAD") == differing(trial, f"{start}..") == {refund: "reworded"}
    assert differing(trial, "HEAD", start) == {refund: "reworded"}
    reword(trial, deploys, "Tuesdays", "Fridays")
    assert differing(trial, start) == {refund: "reworded", deploys: "reworded"}


@pytest.mark.parametrize(
    ("head", "what"),
    [
        ("status: superseded\nsuperseded_by: other0000000\nvalidity:\n  to: 2026-07-01\n", "superseded"),
        ("status: stale\nstale_reason: outdated\n", "stale"),
        ("status: retracted\n", "retracted"),
        ("status: archived\narchive_reason: duplicate\n", "archived"),
        ("status: forgotten\n", "forgotten"),
        ("status: needs_review\nreview:\n  reason: conflict\n", "waits"),
        ("status: staged\n", "staged"),
        ("validity:\n  to: 2026-07-01\n", "edited"),
        ("concept: heron\n", "edited"),
        ("tags: [bird]\n", "edited"),
        ("type: decision\n", "edited"),
        ("stage: portable\n", "edited"),
        ("# a remark alone\n", None),
    ],
)
def test_what_became_of_a_memory_is_named_by_what_it_means(trial, head, what):
    trial.write("heron0000000", "The heron sleeps.")
    trial.write("other0000000", "The otter swims.")
    trial.commit_by_hand()
    trial.write("heron0000000", "The heron sleeps.", head)
    trial.write("other0000000", "The otter dives.")
    trial.commit_by_hand()
    expected = {"heron0000000": what} if what else {}
    assert differing(trial, "HEAD~1", "HEAD") == {**expected, "other0000000": "reworded"}


def test_what_comes_back_is_restored_and_what_stops_waiting_is_believed(trial):
    trial.write("heron0000000", "The heron sleeps.", "status: retracted\n")
    trial.write("otter0000000", "The otter swims.", "status: staged\n")
    trial.commit_by_hand()
    trial.write("heron0000000", "The heron sleeps.")
    trial.write("otter0000000", "The otter swims.")
    trial.commit_by_hand()
    assert differing(trial, "HEAD~1", "HEAD") == {"heron0000000": "restored", "otter0000000": "believed"}
    on_disk = trial.told("diff", "HEAD~1")["memories"]
    assert {one["id"]: one["status"] for one in on_disk}["otter0000000"] == "active"


def test_a_file_is_added_removed_moved_or_set_aside(trial, two):
    _, refund, deploys = two
    trial.path(refund).unlink()
    trial.write("otter0000000", "The otter swims.")
    path = trial.path(deploys)
    path.write_text(path.read_text().replace("status: active", "status: [actve"))
    assert differing(trial) == {refund: "removed", "otter0000000": "added", deploys: "set aside"}
    path.write_text(path.read_text().replace("status: [actve", "status: active"))
    path.rename(path.with_name("elsewhere.md"))
    assert differing(trial)[deploys] == "moved"


def test_a_date_is_the_end_of_that_day_and_before_history_nothing_was_known(trial, two):
    _, refund, _ = two
    day = trial.git("log", "-1", "--format=%cs")
    reword(trial, refund, "30 days", "31 days")
    assert differing(trial, day) == {refund: "reworded"}
    ran = trial.ran("diff", "2001-01-01")
    assert ran.code == 1
    assert "History begins on" in ran.err
    for garbage in ("yesterday", "--", "@{yesterday}", "no-such-branch", "2026-02-30"):
        assert trial.ran("diff", "--", garbage).code == 2, garbage
    assert trial.ran("diff", "a", "b", "c").code == 2


def test_what_is_forgotten_shows_no_word_to_a_person_and_nothing_to_an_agent(trial, two):
    start, refund, deploys = two
    trial.forget(deploys)
    reword(trial, refund, "30 days", "31 days")
    assert differing(trial, start, env=PERSON) == {refund: "reworded", deploys: "forgotten"}
    assert differing(trial, start, env=AGENT) == {refund: "reworded"}
    assert differing(trial, f"{start}~1", start, env=AGENT) == {refund: "added"}
    for who in (PERSON, AGENT):
        for places in ((start,), (f"{start}~1", start), (start, "HEAD")):
            for look in ((), ("--json",)):
                ran = trial.ran("diff", *places, *look, env=who)
                assert "Deploys" not in ran.out + ran.err
                assert "deploys" not in ran.out
    assert "31 days" in trial.did("diff", start, env=AGENT)
    reword(trial, deploys, "status: forgotten", "status: active")
    assert "Deploys" not in trial.did("diff", start, env=PERSON)


def test_no_memory_of_another_scope_is_compared(trial, two):
    start, refund, _ = two
    trial.write("canary000000", "The zkestrel nests here.", folder="project/other")
    reword(trial, refund, "30 days", "31 days")
    assert differing(trial, start) == {refund: "reworded"}
    assert "canary" not in trial.did("diff", start, "--json")
    assert differing(trial, start, "--scope", "project:other") == {"canary000000": "added"}
    assert set(differing(trial, start, "--scope", "*")) == {refund, "canary000000"}


def test_rows_for_a_pipe_hold_both_claims_and_the_keys(trial, two):
    start, refund, _ = two
    trial.did("supersede", refund, "--with", LATER, "--from", "2026-07-01")
    rows = [line.split("\t") for line in trial.did("diff", start).splitlines()]
    assert {tuple(row[:4]) for row in rows if row[1] == refund} == {
        ("superseded", refund, "active", "superseded")
    }
    added = next(row for row in rows if row[0] == "added")
    assert added[2:] == ["none", "active", "", "human:ana", "", LATER]
    assert all(len(row) == 8 for row in rows)


def test_who_did_it_last_is_told_and_nobody_of_what_is_not_saved(trial, two, tmp_path):
    start, refund, deploys = two
    there = trial.clone(tmp_path / "there")
    reword(there, deploys, "Tuesdays", "Fridays")
    there.did("save", env={"MEM_ACTOR": "human:bo"})
    new = trial.remember("The otter swims.", env=AGENT)["id"]
    trial.git("pull", "-q", "--no-rebase", "--no-edit", str(there.root), "main")
    reword(trial, refund, "30 days", "31 days")
    by = {one["id"]: (one["actor"], one["commit"] is None) for one in trial.told("diff", start)["memories"]}
    assert by == {deploys: ("human:bo", False), new: ("agent:claude", False), refund: (None, True)}
    assert {one["actor"] for one in trial.told("diff", start, "HEAD")["memories"]} == {
        "human:bo",
        "agent:claude",
    }


def test_another_branch_is_compared_by_its_name(trial, two):
    _, refund, _ = two
    trial.git("branch", "aside")
    reword(trial, refund, "30 days", "31 days")
    trial.did("save")
    assert differing(trial, "aside", "main") == {refund: "reworded"}
    assert differing(trial, "aside") == {refund: "reworded"}


def standing(trial, rev):
    """Id → (claim, status) as the files of a commit state them, read one by one."""
    found = {}
    listed = trial.git("ls-tree", "-r", "--name-only", rev, "--", "schemas").splitlines()
    for path in (one for one in listed if one.endswith(".md")):
        parsed = format.parse(trial.git("show", f"{rev}:{path}").encode() + b"\n", path, UTC).schema
        found[parsed.id] = (parsed.claim, parsed.status.value)
    return found


def test_any_two_commits_differ_as_their_files_do(trial, campaign):
    rolls = random.Random(11)
    names = [f"bird{n}0000000" for n in range(5)]
    for nth in range(14):
        name = rolls.choice(names)
        path = trial.root / "schemas" / "project" / "t" / f"{name}.md"
        if path.exists() and rolls.random() < 0.3:
            path.unlink()
        else:
            status = rolls.choice(["active", "staged", "superseded", "retracted"])
            head = f"status: {status}\nvalidity:\n  to: 2026-07-01\n"
            trial.write(name, f"Bird {name[4]} weighs {rolls.randrange(4)} grams.", head)
        trial.git("add", "-A")
        trial.git("commit", "-q", "--allow-empty", "-m", f"step {nth}")
    revs = trial.git("rev-list", "HEAD~13..HEAD").split()
    told = 0
    for _ in range(6 * campaign):
        first, second = rolls.sample(revs, 2)
        old, new = standing(trial, first), standing(trial, second)
        found = trial.told("diff", first, second, "--ok-if-empty")["memories"]
        assert {
            one["id"]: ((one["prior_text"], one["prior_status"]), (one["text"], one["status"]))
            for one in found
        } == {
            id_: (old.get(id_, (None, None)), new.get(id_, (None, None)))
            for id_ in {*old, *new}
            if old.get(id_) != new.get(id_)
        }
        told += len(found)
    assert told
