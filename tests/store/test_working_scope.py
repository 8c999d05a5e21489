import os
import subprocess
from pathlib import Path

import pytest

from memcli.memory.scope import USER, Scope, parse
from memcli.store import checkout, working_scope
from memcli.store.place import Place
from memcli.store.settings import Settings


def git(*words, at):
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *identity, *words], cwd=at, check=True, capture_output=True)


def repository(folder, origin=None):
    folder.mkdir(parents=True, exist_ok=True)
    git("init", "-q", at=folder)
    git("commit", "-q", "--allow-empty", "-m", "first", at=folder)
    if origin is not None:
        git("remote", "add", "origin", origin, at=folder)
    return folder


@pytest.fixture
def scope_of(tmp_path):
    """The scope of a folder as text, in a store at `store`, with a mapping and a home."""

    def of(cwd, home=None, **scopes):
        place = Place(tmp_path / "store")
        return str(working_scope.of(cwd, Settings(scopes=scopes.get("scopes", {})), place, home))

    return of


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://example.org/team/shop.git", "shop"),
        ("https://example.org/team/shop", "shop"),
        ("https://example.org/team/shop/", "shop"),
        ("https://ana:ghp_secret@example.org:8443/team/shop.git", "shop"),
        ("https://ghp_secret@example.org", ""),
        ("https://ana:pw@example.org/", ""),
        ("git@example.org:team/shop.git", "shop"),
        ("example.org:shop.git", "shop"),
        ("ssh://git@example.org:22/~ana/shop.git", "shop"),
        ("file:///srv/git/shop.git", "shop"),
        ("/srv/git/shop.git/", "shop"),
        ("/srv/shop/.git", "shop"),
        ("/srv/shop/.", "shop"),
        ("../shop", "shop"),
        (r"C:\repos\shop", "shop"),
        ("https://example.org/team/my.shop.git", "my.shop"),
        ("https://example.org/team/Läden.git", "Läden"),
        ("", ""),
        ("/", ""),
        (".", ""),
        ("/srv/git/..", ""),
        ("https://example.org/..git", ""),
    ],
)
def test_a_repository_is_called_by_the_last_part_of_its_address(address, name):
    assert checkout.last_part(address) == name


def test_a_repository_is_a_project_called_as_its_origin(tmp_path, scope_of):
    shop = repository(tmp_path / "work", "git@example.org:team/shop.git")
    deep = shop / "src" / "deep"
    deep.mkdir(parents=True)
    assert scope_of(shop) == scope_of(deep) == "project:shop"


def test_without_origin_the_folder_of_the_repository_gives_the_name(tmp_path, scope_of):
    shop = repository(tmp_path / "shop")
    git("remote", "add", "upstream", "git@example.org:team/other.git", at=shop)
    assert scope_of(shop) == "project:shop"


@pytest.mark.case("P-GIT-11")
def test_a_linked_worktree_is_the_project_of_its_repository(tmp_path, scope_of):
    shop = repository(tmp_path / "shop")
    git("worktree", "add", "-q", "-b", "w2", "../w2", at=shop)
    assert scope_of(tmp_path / "w2") == "project:shop"
    git("remote", "add", "origin", "https://example.org/team/store.git", at=shop)
    assert scope_of(tmp_path / "w2") == "project:store"


@pytest.mark.case("P-GIT-11")
def test_a_submodule_is_a_project_of_its_own(tmp_path, scope_of):
    library = repository(tmp_path / "library")
    shop = repository(tmp_path / "shop")
    git("submodule", "add", "-q", str(library), "vendor/lib", at=shop)
    assert scope_of(shop / "vendor/lib") == "project:library"
    git("remote", "remove", "origin", at=shop / "vendor/lib")
    assert scope_of(shop / "vendor/lib") == "project:lib"
    assert scope_of(shop) == "project:shop"


def test_a_bare_repository_with_worktrees_beside_it_is_called_by_its_folder(tmp_path, scope_of):
    source = repository(tmp_path / "source")
    for bare in ("shop.git", "shop/.bare"):
        git("clone", "-q", "--bare", str(source), str(tmp_path / bare), at=tmp_path)
        git("remote", "remove", "origin", at=tmp_path / bare)
        git("worktree", "add", "-q", "-f", str(tmp_path / f"tree-{len(bare)}"), at=tmp_path / bare)
        assert scope_of(tmp_path / f"tree-{len(bare)}") == "project:shop"


def test_outside_any_repository_it_is_the_user(tmp_path, scope_of):
    assert scope_of(tmp_path) == "user"
    (tmp_path / ".git").mkdir()
    assert scope_of(tmp_path) == "user"
    (tmp_path / "x").mkdir()
    for text in ("gitdir: /nowhere\n", "garbage", "", "gitdir:\n", "gitdir: a\0b\n"):
        (tmp_path / "x" / ".git").write_text(text)
        assert scope_of(tmp_path / "x") == "user"


@pytest.mark.case("P-CLI-10")
def test_without_a_working_directory_it_is_the_user(scope_of):
    assert scope_of(None, scopes={"/": "project:everything"}) == "user"


def test_a_folder_that_is_gone_or_a_pipe_in_place_of_git_is_no_trouble(tmp_path, scope_of):
    assert scope_of(tmp_path / "gone" / "deeper") == "user"
    os.mkfifo(tmp_path / ".git")
    assert scope_of(tmp_path) == "user"


