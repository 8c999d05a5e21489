"""Where files alone do not do, git itself stages, moves HEAD, and makes the worktree."""

from pathlib import Path

import pytest
from journal_store import Store

from memcli.errors import Refused, Unavailable
from memcli.journal import history, upkeep, worktree
from memcli.journal.process import Git


def refusing(*_):
    raise PermissionError(1, "Operation not permitted")


def test_a_disk_without_hard_links_is_left_to_git(begun, monkeypatch):
    monkeypatch.setattr(Path, "hardlink_to", refusing)
    begun.write("draft.txt")
    begun.git("add", "draft.txt")
    made = begun.remember()
    assert begun.head == made
    assert begun.paths_of() == ["schemas/project/t/a.md"]
    assert begun.status == "A  draft.txt\n"
    assert begun.git("log", "-g", "-1", "--format=%gs").strip() == "commit: mem remember: a claim"
    assert not list((begun.root / ".git").rglob("*lock*"))


def test_a_failure_there_takes_the_staging_back(begun, monkeypatch):
    monkeypatch.setattr(Path, "hardlink_to", refusing)
    begun.remember("schemas/project/t/old.md", "old\n")
    before = begun.head
    act = Git.act

    def failing(self, *words, **options):
        if words[0] != "update-ref":
            return act(self, *words, **options)
        return act(self, "update-ref", "--no-such-option", **options)

    monkeypatch.setattr(Git, "act", failing)
    begun.write("schemas/project/t/old.md", "new\n")
    with pytest.raises(Unavailable, match="could not move HEAD"):
        begun.commit("schemas/project/t/old.md", begun.write("schemas/project/t/new.md"))
    assert begun.head == before
    assert begun.status == " M schemas/project/t/old.md\n?? schemas/project/t/new.md\n"


def test_a_branch_that_is_another_name_of_a_branch_moves_that_one(begun):
    begun.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    begun.git("symbolic-ref", "HEAD", "refs/heads/alias")
    made = begun.remember()
    assert begun.git("rev-parse", "main").strip() == made == begun.journal.head()
    assert begun.status == ""


def test_head_moved_by_git_is_compared_and_swapped_too(begun, monkeypatch):
    begun.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    begun.git("symbolic-ref", "HEAD", "refs/heads/alias")
    others, act = [], Git.act

    def overtaken(self, *words, **options):
        if words[0] == "update-ref" and not others:
            begun.git("commit", "-q", "--allow-empty", "-m", "theirs")
            others.append(begun.head)
        return act(self, *words, **options)

    monkeypatch.setattr(Git, "act", overtaken)
    made = begun.remember()
    assert history.entry(begun.journal, made).parents == tuple(others)


def test_an_empty_folder_where_the_branch_should_be_is_in_nobodys_way(begun):
    begun.git("pack-refs", "--all")
    (begun.root / ".git/refs/heads/main").mkdir()
    made = begun.remember()
    assert begun.git("rev-parse", "main").strip() == made


@pytest.mark.parametrize("limit", ["0", "-1", "garbage"])
def test_upkeep_that_is_switched_off_stays_off(begun, monkeypatch, limit):
    begun.git("config", "gc.auto", limit)
    begun.remember()
    monkeypatch.setattr(upkeep, "_DEFAULT", 1)
    monkeypatch.setattr(Git, "act", lambda *_, **__: pytest.fail("git was started"))
    begun.remember("schemas/project/t/b.md")


def test_upkeep_that_fails_does_not_unsay_the_commit(begun, monkeypatch):
    monkeypatch.setattr(upkeep, "_DEFAULT", 1)
    monkeypatch.setattr(upkeep, "_SAMPLE", "")  # the folder of all: more than enough there
    monkeypatch.setattr(Git, "act", lambda *_, **__: (_ for _ in ()).throw(Unavailable("slow")))
    made = begun.remember()
    assert begun.head == made


def test_a_store_on_a_branch_of_its_own_leaves_the_other_branch_alone(begun, tmp_path, environment):
    before = begun.head, begun.status
    worktree.add(begun.journal, "mem", tmp_path / "beside" / "mem")
    beside = Store(tmp_path / "beside" / "mem", environment)
    made = beside.remember()
    assert beside.journal.branch() == "mem"
    assert beside.git("ls-tree", "-r", "--name-only", "HEAD").split() == ["schemas/project/t/a.md"]
    assert [one.commit for one in history.entries(beside.journal)] == [made]
    assert (begun.head, begun.status) == before
    assert beside.status == ""


@pytest.mark.parametrize("branch", ["main", "-u", "a b", "x..y", ""])
def test_a_branch_that_exists_or_cannot_be_is_refused(begun, tmp_path, branch):
    with pytest.raises(Refused):
        worktree.refuse(begun.journal, branch, tmp_path / "beside")
    assert not (tmp_path / "beside").exists()


def test_a_folder_that_is_not_empty_is_refused(begun, tmp_path):
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "theirs.txt").touch()
    with pytest.raises(Refused, match="not empty"):
        worktree.refuse(begun.journal, "mem", tmp_path / "beside")
    worktree.refuse(begun.journal, "mem", tmp_path / "beyond")


@pytest.mark.parametrize("below", ["", "deeper/yet"])
def test_a_file_where_the_folder_should_be_is_named(begun, tmp_path, below):
    (tmp_path / "theirs.txt").touch()
    with pytest.raises(Refused, match=r"theirs\.txt is a file"):
        worktree.refuse(begun.journal, "mem", tmp_path / "theirs.txt" / below)


def test_a_folder_that_cannot_be_made_leaves_no_branch(begun, tmp_path):
    (tmp_path / "theirs.txt").touch()
    with pytest.raises(Unavailable, match="cannot be made"):
        worktree.add(begun.journal, "mem", tmp_path / "theirs.txt" / "deeper" / "yet")
    assert begun.git("branch", "--list", "mem") == ""
