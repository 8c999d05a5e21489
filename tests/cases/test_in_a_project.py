"""A store inside somebody's project: their branch, their hooks and what they staged stay theirs."""

import json
import subprocess

import pytest
from cli.conftest import environment_in
from trial import PERSON, Trial

CLAIM = "The refund window is 30 days."
OTHER = "Deploys to production happen on Tuesdays only."


@pytest.fixture
def project(tmp_path, one_encoder):
    """Somebody's project, in the middle of work."""
    root = tmp_path / "shop"
    root.mkdir()
    project = Trial(root, environment_in(tmp_path / "home") | PERSON)
    project.git("init", "-q", "-b", "trunk")
    (root / ".gitignore").write_text("build/\n")
    (root / "code.py").write_text("print()\n")
    project.commit_by_hand("first")
    (root / "code.py").write_text("print(1)\n")
    (root / "draft.txt").write_text("draft\n")
    project.git("add", "draft.txt")
    return project


def standing(project):
    """What is theirs: branches, staged changes, configuration, files."""
    return (
        project.git("for-each-ref", "refs/heads/trunk", "refs/tags", "refs/stash"),
        project.git("diff", "--cached", "--raw", "--no-abbrev", "--", "draft.txt", "code.py"),
        porcelain(project),
        (project.root / ".git/config").read_bytes(),
        (project.root / ".gitignore").read_bytes(),
        (project.root / "code.py").read_bytes(),
    )


def porcelain(project, cwd=None):
    ran = subprocess.run(
        ["git", "status", "--porcelain"],
        cwd=cwd or project.root,
        env=project.environment,
        capture_output=True,
        check=True,
        text=True,
    )
    return ran.stdout.splitlines()


def hook(project, body, name="pre-commit"):
    path = project.root / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def acts(project, *where):
    """One act of every kind, from the project's folder."""
    old = project.remember(CLAIM, *where)["id"]
    project.forget(old)
    project.unforget(old)
    new = project.told("supersede", old, "--with", "The refund window is 14 days.")["new"]
    project.did("undo")
    project.did("move", old, "project:till")
    project.did("move", old, "project:shop")
    assert project.found("refund window") == [old]
    return old, new


def test_a_branch_of_its_own_never_touches_the_branch_people_work_on(project):
    before = standing(project)
    planned = project.did("init", "--branch", "mem", "--dry-run")
    assert "branch mem" in planned
    assert standing(project) == before
    assert project.git("branch", "--list", "mem") == ""
    project.did("init", "--branch", "mem")
    assert standing(project) == before
    acts(project)
    assert standing(project) == before
    assert project.git("merge-base", "mem", "trunk", check=False) == ""
    assert project.git("rev-list", "--count", "mem") == "9"
    store = project.told("status")["store"]
    assert porcelain(project, cwd=store) == []
    project.git("commit", "-qm", "theirs")
    assert project.touched(below=".") == ["draft.txt"]
    project.git("fsck", "--strict")


def test_the_store_on_a_branch_is_found_from_every_worktree_and_from_below(project, tmp_path):
    project.did("init", "--branch", "mem")
    id_ = project.remember(CLAIM)["id"]
    project.git("worktree", "add", "-q", "-b", "feature", str(tmp_path / "second"))
    (project.root / "deep/er").mkdir(parents=True)
    for folder in (tmp_path / "second", project.root / "deep/er"):
        assert project.found("refund window", cwd=folder) == [id_]
        told = project.remember(OTHER if folder.name == "er" else "Stock is counted in June.", cwd=folder)
        assert told["decision"] == "created"
    assert porcelain(project, cwd=tmp_path / "second") == []
    assert project.git("rev-list", "--count", "trunk") == "1"


def test_init_on_a_branch_twice_or_over_a_branch_changes_nothing(project):
    project.git("branch", "taken")
    assert project.ran("init", "--branch", "taken").code == 5
    for name in ("-x", "a..b", "a b", "--output=x", "x.lock"):
        assert project.ran("init", f"--branch={name}").code in (2, 5), name
    for folder in (".git/config", ".git/config/deeper", "."):
        for dry in ((), ("--dry-run",)):
            assert project.ran("init", folder, "--branch", "mem", *dry).code == 5, folder
    project.did("init", "--branch", "mem")
    head = project.git("rev-parse", "mem")
    ran = project.ran("init", "--branch", "mem")
    assert (ran.code, project.git("rev-parse", "mem")) == (0, head)
    assert "already" in ran.err


