"""The timeline: what changed when, what held when, and what of it may be told."""

import json
import random

import pytest
from trial import AGENT, PERSON

CLAIM = "The refund window is 30 days."
LATER = "The refund window is 14 days since July."
BESIDE = "Deploys to production happen on Tuesdays only."


def entries(trial, *words, code=0, **how):
    """What the timeline tells, as objects."""
    return trial.told("timeline", *words, code=code, **how)["entries"]


def told(trial, *words, **how):
    """(what, id) of every entry, in order."""
    return [(one.get("what", "said"), one["id"]) for one in entries(trial, *words, **how)]


def held(trial, *words, code=0):
    """(from, until, id) of every claim that answers at some time."""
    found = trial.told("timeline", "--active", *words, code=code)["held"]
    return [(one["validity"]["from"], one["validity"]["to"], one["id"]) for one in found]


@pytest.fixture
def story(trial):
    """A claim, superseded, beside another one; the ids."""
    old = trial.remember(CLAIM, "--concept", "refund window")["id"]
    beside = trial.remember(BESIDE)["id"]
    how = ("--concept", "refund window", "--supersede-concept", "--valid-from", "2026-07-01")
    new = trial.remember(LATER, *how, env=AGENT)["id"]
    return old, new, beside


def test_what_happened_is_told_in_the_order_in_which_it_was_recorded(trial, story):
    old, new, beside = story
    assert told(trial) == [("added", old), ("added", beside), ("superseded", old), ("added", new)]
    superseded = entries(trial)[2]
    assert (superseded["prior_status"], superseded["status"]) == ("active", "superseded")
    assert superseded["actor"] == "agent:claude"
    keys = {one["key"]: (one["from"], one["to"]) for one in superseded["keys"]}
    assert keys["validity.to"] == (None, "2026-07-01T00:00:00Z")
    assert keys["superseded_by"] == (None, new)


def test_words_choose_the_whole_life_of_what_ever_held_all_of_them(trial, story):
    old, new, beside = story
    path = trial.path(beside)
    path.write_text(path.read_text().replace("Tuesdays", "Thursdays"))
    trial.did("save")
    assert told(trial, "refund", "windows") == [("added", old), ("superseded", old), ("added", new)]
    assert told(trial, "deploys", "tuesday") == [("added", beside), ("reworded", beside)]
    assert told(trial, "refund", "thursday", code=1) == []
    assert told(trial, "--concept", "Refund  WINDOW") == told(trial, "refund")


def test_a_part_of_the_record_is_told_alone(trial, story):
    old, *_ = story
    assert told(trial, "--from", "2027-06-01", code=1) == []
    assert told(trial, "--to", "2020-01-01", code=1) == []
    assert told(trial, "--from", "2020-01-01", "--to", "2099-01-01") == told(trial)
    assert told(trial, "-n", "1") == told(trial)[-1:]
    assert told(trial, "-n", "99")[0] == ("added", old)
    assert trial.ran("timeline", "--from", "yesterday").code == 2


def test_what_held_is_told_in_the_worlds_time(trial, story):
    old, new, beside = story
    july = "2026-07-01T00:00:00Z"
    assert held(trial, "refund") == [(None, july, old), (july, None, new)]
    assert held(trial) == [(None, july, old), (None, None, beside), (july, None, new)]
    assert held(trial, "refund", "--to", "2026-06-30") == [(None, july, old)]
    assert held(trial, "refund", "--from", "2026-07-01") == [(july, None, new)]
    trial.forget(new)
    assert held(trial, "refund") == [(None, july, old)]


def test_two_that_hold_at_once_about_one_concept_name_each_other(trial):
    one = trial.remember(CLAIM, "--concept", "refund window", "--valid-to", "2026-08-01")["id"]
    other = trial.remember(LATER, "--concept", "refund window", "--valid-from", "2026-07-01")["id"]
    apart = trial.remember("Refunds take 3 days.", "--concept", "refund window", "--valid-to", "2026-01-01")[
        "id"
    ]
    found = {each["id"]: each["conflict"] for each in trial.told("timeline", "--active")["held"]}
    assert found == {one: sorted([other, apart]), other: [one], apart: [one]}


