"""Which files are schemas: names and kinds of files that people, editors and attackers leave."""

import os
import socket
from pathlib import Path

import pytest

from memcli.errors import Unavailable
from memcli.store import scan as scanning
from memcli.store.place import Place
from memcli.store.scan import is_schema_path, scan


@pytest.fixture
def place(tmp_path):
    (tmp_path / "schemas/project/t").mkdir(parents=True)
    return Place(tmp_path)


@pytest.fixture
def folder(place):
    return place.schemas / "project/t"


def paths(place: Place) -> list[str]:
    return [path.removeprefix("schemas/project/t/") for path, _ in scan(place).files]


def told(place: Place) -> list[str]:
    found = scan(place)
    return [str(problem).removeprefix("schemas/project/t/") for problem in found.notices + found.set_aside]


def test_files_come_in_order_with_their_paths_below_the_root(place, folder):
    for name in ("b.md", "a.md", "sub/c.md", "a/d.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("x")
    (place.schemas / "global").mkdir()
    (place.schemas / "global/g.md").write_text("x")
    assert [path for path, _ in scan(place).files] == [
        "schemas/global/g.md",
        "schemas/project/t/a.md",
        "schemas/project/t/a/d.md",
        "schemas/project/t/b.md",
        "schemas/project/t/sub/c.md",
    ]


def test_a_signature_changes_with_content_times_and_inode(place, folder):
    file = folder / "a.md"
    seen = set()
    for step in (
        lambda: file.write_text("one"),
        lambda: file.write_text("other"),
        lambda: os.utime(file, (1, 1)),
        lambda: (file.rename(folder / "b"), file.write_text("other")),
    ):
        step()
        ((_, signature),) = scan(place).files
        seen.add(signature)
    assert len(seen) == 4


@pytest.mark.case("P-FILE-02")
def test_side_files_of_editors_are_passed_over_in_silence(place, folder):
    for name in (".a.md.swp", "a.md~", "#a.md#", "a.md___jb_tmp___", "a.md___jb_old___", "4913", ".DS_Store",
                 "a.md.orig", "a.md.rej", ".a.tmp", "a.MD.bak"):  # fmt: skip
        (folder / name).write_text("x")
    (folder / ".#a.md").symlink_to("user@host.1234")
    (folder / "a.md").write_text("x")
    assert paths(place) == ["a.md"]
    assert told(place) == []


@pytest.mark.case("P-FILE-07")
def test_links_out_of_the_store_are_named_once_and_never_followed(place, folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.md").write_text("x")
    (folder / "x.md").symlink_to(outside / "secret.md")
    (folder / "etc").symlink_to(outside)
    (folder / "y.md").write_text("x")
    assert paths(place) == ["y.md"]
    assert told(place) == ["etc: is a link and is not followed", "x.md: is a link and is not followed"]


@pytest.mark.case("P-FILE-08")
def test_loops_and_dangling_links_end_and_hide_no_sibling(place, folder):
    (folder / "loop").symlink_to(".")
    (folder / "dead.md").symlink_to("nowhere.md")
    (folder / "zebra.md").write_text("x")
    assert paths(place) == ["zebra.md"]
    assert len(told(place)) == 2


@pytest.mark.case("P-FILE-09")
def test_names_that_mean_something_to_git_or_a_shell_are_names(place, folder):
    names = ["*.md", ":(top)x.md", "-rf.md", "new\nline.md", "q'uo\"te.md", " lead.md", "a\\b.md"]
    for name in names:
        (folder / name).write_text("x")
    assert sorted(paths(place)) == sorted(names)


@pytest.mark.case("P-FILE-11")
def test_names_that_differ_only_in_case_are_both_read_and_told(place, folder):
    for name in ("Foo.md", "foo.md", "bar.md"):
        (folder / name).write_text("x")
    if len(list(folder.iterdir())) < 3:
        pytest.skip("this disk has no upper and lower case")
    assert paths(place) == ["Foo.md", "bar.md", "foo.md"]
    assert told(place) == ["foo.md: differs from Foo.md only in case or accents: not portable"]


@pytest.mark.case("P-ENC-05")
def test_composed_and_decomposed_names_are_two_files(place, folder):
    names = ["cafe\u0301.md", "caf\u00e9.md"]
    for name in names:
        (folder / name).write_text("x")
    if len(list(folder.iterdir())) < 2:
        pytest.skip("this disk composes accents")
    assert paths(place) == names
    assert len(told(place)) == 1
    (folder / names[0]).unlink()
    assert paths(place) == names[1:]
    assert told(place) == []


@pytest.mark.case("P-ENC-06")
def test_a_name_that_is_not_utf8_is_set_aside_escaped_and_hides_no_other(place, folder):
    try:
        (folder / "bad\udcff.md").write_text("x")
        (folder / "dir\udcff").mkdir()
    except OSError:
        pytest.skip("this disk takes UTF-8 names only")
    (folder / "good.md").write_text("x")
    assert paths(place) == ["good.md"]
    assert told(place) == [
        "dir\\xff/: has a name that is not UTF-8; rename it",
        "bad\\xff.md: has a name that is not UTF-8; rename it",
    ]


@pytest.mark.case("P-FILE-13")
def test_huge_and_endless_files_are_set_aside_without_opening_them(place, folder):
    with (folder / "big.md").open("wb") as big:
        big.truncate(2 * 1024**3)
    with (folder / "limit.md").open("wb") as limit:
        limit.truncate(1024 * 1024)
    os.mkfifo(folder / "pipe.md")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(folder)  # the address of a socket is short
        try:
            server.bind("sock.md")
        finally:
            os.chdir(here)
    (folder / "dir.md").mkdir()
    assert paths(place) == ["limit.md"]
    assert told(place) == [
        "big.md: is larger than 1024 KiB, the limit of a file",
        "pipe.md: is not a regular file",
        "sock.md: is not a regular file",
    ]


@pytest.mark.case("P-SEC-12")
def test_only_markdown_outside_foreign_folders_is_read(place, folder):
    for name in [
        *(".env", "id_rsa", "x.md.gpg", "node_modules/y.md", ".git-crypt/z.md", ".obsidian/w.md", "a.txt"),
        *("nested/.git/HEAD", "nested/deep/n.md", "sub/.git", "sub/s.md", "kept/k.md", ".hidden.md"),
    ]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    assert paths(place) == ["kept/k.md"]
    assert told(place) == [
        "nested/: is a git repository of its own and is not read",
        "sub/: is a git repository of its own and is not read",
    ]


@pytest.mark.case("P-FILE-14")
def test_a_missing_folder_of_schemas_is_no_empty_store(tmp_path):
    with pytest.raises(Unavailable, match="the store is not there"):
        scan(Place(tmp_path / "gone"))
    (tmp_path / "schemas").mkdir()
    assert scan(Place(tmp_path)) == scanning.Scan(())


@pytest.mark.case("P-SEC-10")
def test_a_link_in_place_of_the_folder_of_schemas_is_not_followed(tmp_path, place):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/schemas").symlink_to(place.schemas)
    with pytest.raises(Unavailable):
        scan(Place(tmp_path / "other"))


@pytest.mark.case("P-FILE-12")
def test_a_folder_that_cannot_be_listed_leaves_its_files_unknown(place, folder, monkeypatch):
    (folder / "closed").mkdir()
    (folder / "open.md").write_text("x")
    real = os.open

    def refusing(path, *args, **kwargs):
        if path == "closed":
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **kwargs)

    monkeypatch.setattr(scanning.os, "open", refusing)
    found = scan(place)
    assert [path for path, _ in found.files] == ["schemas/project/t/open.md"]
    assert found.unlisted == ("schemas/project/t/closed/",)
    assert told(place) == ["closed/: cannot be listed: Permission denied"]


def test_a_folder_that_vanishes_during_the_scan_is_gone(place, folder, monkeypatch):
    (folder / "going").mkdir()
    real = os.open

    def vanishing(path, *args, **kwargs):
        if path == "going":
            (folder / "going").rmdir()
        return real(path, *args, **kwargs)

    monkeypatch.setattr(scanning.os, "open", vanishing)
    assert scan(place) == scanning.Scan(())


@pytest.mark.case("P-SEC-10")
def test_a_folder_swapped_for_a_link_during_the_scan_is_not_entered(place, folder, monkeypatch, tmp_path):
    (folder / "mine").mkdir()
    (tmp_path / "private").mkdir()
    (tmp_path / "private/secret.md").write_text("x")
    real = os.open

    def swapping(path, *args, **kwargs):
        if path == "mine":
            (folder / "mine").rmdir()
            (folder / "mine").symlink_to(tmp_path / "private")
        return real(path, *args, **kwargs)

    monkeypatch.setattr(scanning.os, "open", swapping)
    assert scan(place).files == ()


def test_folders_beyond_the_depth_are_told_and_not_entered(place, folder):
    deep = folder.joinpath(*["d"] * 40)
    deep.mkdir(parents=True)
    (deep / "a.md").write_text("x")
    found = scan(place)
    assert found.files == ()
    assert [problem.what for problem in found.notices] == ["lies too deep"]


def test_a_scan_opens_folders_only_and_each_once(place, folder, monkeypatch):
    for number in range(300):
        (folder / f"{number % 3}").mkdir(exist_ok=True)
        (folder / f"{number % 3}/{number}.md").write_text("x")
    opened = []
    real = os.open
    monkeypatch.setattr(
        scanning.os, "open", lambda path, *args, **kwargs: opened.append(path) or real(path, *args, **kwargs)
    )
    assert len(scan(place).files) == 300
    assert sorted(map(str, opened)) == [str(place.schemas), "0", "1", "2", "project", "t"]


def test_no_descriptor_is_left_open(place, folder):
    before = len(list(Path("/dev/fd").iterdir()))
    (folder / ".git").mkdir()
    scan(place)
    assert len(list(Path("/dev/fd").iterdir())) == before


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("schemas/project/t/a.md", True),
        ("schemas/global/a.md", True),
        ("schemas/a.md", True),
        ("schemas", False),
        ("events/a.md", False),
        ("schemas/project/t/.a.md", False),
        ("schemas/project/.git/a.md", False),
        ("schemas/project/t/a.txt", False),
        ("schemas/node_modules/a.md", False),
        ("schemas//a.md", False),
        ("schemas/../a.md", False),
        ("schemas/bad\udcff.md", False),
    ],
)
def test_a_path_alone_tells_whether_a_file_would_be_read(path, wanted):
    assert is_schema_path(path) is wanted