def test_on_the_current_branch_each_act_is_a_commit_and_staged_work_stays(project):
    planned = project.did("init", "--here", "--dry-run")
    assert "current branch" in planned
    assert not (project.root / "mem.toml").exists()
    _, *before = standing(project)
    project.did("init", "--here")
    acts(project)
    assert standing(project)[1:] == tuple(before)
    assert project.git("branch", "--show-current") == "trunk"
    subjects = project.git("log", "--format=%s").splitlines()
    assert [subject.split(":")[0] for subject in reversed(subjects)] == [
        *("first", "mem init", "mem remember", "mem forget", "mem unforget", "mem supersede", "mem undo"),
        *("mem move", "mem move"),
    ]
    for rev in range(len(subjects) - 2):
        paths = project.touched(f"HEAD~{rev}", below=".")
        assert all(path.startswith(("schemas/", "events/")) for path in paths)
    project.git("commit", "-qm", "theirs")
    assert project.touched(below=".") == ["draft.txt"]


def test_a_store_in_a_folder_of_the_project_commits_below_it_alone(project):
    project.did("init", "memory", "--here")
    below = Trial(project.root / "memory", project.environment, project.moment)
    id_, _ = acts(below)
    for rev in range(7):
        assert all(path.startswith("memory/") for path in project.touched(f"HEAD~{rev}", below="."))
    below.write("hand0000aaaa", OTHER)
    below.did("save")
    assert project.touched(below=".") == ["memory/schemas/project/t/hand0000aaaa.md"]
    assert below.told("log", "-n", "1")["entries"][0]["op"] == "add"
    (project.root / "code.py").write_text("print(2)\n")
    project.git("commit", "-qam", "theirs")
    assert [entry["op"] for entry in below.told("log", "-n", "2")["entries"]] == ["add", "move"]
    assert below.status(id_) == "active"


@pytest.mark.parametrize("how", ["--here", "--branch=mem"])
def test_hooks_of_the_project_see_each_commit_and_may_refuse_it(project, tmp_path, how):
    seen = tmp_path / "seen"
    hook(project, f"git diff --cached --name-only >> {seen}; echo ran >> {seen}")
    project.did("init", how)
    id_ = project.remember(CLAIM)["id"]
    assert id_ in seen.read_text()
    assert "draft.txt" not in seen.read_text()
    hook(project, "echo no memories today >&2; exit 1")
    before = standing(project), project.git("for-each-ref", "refs/heads")
    for argv in (["remember", OTHER], ["forget", id_, "--yes"]):
        ran = project.ran(*argv)
        assert ran.code == 6
        assert "no memories today" in ran.err
    assert (standing(project), project.git("for-each-ref", "refs/heads")) == before
    assert project.status(id_) == "active"
    assert project.found("deploys on tuesdays") == []
    hook(project, "exit 0")
    assert project.remember(OTHER)["decision"] == "created"


@pytest.mark.parametrize("how", ["--here", "--branch=mem"])
def test_a_hook_that_refuses_the_store_leaves_no_half_of_it(project, how):
    before = standing(project), project.git("for-each-ref"), sorted(project.root.iterdir())
    hook(project, "echo no >&2; exit 1")
    assert project.ran("init", how).code == 6
    assert (standing(project), project.git("for-each-ref"), sorted(project.root.iterdir())) == before
    assert len(project.git("worktree", "list").splitlines()) == 1
    hook(project, "exit 0")
    project.did("init", how)
    assert project.remember(CLAIM)["decision"] == "created"


def test_without_either_word_a_project_gets_no_store(project):
    before = standing(project)
    assert project.ran("init", ".").code == 5
    assert project.ran("init", "notes").code == 5
    assert not (project.root / "notes").exists()
    assert standing(project) == before
    told = json.loads(project.did("remember", "--json", CLAIM))
    assert told["decision"] == "created"
    assert standing(project) == before
    assert project.told("status")["store"] == str(project.root.parent / "home/data/mem")


@pytest.mark.parametrize("state", ["unborn", "detached", "merge"])
def test_a_store_is_made_here_in_whatever_state_the_project_is(project, state):
    root = project.root
    if state == "unborn":
        project.git("checkout", "-q", "--orphan", "fresh")
    elif state == "detached":
        project.git("switch", "-q", "--detach")
    else:
        project.git("commit", "-qam", "ours")
        project.git("switch", "-qc", "side", "HEAD~1")
        (root / "code.py").write_text("print('side')\n")
        project.git("commit", "-qam", "theirs")
        project.git("switch", "-q", "trunk")
        project.git("merge", "-q", "side", check=False)
    trunk = project.git("rev-parse", "trunk")
    project.did("init", "--here")
    id_ = project.remember(CLAIM)["id"]
    assert project.found("refund window") == [id_]
    if state == "merge":
        assert (root / ".git/MERGE_HEAD").exists()
        assert "UU code.py" in porcelain(project)
    else:
        assert project.git("rev-parse", "trunk") == trunk
