import os
import subprocess

import pytest

from memcli.errors import NoStore, Refused
from memcli.store import discovery
from memcli.store.discovery import By, is_store, locate


def git(*words, at):
    subprocess.run(
        [
            "git",
            "-c",
            "user.name=T",
            "-c",
            "user.email=t@example.org",
            "-c",
            "init.defaultBranch=main",
            *words,
        ],
        cwd=at,
        check=True,
        capture_output=True,
    )


def store(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mem.toml").write_text("# nothing\n")
    return folder


def repository(folder):
    folder.mkdir(parents=True, exist_ok=True)
    git("init", "-q", at=folder)
    git("commit", "-q", "--allow-empty", "-m", "first", at=folder)
    return folder


def found(start, *, named=None, environment=None, own=None):
    where = locate(named=named, environment=environment, start=start, own=own)
    return where.by, where.place.root


def test_each_rule_is_taken_before_the_next(tmp_path):
    named, said, above, own = (store(tmp_path / name) for name in ("named", "said", "above", "own"))
    below = above / "a" / "b"
    below.mkdir(parents=True)
    every = {"named": str(named), "environment": str(said), "own": own}
    assert found(below, **every) == (By.NAMED, named)
    assert found(below, **{**every, "named": None}) == (By.ENVIRONMENT, said)
    assert found(below, own=own) == (By.ABOVE, above)
    assert found(tmp_path, own=own) == (By.OWN, own)
    assert discovery.find(named=None, environment=None, start=tmp_path, own=own).root == own


def test_the_nearest_store_upwards_is_taken(tmp_path):
    store(tmp_path)
    inner = store(tmp_path / "a" / "inner")
    deep = inner / "x" / "y"
    deep.mkdir(parents=True)
    assert found(deep) == (By.ABOVE, inner)
    assert found(tmp_path / "a") == (By.ABOVE, tmp_path)


def test_a_name_is_relative_to_the_working_directory(tmp_path):
    inner = store(tmp_path / "s")
    assert found(tmp_path, named="s") == (By.NAMED, inner)
    assert found(tmp_path, named="./x/../s/") == (By.NAMED, inner)
    assert found(tmp_path / "x", environment="../s") == (By.ENVIRONMENT, inner)


@pytest.mark.parametrize(
    ("named", "environment", "part"),
    [
        ("nowhere", None, "--store names nowhere, which is not a store"),
        ("", None, "--store does not name a folder: it is empty"),
        (None, "nowhere", "MEM_STORE names nowhere, which is not a store"),
        ("mem.toml", None, "--store names mem.toml, which is not a store"),
        ("a\0b", None, "--store names a\\x00b, which is not a store"),
        ("x\n\x1b[2J", None, "--store names x\\n\\x1b[2J, which is not a store"),
    ],
)
@pytest.mark.case("P-SEC-01")
def test_what_is_named_and_is_no_store_is_never_replaced_by_another(tmp_path, named, environment, part):
    store(tmp_path)
    with pytest.raises(NoStore) as refused:
        found(tmp_path, named=named, environment=environment, own=tmp_path)
    assert part in refused.value.message
    assert refused.value.hint.isprintable()


def test_an_empty_variable_is_no_name(tmp_path):
    assert found(store(tmp_path), environment="") == (By.ABOVE, tmp_path)


def test_without_any_store_the_hint_says_how_to_get_one(tmp_path):
    with pytest.raises(NoStore) as refused:
        found(tmp_path, own=tmp_path / "none")
    assert refused.value.code == 9
    assert "mem remember" in refused.value.hint


@pytest.mark.case("P-CLI-10")
def test_without_working_directory_and_home_the_other_rules_still_serve(tmp_path):
    inner = store(tmp_path / "s")
    assert found(None, named=str(inner)) == (By.NAMED, inner)
    assert found(None, own=inner) == (By.OWN, inner)
    with pytest.raises(NoStore, match="the working directory is gone"):
        found(None, named="s")
    with pytest.raises(NoStore):
        found(None, own=None)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("[tool.mem]\n", True),
        ("  [ tool . mem ]\n", True),
        ('[tool."mem"]\n', True),
        ("[tool.mem.recall]\nk = 1\n", True),
        ("[tool]\nmem = { timezone = 'UTC' }\n", True),
        ("[tool]\nmem.timezone = 'UTC'\n", True),
        ("tool.mem.timezone = 'UTC'\n", True),
        ("tool = { mem = {} }\n", True),
        ("[tool.mem\n[broken", False),
        ("[tool.mem]\nbroken =\n", True),
        ("[tool]\nmem = 5\n", False),
        ("[tool.memory]\n", False),
        ("[mem]\n", False),
        ("# [tool.mem]\n", False),
        ("[project]\nname = 'mem'\n", False),
        ('[project]\nreadme = """\n[tool.mem]\n"""\n', False),
        ('[project]\nreadme = """\nx\n"""\n[tool.mem]\n', True),
        ("", False),
        ("[" * 5000 + "mem", False),
    ],
)
def test_a_pyproject_makes_a_store_by_its_table_alone(tmp_path, text, holds):
    (tmp_path / "pyproject.toml").write_text(text)
    assert is_store(tmp_path) is holds


