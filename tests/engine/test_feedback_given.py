"""Feedback (A14): only on what was shown, complete or honestly partial, stale at once and reversibly."""

import json
from itertools import permutations

import pytest
from trial import AGENT

OTHER = {"MEM_ACTOR": "agent:codex"}


@pytest.fixture
def told(trial):
    """A store in which an agent was shown three memories of four, and the ids by name."""
    trial.ids = {
        "window": trial.remember("The refund window is 30 days.", "--concept", "refund window")["id"],
        "mail": trial.remember("Refund emails are made from the template mail/refund.txt.")["id"],
        "fees": trial.remember("Refund fees are paid by the shop.")["id"],
        "printer": trial.remember("The office printer wants A5 paper.")["id"],
    }
    trial.did("activate", "--task", "Polish the garden gate", env=AGENT)
    answer = trial.recall("refund", env=AGENT)
    trial.receipt = answer["receipt"]
    shown = {item["id"] for item in answer["items"]}
    assert shown == {trial.ids[name] for name in ("window", "mail", "fees")}
    return trial


def feedback(trial, *options, code=0, env=AGENT):
    ran = trial.ran("feedback", "--json", *options, env=env)
    assert ran.code == code, (options, ran.code, ran.out, ran.err)
    return json.loads(ran.out if code == 0 else ran.err)


def keys(trial, id_):
    """The frontmatter of a memory's file, by its words."""
    return trial.path(id_).read_text("utf-8")


