"""A person's decisions hold: what was accepted passes for good, what was rejected stays out."""

import json

import pytest

REPORTED = "status: stale\nstale_reason: outdated\nreview:\n  reason: reported\n"


def held(trial, claim="The office coffee costs one euro a cup, staff were told.", id_="held0000aaaa"):
    """Something forgotten, and a file that says it again and waits for a person; the forgotten id."""
    gone = trial.remember("The office coffee costs one euro a cup.")["id"]
    trial.forget(gone)
    head = f"status: needs_review\nreview:\n  reason: resembles\n  of: [{gone}]\n"
    trial.write(id_, claim, head)
    trial.commit_by_hand()
    return gone


def queue(trial, *options, code=0):
    return {one["id"]: one for one in trial.told("review", "list", *options, code=code)["items"]}


def decide(trial, action, *ids, **how):
    out = trial.did("--json", "review", action, *ids, "--yes", **how)
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize(
    "claim", ["The office coffee costs one euro a cup.", "A cup of office coffee is one euro."]
)
def test_what_was_accepted_passes_for_good(trial, tmp_path, claim):
    """A3: after an override it passes through rebuild, clone and merge."""
    gone = held(trial, claim)
    before = trial.commits()
    (done,) = decide(trial, "accept", "held0000aaaa")
    assert (done["status"], done["overrides"]) == ("active", [gone])
    assert trial.commits() == before + 1
    assert trial.touched() == ["schemas/project/t/held0000aaaa.md"]
    assert "held0000aaaa" in trial.found("office coffee")
    trial.forgets_the_index()
    assert trial.found("office coffee") == ["held0000aaaa"]
    cloned = trial.clone(tmp_path / "clone")
    assert cloned.found("office coffee") == ["held0000aaaa"]
    trial.git("switch", "-q", "-c", "side")
    trial.remember("Parcels go by rail.")
    trial.git("switch", "-q", "-")
    trial.remember("Invoices run per country.")
    trial.git("merge", "-q", "--no-edit", "side")
    assert trial.found("office coffee")[0] == "held0000aaaa"
    assert trial.status(gone) == "forgotten"


def test_what_was_rejected_is_not_taken_in_again(trial):
    held(trial)
    trial.write("stag0000aaaa", "Invoices are numbered per country.", "status: staged\n")
    trial.commit_by_hand()
    decide(trial, "reject", "held0000aaaa", "stag0000aaaa")
    assert queue(trial, code=1) == {}
    assert trial.status("stag0000aaaa") == "archived"
    again = trial.ran("remember", "Invoices are numbered per country.", env={"MEM_ACTOR": "agent:claude"})
    assert again.code == 5
    assert trial.remember("Invoices are written in June.")["decision"] == "created"


def test_what_arrived_and_says_what_was_removed_waits_for_a_person(trial, tmp_path):
    other = trial.copy(tmp_path / "other")
    gone = trial.remember("The office coffee costs one euro a cup.")["id"]
    trial.forget(gone)
    came = other.remember("The office coffee costs one euro a cup!")["id"]
    trial.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main", check=False)
    assert trial.found("office coffee") == []
    (waits,) = queue(trial).values()
    assert (waits["id"], waits["why"], waits["of"][0]["id"]) == (came, "said_again", gone)
    assert "coffee" not in trial.ran("review", "list", env={"MEM_ACTOR": "agent:claude"}).out
    decide(trial, "accept", came)
    assert trial.found("office coffee") == [came]
    trial.forgets_the_index()
    assert trial.found("office coffee") == [came]


def test_a_report_is_let_stand_or_taken_back(trial):
    first = trial.remember("Parcels go by rail.")["id"]
    second = trial.remember("Invoices run per country.")["id"]
    before = {id_: trial.path(id_).read_bytes() for id_ in (first, second)}
    for id_ in (first, second):
        path = trial.path(id_)
        path.write_text(path.read_text().replace("status: active\n", REPORTED))
    trial.commit_by_hand()
    assert {one["why"] for one in queue(trial).values()} == {"reported"}
    decide(trial, "reject", first)
    decide(trial, "accept", second)
    assert (trial.status(first), trial.status(second)) == ("stale", "active")
    assert trial.path(second).read_bytes() == before[second]
    assert queue(trial, code=1) == {}


