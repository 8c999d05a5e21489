"""Forget and unforget: a commit with the prior status, the exact way back, and nobody but a person."""

import json
from difflib import ndiff

import pytest
from trial import AGENT, PERSON

CLAIM = "The refund window is 30 days."
STATUSES = {
    "active": "status: active\n",
    "silent": "",
    "staged": "status: staged\n",
    "needs_review": "status: needs_review\nreview:\n  reason: proposal\n",
    "superseded": "status: superseded\nsuperseded_by: heir0000aaaa\nvalidity:\n  to: 2026-01-01\n",
    "outdated": "status: stale\nstale_reason: outdated\n",
    "contradicted": "status: stale\nstale_reason: contradicted\n",
    "retracted": "status: retracted\n",
    "archived": "status: archived\narchive_reason: duplicate\n",
}
SAYS = {"silent": "active", "outdated": "stale", "contradicted": "stale"}


@pytest.fixture(scope="module")
def of_every_status(empty, tmp_path_factory):
    """A memory of every status, written by hand."""
    made = empty.copy(tmp_path_factory.mktemp("statuses"))
    for nth, (name, head) in enumerate(STATUSES.items()):
        made.write(f"{name.replace('_', '-')}-0aaaa", f"Claim {nth} is about {name} things only.", head)
    made.write("heir0000aaaa", "The heir of what was superseded.")
    made.commit_by_hand()
    return made


@pytest.mark.case("P-LIFE-03")
@pytest.mark.parametrize("name", STATUSES)
def test_unforget_gives_back_exactly_the_prior_status_and_bytes(of_every_status, name):
    trial, id_ = of_every_status, f"{name.replace('_', '-')}-0aaaa"
    status = SAYS.get(name, name)
    path = trial.path(id_)
    before, head = path.read_bytes(), trial.commits()
    (act,) = trial.forget(id_)
    assert (act["prior_status"], trial.status(id_)) == (status, "forgotten")
    assert trial.git("log", "-1", "--format=%(trailers:key=Mem-Prior-Status,valueonly)") == status
    assert trial.touched() == [str(path.relative_to(trial.root))]
    (again,) = trial.forget(id_)
    assert again["commit"] is None
    (back,) = trial.unforget(id_)
    assert (back["op"], trial.status(id_), path.read_bytes()) == ("unforget", status, before)
    (again,) = trial.unforget(id_)
    assert again["commit"] is None
    assert trial.commits() == head + 2
    assert trial.git("status", "--porcelain") == ""


@pytest.mark.case("P-LIFE-01")
@pytest.mark.parametrize("verb", ["forget", "retract"])
def test_what_says_the_same_and_goes_on_answering_is_named_when_one_of_them_is_taken_out(trial, verb):
    old = trial.remember(CLAIM, "--concept", "refund window")["id"]
    twin = trial.remember("the REFUND window is 30 days", "--concept", "returns")["id"]
    seen = trial.remember(CLAIM, "--scope", "user")["id"]
    others = {
        trial.remember("The refund window is 14 days.")["id"],
        trial.remember(CLAIM, "--scope", "project:other")["id"],
    }
    reason = ("--reason", "wrong") if verb == "retract" else ()
    (act,) = map(json.loads, trial.did(verb, old, "--yes", "--json", *reason).splitlines())
    named = {line.split()[0] for line in act["remains"] if "goes on counting" in line}
    assert named == {twin, seen}
    assert not named & others
    assert all(line.endswith(f"mem {verb} {line.split()[0]}") for line in act["remains"] if twin in line)
    for id_ in (twin, seen):
        (act,) = map(json.loads, trial.did(verb, id_, "--yes", "--json", *reason).splitlines())
    assert not [line for line in act["remains"] if "goes on counting" in line]
    assert set(trial.found("refund window 30 days")) <= others


@pytest.mark.case("P-LIFE-03")
def test_what_was_superseded_by_a_command_is_superseded_again(trial):
    old = trial.remember(CLAIM)["id"]
    new = trial.told("supersede", old, "--with", "The refund window is 14 days.")["new"]
    (act,) = trial.forget(old)
    assert act["prior_status"] == "superseded"
    trial.unforget(old)
    assert trial.status(old) == "superseded"
    assert trial.found("refund window") == [new]
    assert trial.found("refund window", "--as-of", "2026-11-29") == [old]


def test_an_unknown_id_is_refused_beside_one_that_is_known(trial):
    id_ = trial.remember(CLAIM)["id"]
    head = trial.head()
    assert trial.ran("forget", "nobody000000", "--yes").code == 3
    assert trial.ran("unforget", id_, "nobody000000", "--yes").code == 3
    assert trial.ran("forget", id_, "nobody000000", "--yes").code == 3
    assert (trial.head(), trial.status(id_)) == (head, "active")


