"""Save: edits made by hand become journal entries that say what was done, and nothing returns by itself."""

import subprocess

import pytest
from trial import AGENT, PERSON

CLAIM = "The refund window is 30 days."
OTHER = "Deploys to production happen on Tuesdays only."
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def entries(trial, since):
    """(op, changes, paths) of each commit after `since`, oldest first."""
    told = trial.told("log")["entries"]
    commits = trial.git("rev-list", "--reverse", f"{since}..HEAD").splitlines()
    by_commit = {entry["commit"]: entry for entry in told}
    return [
        (
            by_commit[commit]["op"],
            [(one["id"], one["prior_status"], one["status"]) for one in by_commit[commit]["changes"]],
            trial.touched(commit, below="."),
        )
        for commit in commits
    ]


def restate(path, status):
    """Set the status of a file by hand."""
    lines = [line for line in path.read_text().splitlines() if not line.startswith("status:")]
    path.write_text("\n".join([lines[0], *([f"status: {status}"] if status else []), *lines[1:], ""]))


def name_of(trial, path):
    return str(path.relative_to(trial.root))


@pytest.fixture
def base(trial):
    """The id, and the file, of one memory."""
    id_ = trial.remember(CLAIM)["id"]
    return id_, trial.path(id_)


def test_an_edit_an_addition_and_a_deletion_are_one_commit_that_names_each(trial, base):
    id_, path = base
    gone = trial.remember(OTHER)["id"]
    gone_path = trial.path(gone)
    head = trial.head()
    path.write_text(path.read_text() + "\nGift cards are excluded.\n")
    gone_path.unlink()
    added = trial.write("hand0000aaaa", "Stock is counted in June.")
    planned = trial.told("save", "--dry-run")["edits"]
    assert {(one["op"], one["id"]) for one in planned} == {
        ("edit", id_),
        ("delete", gone),
        ("add", "hand0000aaaa"),
    }
    assert trial.head() == head
    told = trial.told("save", "--reason", "tidied up")
    assert told["commits"] == [trial.head()]
    ((op, changes, paths),) = entries(trial, head)
    assert op == "edit"
    assert sorted(changes) == sorted([(gone, "active", "none"), ("hand0000aaaa", "none", "active")])
    assert paths == sorted(name_of(trial, one) for one in (path, gone_path, added))
    assert trial.told("log", "-n1")["entries"][0]["reason"] == "tidied up"
    assert trial.git("status", "--porcelain") == ""
    assert trial.found("deploys on tuesdays") == []
    assert trial.found("stock counted") == ["hand0000aaaa"]
    assert "Nothing to save" in trial.ran("save").err
    assert trial.head() == told["commits"][0]


def test_a_path_saves_that_file_alone(trial, base):
    _, path = base
    trial.write("hand0000aaaa", OTHER)
    path.write_text(path.read_text() + "\nGift cards are excluded.\n")
    trial.did("save", name_of(trial, path))
    assert trial.touched() == [name_of(trial, path)]
    assert trial.told("status")["uncommitted"] == ["schemas/project/t/hand0000aaaa.md"]
    ran = trial.ran("save", name_of(trial, path))
    assert (ran.code, ran.out) == (2, "")
    trial.did("save", "hand0000aaaa.md", cwd=path.parent)
    assert trial.touched() == ["schemas/project/t/hand0000aaaa.md"]


def test_a_file_without_frontmatter_is_a_memory_and_stays_as_it_was_written(trial):
    path = trial.root / "schemas/project/t/refund.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"{CLAIM}\n")
    (id_,) = trial.found("refund window")
    trial.did("save")
    assert path.read_text() == f"{CLAIM}\n"
    assert trial.told("log", "-n1")["entries"][0]["changes"][0]["id"] == id_
    trial.forget(id_)
    assert f"id: {id_}" in path.read_text()
    moved = path.rename(path.with_name("elsewhere.md"))
    trial.did("save")
    assert trial.statuses() == {id_: "forgotten"}
    trial.unforget(id_)
    assert trial.found("refund window") == [id_]
    assert trial.statuses() == {id_: "active"}
    assert "status: forgotten" not in moved.read_text()


@pytest.mark.parametrize(
    ("status", "op"),
    [
        ("forgotten", "forget"),
        ("retracted", "retract"),
        ("superseded", "supersede"),
        ("archived\narchive_reason: duplicate", "archive"),
    ],
)
def test_a_status_set_by_hand_is_an_act_of_its_own_and_counts_at_once(trial, base, status, op):
    id_, path = base
    head = trial.head()
    trial.write("hand0000aaaa", OTHER)
    restate(path, status)
    word = status.partition("\n")[0]
    assert trial.found("refund window") == []
    assert trial.status(id_) == word
    trial.did("save")
    done = entries(trial, head)
    assert (op, [(id_, "active", word)], [name_of(trial, path)]) in done
    assert ("add", [("hand0000aaaa", "none", "active")], ["schemas/project/t/hand0000aaaa.md"]) in done
    assert len(done) == 2
    assert trial.found("refund window") == []


