"""A15: what was said becomes what is known, in one commit, by one process, and never over a person's edit."""

import json
import subprocess
import sys
import time

import pytest
from talk import CLUSTER, CLUSTER_AGAIN, claim, consolidate, exchanges, observe, tracked
from trial import PERSON

from memcli.engine.consolidation import planning
from memcli.errors import Unavailable
from memcli.journal import commit as commits

REFUND = "The refund window is 14 days for online orders."


def events_of(store):
    """The lines of all event files, by path."""
    return {path: path.read_text("utf-8") for path in store.root.glob("events/**/*.jsonl")}


def pending(store):
    return store.told("consolidate", "--dry-run")["events"]


def test_one_exchange_too_few_does_nothing_and_the_next_makes_one_commit(trial):
    observe(trial, "s1", *exchanges(5))
    before, commits_before = tracked(trial), trial.commits()
    answer = consolidate(trial, "--if-due")
    assert (answer["due"], answer["exchanges"], answer["batch"], answer["commit"]) == (False, 5, 6, None)
    assert (tracked(trial), trial.commits()) == (before, commits_before)
    observe(trial, "s1", "The office in Lisbon closes at six.", "Then it is locked at six sharp.")
    answer = consolidate(trial, "--if-due")
    assert (answer["due"], answer["events"]) == (True, 12)
    assert trial.commits() == commits_before + 1
    assert trial.git("status", "--porcelain") == ""


def test_by_hand_it_digests_open_sessions_whatever_their_length(trial):
    observe(trial, "s1", claim(REFUND))
    assert consolidate(trial)["counts"] == {"created": 1}
    assert trial.found("how long is the refund window") != []


def test_what_is_salient_is_believed_what_is_weak_staged_and_what_says_nothing_archived(trial):
    """With control: all three are files, and only the first is recalled by default."""
    observe(
        trial,
        "s1",
        claim("We decided to store invoices in Postgres because of the audits.", "decision"),
        claim("It rained today.", "task"),
        claim("Fine.", "task"),
    )
    answer = consolidate(trial)
    assert answer["counts"] == {"archived": 1, "created": 1, "staged": 1}
    by_status = {step["what"]: step for step in answer["steps"]}
    assert "decision" in by_status["created"]["why"]
    assert sorted(trial.statuses().values()) == ["active", "archived", "staged"]
    assert "archive_reason: low_salience" in trial.path(by_status["archived"]["id"]).read_text()
    assert trial.found("where are invoices stored") == [by_status["created"]["id"]]
    assert by_status["staged"]["id"] in trial.found("did it rain today", "--mode", "wide", "--floor", "0")


def test_two_sessions_that_say_the_same_lead_to_a_proposal_of_one_verbatim_sentence(trial):
    observe(
        trial, "s1", f"Before I forget. {CLUSTER} Can you write that down?", "It will be in the wiki soon."
    )
    assert consolidate(trial)["counts"] == {}
    observe(trial, "s2", CLUSTER_AGAIN)
    answer = consolidate(trial)
    assert answer["counts"] == {"review": 1}
    (step,) = answer["steps"]
    assert step["text"] in (CLUSTER, CLUSTER_AGAIN)
    shown = trial.told("show", step["id"])
    assert (shown["status"], shown["text"], shown["origin"]) == ("needs_review", step["text"], "consolidator")
    raw = trial.path(step["id"]).read_text()
    assert "reason: proposal" in raw
    assert f"quote: {CLUSTER}" in raw
    assert f"quote: {CLUSTER_AGAIN}" in raw


def test_one_session_alone_proposes_nothing_however_often_it_says_it(trial):
    observe(trial, "s1", CLUSTER, "I see.", CLUSTER_AGAIN, "I see.", CLUSTER, "I see.")
    assert consolidate(trial)["counts"] == {}


def test_sessions_that_contradict_each_other_propose_nothing(trial):
    """The control is the test above it: the same numbers would be proposed."""
    observe(trial, "s1", "The staging cluster runs in Frankfurt on three nodes.")
    observe(trial, "s2", "The staging cluster runs in Frankfurt on five nodes.")
    assert consolidate(trial)["counts"] == {}


def test_a_proposal_is_made_once_and_not_for_what_is_known(trial):
    known = trial.remember(CLUSTER)["id"]
    observe(trial, "s1", CLUSTER_AGAIN)
    observe(trial, "s2", CLUSTER)
    answer = consolidate(trial)
    assert [step["what"] for step in answer["steps"]] == ["covered"]
    assert list(trial.statuses()) == [known]
    observe(trial, "s3", CLUSTER_AGAIN)
    assert consolidate(trial)["counts"] == {}