@pytest.mark.parametrize(
    ("argv", "env"),
    [
        ((), {}),
        (("--yes",), {"MEM_ACTOR": ""}),
        (("--yes",), AGENT),
        (("--yes", "--actor", "human:ana"), AGENT),
        (("--yes", "--actor", "agent:claude"), PERSON),
        (("--yes",), {**PERSON, "CLAUDECODE": "1"}),
        (("--yes",), {**PERSON, "AI_AGENT": "someone"}),
    ],
)
def test_only_a_person_forgets_and_unforgets(trial, argv, env):
    id_ = trial.remember(CLAIM)["id"]
    other = trial.remember("Deploys happen on Tuesdays only.")["id"]
    trial.forget(other)
    head, raw = trial.head(), trial.path(id_).read_bytes()
    assert trial.ran("forget", id_, *argv, env=env).code == 5
    assert trial.ran("unforget", other, *argv, env=env).code == 5
    assert (trial.head(), trial.path(id_).read_bytes()) == (head, raw)
    assert trial.found("refund window") == [id_]
    assert trial.found("deploys on tuesdays") == []


def _lines(raw):
    return raw.decode().splitlines(keepends=True)


@pytest.mark.parametrize(
    "raw",
    [
        b"---\r\nid: bytes000aaaa\r\nstatus: active  # ours\r\n---\r\nOne line.\r\nTwo.\r\n",
        b"\xef\xbb\xbf---\nid: bytes000aaaa\nstatus: active\n---\nOne line.\n",
        b"---\nzeta: 'q'  # why\nid: bytes000aaaa\ntags: [b, a]\n\n# so\nx: {k: v}\n---\nOne line.  \n\n\n",
        b'---\nstatus: "active"\nid: bytes000aaaa\n---\n\nOne.\n\n---\n\nTwo\n',
        b"---\nid: bytes000aaaa\n---\nOne line without an end",
    ],
)
def test_forgetting_and_back_leaves_every_byte(trial, raw):
    path = trial.root / "schemas/project/t/bytes.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(raw)
    trial.commit_by_hand()
    trial.forget("bytes000aaaa")
    forgotten = path.read_bytes()
    differing = [line for line in ndiff(_lines(raw), _lines(forgotten)) if line[0] in "+-"]
    assert [line[0] for line in differing] in (["+"], ["-", "+"])
    assert "status: forgotten" in differing[-1].replace('"', "")
    trial.unforget("bytes000aaaa")
    assert path.read_bytes() == raw


def test_an_edit_not_yet_committed_is_committed_first_as_an_edit(trial):
    id_ = trial.remember(CLAIM)["id"]
    path = trial.path(id_)
    path.write_text(path.read_text().replace("30 days", "30 days, no more"))
    edited = path.read_bytes()
    trial.forget(id_)
    assert [entry["op"] for entry in trial.told("log", "-n2")["entries"]] == ["forget", "edit"]
    trial.unforget(id_)
    assert path.read_bytes() == edited


def test_an_edit_of_a_forgotten_file_survives_unforget(trial):
    id_ = trial.remember(CLAIM)["id"]
    trial.forget(id_)
    path = trial.path(id_)
    path.write_text(path.read_text() + "\nA detail added later.\n")
    trial.did("save")
    trial.unforget(id_)
    assert trial.status(id_) == "active"
    assert "A detail added later." in path.read_text()


def test_an_edit_of_a_forgotten_file_that_is_not_saved_survives_unforget(trial):
    id_ = trial.remember(CLAIM)["id"]
    trial.forget(id_)
    path = trial.path(id_)
    path.write_text(path.read_text() + "\nA detail added later.\n")
    trial.unforget(id_)
    assert trial.status(id_) == "active"
    assert "A detail added later." in path.read_text()
    assert trial.git("status", "--porcelain") == ""


def test_a_forgotten_file_that_moved_still_comes_back(trial):
    id_ = trial.remember(CLAIM)["id"]
    before = trial.path(id_).read_bytes()
    trial.forget(id_)
    path = trial.path(id_)
    (path.parent / "deeper").mkdir()
    path.rename(path.parent / "deeper" / path.name)
    trial.commit_by_hand()
    assert trial.status(id_) == "forgotten"
    trial.unforget(id_)
    assert trial.path(id_).read_bytes() == before
    assert trial.found("refund window") == [id_]


def test_after_a_squash_the_prior_status_is_that_of_the_file_or_asked_for(trial):
    id_ = trial.remember(CLAIM)["id"]
    trial.forget(id_)
    tree = trial.git("commit-tree", "HEAD^{tree}", "-m", "everything in one")
    trial.git("reset", "-q", "--hard", tree)
    assert trial.status(id_) == "forgotten"
    ran = trial.ran("unforget", id_, "--yes")
    assert ran.code == 8
    assert "History does not say" in ran.err
    assert trial.status(id_) == "forgotten"


def test_three_are_forgotten_in_one_commit_and_one_wrong_id_forgets_none(trial):
    ids = [one["id"] for one in trial.batch(["Tea is green.", "Coffee is black.", "Milk is white."])]
    commits = trial.commits()
    acts = trial.forget(*ids)
    assert len({act["commit"] for act in acts}) == 1
    assert trial.commits() == commits + 1
    assert len(trial.touched()) == 3
    assert set(trial.statuses().values()) == {"forgotten"}


def test_forgetting_names_one_of_several_by_its_whole_id_only(trial):
    trial.write("same0000aaaa", "Tea is green.")
    trial.write("same0000bbbb", "Coffee is black.")
    trial.commit_by_hand()
    assert trial.ran("forget", "same", "--yes").code == 3
    assert trial.forget("same0000a")[0]["id"] == "same0000aaaa"
    assert trial.status("same0000bbbb") == "active"