@pytest.mark.parametrize("env", [AGENT, {**PERSON, "CLAUDECODE": "1", "MEM_ACTOR": ""}])
def test_an_agent_saves_its_edits_and_no_forgetting(trial, base, env):
    id_, path = base
    trial.write("hand0000aaaa", OTHER)
    restate(path, "forgotten")
    head = trial.head()
    ran = trial.ran("save", "--yes", env=env)
    assert ran.code == 5
    assert [op for op, _, _ in entries(trial, head)] == ["add"]
    assert trial.told("status")["uncommitted"] == [name_of(trial, path)]
    trial.did("save")
    assert trial.status(id_) == "forgotten"


def test_forgetting_by_hand_holds_against_saying_it_again_before_and_after_it_is_saved(trial, base):
    id_, path = base
    restate(path, "forgotten")
    assert trial.ran("remember", CLAIM, env=AGENT).code == 5
    trial.did("save")
    assert trial.ran("remember", CLAIM, env=AGENT).code == 5
    trial.unforget(id_)
    assert trial.found("refund window") == [id_]


@pytest.mark.case("P-LIFE-08")
@pytest.mark.parametrize("was", ["forgotten", "superseded"])
def test_a_status_that_comes_back_is_neither_served_nor_saved_without_a_person(trial, base, was):
    id_, path = base
    buffer = path.read_bytes()
    if was == "forgotten":
        trial.forget(id_)
    else:
        trial.did("supersede", id_, "--with", "The refund window is 14 days.")
    head = trial.head()
    path.write_bytes(buffer)
    trial.write("hand0000aaaa", OTHER)
    assert id_ not in trial.found("refund window")
    assert trial.status(id_) == was
    assert trial.told("status")["regressed"] == [name_of(trial, path)]
    ran = trial.ran("save")
    assert ran.code == 5
    assert f"it was {was}" in ran.err
    assert [op for op, _, _ in entries(trial, head)] == ["add"]
    assert id_ not in trial.found("refund window")
    head = trial.head()
    trial.did("save", "--yes")
    ((op, changes, paths),) = entries(trial, head)
    assert (op, changes) == ({"forgotten": "unforget", "superseded": "reopen"}[was], [(id_, was, "active")])
    assert paths == [name_of(trial, path)]
    assert path.read_bytes() == buffer
    assert trial.status(id_) == "active"


def test_a_status_that_comes_back_through_git_alone_waits_for_a_person_too(trial, base):
    id_, path = base
    buffer = path.read_bytes()
    trial.forget(id_)
    path.write_bytes(buffer)
    trial.commit_by_hand("an old buffer")
    assert trial.found("refund window") == []
    assert trial.ran("save").code == 5
    assert trial.found("refund window") == []
    head = trial.head()
    trial.did("save", "--yes")
    assert entries(trial, head) == [("unforget", [(id_, "forgotten", "active")], [])]
    assert trial.found("refund window") == [id_]


def test_a_deleted_file_of_a_forgotten_memory_keeps_it_out(trial, base):
    id_, path = base
    trial.forget(id_)
    head = trial.head()
    path.unlink()
    trial.did("save")
    ((op, changes, paths),) = entries(trial, head)
    assert (op, changes) == ("delete", [(id_, "forgotten", "none")])
    assert paths == [name_of(trial, path), "tombstones.jsonl"]
    assert (trial.root / "tombstones.jsonl").read_text().count(id_) == 1
    assert trial.git("status", "--porcelain") == ""
    trial.forgets_the_index()
    assert trial.ran("remember", CLAIM, env=AGENT).code == 5
    trial.write("hand0000aaaa", CLAIM)
    assert trial.found("refund window") == []
    assert trial.ran("save").code == 5


def test_deleting_a_live_file_is_an_edit_and_saying_it_again_is_new(trial, base):
    id_, path = base
    path.unlink()
    trial.did("save")
    assert not (trial.root / "tombstones.jsonl").exists()
    again = trial.remember(CLAIM)
    assert again["decision"] == "created"
    assert again["id"] != id_