def test_two_claims_of_one_concept_wait_together(trial):
    old = trial.remember("The port is 80.", "--concept", "Port")["id"]
    new = trial.remember("The port is 443.", "--concept", "port")["id"]
    trial.remember("The host is local.", "--concept", "host")
    (waits,) = queue(trial).values()
    assert (waits["id"], waits["why"], [one["id"] for one in waits["of"]]) == (new, "conflict", [old])
    refused = trial.ran("review", "accept", new, "--yes")
    assert refused.code == 5
    assert "supersede" in refused.err
    decide(trial, "reject", new)
    assert queue(trial, code=1) == {}
    assert old in trial.found("port")
    assert new not in trial.found("port")


def test_claims_of_other_times_are_no_conflict(trial):
    trial.remember("The port is 80.", "--concept", "port", "--valid-to", "2026-01-01")
    trial.remember("The port is 443.", "--concept", "port", "--valid-from", "2026-01-01")
    assert queue(trial, code=1) == {}


def test_a_file_in_conflict_is_shown(trial):
    path = trial.write("torn0000aaaa", "<<<<<<< ours\nOne.\n=======\nTwo.\n>>>>>>> theirs")
    (waits,) = trial.told("review", "list")["items"]
    assert (waits["why"], waits["id"], waits["path"]) == (
        "unmerged",
        None,
        "schemas/project/t/torn0000aaaa.md",
    )
    path.unlink()
    assert queue(trial, code=1) == {}


def test_another_scope_waits_elsewhere(trial):
    """A6: the queue of one scope names nothing of another."""
    trial.write("here0000aaaa", "Parcels go by rail.", "status: staged\n")
    trial.write("away0000aaaa", "Canary of elsewhere.", "status: staged\n", folder="project/other")
    trial.write("away0000bbbb", "Canary port.", "concept: c\n", folder="project/other")
    trial.write("away0000cccc", "Canary harbour.", "concept: c\n", folder="project/other")
    trial.commit_by_hand()
    for words in (["review", "list"], ["stage", "list"], ["stats"]):
        for options in ([], ["--json"]):
            ran = trial.ran(*words, *options)
            assert ran.code == 0
            assert "anary" not in ran.out + ran.err
            assert "away0000" not in ran.out + ran.err
            assert "other" not in ran.out + ran.err
    assert set(queue(trial)) == {"here0000aaaa"}
    assert set(queue(trial, "--scope", "*")) == {"here0000aaaa", "away0000aaaa", "away0000cccc"}
    assert trial.ran("review", "accept", "away0000aaaa", "--yes").code == 3


def test_without_an_index_the_queue_is_the_same(trial, monkeypatch):
    held(trial)
    trial.write("stag0000aaaa", "Parcels go by rail.", "status: staged\n")
    trial.remember("The port is 80.", "--concept", "Port")
    trial.remember("The port is 443.", "--concept", "port")
    indexed = queue(trial)
    from dataclasses import replace

    from memcli.engine.reviewing import queue as engine

    seen = engine.reconcile.freshen
    monkeypatch.setattr(engine.reconcile, "freshen", lambda opened: replace(seen(opened), index=None))
    by_files = queue(trial)
    plain = ("id", "why", "status", "of", "until")
    assert [{key: one[key] for key in plain} for one in by_files.values()] == [
        {key: one[key] for key in plain} for one in indexed.values()
    ]


