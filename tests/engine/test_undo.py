"""Undo: the actor's last act taken back by a new commit, exactly, and nothing else."""

import pytest
from trial import AGENT, PERSON

CLAIM = "The refund window is 30 days."
OTHER = "Deploys to production happen on Tuesdays only."
BO = {"MEM_ACTOR": "human:bo"}


def files(trial):
    """Path → bytes of every schema file."""
    return {path: path.read_bytes() for path in trial.root.glob("schemas/**/*.md")}


def ops(trial, many):
    """The newest operations, newest first."""
    return [entry["op"] for entry in trial.told("log", "-n", str(many))["entries"]]


def remembers(trial):
    trial.remember(OTHER, "--tag", "new")


def reinforces(trial):
    assert trial.remember(CLAIM)["decision"] == "reinforced"


def supersedes(trial):
    trial.did("supersede", trial.base, "--with", "The refund window is 14 days.")


def supersedes_by_id(trial):
    trial.did("supersede", trial.base, trial.second)


def remembers_a_batch(trial):
    trial.batch(["Stock is counted in June.", "Invoices are numbered per country."])


def moves(trial):
    trial.did("move", trial.base, "project:shop")


def saves_an_edit(trial):
    path = trial.path(trial.base)
    path.write_text(path.read_text() + "\nGift cards are excluded.\n")
    trial.edited = path.read_bytes()
    trial.did("save")


def saves_an_addition(trial):
    trial.write("hand0000aaaa", OTHER)
    trial.did("save")


def saves_a_deletion(trial):
    trial.path(trial.base).unlink()
    trial.did("save")


def saves_a_move_by_hand(trial):
    path = trial.path(trial.base)
    path.rename(path.with_name("renamed.md"))
    trial.did("save")


def forgets(trial):
    trial.forget(trial.base)


def forgets_by_hand(trial):
    path = trial.path(trial.base)
    path.write_text(
        path.read_text().replace("status: active\n", "").replace("---\n", "---\nstatus: forgotten\n", 1)
    )
    trial.did("save")


def unforgets(trial):
    trial.unforget(trial.gone)


ANYBODYS = [
    remembers,
    reinforces,
    supersedes,
    supersedes_by_id,
    remembers_a_batch,
    moves,
    saves_an_edit,
    saves_an_addition,
    saves_a_deletion,
    saves_a_move_by_hand,
]
A_PERSONS = [forgets, forgets_by_hand, unforgets]


@pytest.fixture
def peopled(trial):
    """A store with two memories and a forgotten one."""
    trial.base = trial.remember(CLAIM)["id"]
    trial.second = trial.remember("Wages are paid on the 25th.", "--valid-from", "2026-12-24")["id"]
    trial.gone = trial.remember("The office closes at noon.")["id"]
    trial.forget(trial.gone)
    return trial


@pytest.mark.parametrize("act", ANYBODYS, ids=lambda act: act.__name__)
def test_undoing_gives_back_every_file_by_one_commit(peopled, act):
    before, statuses, found = (
        files(peopled),
        peopled.statuses("--scope", "project:t"),
        peopled.found("refund window"),
    )
    act(peopled)
    acted, head, touched = files(peopled), peopled.commits(), peopled.touched()
    assert acted != before
    planned = peopled.told("undo", "--dry-run")
    assert (planned["commit"], sorted(planned["paths"])) == (None, touched)
    assert (files(peopled), peopled.commits()) == (acted, head)
    undone = peopled.told("undo")
    assert undone["commit"] == peopled.head()
    assert files(peopled) == before
    assert (peopled.commits(), peopled.touched()) == (head + 1, touched)
    assert peopled.statuses("--scope", "project:t") == statuses
    assert peopled.found("refund window") == found
    assert peopled.git("status", "--porcelain") == ""
    changes = [entry["changes"] for entry in peopled.told("log", "-n2")["entries"]]
    there = {one["id"]: (one["prior_status"], one["status"]) for one in changes[1]}
    assert {one["id"]: (one["status"], one["prior_status"]) for one in changes[0]} == there


@pytest.mark.parametrize("act", A_PERSONS, ids=lambda act: act.__name__)
def test_only_a_person_undoes_what_only_a_person_does(peopled, act):
    before = files(peopled)
    act(peopled)
    acted, head = files(peopled), peopled.head()
    for argv, env in (
        ((), PERSON),
        (("--yes",), {**PERSON, "CLAUDECODE": "1"}),
        (("--yes", "--actor", "human:ana"), {"MEM_ACTOR": ""}),
    ):
        ran = peopled.ran("undo", *argv, env=env)
        assert ran.code == 5, ran.err
        assert (files(peopled), peopled.head()) == (acted, head)
    assert peopled.told("undo", "--dry-run")["needs_person"] is True
    peopled.did("undo", "--yes")
    assert files(peopled) == before