def test_what_recall_has_shown_is_no_evidence_when_the_session_says_it_again(trial):
    """Control: another session that says the same without having been shown it is heard."""
    trial.did("activate", "--task", "where staging runs")
    session = trial.told("activate", "--task", "where does staging run", "--json")["session"]
    known = trial.remember(CLUSTER)["id"]
    assert trial.found("where does the staging cluster run", "--session", session) == [known]
    observe(trial, session, claim(CLUSTER), CLUSTER_AGAIN)
    before = trial.path(known).read_bytes()
    answer = consolidate(trial)
    assert answer["sifted_out"]["echo"] == 2
    assert [step["of"] for step in answer["steps"] if step["what"] == "echo"] == [known, known]
    assert trial.path(known).read_bytes() == before
    observe(trial, "s9", claim(CLUSTER))
    assert consolidate(trial)["counts"] == {"reinforced": 1}
    assert trial.path(known).read_bytes() != before
    assert len(trial.statuses()) == 1


def test_noise_machines_and_talk_of_the_memory_are_sifted_out_by_name(trial):
    observe(
        trial,
        "s1",
        {"role": "user", "text": "ok, thanks!"},
        {"role": "tool", "text": CLUSTER},
        {"role": "user", "text": "Do you remember what we said about the cluster in Frankfurt?"},
        {"role": "user", "text": CLUSTER},
    )
    answer = consolidate(trial)
    assert answer["sifted_out"] == {"machine": 1, "memory": 1, "noise": 1}
    assert (answer["events"], answer["episodes"]) == (4, 1)


def test_what_a_tool_said_is_never_believed_unseen(trial):
    observe(trial, "s1", {"role": "tool", **claim(REFUND, "decision")})
    assert consolidate(trial)["counts"] == {"review": 1}
    assert list(trial.statuses().values()) == ["needs_review"]


def test_claims_about_the_same_thing_are_linked_both_ways_and_never_more_than_that(trial):
    first = trial.remember("Invoices are stored in Postgres in the Dublin region.")["id"]
    far = trial.remember("Cats sleep for most of the day.")["id"]
    observe(trial, "s1", claim("Invoices are stored in Postgres and archived after ten years.", "decision"))
    answer = consolidate(trial)
    (second,) = set(trial.statuses()) - {first, far}
    assert answer["counts"] == {"created": 1, "related": 1}
    for one, other in ((first, second), (second, first)):
        raw = trial.path(one).read_text()
        assert f"to: {other}" in raw
        assert "rel: relates_to" in raw
    assert "links" not in trial.path(far).read_text()


def test_exact_duplicates_are_put_away_behind_the_one_with_the_earliest_evidence(trial):
    first = trial.remember(REFUND)["id"]
    trial.write("byhand000001", REFUND)
    trial.write("byhand000002", "The refund window is 30 days for online orders.")
    trial.did("save", "--yes")
    answer = consolidate(trial)
    assert answer["counts"] == {"duplicate": 1, "related": 1}
    assert trial.statuses() == {first: "active", "byhand000001": "archived", "byhand000002": "active"}
    raw = trial.path("byhand000001").read_text()
    assert "archive_reason: duplicate" in raw
    assert f"to: {first}" in raw
    assert consolidate(trial)["commit"] is None


def test_a_dry_run_says_the_same_and_writes_nothing(trial):
    observe(trial, "s1", claim(REFUND), CLUSTER)
    observe(trial, "s2", CLUSTER_AGAIN)
    before = tracked(trial)
    planned = consolidate(trial, "--dry-run")
    assert (planned["dry_run"], planned["commit"], tracked(trial)) == (True, None, before)
    done = consolidate(trial)
    assert done["steps"] == planned["steps"]
    assert done["counts"] == {"created": 1, "review": 1}


def test_its_commit_holds_the_schemas_the_lines_that_were_open_and_where_it_came_to(trial):
    observe(trial, "s1", claim(REFUND))
    answer = consolidate(trial)
    paths = trial.git("show", "--name-only", "--format=%an%n%B", answer["commit"])
    assert "Mem-Op: consolidate" in paths
    assert "Mem-Actor: system:consolidator" in paths
    assert "events/" in paths
    (line,) = [one for text in events_of(trial).values() for one in text.splitlines() if '"through"' in one]
    assert '"kind":"consolidated"' in line
    assert '"salience"' in line
    assert "refund" not in line