def test_what_changed_since_it_was_shown_is_not_decided(trial):
    from memcli.engine.opened import open_store
    from memcli.engine.reviewing import queue as engine
    from memcli.engine.reviewing import review
    from memcli.errors import TryAgain
    from memcli.surroundings import Surroundings

    path = trial.write("stag0000aaaa", "Parcels go by rail.", "status: staged\n")
    trial.commit_by_hand()
    environment = {"MEM_STORE": str(trial.root), "MEM_ACTOR": "human:ana"}
    stands = Surroundings(environment, trial.root, trial.moment, 80, (False,) * 3, False, None, None)
    opened = open_store(stands, scope="project:t")
    (one,) = engine.waiting(opened, engine.view_of(opened))
    path.write_text(path.read_text().replace("rail", "road"))
    before = trial.head()
    with pytest.raises(TryAgain):
        review.accept(opened, one)
    assert trial.head() == before


def test_accepting_leaves_every_other_byte(trial):
    head = "status: needs_review # look at it\nreview:\n  reason: proposal\nmine: kept\n"
    path = trial.write("prop0000aaaa", "Parcels go by rail.\n\nA detail.  ", head)
    trial.commit_by_hand()
    decide(trial, "accept", "prop0000aaaa")
    want = "---\nid: prop0000aaaa\nstatus: active # look at it\nmine: kept\n---\n\nParcels go by rail.\n\nA detail.  \n"
    assert path.read_text() == want


def test_undoing_a_decision_is_a_persons_act(trial):
    path = trial.write("stag0000aaaa", "Parcels go by rail.", "status: staged\n")
    trial.commit_by_hand()
    raw = path.read_bytes()
    decide(trial, "accept", "stag0000aaaa")
    assert trial.ran("undo", env={"MEM_ACTOR": "human:ana"}).code == 5
    trial.did("undo", "--yes")
    assert path.read_bytes() == raw


def test_what_is_withheld_in_one_scope_is_told_there_alone(trial):
    """ENGINE 2: a match in a narrower scope withholds it there only; the writer isn't told, review is."""
    gone = trial.remember("The office coffee costs one euro a cup.")["id"]
    trial.forget(gone)
    wide = trial.remember("The office coffee costs one euro a cup.", "--scope", "user")
    assert (wide["decision"], wide["of"]) == ("created", None)
    assert trial.found("office coffee") == []
    assert trial.found("office coffee", "--scope", "project:other") == [wide["id"]]
    assert queue(trial, "--scope", "project:other", code=1) == {}
    (waits,) = queue(trial).values()
    assert (waits["id"], waits["why"], waits["of"][0]["id"]) == (wide["id"], "held_here", gone)
    (done,) = decide(trial, "accept", wide["id"])
    assert (done["status"], done["overrides"]) == ("active", [gone])
    assert trial.found("office coffee") == [wide["id"]]
    trial.forgets_the_index()
    assert trial.found("office coffee") == [wide["id"]]
    assert queue(trial, code=1) == {}


def test_accepting_what_is_believed_already_says_so(trial):
    known = trial.remember("Parcels over 30 kg go by rail.")["id"]
    trial.write("prop0000aaaa", "Parcels over 30 kg go by rail!", "status: staged\n")
    trial.write("prop0000bbbb", "Parcels over 40 kg go by rail.", "status: staged\n")
    trial.commit_by_hand()
    first, second = decide(trial, "accept", "prop0000aaaa", "prop0000bbbb")
    assert (first["same"], second["same"]) == (known, None)


@pytest.mark.parametrize("head", ["status: staged\n", "status: needs_review\nreview:\n  reason: proposal\n"])
def test_an_agent_does_not_decide_by_an_edit_either(trial, head):
    path = trial.write("wait0000aaaa", "Parcels go by rail.", head)
    trial.commit_by_hand()
    waited = path.read_text()
    agent = {"MEM_ACTOR": "agent:claude"}
    path.write_text(waited.replace("go by", "travel by"))
    assert trial.ran("save", env=agent).code == 0
    path.write_text(path.read_text().replace(head, "status: active\n"))
    before = trial.head()
    ran = trial.ran("save", env=agent)
    assert (ran.code, "person's act" in ran.err) == (5, True)
    assert trial.head() == before
    assert trial.ran("save").code == 0
    assert trial.head() != before
