"""A task from its beginning to its end: activate, recall, feedback, commit, with nothing carried along by hand."""

import json

import pytest
from trial import AGENT, MINUTE

HOUR = 60 * MINUTE
OTHER = {"MEM_ACTOR": "agent:codex"}
TASK = "Fix the refund email"


@pytest.fixture
def shop(trial):
    """A few memories, and their ids by what they are about."""
    trial.ids = {
        "window": trial.remember("The refund window is 30 days.", "--concept", "refund window")["id"],
        "mail": trial.remember("Refund emails are made from the template mail/refund.txt.")["id"],
        "weekend": trial.remember("Never send a refund email on a weekend.", "--type", "warning")["id"],
        "printer": trial.remember("The office printer wants A5 paper.")["id"],
    }
    return trial


def events(trial, kind):
    found = [
        json.loads(line)
        for path in trial.root.glob("events/**/*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]
    return [one for one in sorted(found, key=lambda one: one["id"]) if one["kind"] == kind]


def open_sessions(trial):
    return sorted(path.stem for path in (trial.root / ".mem" / "sessions").glob("*.json"))


def activated(trial, *options, task=TASK, env=AGENT, **how):
    return trial.told("activate", "--task", task, *options, env=env, **how)


def test_a_task_is_laid_out_with_its_warnings_apart(shop):
    told = activated(shop, "--goal", "right number of days in the template")
    ids = shop.ids
    assert [one["id"] for one in told["warnings"]] == [ids["weekend"]]
    memories = {one["id"] for one in told["memories"]}
    assert {ids["window"], ids["mail"]} <= memories
    assert ids["printer"] not in memories
    assert ids["weekend"] not in memories
    assert (told["cold"], told["alike"], told["before"]) == (False, [], None)
    assert (told["scope"], told["task"], told["procedures"]) == ("project:t", TASK, [])
    assert told["session"].startswith("s_")
    assert told["continuity"].startswith("c_")
    assert told["receipt"].startswith("r_")


def test_a_task_is_needed_and_not_a_blank_one(shop):
    assert shop.ran("activate").code == 2
    assert shop.ran("activate", "--task", " \n").code == 2
    assert shop.ran("activate", "--task", "x", "--scope", "*").code == 2
    assert not open_sessions(shop)


def test_a_scope_without_memories_is_a_cold_start_and_a_misspelt_one_is_pointed_out(shop):
    shop.remember("We count in shillings.", "--scope", "project:storefront")
    told = activated(shop, "--scope", "project:storefont")
    assert (told["cold"], told["memories"], told["alike"]) == (True, [], ["project:storefront"])
    told = activated(shop, "--scope", "project:ledger")
    assert (told["cold"], told["alike"]) == (True, [])
    told = activated(shop, "--scope", "project:storefront")
    assert (told["cold"], told["alike"]) == (False, [])


def test_the_commands_that_follow_belong_to_the_session(shop):
    session = activated(shop)["session"]
    answer = shop.recall("refund window", env=AGENT)
    assert answer["receipt"].startswith("r_")
    shop.remember("The refund window is 14 days now.", env=AGENT)
    shop.told("observe", "-", stdin="It is 14 days now.", env=AGENT)
    assert {one["session"] for one in (*events(shop, "turn"), *events(shop, "claim")[-1:])} == {session}
    assert shop.git("log", "-1", "--format=%(trailers:key=Mem-Session,valueonly)") == session


def test_outside_of_a_session_nothing_is_noted(shop):
    assert shop.recall("refund window")["receipt"] is None
    assert not (shop.root / ".mem" / "sessions").exists()
    activated(shop)
    assert shop.recall("refund window", env=AGENT)["receipt"]


@pytest.mark.parametrize("how", ["actor", "scope", "folder"])
def test_another_actor_scope_or_folder_is_another_session(shop, tmp_path, how):
    activated(shop)
    options, env, cwd = (), AGENT, None
    if how == "actor":
        env = OTHER
    if how == "scope":
        env, options = {}, ("--scope", "project:other")
    if how == "folder":
        cwd, options = tmp_path, ("--scope", "project:t", "--store", str(shop.root))
    assert shop.recall("refund window", *options, env=env, cwd=cwd)["receipt"] is None
    assert shop.recall("refund window", env=AGENT)["receipt"]


def test_a_named_session_holds_wherever_one_stands(shop, tmp_path):
    session = activated(shop)["session"]
    options = ("--session", session, "--store", str(shop.root))
    told = shop.recall("refund window", *options, env=AGENT, cwd=tmp_path)
    assert (told["scope"], bool(told["receipt"])) == ("project:t", True)
    env = AGENT | {"MEM_SESSION": session}
    shop.told("observe", "-", "--store", str(shop.root), stdin="x y", env=env, cwd=tmp_path)
    (turn,) = events(shop, "turn")
    assert (turn["session"], turn["scope"]) == (session, "project:t")


def test_an_agent_reads_and_writes_in_its_sessions_scope_alone(shop):
    shop.remember("The ledger closes at noon.", "--scope", "project:ledger")
    activated(shop)
    refused = shop.ran("recall", "ledger", "--scope", "project:ledger", env=AGENT)
    assert (refused.code, "noon" in refused.out + refused.err) == (5, False)
    assert shop.ran("remember", "x y", "--scope", "project:ledger", env=AGENT).code == 5
    for words in (("list",), ("log",), ("stats",), ("review", "list"), ("stage", "list"), ("eval", "regret")):
        refused = shop.ran(*words, "--scope", "project:ledger", env=AGENT)
        assert (refused.code, "noon" in refused.out + refused.err) == (5, False), words
        assert shop.ran(*words, env=AGENT).code in (0, 1), words
        assert shop.ran(*words, "--scope", "project:ledger").code in (0, 1), words  # a person may
    assert shop.ran("recall", "refund", "--scope", "user", env=AGENT).code in (0, 1)
    assert shop.found("ledger noon", "--scope", "project:ledger")  # a person may
    shop.told("feedback", "--coverage", "partial", env=AGENT)
    shop.did("commit", env=AGENT)
    assert shop.ran("recall", "ledger", "--scope", "project:ledger", env=AGENT).code == 0


def test_what_ranks_is_the_same_inside_a_session_and_twice(shop):
    outside = shop.recall("refund", "--as-of", "2026-12-01")
    activated(shop)
    first = shop.recall("refund", "--as-of", "2026-12-01", env=AGENT)
    again = shop.recall("refund", "--as-of", "2026-12-01", env=AGENT)
    assert first == again
    assert {**first, "receipt": None} == outside


def test_a_task_ends_with_an_outcome_and_one_commit_of_its_events(shop):
    session = activated(shop, "--goal", "14 days")["session"]
    shop.told("observe", "-", stdin="It is 14 days now.", env=AGENT)
    receipt = shop.recall("refund window", env=AGENT)["receipt"]
    shop.told("feedback", "--coverage", "partial", env=AGENT)
    told = shop.told("commit", "--outcome", "done", "--verification", "the test passes", env=AGENT)
    assert (told["session"], told["outcome"], told["queued"]) == (session, "done", None)
    (outcome,) = events(shop, "outcome")
    assert (outcome["text"], outcome["session"], outcome["actor"]) == (TASK, session, "agent:claude")
    said = outcome["data"]
    assert (said["outcome"], said["goal"], said["verification"]) == ("done", "14 days", "the test passes")
    assert said["exposed"][-1]["receipt"] == receipt
    assert shop.ids["window"] in said["exposed"][-1]["ids"]
    assert shop.git("status", "--porcelain") == ""
    (entry,) = shop.told("log", "--op", "commit")["entries"]
    assert (entry["text"], entry["session"], entry["reason"]) == (TASK, session, "done: the test passes")
    assert open_sessions(shop) == []
    assert told["consolidated"]["events"] >= 1


def test_without_a_session_commit_points_to_save(shop):
    ran = shop.ran("commit")
    assert ran.code == 2
    assert "mem save" in ran.err
    assert "mem activate" in ran.err


def test_what_lacks_feedback_is_listed_and_the_commit_can_be_repeated(shop):
    activated(shop)
    shop.recall("refund window", env=AGENT)
    head = shop.head()
    ran = shop.ran("commit", env=AGENT)
    assert ran.code == 8
    for name in ("window", "mail", "weekend"):
        assert shop.ids[name] in ran.err
    assert shop.ids["printer"] not in ran.err
    assert "The refund window is 30 days." in ran.err
    assert (shop.head(), len(open_sessions(shop))) == (head, 1)
    ids = shop.ids
    shop.told("feedback", "--used", ids["window"], "--irrelevant", ids["weekend"], env=AGENT)
    ran = shop.ran("commit", env=AGENT)
    assert (ran.code, ids["mail"] in ran.err, ids["window"] in ran.err) == (8, True, False)
    shop.told("feedback", "--irrelevant", ids["mail"], env=AGENT)
    assert shop.ran("commit", env=AGENT).code == 0


def test_a_session_that_was_shown_nothing_needs_no_feedback(shop):
    activated(shop, "--scope", "project:empty")
    assert shop.ran("commit", "--scope", "project:empty", env=AGENT).code == 0


def test_an_agent_does_not_end_anothers_session_and_a_person_may(shop):
    session = activated(shop)["session"]
    shop.told("feedback", "--coverage", "partial", env=AGENT)
    assert shop.ran("commit", "--session", session, env=OTHER).code == 5
    assert shop.ran("commit", "--session", session).code == 0


def test_a_longer_effort_goes_on_where_it_stopped(shop):
    first = activated(shop)
    shop.told("feedback", "--coverage", "partial", env=AGENT)
    shop.did("commit", "--outcome", "partial", "--verification", "half of it", env=AGENT)
    told = activated(shop, "--continuity", first["continuity"], task="Go on with the refund email")
    assert told["continuity"] == first["continuity"]
    assert told["session"] != first["session"]
    before = told["before"]
    assert (before["session"], before["task"], before["outcome"]) == (first["session"], TASK, "partial")
    assert before["verification"] == "half of it"


def test_more_warnings_than_are_laid_out_are_not_passed_over_in_silence(shop):
    more = "More warnings match than are laid out"
    assert more not in str(activated(shop).get("notices"))
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "holiday", "birthday",
            "fair", "strike", "audit", "election", "wedding", "storm", "jubilee")  # fmt: skip
    shop.batch({"text": f"Never send a refund email on a {day}.", "type": "warning"} for day in days)
    told = activated(shop, task="Send a refund email")
    assert len(told["warnings"]) < len(days)
    assert more in str(told["notices"])


def test_a_longer_effort_that_nobody_has_heard_of_is_said_to_begin(shop):
    unheard = "is known here: it begins with this one"
    known = activated(shop)["continuity"]
    again = shop.ran("activate", "--task", TASK, "--continuity", known, env=OTHER)
    assert (again.code, unheard in again.err) == (0, False)
    ran = shop.ran("activate", "--task", TASK, "--continuity", "c_000000000000", "--json", env=AGENT)
    assert json.loads(ran.out)["before"] is None
    assert f"No session of c_000000000000 {unheard}." in ran.err


@pytest.mark.parametrize("verb", ["activate", "status", "remember"])
def test_a_session_that_nobody_ended_is_ended_after_an_hour(shop, verb):
    session = activated(shop)["session"]
    soon, late = shop.moment + HOUR - MINUTE, shop.moment + HOUR + MINUTE
    argv = {"activate": ("--task", "Other work"), "status": (), "remember": ("Trains leave at nine.",)}[verb]
    shop.did(verb, *argv, now=soon)
    assert session in open_sessions(shop)
    told = shop.ran(verb, *argv, now=late)
    assert told.code == 0
    assert f"The session {session} was idle and has ended." in told.err
    assert session not in open_sessions(shop)
    (outcome,) = (one for one in events(shop, "outcome") if one["session"] == session)
    assert (outcome["data"]["outcome"], outcome["actor"]) == ("idle", "system:idle")
    assert shop.git("status", "--porcelain", "--", "events") == ""


def test_recall_ends_no_session_and_an_idle_one_notes_nothing(shop):
    session = activated(shop)["session"]
    late = shop.moment + 2 * HOUR
    assert shop.recall("refund window", env=AGENT, now=late)["receipt"] is None
    assert open_sessions(shop) == [session]


def test_every_word_keeps_a_session_alive(shop):
    session = activated(shop)["session"]
    for _ in range(3):
        shop.moment += HOUR - 2 * MINUTE
        shop.recall("refund window", env=AGENT)
    shop.did("status")
    assert open_sessions(shop) == [session]


def test_the_hour_is_a_setting(shop):
    (shop.root / "mem.toml").write_text("[session]\nidle_s = 30\n")
    session = activated(shop)["session"]
    shop.did("status")
    assert session not in open_sessions(shop)


def test_a_session_ends_once_though_it_was_killed_before_it_was_closed(shop):
    session = activated(shop)["session"]
    shop.told("feedback", "--coverage", "partial", env=AGENT)
    file = shop.root / ".mem" / "sessions" / f"{session}.json"
    kept = file.read_bytes()
    shop.did("commit", env=AGENT)
    file.write_bytes(kept)  # as it stands where a kill came after the commit
    assert shop.ran("commit", env=AGENT).code == 0
    assert len(events(shop, "outcome")) == 1


def test_the_folder_of_mem_deleted_ends_no_task_and_loses_no_event(shop):
    activated(shop)
    shop.told("observe", "-", stdin="It is 14 days now.", env=AGENT)
    shop.forgets_the_index()
    assert shop.ran("commit", env=AGENT).code == 2
    assert len(events(shop, "turn")) == 1
    assert [one["op"] for one in shop.told("save")["edits"]] == ["observe"]


def test_a_procedure_is_kept_with_the_task(shop):
    activated(shop)
    shop.told("feedback", "--coverage", "partial", env=AGENT)
    page = (
        "---\nname: refund-mail\ndescription: How the refund email is changed\n---\n\n1. Edit the template.\n"
    )
    told = shop.told("commit", "--procedure", "-", stdin=page, env=AGENT)
    assert (told["procedure"]["name"], told["procedure"]["decision"]) == ("refund-mail", "created")
    assert shop.git("status", "--porcelain") == ""
    again = activated(shop, task="Change the refund email again")
    assert [one["name"] for one in again["procedures"]] == ["refund-mail"]
    assert "Edit the template" in again["procedures"][0]["text"]


def test_a_procedure_that_is_none_leaves_the_session_open(shop):
    activated(shop)
    shop.told("feedback", "--coverage", "partial", env=AGENT)
    head = shop.head()
    assert shop.ran("commit", "--procedure", "-", stdin="no page", env=AGENT).code == 4
    assert (shop.head(), len(open_sessions(shop))) == (head, 1)


def test_a_secret_in_the_task_is_not_kept(shop):
    token = "ghp_" + "a1B2" * 9
    activated(shop, task=f"Use {token} to deploy")
    shop.told("feedback", "--coverage", "partial", env=AGENT) if shop.ran("commit", env=AGENT).code else None
    shop.ran("commit", "--verification", f"worked with {token}", env=AGENT)
    assert open_sessions(shop) == []
    assert token not in shop.git("log", "-p", "--all")
    assert all(
        token not in one.read_text("utf-8", "replace") for one in shop.root.rglob("*") if one.is_file()
    )


def test_status_names_the_session(shop):
    session = activated(shop)["session"]
    told = shop.told("status", env=AGENT)
    assert (told["session"], told["task"]) == (session, TASK)
    assert shop.told("status")["session"] is None


def test_two_clones_go_on_with_one_session_and_merge(shop, tmp_path):
    activated(shop, "--session", "effort")
    shop.told("observe", "-", "--session", "effort", stdin="Said at home.", env=AGENT)
    shop.did("save")
    other = shop.clone(tmp_path / "clone")
    shop.told("observe", "-", "--session", "effort", stdin="Said at home again.", env=AGENT)
    other.told("observe", "-", "--session", "effort", stdin="Said on the road.", env=AGENT)
    for one in (shop, other):
        one.did("save")
    shop.git("pull", "-q", "--no-rebase", str(other.root), "main")
    assert {one["text"] for one in events(shop, "turn")} == {
        "Said at home.",
        "Said at home again.",
        "Said on the road.",
    }
    assert len(events(shop, "turn")) == 3
    assert len(list(shop.root.glob("events/**/effort*.jsonl"))) == 2