@pytest.mark.parametrize(
    ("config", "origin"),
    [
        ('[remote "origin"]\n\turl = git@h:a/shop.git\n', "git@h:a/shop.git"),
        ('[Remote "origin"]\r\n\tURL=x/shop\r\n', "x/shop"),
        ('[remote "Origin"]\n\turl = no\n[remote "origin"] url = yes\n', "yes"),
        ('[remote "upstream"]\n\turl = no\n', ""),
        ("[remote.origin]\nurl = old/style\n", "old/style"),
        ('[remote "origin"]\n\turl = "a;b" # why\n', "a;b"),
        ('[remote "origin"]\n\turl = one ; two\n', "one"),
        ('[remote "origin"]\n\turl = a\\\nb\n', "ab"),
        ('[remote "origin"]\n\turl = a\\\\\n\turl = no\n', "a\\"),
        ('[remote "origin"]\n\turl = "a\\"b\\tc"\n', 'a"b\tc'),
        ('[remote "origin"]\n\t# url = no\n\tfetch = x\n\turl\n', ""),
        ('[branch "x \\" y"]\n[remote "origin"]\n\turl = first\n\turl = second\n', "first"),
        ("[core]\nbare\n[include]\npath = /etc/passwd\n", ""),
        ('[remote "origin"\nurl = x\n', ""),
        ("\\" * 3000 + "\n" + '"' * 3000, ""),
    ],
)
def test_the_origin_is_read_as_git_reads_it(tmp_path, config, origin):
    (tmp_path / "config").write_bytes(config.encode())
    assert checkout.origin(tmp_path) == origin


@pytest.mark.parametrize(
    "address", ["a\\tb/shop.git", "git@h:x/it's.git", 'h:"a b".git', "h:x#y;z", "C:\\\\x\\\\shop"]
)
def test_what_git_writes_as_origin_is_read_back(tmp_path, address):
    shop = repository(tmp_path / "shop", address)
    said = subprocess.check_output(["git", "config", "remote.origin.url"], cwd=shop, text=True)
    assert checkout.origin(shop / ".git") == said.removesuffix("\n")


@pytest.mark.case("P-SEC-01")
@pytest.mark.parametrize(
    "address",
    [
        "https://h/..",
        "https://h/.",
        "https://h/a%2f..%2f..",
        "h:-rf",
        "h:" + "x" * 300,
        "h:a\x1b[2J",
        "h:CON",
        "h:a b ",
    ],
)
def test_whatever_the_origin_is_called_the_folder_of_its_scope_stays_inside(tmp_path, scope_of, address):
    shop = repository(tmp_path / "shop")
    (shop / ".git/config").write_text(f'[remote "origin"]\n\turl = "{address}"\n')
    scope = parse(scope_of(shop))
    assert scope.kind == "project"
    assert not {"", ".", ".."} & set(scope.folder.split("/"))
    assert str(scope).isprintable()


@pytest.mark.case("P-SEC-03")
def test_quotes_in_a_repositorys_name_are_part_of_its_scope(tmp_path, scope_of):
    assert scope_of(repository(tmp_path / """O'Brien & "Sons\"""")) == """project:O'Brien & "Sons\""""


def test_a_name_that_no_scope_can_have_gives_way_to_the_next(tmp_path, scope_of):
    shop = repository(tmp_path / "shop", "https://example.org/" + "x" * 129)
    assert scope_of(shop) == "project:shop"
    long = repository(tmp_path / ("y" * 140))
    assert scope_of(long) == "user"


def test_the_deepest_mapped_folder_is_taken_before_the_repository(tmp_path, scope_of):
    shop = repository(tmp_path / "store", "git@example.org:team/shop.git")
    deep = shop / "services" / "billing" / "src"
    deep.mkdir(parents=True)
    scopes = {"services": "team:services", "services/billing": "project:billing", "/elsewhere": "user"}
    assert scope_of(deep, scopes=scopes) == "project:billing"
    assert scope_of(shop / "services", scopes=scopes) == "team:services"
    assert scope_of(shop, scopes=scopes) == "project:shop"
    assert scope_of(shop, scopes={".": "global"}) == "global"


def test_a_mapped_folder_covers_no_sibling_that_begins_alike(tmp_path, scope_of):
    (tmp_path / "work-old").mkdir()
    assert scope_of(tmp_path / "work-old", scopes={str(tmp_path / "work"): "project:w"}) == "user"


def test_a_mapping_may_be_absolute_or_below_home(tmp_path, scope_of):
    work = tmp_path / "home" / "work"
    work.mkdir(parents=True)
    home = tmp_path / "home"
    assert scope_of(work, scopes={str(work): "project:w"}) == "project:w"
    assert scope_of(work, home, scopes={"~/work": "project:w"}) == "project:w"
    assert scope_of(work, home, scopes={"~": "project:all"}) == "project:all"
    assert scope_of(work, None, scopes={"~/work": "project:w"}) == "user"


def test_a_link_and_the_folder_behind_it_are_the_same_folder(tmp_path, scope_of):
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    (tmp_path / "link").symlink_to(work)
    assert scope_of(work / "src", scopes={str(tmp_path / "link"): "project:w"}) == "project:w"
    assert scope_of(tmp_path / "link" / "src", scopes={str(work): "project:w"}) == "project:w"


@pytest.mark.case("P-IDX-09")
def test_a_relative_mapping_moves_with_the_store(tmp_path):
    for name in ("one", "two"):
        place = Place(tmp_path / name)
        inner = tmp_path / name / "lib"
        inner.mkdir(parents=True)
        found = working_scope.of(inner, Settings(scopes={"lib": "project:lib"}), place)
        assert found == Scope("project", "lib")


def test_a_name_in_bytes_that_are_no_text_gives_way(tmp_path, scope_of):
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff"))
    assert scope_of(repository(folder)) == str(USER)