def test_a_secret_stays_uncommitted_and_out_of_git(trial, base):
    _, path = base
    head = trial.head()
    path.write_text(path.read_text() + f"\nThe token is {TOKEN}.\n")
    trial.write("hand0000aaaa", OTHER)
    ran = trial.ran("save")
    assert ran.code == 5
    assert "secret" in ran.err
    assert TOKEN not in ran.err + ran.out
    assert [op for op, _, _ in entries(trial, head)] == ["add"]
    words = ["git", "cat-file", "--batch-all-objects", "--batch"]
    objects = subprocess.check_output(words, cwd=trial.root, env=trial.environment)
    assert b"refund window" in objects
    assert TOKEN.encode() not in objects
    assert trial.told("status")["uncommitted"] == [name_of(trial, path)]


def test_what_is_set_aside_stays_uncommitted_and_the_others_are_saved(trial, base):
    id_, path = base
    raw = path.read_bytes()
    head = trial.head()
    path.write_bytes(raw.replace(b"---\n", b"---\nnote: [\n", 1))
    trial.write("hand0000aaaa", OTHER)
    ran = trial.ran("save")
    assert ran.code == 4
    assert path.name in ran.err
    assert [op for op, _, _ in entries(trial, head)] == ["add"]
    path.write_bytes(raw)
    assert trial.status(id_) == "active"
    assert "Nothing to save" in trial.ran("save").err


def test_what_says_again_a_forgotten_claim_is_let_pass_by_a_person_and_stays_so(trial, base):
    id_, _ = base
    trial.forget(id_)
    path = trial.write("hand0000aaaa", "The refund window is thirty days.")
    head = trial.head()
    assert trial.found("refund window") == []
    ran = trial.ran("save", env=AGENT)
    assert ran.code == 5
    assert id_ in ran.err
    assert trial.head() == head
    trial.did("save", "--yes")
    ((op, changes, paths),) = entries(trial, head)
    assert (op, changes, paths) == ("add", [("hand0000aaaa", "none", "active")], [name_of(trial, path)])
    assert id_ in path.read_text().partition("\n---")[0]
    assert "overrides" in path.read_text()
    assert trial.found("refund window") == ["hand0000aaaa"]
    trial.forgets_the_index()
    assert trial.found("refund window") == ["hand0000aaaa"]
    assert trial.status(id_) == "forgotten"


@pytest.mark.parametrize("status", ["", "forgotten"])
def test_a_file_moved_by_hand_is_one_move_and_keeps_its_history(trial, base, status):
    id_, path = base
    if status:
        trial.forget(id_)
    head = trial.head()
    (path.parent / "deeper").mkdir()
    moved = path.rename(path.parent / "deeper" / "another-name.md")
    trial.did("save")
    assert entries(trial, head) == [("move", [], sorted([name_of(trial, path), name_of(trial, moved)]))]
    assert trial.status(id_) == (status or "active")
    assert not (trial.root / "tombstones.jsonl").exists()
    assert trial.found("refund window") == ([] if status else [id_])


def test_a_move_by_hand_with_another_status_is_that_act(trial, base):
    id_, path = base
    head = trial.head()
    moved = path.rename(path.with_name("another-name.md"))
    restate(moved, "forgotten")
    trial.did("save", name_of(trial, moved))
    paths = sorted([name_of(trial, path), name_of(trial, moved)])
    assert entries(trial, head) == [("forget", [(id_, "active", "forgotten")], paths)]
    assert trial.git("status", "--porcelain") == ""


def test_one_of_two_files_with_an_id_goes_and_the_memory_stays(trial, base):
    id_, path = base
    twin = path.with_name("twin.md")
    twin.write_bytes(path.read_bytes())
    trial.did("save")
    twin.unlink()
    head = trial.head()
    trial.did("save")
    assert entries(trial, head) == [("delete", [], [name_of(trial, twin)])]
    assert trial.status(id_) == "active"


def test_another_id_by_hand_is_the_end_of_the_old_one(trial, base):
    id_, path = base
    head = trial.head()
    path.write_text(path.read_text().replace(id_, "hand0000aaaa"))
    trial.did("save")
    ((_, changes, _),) = entries(trial, head)
    assert changes == [(id_, "active", "none"), ("hand0000aaaa", "none", "active")]
    assert trial.statuses() == {"hand0000aaaa": "active"}


def test_what_was_staged_by_hand_is_saved_as_it_is_on_disk(trial, base):
    _, path = base
    path.write_text(path.read_text() + "\nFirst.\n")
    trial.git("add", ".")
    path.write_text(path.read_text() + "\nSecond.\n")
    added = trial.write("hand0000aaaa", OTHER)
    trial.git("add", ".")
    added.unlink()
    trial.did("save")
    assert trial.git("status", "--porcelain") == "AD schemas/project/t/hand0000aaaa.md"  # theirs to take back
    assert trial.git("show", f"HEAD:{name_of(trial, path)}").endswith("Second.")
    assert trial.touched() == [name_of(trial, path)]