def test_a_failure_midway_leaves_everything_pending_and_nothing_written(trial, monkeypatch):
    observe(trial, "s1", claim(REFUND), CLUSTER)
    before, head = tracked(trial), trial.head()

    def fails(*_, **__):
        raise Unavailable("git is gone", "")

    with monkeypatch.context() as patch:
        patch.setattr(commits, "commit", fails)
        assert trial.ran("consolidate").code == 6
    assert (tracked(trial), trial.head(), pending(trial)) == (before, head, 2)
    assert consolidate(trial)["counts"] == {"created": 1}


def test_an_edit_that_nobody_saved_is_left_alone_and_what_concerns_it_comes_later(trial):
    known = trial.remember(REFUND)["id"]
    consolidate(trial)
    path = trial.path(known)
    edited = path.read_text().replace("type: fact", "type: fact\ntags: [money]")
    path.write_text(edited)
    observe(trial, "s1", claim(REFUND))
    observe(trial, "s2", claim("We decided to store invoices in Postgres.", "decision"))
    answer = consolidate(trial)
    assert path.read_text() == edited
    assert [name.rpartition("/")[2] for name in answer["left"]] == ["s1.jsonl"]
    assert answer["counts"] == {"created": 1}
    trial.did("save", "--yes")
    assert consolidate(trial)["counts"] == {"reinforced": 1}
    assert "tags: [money]" in path.read_text()


def test_an_edit_between_plan_and_apply_survives(trial, monkeypatch):
    known = trial.remember(REFUND)["id"]
    path = trial.path(known)
    observe(trial, "s1", claim(REFUND))
    settled, edits = planning.settled, []

    def then_edited(*given):
        plan = settled(*given)
        if not edits:
            edits.append(path.read_text().replace("14 days", "21 days"))
            path.write_text(edits[0])
        return plan

    monkeypatch.setattr(planning, "settled", then_edited)
    answer = consolidate(trial)
    assert path.read_text() == edits[0]
    assert answer["left"] != [] or "reinforced" not in answer["counts"]
    assert known in trial.statuses()


@pytest.mark.parametrize("who", [PERSON, {"MEM_ACTOR": "agent:claude"}])
def test_a_session_can_be_digested_alone(trial, who):
    observe(trial, "s1", claim(REFUND))
    observe(trial, "s2", claim("We decided to store invoices in Postgres.", "decision"))
    assert consolidate(trial, "--session", "s1", env=who)["counts"] == {"created": 1}
    assert pending(trial) == 1


