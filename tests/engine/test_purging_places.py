"""Purge in repositories that are shared, signed, linked or watched, and of what has no file any more."""

import json
import subprocess
import sys

import pytest
from engine.test_purging import OTHER, SECRET, digest, held, purge
from engine.test_signed_acts import ana, demand, pytestmark, signed  # noqa: F401 - fixtures


def in_project(trial, *argv):
    """A project with a file of its own, whose store is made by `mem init` with `argv`."""
    root = trial.root.parent / "shop"
    root.mkdir()
    project = type(trial)(root, trial.environment, trial.moment)
    project.git("init", "-q", "-b", "main")
    (root / "app.py").write_text("print('hello')\n")
    project.commit_by_hand("begin")
    project.did("init", *argv)
    return project


def test_in_a_repository_that_holds_more_only_the_stores_files_change(trial):
    project = in_project(trial, "memory", "--here")
    project.root = project.root / "memory"
    gone = project.remember(SECRET)["id"]
    (project.root.parent / "app.py").write_text("print('bye')\n")
    project.git("commit", "-qam", "say bye", cwd=project.root.parent)
    told = project.did("purge", gone, "--dry-run")
    assert "everybody who works in it has to follow" in told
    purge(project, gone)
    assert held(project) == []
    assert project.git("log", "--format=%s", "--", ":/app.py") == "say bye\nbegin"
    assert project.git("fsck", "--strict") == project.git("status", "--short", ":/") == ""


def test_on_a_branch_of_its_own_the_projects_branch_is_left_alone(trial):
    project = in_project(trial, "--branch", "mem")
    main = project.git("rev-parse", "main")
    gone = project.remember(SECRET)["id"]
    (project.root / "staged.py").write_text("1\n")
    project.git("add", "staged.py")
    purge(project, gone)
    assert held(project) == []
    assert project.git("rev-parse", "main") == main
    assert project.git("status", "--short", "staged.py") == "A  staged.py"


def test_a_deleted_memory_is_purged_by_its_whole_id(trial):
    gone = trial.remember(SECRET)["id"]
    trial.path(gone).unlink()
    trial.did("save")
    assert trial.ran("purge", gone[:6], "--dry-run").code == 3
    purge(trial, gone)
    assert held(trial) == []
    assert trial.ran("purge", gone, "--dry-run").code == 3


def test_several_go_in_one_commit(trial):
    first, second = trial.remember(SECRET)["id"], trial.remember("Okonkwo collects heliotropes.")["id"]
    kept = trial.remember(OTHER)["id"]
    commits = trial.commits()
    told = purge(trial, first[:6], second[:6])
    assert [one["id"] for one in told["memories"]] == [first, second]
    assert held(trial) == []
    assert trial.commits() == commits + 1
    assert trial.found("canteen") == [kept]


def test_a_receipt_that_showed_it_says_that_it_is_gone(trial):
    gone = trial.remember(SECRET)["id"]
    receipt = trial.recall("what is the vault code", "--receipt")["receipt"]
    assert receipt
    purge(trial, gone)
    assert held(trial) == []
    ran = trial.ran("receipt", "replay", receipt)
    assert ran.code in (5, 7)
    assert SECRET not in ran.out + ran.err


def test_the_record_says_nothing_of_it_at_any_time(trial):
    gone = trial.remember(SECRET)["id"]
    trial.remember(OTHER)
    assert trial.recall("what is the vault code", "--known-at", "HEAD")["items"]
    purge(trial, gone)
    for rev in ("HEAD", "HEAD~1", "HEAD~2"):
        found = trial.recall("what is the vault code of Okonkwo", "--known-at", rev)
        assert gone not in [item["id"] for item in found["items"]]
    assert trial.found("when does the canteen open", "--known-at", "HEAD")
    assert trial.ran("audit").code == 0
    assert held(trial) == []


def test_where_signatures_are_demanded_the_purge_is_signed(trial, ana):  # noqa: F811 - the fixture
    demand(trial, ana)
    gone = trial.remember(SECRET)["id"]
    forgotten = trial.remember(OTHER)["id"]
    trial.forget(forgotten)
    told = purge(trial, gone)
    assert signed(trial)
    assert told["signatures"] == 1
    assert held(trial) == []
    assert trial.ran("audit").code == 0


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_whatever_the_hash_of_the_repository(trial, tmp_path, kind):
    root = tmp_path / kind
    root.mkdir()
    store = type(trial)(root, trial.environment, trial.moment)
    store.git("init", "-q", "-b", "main", f"--object-format={kind}")
    store.did("init")
    gone = store.remember(SECRET)["id"]
    purge(store, gone)
    assert held(store) == []
    assert store.git("fsck", "--strict") == ""


def test_a_resident_that_has_read_it_is_ended(trial):
    gone = trial.remember(SECRET)["id"]
    mem = (sys.executable, "-m", "memcli")
    environment = {**trial.process.environment, "MEM_ACTOR": "human:ana"}

    def process(*argv):
        return subprocess.run(
            [*mem, *argv], cwd=trial.root, env=environment, capture_output=True, text=True, check=False
        )

    assert process("watch", "--detach").returncode == 0
    try:
        assert gone in process("recall", "--ids", "vault code").stdout
        expected = json.loads(process("purge", gone, "--dry-run", "--json").stdout)["digest"]
        ran = process("purge", gone, "--yes", "--expect", expected)
        assert (ran.returncode, "resident was ended" in ran.stderr) == (0, True), ran.stderr
        assert held(trial) == []
    finally:
        process("watch", "--stop")


def test_a_preview_says_what_is_in_the_way_of_it(trial):
    gone = trial.remember(SECRET)["id"]
    trial.git("branch", "side")
    told = trial.did("purge", gone, "--dry-run")
    assert "Rewritten with --all-refs: heads/side" in told
    assert digest(trial, gone) in told


def test_a_file_that_was_never_committed_goes_with_what_git_was_given_of_it(trial):
    kept = trial.remember(OTHER)["id"]
    file = trial.write("byhand", SECRET)
    trial.git("add", str(file))
    told = purge(trial, "byhand")
    assert told["commits"] == 0
    assert held(trial) == []
    assert trial.git("status", "--short") == ""
    assert trial.found("canteen") == [kept]
    assert trial.remember(SECRET, code=5)["decision"] == "skipped"


def test_words_behind_the_escapes_of_a_receipt_are_found(trial):
    gone = trial.remember("Größe und Farbe des Tresors: Okonkwo, heliotrope.")["id"]
    receipt = trial.recall("Größe und Farbe des Tresors: Okonkwo, heliotrope.", "--receipt")["receipt"]
    assert list(trial.root.rglob(f"{receipt}*"))
    purge(trial, gone)
    assert held(trial) == []


def test_a_page_that_quotes_it_is_named(trial):
    gone = trial.remember(SECRET)["id"]
    page = trial.root / "procedures/project/t/safe/SKILL.md"
    page.parent.mkdir(parents=True)
    page.write_text(f"---\nname: safe\ndescription: Open the safe.\n---\n\n1. {SECRET}\n")
    trial.did("save")
    assert trial.told("purge", gone, "--dry-run")["also"] == ["procedures/project/t/safe/SKILL.md"]