def test_a_folder_or_pipe_named_like_the_settings_makes_no_store(tmp_path):
    (tmp_path / "mem.toml").mkdir()
    os.mkfifo(tmp_path / "pyproject.toml")
    assert not is_store(tmp_path)


@pytest.fixture
def linked(tmp_path):
    """A repository `shop` whose branch `mem` is linked at `shop-mem`, with a store in it."""
    shop = repository(tmp_path / "shop")
    git("worktree", "add", "-q", "-b", "mem", "../shop-mem", at=shop)
    store(tmp_path / "shop-mem")
    return shop


@pytest.mark.case("P-GIT-11")
def test_a_linked_store_is_found_from_every_worktree_of_the_repository(linked):
    there = linked.parent / "shop-mem"
    git("worktree", "add", "-q", "-b", "w2", "../w2", at=linked)
    deep = linked / "src" / "x"
    deep.mkdir(parents=True)
    for start in (linked, deep, linked.parent / "w2"):
        assert found(start, own=store(linked.parent / "own")) == (By.LINKED, there)
    assert found(there) == (By.ABOVE, there)


@pytest.mark.case("P-GIT-11")
@pytest.mark.case("P-IDX-09")
def test_a_linked_store_is_found_after_both_have_moved(linked, tmp_path):
    moved = tmp_path / "moved"
    moved.mkdir()
    linked.rename(moved / "shop")
    (tmp_path / "shop-mem").rename(moved / "shop-mem")
    git("worktree", "repair", "../shop-mem", at=moved / "shop")
    assert found(moved / "shop") == (By.LINKED, moved / "shop-mem")


@pytest.mark.case("P-GIT-11")
def test_links_that_are_relative_are_followed(linked):
    there = linked.parent / "shop-mem"
    (linked / ".git/worktrees/shop-mem/gitdir").write_text("../../../../shop-mem/.git\n")
    (there / ".git").write_text("gitdir: ../shop/.git/worktrees/shop-mem\n")
    assert found(linked) == (By.LINKED, there)


@pytest.mark.case("P-GIT-11")
def test_a_linked_worktree_that_does_not_link_back_is_not_taken(linked, tmp_path):
    other = store(repository(tmp_path / "other"))
    pointer = linked / ".git/worktrees/shop-mem/gitdir"
    for text in (f"{other}/.git\n", "/nowhere/.git\n", "", "\n", "\0\n", "../" * 50):
        pointer.write_text(text)
        with pytest.raises(NoStore):
            found(linked)


def test_a_worktree_without_a_store_of_its_own_is_passed_over(linked):
    git("worktree", "add", "-q", "-b", "a-first", "../a-first", at=linked)
    (linked.parent / "a-first/pyproject.toml").write_text("[tool.mem]\n")
    assert found(linked) == (By.LINKED, linked.parent / "shop-mem")


def test_of_several_linked_stores_none_is_guessed(linked):
    git("worktree", "add", "-q", "-b", "second", "../second", at=linked)
    second = store(linked.parent / "second")
    with pytest.raises(Refused) as refused:
        found(linked, own=store(linked.parent / "own"))
    assert refused.value.details == (str(second), str(linked.parent / "shop-mem"))
    assert "--store" in refused.value.hint


@pytest.mark.case("P-GIT-11")
def test_a_submodule_is_a_repository_of_its_own(linked, tmp_path):
    library = repository(tmp_path / "library")
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib", at=linked)
    with pytest.raises(NoStore):
        found(linked / "lib")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_store_that_another_user_left_upwards_is_named_but_not_taken(tmp_path, monkeypatch):
    shared = store(tmp_path / "shared")
    work = shared / "work"
    work.mkdir()
    assert found(work) == (By.ABOVE, shared)
    os.chown(shared, 12345, -1)
    assert found(work) == (By.ABOVE, shared)
    monkeypatch.setattr(os, "geteuid", lambda: 23456)
    with pytest.raises(Refused) as refused:
        found(work, own=store(tmp_path / "own"))
    assert str(shared) in refused.value.message
    assert found(work, named=str(shared)) == (By.NAMED, shared)
    os.chown(shared, 0, -1)
    assert found(work) == (By.ABOVE, shared)