def test_what_waits_was_retracted_or_put_away_never_held(trial):
    for status in ("staged", "needs_review", "retracted", "archived", "forgotten"):
        more = {
            "needs_review": "review:\n  reason: proposal\n",
            "archived": "archive_reason: duplicate\n",
        }.get(status, "")
        trial.write(f"{status[:8]:0<12}", f"The {status} heron sleeps.", f"status: {status}\n{more}")
    trial.write("active000000", "Boats may moor beside the heron island until dusk.")
    trial.write(
        "never0000000", "The empty heron sleeps.", "validity:\n  from: 2026-02-01\n  to: 2026-02-01\n"
    )
    trial.commit_by_hand()
    assert [id_ for *_, id_ in held(trial, "heron")] == ["active000000"]


def test_what_is_forgotten_is_named_to_a_person_without_a_word_of_it_and_not_to_an_agent(trial, story):
    old, new, beside = story
    trial.forget(beside, "--reason", "nobody deploys")
    seen = entries(trial, env=PERSON)
    assert [one["what"] for one in seen if one["id"] == beside] == ["added", "forgotten"]
    assert [one["id"] for one in entries(trial, env=AGENT)] == [old, old, new]
    for who in (PERSON, AGENT):
        for look in ((), ("--json",)):
            shown = trial.did("timeline", *look, env=who)
            assert "Deploys" not in shown
            assert ("nobody deploys" in shown) is (who is PERSON and bool(look))
            assert LATER in shown
    restored = trial.unforget(beside)
    assert restored
    assert [one for one, id_ in told(trial) if id_ == beside] == ["added", "forgotten", "restored"]
    assert BESIDE in trial.did("timeline", env=AGENT)


def test_no_word_of_what_is_forgotten_finds_it(trial, story):
    old, _, beside = story
    trial.forget(beside)
    assert told(trial, "production", code=1) == []
    assert ("added", old) in told(trial, "refund")
    trial.unforget(beside)
    assert ("added", beside) in told(trial, "production")


def test_another_memory_that_once_said_what_is_forgotten_does_not_tell_it(trial):
    other = trial.remember("The heron sleeps in the north tower.")["id"]
    path = trial.path(other)
    path.write_text(path.read_text().replace("The heron sleeps in the north tower.", BESIDE))
    trial.did("save")
    path.write_text(path.read_text().replace(BESIDE, "The heron moved to the lake."))
    trial.did("save")
    trial.write("deploys00000", BESIDE)
    trial.commit_by_hand()
    trial.forget("deploys00000")
    for who in (PERSON, AGENT):
        for words in (("timeline",), ("history", other), ("diff", "HEAD~3", "HEAD~2"), ("diff", "HEAD~4")):
            shown = trial.ran(*words, "--json", env=who).out
            assert "Tuesdays" not in shown, (words, who)
    assert "lake" in trial.did("timeline", env=AGENT)
    assert "(forgotten)" in trial.did("history", other)


def test_the_log_tells_an_agent_no_word_of_an_edit_of_what_is_forgotten(trial):
    id_, kept = (trial.remember(text)["id"] for text in (BESIDE, "The heron sleeps in the tower."))
    for one, word in ((id_, "Wednesdays"), (kept, "herons")):
        path = trial.path(one)
        path.write_text(path.read_text() + f"\nOr on {word}.\n")
        trial.did("save")
    path = trial.path(id_)
    path.write_text(path.read_text().replace("Wednesdays", "Thursdays"))
    trial.commit_by_hand("deploy on Tuesdays or Thursdays")
    trial.forget(id_)
    for words in (("log",), ("log", id_)):
        shown = trial.did(*words, env=AGENT)
        assert "Tuesdays" not in shown
        assert shown.count("(forgotten)") == 4
    assert trial.did("log", kept, env=AGENT).count("The heron sleeps") == 2
    assert "Tuesdays or Thursdays" in trial.did("log", id_, env=PERSON)