def test_four_processes_at_once_make_one_run_while_a_person_edits(trial):
    """By real processes, for which the session is long over; that it ended is a commit of its own."""
    known = trial.remember("Support answers the phone from nine to five.")["id"]
    observe(trial, "s1", claim(REFUND), *exchanges(2))
    observe(trial, "s2", claim("Support answers the phone from nine to five."))
    mem, path = trial.process, trial.path(known)
    words = [sys.executable, "-m", "memcli", "--json", "consolidate"]
    how = {"cwd": trial.root, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    running = [subprocess.Popen(words, env={**mem.environment, **PERSON}, **how) for _ in range(4)]
    edits = 0
    while any(one.poll() is None for one in running):
        edits += 1
        beside = path.with_name(".editor")
        beside.write_text(path.read_text("utf-8") + f"\nA line of the editor, number {edits}.\n", "utf-8")
        beside.rename(path)
        time.sleep(0.05)
    ends = [(one.communicate(timeout=120), one.returncode) for one in running]
    assert {code for _, code in ends} <= {0, 8}, ends
    assert 0 in {code for _, code in ends}
    subjects = trial.git("log", "--format=%s").splitlines()
    assert len([one for one in subjects if one.startswith("mem consolidate")]) == 1
    assert [status for id_, status in trial.statuses().items() if id_ != known] == ["active"]
    lines = [one for one in path.read_text("utf-8").splitlines() if one.startswith("A line of the editor")]
    assert len(lines) == edits


def test_other_scopes_are_digested_too_and_not_spoken_of(trial):
    observe(trial, "s1", claim(REFUND))
    lines = '{"kind": "claim", "type": "decision", "text": "We decided that the canary is called Pip."}'
    trial.did("observe", "--session", "s2", "--scope", "project:other", "-", stdin=lines)
    ran = trial.ran("consolidate", "--explain")
    assert "refund window" in ran.out
    assert "Pip" not in ran.out + ran.err
    assert trial.found("what is the canary called", "--scope", "project:other") != []


def test_a_person_takes_a_consolidation_back_and_it_is_not_done_again(trial):
    """Control: an agent cannot, and what was said stays."""
    kept = trial.remember("Invoices are stored in Postgres in the Dublin region.")["id"]
    before = trial.path(kept).read_bytes()
    observe(trial, "s1", claim("Invoices are stored in Postgres and archived after ten years.", "decision"))
    assert consolidate(trial)["counts"] == {"created": 1, "related": 1}
    assert trial.ran("undo", env={"MEM_ACTOR": "agent:claude"}).code == 3
    assert "consolidate" in trial.did("undo")
    assert trial.statuses() == {kept: "active"}
    assert trial.path(kept).read_bytes() == before
    assert consolidate(trial)["commit"] is None
    assert len(events_of(trial)) == 2


def test_without_an_encoder_claims_are_decided_by_words_and_nothing_is_lost(trial):
    """Control: once there is one again, what two sessions said is learnt from as if it had always been."""
    settings = (trial.root / "mem.toml").read_text("utf-8")
    (trial.root / "mem.toml").write_text(settings + '\n[encoder]\npath = "nowhere"\n', "utf-8")
    observe(trial, "s1", claim(REFUND), CLUSTER)
    assert consolidate(trial)["counts"] == {"created": 1}
    (trial.root / "mem.toml").write_text(settings, "utf-8")
    observe(trial, "s2", CLUSTER_AGAIN)
    assert consolidate(trial)["counts"] == {"review": 1}


@pytest.mark.parametrize(
    "text",
    [
        "x" * 300_000,
        "word " * 60_000,
        "(" * 50_000,
        "The {a} " * 20_000,
        "\u202eevil \x1b[31m text \x07 here",
    ],
)
def test_whatever_was_said_it_is_digested_in_good_time(trial, text):
    observe(trial, "s1", text, {"role": "assistant", "text": text}, claim(text[:900_000]))
    observe(trial, "s2", text)
    began = time.monotonic()
    assert consolidate(trial)["events"] == 4
    assert time.monotonic() - began < 30
    assert trial.git("status", "--porcelain") == ""


def test_lines_that_no_mem_wrote_stop_nothing(trial):
    """Control: what stands beside them is digested."""
    observe(trial, "s1", claim(REFUND))
    path = next(trial.root.glob("events/**/s1.jsonl"))
    odd = [
        {"id": "x", "at": "2026-11-30T00:00:00Z", "scope": "project:t", "actor": "?", "kind": "turn", "logic": "0",
         "text": CLUSTER, "data": {"role": 7, "subject": [], "echoes": 3}},
        {"id": "y", "at": "2026-11-30T00:00:00Z", "scope": "project:t", "actor": "a", "kind": "claim", "logic": "1",
         "text": "It holds.", "data": {"observed": True, "type": "no such type", "tags": 5}},
        {"id": "z", "at": "2026-11-30T00:00:00Z", "scope": "project:t", "actor": "a", "kind": "outcome", "logic": "1",
         "data": {"exposed": [1, {"ids": [2]}, {"ids": "x"}]}},
        {"id": "a", "at": "2026-11-30T00:00:00Z", "scope": "project:t", "actor": "a", "kind": "consolidated",
         "logic": "1", "data": {"through": 5, "logic": None, "echoes": {"a": 1}}},
    ]  # fmt: skip
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(one) + "\n" for one in odd) + '{"torn')
    answer = consolidate(trial)
    assert (answer["counts"], answer["events"]) == ({"created": 1, "refused": 1}, 4)
    assert consolidate(trial)["commit"] is None


def test_claims_of_other_scopes_are_neither_linked_nor_in_the_way_of_those_that_are(trial):
    """Control: in the same run the two of one scope are linked with each other."""
    said = "Invoices are stored in Postgres and archived after {} years."
    for nth, scope in enumerate(
        ("project:a", "project:b", "project:c", "project:d", "project:t", "project:t")
    ):
        lines = json.dumps(claim(said.format(nth + 2), "decision"))
        trial.did("observe", "--session", f"s{nth}", "--scope", scope, "-", stdin=lines)
    answer = consolidate(trial)
    assert answer["counts"] == {"created": 6, "related": 1}
    linked = [
        path.parent.name for path in trial.root.glob("schemas/project/*/*.md") if "links" in path.read_text()
    ]
    assert linked == ["t", "t"]