def given(trial):
    found = [
        json.loads(line)
        for path in trial.root.glob("events/**/*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]
    return [one for one in sorted(found, key=lambda one: one["id"]) if one["kind"] == "feedback"]


def test_what_was_used_and_what_was_not_becomes_an_event_and_no_commit(told):
    ids, head = told.ids, told.head()
    done = feedback(told, told.receipt, "--used", ids["window"], "--irrelevant", ids["mail"][:5])
    (event,) = given(told)
    assert done["events"] == [event["id"]]
    assert event["data"]["receipt"] == told.receipt
    assert set(event["data"]["exposed"]) == {ids["window"], ids["mail"], ids["fees"]}
    assert (event["data"]["used"], event["data"]["irrelevant"]) == ([ids["window"]], [ids["mail"]])
    assert "coverage" not in event["data"]
    assert (done["lacking"], done["commit"], done["applied"]) == ([ids["fees"]], None, [])
    assert told.head() == head
    assert told.status(ids["window"]) == "active"


@pytest.mark.parametrize("heading", ["--used", "--irrelevant", "--stale"])
def test_what_was_not_shown_is_refused_and_nothing_kept(told, heading):
    more = ("--reason", "outdated") if heading == "--stale" else ()
    error = feedback(told, told.receipt, heading, told.ids["printer"], *more, code=5)
    assert told.ids["printer"] in error["message"]
    assert set(error["details"]) == {told.ids[name] for name in ("window", "mail", "fees")}
    assert given(told) == []
    assert told.status(told.ids["printer"]) == "active"
    feedback(told, told.receipt, heading, told.ids["window"], *more)
    assert len(given(told)) == 1


def test_a_receipt_is_known_or_refused(told):
    assert feedback(told, "r_000000000000", "--used", told.ids["window"], code=3)["code"] == 3
    feedback(told, told.receipt[:7], "--used", told.ids["window"])
    assert given(told)[0]["data"]["receipt"] == told.receipt


def test_without_a_receipt_each_memory_belongs_to_the_last_answer_that_showed_it(told):
    second = told.recall("refund window days", "-k", "1", env=AGENT)
    assert [item["id"] for item in second["items"]] == [told.ids["window"]]
    feedback(told, "--used", told.ids["window"], "--irrelevant", told.ids["fees"])
    by_receipt = {one["data"]["receipt"]: one["data"] for one in given(told)}
    assert by_receipt[second["receipt"]]["used"] == [told.ids["window"]]
    assert by_receipt[told.receipt]["irrelevant"] == [told.ids["fees"]]
    assert "used" not in by_receipt[told.receipt]


def test_complete_coverage_leaves_nothing_out(told):
    ids = told.ids
    error = feedback(told, told.receipt, "--used", ids["window"], "--coverage", "complete", code=8)
    assert set(error["details"]) == {ids["mail"], ids["fees"]}
    assert given(told) == []
    rest = ("--irrelevant", ids["mail"], "--irrelevant", ids["fees"])
    done = feedback(told, told.receipt, "--used", ids["window"], *rest, "--coverage", "complete")
    assert done["lacking"] == []
    assert given(told)[0]["data"]["coverage"] == "complete"
    assert told.ran("commit", env=AGENT).code == 0


def test_complete_counts_what_was_said_before(told):
    ids = told.ids
    feedback(told, "--used", ids["window"])
    feedback(told, "--irrelevant", ids["mail"])
    feedback(told, "--irrelevant", ids["fees"], "--coverage", "complete")
    assert told.ran("commit", env=AGENT).code == 0


def test_partial_coverage_leaves_the_rest_unknown(told):
    feedback(told, "--used", told.ids["window"], "--coverage", "partial")
    (event,) = given(told)
    assert "irrelevant" not in event["data"]
    assert event["data"]["coverage"] == "partial"
    assert told.ran("commit", env=AGENT).code == 0


def test_one_thing_is_said_of_each_memory(told):
    id_ = told.ids["window"]
    for one, other in permutations((("--used",), ("--irrelevant",)), 2):
        assert feedback(told, *one, id_, *other, id_, code=2)["code"] == 2
    assert feedback(told, code=2)["code"] == 2
    assert given(told) == []


def test_stale_needs_one_of_the_reasons(told):
    assert feedback(told, "--stale", told.ids["window"], code=2)["code"] == 2
    assert feedback(told, "--stale", told.ids["window"], "--reason", "boring", code=2)["code"] == 2
    assert feedback(told, "--reason", "outdated", code=2)["code"] == 2
    two = ("--stale", told.ids["window"], "--stale", told.ids["mail"])
    three = ("--reason", "outdated", "--reason", "withdrawn", "--reason", "outdated")
    assert feedback(told, *two, *three, code=2)["code"] == 2
    assert (given(told), told.status(told.ids["window"])) == ([], "active")


def test_what_is_reported_stale_is_closed_in_one_commit_with_the_report(told):
    id_, head = told.ids["window"], told.commits()
    done = feedback(told, "--stale", id_, "--reason", "outdated")
    assert [(one["id"], one["prior_status"], one["status"]) for one in done["applied"]] == [
        (id_, "active", "stale")
    ]
    assert told.commits() == head + 1
    assert told.git("rev-parse", "HEAD") == done["commit"]
    assert len(told.touched()) == 1
    assert len(told.touched(below="events")) == 1
    shown = told.told("show", id_)
    assert shown["status"] == "stale"
    assert "stale_reason: outdated" in keys(told, id_)
    assert "reason: reported" in keys(told, id_)
    assert shown["validity"]["to"] is not None
    assert told.found("refund window") != [id_]
    assert id_ in told.found("refund window", "--mode", "history")
    assert id_ in told.found("refund window", "--as-of", "2026-11-29")
    assert set(told.found("refund emails")) & {told.ids["mail"]}
    (entry,) = told.told("log", "--op", "feedback")["entries"]
    assert entry["changes"] == [{"id": id_, "prior_status": "active", "status": "stale"}]
    assert entry["actor"] == "agent:claude"


def test_it_is_closed_when_it_was_so(told):
    done = feedback(
        told, "--stale", told.ids["window"], "--reason", "outdated", "--occurred-at", "2026-07-01"
    )
    assert done["applied"][0]["until"] == "2026-07-01T00:00:00Z"
    assert given(told)[0]["occurred_at"] == "2026-07-01T00:00:00Z"
    assert told.told("show", told.ids["window"])["validity"]["to"] == "2026-07-01T00:00:00Z"


def test_a_report_waits_in_the_review_and_a_person_reopens_it(told):
    id_ = told.ids["window"]
    before = told.path(id_).read_bytes()
    feedback(told, "--stale", id_, "--reason", "contradicted")
    waiting = told.told("review", "list")["items"]
    assert [(one["id"], one["why"]) for one in waiting] == [(id_, "reported")]
    assert told.ran("reopen", id_, env=AGENT).code == 5
    told.did("reopen", id_, "--yes")
    assert told.path(id_).read_bytes() == before
    assert id_ in told.found("refund window")


def test_undo_takes_a_report_back_and_leaves_what_was_said(told):
    id_ = told.ids["window"]
    before = told.path(id_).read_bytes()
    feedback(told, "--stale", id_, "--reason", "outdated")
    assert told.told("undo", env=AGENT)["undone"]["op"] == "feedback"
    assert told.path(id_).read_bytes() == before
    assert len(given(told)) == 1


def test_a_replacement_supersedes(told):
    old, new = told.ids["window"], told.remember("The refund window is 14 days.", env=AGENT)["id"]
    done = feedback(told, "--stale", old, "--reason", "outdated", "--superseded-by", new[:6])
    assert done["applied"][0]["superseded_by"] == new
    shown = told.told("show", old)
    assert shown["status"] == "superseded"
    assert f"superseded_by: {new}" in keys(told, old)
    assert "reason: reported" in keys(told, old)
    assert f"supersedes: [{old}]" in keys(told, new) or f"- {old}" in keys(told, new)
    assert given(told)[0]["data"]["stale"] == [{"id": old, "reason": "outdated", "by": new}]
    assert len(told.touched()) == 2
    found = told.found("refund window")
    assert new in found
    assert old not in found
    again = feedback(told, "--stale", old, "--reason", "outdated", "--superseded-by", new)
    assert [(one["prior_status"], one["status"]) for one in again["applied"]] == [
        ("superseded", "superseded")
    ]


@pytest.mark.parametrize("what", ["stale", "forgotten", "other scope", "missing", "itself"])
def test_a_replacement_is_active_and_in_the_scope(told, what):
    old = told.ids["window"]
    if what == "other scope":
        new = told.remember("The refund window is 14 days.", "--scope", "project:other")["id"]
    elif what == "missing":
        new = "nobody000000"
    elif what == "itself":
        new = old
    else:
        new = told.remember("The refund window is 14 days.")["id"]
        if what == "forgotten":
            told.forget(new)
        else:
            path = told.path(new)
            path.write_text(
                path.read_text().replace("status: active", "status: stale\nstale_reason: outdated")
            )
            told.did("save")
    head = told.head()
    code = 3 if what == "missing" else 5
    feedback(told, "--stale", old, "--reason", "outdated", "--superseded-by", new, code=code)
    assert (told.status(old), told.head(), given(told)) == ("active", head, [])
    fine = told.remember("Customers may send garments back within two months.", env=AGENT)["id"]
    feedback(told, "--stale", old, "--reason", "outdated", "--superseded-by", fine)
    assert told.status(old) == "superseded"


def test_reasons_and_replacements_go_with_their_memories(told):
    ids = told.ids
    feedback(
        told,
        *("--stale", ids["window"], "--stale", ids["mail"]),
        *("--reason", "outdated", "--reason", "withdrawn"),
    )
    assert "stale_reason: outdated\n" in keys(told, ids["window"])
    assert "stale_reason: withdrawn\n" in keys(told, ids["mail"])
    assert told.git("rev-list", "--count", "HEAD^..HEAD") == "1"


def test_an_edit_in_the_file_is_committed_first_and_survives(told):
    id_ = told.ids["window"]
    path = told.path(id_)
    path.write_text(path.read_text() + "\nGift cards are excluded.\n")
    feedback(told, "--stale", id_, "--reason", "outdated")
    assert "Gift cards are excluded." in path.read_text()
    assert [one["op"] for one in told.told("log", "-n", "2")["entries"]] == ["feedback", "edit"]


def test_a_shadow_is_kept_and_changes_nothing(told):
    id_ = told.ids["window"]
    before, head = told.path(id_).read_bytes(), told.head()
    done = feedback(told, "--shadow", "--stale", id_, "--reason", "outdated", "--used", told.ids["mail"])
    assert (done["applied"], done["commit"], done["shadow"]) == ([], None, True)
    assert set(done["lacking"]) == {told.ids[name] for name in ("window", "mail", "fees")}
    assert given(told)[0]["data"]["shadow"] is True
    assert (told.path(id_).read_bytes(), told.head()) == (before, head)
    assert told.ran("commit", env=AGENT).code == 8
    feedback(told, "--stale", id_, "--reason", "outdated")
    assert told.status(id_) == "stale"


def test_a_correction_takes_the_place_of_what_it_names(told):
    ids = told.ids
    (first,) = feedback(told, "--used", ids["window"])["events"]
    (second,) = feedback(told, "--refines", first, "--irrelevant", ids["window"])["events"]
    done = feedback(told, "--refines", second, "--used", ids["mail"])
    assert set(done["lacking"]) == {ids["window"], ids["fees"]}
    assert [one["data"].get("refines") for one in given(told)] == [None, first, second]
    assert {one["data"]["receipt"] for one in given(told)} == {told.receipt}


def test_a_correction_names_a_feedback_and_stays_with_its_answer(told):
    ids = told.ids
    assert feedback(told, "--refines", "01jz3v7q4m8x2kc5t9w6bd1ghn", "--used", ids["window"], code=3)
    (first,) = feedback(told, "--used", ids["window"])["events"]
    assert feedback(told, "--refines", first, "--used", ids["printer"], code=5)
    assert feedback(told, "r_000000000000", "--refines", first, "--used", ids["window"], code=5)
    assert feedback(told, "--refines", first, "--used", ids["window"], code=5, env=OTHER)
    assert len(given(told)) == 1


def test_a_correction_comes_even_after_the_end_and_is_committed(told):
    (first,) = feedback(told, "--used", told.ids["window"], "--coverage", "partial")["events"]
    told.did("commit", env=AGENT)
    done = feedback(told, "--refines", first, "--irrelevant", told.ids["window"])
    assert done["commit"] == told.head()
    assert told.git("status", "--porcelain") == ""
    assert given(told)[1]["session"] == given(told)[0]["session"]


@pytest.mark.parametrize("how", ["committed", "idle"])
def test_what_a_session_that_has_ended_was_shown_can_still_be_spoken_of(told, how):
    if how == "committed":
        feedback(told, "--coverage", "partial")
        told.did("commit", env=AGENT)
    else:
        told.moment += 7200
        told.did("status")
    before = len(given(told))
    assert feedback(told, told.receipt, "--used", told.ids["printer"], code=5)
    done = feedback(told, told.receipt, "--used", told.ids["window"])
    assert done["commit"] == told.head()
    assert len(given(told)) == before + 1
    assert told.git("status", "--porcelain") == ""
    feedback(told, told.receipt, "--stale", told.ids["mail"], "--reason", "withdrawn")
    assert told.status(told.ids["mail"]) == "stale"
    if how == "committed":
        assert feedback(told, told.receipt, "--used", told.ids["fees"], code=5, env=OTHER)
    assert feedback(told, "r_000000000000", "--used", told.ids["fees"], code=3)


def test_a_correction_of_a_stale_report_leaves_reopening_to_a_person(told):
    id_ = told.ids["window"]
    (first,) = feedback(told, "--stale", id_, "--reason", "outdated")["events"]
    done = feedback(told, "--refines", first, "--used", id_)
    assert told.status(id_) == "stale"
    assert any(f"mem reopen {id_}" in notice for notice in done["notices"])


def taught(trial, name, folder="project/t"):
    """A procedure of that name, by hand."""
    page = trial.root / "procedures" / folder / name / "SKILL.md"
    page.parent.mkdir(parents=True)
    page.write_text(f"---\nname: {name}\ndescription: How it was done.\n---\n\n1. Do it.\n")


def test_a_procedure_helped_or_harmed(told):
    taught(told, "release-notes")
    taught(told, "print-labels", "user")
    feedback(told, "--procedure", "release-notes:helped", "--procedure", "print-labels:harmed")
    assert given(told)[0]["data"]["procedures"] == [
        {"name": "release-notes", "effect": "helped"},
        {"name": "print-labels", "effect": "harmed"},
    ]
    for wrong in ("release-notes", ":helped", "release-notes:great"):
        assert feedback(told, "--procedure", wrong, code=2)["code"] == 2


def test_of_a_procedure_that_nobody_has_nothing_can_be_said(told):
    taught(told, "release-notes")
    taught(told, "foreign", "project/other")
    for unknown in ("release-nots", "foreign", "a:b"):
        error = feedback(told, "--procedure", f"{unknown}:helped", "--used", told.ids["mail"], code=3)
        assert (error["code"], error["details"]) == (3, ["release-notes"])
        assert repr(unknown) in error["message"]
    twice = ("--procedure", "release-notes:helped", "--procedure", "release-notes:harmed")
    assert feedback(told, *twice, code=2)["message"] == "The procedure release-notes is named twice."
    assert given(told) == []


def test_another_agent_does_not_speak_for_the_session(told):
    assert feedback(told, told.receipt, "--used", told.ids["window"], code=5, env=OTHER)["code"] == 5
    assert feedback(told, "--used", told.ids["window"], code=2, env=OTHER)["code"] == 2
    feedback(told, told.receipt, "--used", told.ids["window"], env={})
    assert given(told)[0]["actor"] == "human:ana"


def test_what_is_stale_already_is_reported_again_without_a_change(told):
    id_ = told.ids["window"]
    feedback(told, "--stale", id_, "--reason", "outdated")
    raw = told.path(id_).read_bytes()
    done = feedback(told, "--stale", id_, "--reason", "contradicted")
    assert [(one["prior_status"], one["status"]) for one in done["applied"]] == [("stale", "stale")]
    assert told.path(id_).read_bytes() == raw
    assert len(given(told)) == 2


def test_forgotten_stays_forgotten_whatever_is_reported(told):
    id_ = told.ids["window"]
    told.forget(id_)
    done = feedback(told, "--stale", id_, "--reason", "outdated")
    assert [(one["prior_status"], one["status"]) for one in done["applied"]] == [("forgotten", "forgotten")]
    assert told.status(id_) == "forgotten"
    assert "30 days" not in json.dumps(done)


def test_in_a_pipe_receipt_and_event_of_each_feedback(told):
    (row,) = told.did("feedback", "--used", told.ids["window"], env=AGENT).splitlines()
    assert row.split("\t") == [told.receipt, given(told)[0]["id"]]


def test_where_nothing_was_shown_coverage_has_nothing_to_ask(trial):
    trial.did("activate", "--task", "Paint the gate", env=AGENT)
    done = feedback(trial, "--coverage", "complete")
    assert (done["events"], done["lacking"], given(trial)) == ([], [], [])
    assert feedback(trial, code=2)["code"] == 2
    assert trial.ran("commit", env=AGENT).code == 0