def test_a_file_that_went_is_no_forgetting_and_one_that_broke_is_set_aside(trial, story):
    *_, beside = story
    path = trial.path(beside)
    whole = path.read_text()
    path.write_text(whole.replace("status: active", "status: [actve"))
    trial.commit_by_hand()
    path.write_text(whole)
    trial.commit_by_hand()
    path.unlink()
    trial.did("save")
    assert [one for one, id_ in told(trial) if id_ == beside] == ["added", "set aside", "mended", "removed"]


def test_what_a_merge_brought_is_told_of_whoever_did_it_when_it_was_known_here(trial, story, tmp_path):
    _, _, beside = story
    there = trial.clone(tmp_path / "there")
    there.remember("The heron sleeps in the tower.", env={"MEM_ACTOR": "agent:codex"})
    there.did("forget", beside, "--yes", env={"MEM_ACTOR": "human:bo"})
    trial.remember("The otter swims.")
    trial.git("pull", "-q", "--no-rebase", "--no-edit", str(there.root), "main")
    late = entries(trial)[-2:]
    assert {one["commit"] for one in late} == {trial.head()}
    by = {one["what"]: one["actor"] for one in late}
    assert by == {"added": "agent:codex", "forgotten": "human:bo"}


def test_a_memory_that_moves_between_scopes_arrives_and_leaves(trial, story):
    _, _, beside = story
    trial.did("move", beside, "project:other")
    assert [one for one, id_ in told(trial) if id_ == beside] == ["added", "moved"]
    there = trial.told("timeline", "--scope", "project:other")["entries"]
    assert [(one["what"], one["id"], one["prior_text"]) for one in there] == [("added", beside, None)]
    assert told(trial, "--scope", "*")[-1] == ("moved", beside)
    assert trial.ran("timeline", "--scope", "*", env=AGENT).code == 5


def test_no_reason_is_told_that_speaks_of_another_scope(trial, story):
    old, *_ = story
    there = trial.remember("The zkestrel nests in the tower.", "--scope", "project:other")["id"]
    trial.did("forget", old, there, "--yes", "--reason", "the zkestrel said so")
    for who in (PERSON, AGENT):
        assert "zkestrel" not in trial.did("timeline", "--json", env=who)
    assert "the zkestrel said so" in trial.did("timeline", "--scope", "*", "--json")


def test_replaying_the_timeline_gives_what_the_files_say(trial, campaign):
    """After random acts the last that it tells of every memory is its status, or that it has no file."""
    rolls = random.Random(7)
    ids = [one["id"] for one in trial.batch([f"Fact {n} about the number {n * 7}." for n in range(6)])]
    for nth in range(12 * campaign):
        id_ = rolls.choice(ids)
        act = rolls.choice(["forget", "unforget", "edit", "supersede", "undo", "stale"])
        if act in ("forget", "unforget"):
            trial.ran(act, id_, "--yes")
        elif act == "supersede":
            made = trial.ran("supersede", id_, "--with", f"Fact {nth} is other now.", "--json")
            ids += [json.loads(made.out)["new"]] if not made.code else []
        elif act == "undo":
            trial.ran("undo")
        else:
            paths = [path for path in trial.root.glob("schemas/**/*.md") if id_ in path.name]
            for path in paths:
                path.write_text(path.read_text() + f"\nMore {nth}.\n")
            trial.ran("save")
    last = {}
    for one in entries(trial):
        last[one["id"]] = one["status"]
    assert {id_: status for id_, status in last.items() if status} == trial.statuses("--scope", "project:t")
    assert len(last) >= len(set(ids))