def test_undoing_again_takes_back_the_act_before(trial):
    first = trial.remember(CLAIM)["id"]
    second = trial.remember(OTHER)["id"]
    trial.did("supersede", first, "--with", "The refund window is 14 days.")
    assert trial.told("undo")["undone"]["op"] == "supersede"
    assert trial.statuses() == {first: "active", second: "active"}
    trial.did("undo")
    assert trial.statuses() == {first: "active"}
    trial.did("undo")
    assert trial.statuses() == {}
    ran = trial.ran("undo")
    assert (ran.code, ran.out) == (3, "")
    assert "nothing to undo" in ran.err
    assert ops(trial, 6) == ["undo", "undo", "undo", "supersede", "remember", "remember"]


def test_what_was_undone_can_be_done_again_and_undone_again(trial):
    for _ in range(2):
        id_ = trial.remember(CLAIM)["id"]
        assert trial.found("refund window") == [id_]
        trial.did("undo")
        assert trial.found("refund window") == []
    assert trial.skips() == []


@pytest.mark.parametrize("by", ["hand", "save", "somebody", "deletion"])
def test_a_file_that_changed_since_keeps_its_change_and_nothing_is_undone(trial, by):
    first = trial.remember(CLAIM)["id"]
    path = trial.path(first)
    trial.did("supersede", first, "--with", "The refund window is 14 days.")
    if by == "somebody":
        trial.forget(first, env=BO)
    elif by == "deletion":
        path.unlink()
    else:
        path.write_text(path.read_text() + "\nGift cards are excluded.\n")
    if by == "save":
        trial.did("save", env=BO)
    before, head = files(trial), trial.head()
    for argv in (["undo"], ["undo", "--yes"], ["undo", "--dry-run"]):
        ran = trial.ran(*argv)
        assert (ran.code, ran.out) == (8, ""), ran.err
        assert path.name in ran.err
    assert (files(trial), trial.head()) == (before, head)


def test_undo_passes_over_what_somebody_else_did_since(trial):
    mine = trial.remember(CLAIM)["id"]
    theirs = trial.remember(OTHER, env=AGENT)["id"]
    trial.forget(theirs, env=BO)
    trial.did("undo")
    assert trial.statuses() == {theirs: "forgotten"}
    assert trial.ran("undo", env=AGENT).code == 8  # forgotten by bo since
    assert trial.ran("undo", "--yes", env=BO).code == 0
    trial.did("undo", env=AGENT)
    assert trial.statuses() == {}
    assert mine != theirs


def test_an_agent_undoes_its_own_supersession_and_nobody_elses(trial):
    old = trial.remember(CLAIM)["id"]
    assert trial.ran("undo", env=AGENT).code == 3
    trial.did("supersede", old, "--with", "The refund window is 14 days.", env=AGENT)
    trial.did("undo", env=AGENT)
    assert trial.statuses() == {old: "active"}
    assert trial.ran("undo", env=AGENT).code == 3


def test_commits_made_with_git_are_not_undone(trial):
    id_ = trial.remember(CLAIM)["id"]
    (trial.root / "README.md").write_text("ours\n")
    trial.write("hand0000aaaa", OTHER)
    trial.commit_by_hand()
    trial.did("undo")
    assert trial.statuses() == {"hand0000aaaa": "active"}
    assert (trial.root / "README.md").read_text() == "ours\n"
    assert id_ not in trial.statuses()


def test_a_first_commit_and_a_cut_history_are_not_undone(trial, tmp_path):
    trial.remember(CLAIM)
    trial.git("clone", "-q", "--depth", "1", f"file://{trial.root}", str(tmp_path / "cut"))
    cut = type(trial)(tmp_path / "cut", trial.environment, trial.moment)
    before, head = files(cut), cut.head()
    ran = cut.ran("undo")
    assert ran.code in (5, 7)
    assert (files(cut), cut.head()) == (before, head)


def test_undoing_says_so_in_the_journal(trial):
    trial.remember(CLAIM)
    made = trial.head()
    trial.did("undo")
    entry = trial.told("log", "-n1")["entries"][0]
    assert (entry["op"], entry["actor"], entry["rule"]) == ("undo", "human:ana", f"undo:{made}")
    assert made[:10] in entry["reason"]