def test_history_that_was_rewritten_is_no_timeline(trial, story):
    old, *_ = story
    assert all(trial.ran(*words).code == 0 for words in (("timeline",), ("history", old), ("blame", old)))
    assert all("rewritten" not in trial.ran(*words).err for words in (("log",), ("timeline", "--active")))
    trial.git("commit", "-q", "--amend", "-m", "another past")
    for words in (("timeline",), ("history", old), ("blame", old), ("diff", "HEAD~1", "HEAD~2")):
        ran = trial.ran(*words)
        assert (ran.code, ran.out) == (7, ""), words
        assert ran.err.startswith("History was rewritten: ")
    for words in (("log",), ("timeline", "--active")):
        ran = trial.ran(*words)
        assert (ran.code, "History was rewritten: " in ran.err) == (0, True), words
    assert trial.ran("timeline", "--active", "--known-at", "HEAD").code == 7
    trial.did("audit", "--accept", "--yes")
    assert all(trial.ran(*words).code == 0 for words in (("timeline",), ("history", old), ("blame", old)))
    assert "rewritten" not in trial.ran("log").err


def test_what_held_can_be_asked_as_it_was_known_then(trial, story):
    old, new, beside = story
    before = trial.git("rev-parse", "HEAD~1")
    assert held(trial, "refund", "--known-at", before) == [(None, None, old)]
    assert held(trial, "refund", "--known-at", "HEAD") == held(trial, "refund")
    trial.forget(beside)
    assert beside not in [id_ for *_, id_ in held(trial, "--known-at", before)]
    trial.unforget(beside)
    assert beside in [id_ for *_, id_ in held(trial, "--known-at", before)]
    ran = trial.ran("timeline", "--active", "--known-at", "2001-01-01")
    assert ran.code == 1
    assert "History begins on" in ran.err
    assert trial.ran("timeline", "--known-at", "HEAD").code == 2
    assert new in [id_ for *_, id_ in held(trial)]


def test_what_was_purged_is_told_of_no_time(trial, story):
    old, new, beside = story
    digest = trial.told("purge", beside, "--dry-run")["digest"]
    trial.did("purge", beside, "--expect", digest, "--yes")
    for words in (
        ("timeline",),
        ("timeline", "--json"),
        ("diff", "HEAD~2", "--json"),
        ("timeline", "--active"),
    ):
        shown = trial.did(*words)
        assert "Deploys" not in shown
        assert beside not in shown
    assert {id_ for _, id_ in told(trial)} == {old, new}
    assert trial.ran("history", beside).code == 3


def test_a_retraction_is_told_with_its_reason_and_what_is_right(trial, story):
    *_, beside = story
    trial.did(
        "retract", beside, "--yes", "--reason", "a misprint", "--correction", "Deploys happen on Mondays."
    )
    retracted, added = entries(trial)[-2:]
    assert (retracted["what"], retracted["id"], added["what"]) == ("retracted", beside, "added")
    keys = {one["key"]: one["to"] for one in retracted["keys"]}
    assert (keys["reason"], keys["correction"]) == ("a misprint", added["id"])
    assert beside not in [id_ for *_, id_ in held(trial)]


def test_a_link_and_another_repository_are_no_memories(trial, story):
    old, *_ = story
    before = trial.head()
    folder = trial.root / "schemas" / "project" / "t"
    (folder / "link.md").symlink_to("/etc/hostname")
    trial.git("add", "-A")
    trial.git("update-index", "--add", "--cacheinfo", f"160000,{before},schemas/project/t/inner.md")
    trial.git("commit", "-qm", "a link and a repository")
    for words in (
        ("timeline",),
        ("diff", before, "HEAD", "--ok-if-empty"),
        ("diff", before, "--ok-if-empty"),
    ):
        shown = trial.did(*words)
        assert not any(word in shown for word in ("hostname", "committer", "inner")), words
    assert ("added", old) in told(trial)
