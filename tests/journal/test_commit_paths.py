"""A commit holds exactly the paths of one operation, whatever is staged, ignored or oddly named."""

import os
import shutil

import pytest
from journal_store import Store

from memcli.errors import BadFile, Refused, TryAgain, Unavailable, Usage
from memcli.journal import commit as commits
from memcli.journal import tree
from memcli.journal.commit import _Writer
from memcli.journal.message import Message
from memcli.journal.process import Git
from memcli.journal.repository import Journal

HOSTILE = [
    "*.md",
    ":(top)x.md",
    "-rf.md",
    "--output=pwn.md",
    "new\nline.md",
    "q'uo\"te.md",
    " lead.md",
    "a\\b.md",
    "tab\there.md",
    "\x01x.md",
    "é.md",
    "e\u0301.md",
    "\udcff.md",
    "[a-z].md",
    "x" * 240 + ".md",
]


@pytest.mark.case("P-GIT-09")
def test_the_first_commit_of_a_fresh_repository_holds_the_path(store):
    assert store.journal.head() is None
    made = store.remember()
    assert store.journal.head() == made == store.head
    assert store.paths_of() == ["schemas/project/t/a.md"]
    assert store.status == ""
    assert store.sound


def test_a_second_commit_has_the_first_as_parent_and_the_rest_of_the_tree(begun):
    first = begun.head
    made = begun.remember()
    assert begun.git("rev-parse", "HEAD^").strip() == first
    assert begun.paths_of(made) == ["schemas/project/t/a.md"]
    assert begun.git("ls-tree", "-r", "--name-only", "HEAD").split() == ["schemas/project/t/a.md", "user.txt"]
    assert begun.sound


def test_several_paths_are_one_commit(begun):
    paths = [begun.write(f"schemas/project/t{n % 3}/{n}.md", f"{n}\n") for n in range(7)]
    begun.write("events/2026/11/s.jsonl", "{}\n")
    begun.commit(*paths, "events/2026/11/s.jsonl")
    assert begun.paths_of() == sorted([*paths, "events/2026/11/s.jsonl"])
    assert begun.status == ""
    assert begun.sound


def test_an_absent_path_is_removed_and_its_empty_folders_with_it(begun):
    begun.remember("schemas/project/t/a.md")
    (begun.root / "schemas/project/t/a.md").unlink()
    begun.commit("schemas/project/t/a.md", op="forget")
    assert begun.git("ls-tree", "-r", "--name-only", "HEAD").split() == ["user.txt"]
    assert begun.status == ""
    assert begun.sound


def test_a_path_that_never_was_leaves_the_tree_as_it_is(begun):
    before = begun.git("rev-parse", "HEAD^{tree}")
    begun.commit("schemas/project/none/a.md")
    assert begun.git("rev-parse", "HEAD^{tree}") == before
    assert begun.status == ""


@pytest.mark.case("P-GIT-01")
def test_staged_changes_of_the_user_stay_staged_byte_for_byte(begun):
    for name in ("changed", "gone", "old"):
        begun.write(f"{name}.txt", f"{name}\n" * 9)
    begun.git("add", ".")
    begun.git("commit", "-qm", "second")
    begun.write("draft.txt", "draft\n")
    begun.write("changed.txt", "staged\n")
    begun.git("add", ".")
    begun.write("changed.txt", "on disk\n")
    begun.git("rm", "-q", "gone.txt")
    begun.git("mv", "old.txt", "new.txt")
    before, entries = begun.status, begun.git("ls-files", "-s")
    begun.remember()
    assert begun.paths_of() == ["schemas/project/t/a.md"]
    assert begun.status == before
    kept = [line for line in begun.git("ls-files", "-s").splitlines() if "schemas" not in line]
    assert kept == entries.splitlines()
    assert begun.git("show", ":changed.txt") == "staged\n"


def test_another_content_staged_of_the_same_path_gives_way_to_the_disk(begun):
    path = begun.write("schemas/project/t/a.md", "staged\n")
    begun.git("add", path)
    begun.remember(path, "on disk\n")
    assert begun.git("show", f"HEAD:{path}") == "on disk\n"
    assert begun.status == ""


@pytest.mark.case("P-FILE-09")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_committed_alone_and_listed_unambiguously(begun, name):
    path = f"schemas/project/t/{name}"
    for other in ("schemas/project/t/user-x.md", "x.md", "user file.md"):
        begun.write(other, "not for a commit\n")
    (begun.root / "schemas/project/t" / name).write_bytes(b"mine\n")
    untracked = {one.path for one in tree.uncommitted(begun.journal)}
    assert untracked == {path, "schemas/project/t/user-x.md"}
    begun.commit(path)
    assert begun.paths_of() == [path]
    assert tree.read(begun.journal, "HEAD", [path]) == {path: b"mine\n"}
    assert tree.blobs(begun.journal, "HEAD").keys() == {path}
    assert [one.path for one in tree.uncommitted(begun.journal)] == ["schemas/project/t/user-x.md"]
    assert begun.sound


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../up.md", "a/../../b.md", "a//b.md", ".git/config", "a\0b"]
)
def test_a_path_outside_the_store_is_refused(begun, path):
    before = begun.head
    with pytest.raises(Usage):
        begun.commit(path)
    assert begun.head == before


@pytest.mark.case("P-GIT-14")
@pytest.mark.parametrize("where", [".git/info/exclude", ".gitignore"])
def test_an_ignored_path_is_tracked_and_was_seen_as_uncommitted(begun, where):
    begun.write(where, "*.md\nschemas/\n")
    begun.write("schemas/project/t/a.md")
    assert [one.path for one in tree.uncommitted(begun.journal)] == ["schemas/project/t/a.md"]
    begun.commit("schemas/project/t/a.md")
    assert begun.git("ls-files", "schemas").split() == ["schemas/project/t/a.md"]


def test_a_file_where_a_folder_was_replaces_it_and_back(begun):
    begun.remember("schemas/project/t/a.md", "file\n")
    (begun.root / "schemas/project/t/a.md").unlink()
    begun.remember("schemas/project/t/a.md/b.md", "deeper\n")
    assert begun.git("ls-files", "schemas").split() == ["schemas/project/t/a.md/b.md"]
    assert begun.status == ""
    shutil.rmtree(begun.root / "schemas/project/t/a.md")
    begun.write("schemas/project/t/a.md", "file\n")
    begun.commit("schemas/project/t/a.md/b.md", "schemas/project/t/a.md")
    assert begun.git("ls-files", "schemas").split() == ["schemas/project/t/a.md"]
    assert begun.status == ""
    assert begun.sound


def test_a_link_is_refused_as_a_file_and_on_the_way(begun):
    begun.write("outside/a.md")
    (begun.root / "schemas").mkdir()
    (begun.root / "schemas/a.md").symlink_to("../outside/a.md")
    (begun.root / "schemas/folder").symlink_to("../outside")
    before = begun.head
    for path in ("schemas/a.md", "schemas/folder/a.md"):
        with pytest.raises(BadFile):
            begun.commit(path)
    assert begun.head == before


def test_a_folder_swapped_for_a_link_after_it_was_looked_at_is_not_read_through(begun):
    begun.remember("schemas/t/a.md")
    outside = begun.root.parent / "private"
    outside.mkdir()
    (outside / "b.md").write_text("quince\n")
    reader = _Writer.of(begun.journal, "ana")
    with pytest.raises(BadFile, match="link"):
        reader.contents(_swapping(begun.root / "schemas/t", outside, "schemas/t/a.md", "schemas/t/b.md"))
    assert begun.git("cat-file", "--batch-all-objects", "--batch").count("quince") == 0


def _swapping(folder, outside, first, second):
    """The two paths; before the second is named, `folder` becomes a link to `outside`."""
    yield first
    folder.rename(folder.with_name("aside"))
    folder.symlink_to(outside)
    yield second


def test_an_executable_bit_is_kept_as_git_would(begun):
    path = begun.write("procedures/project/t/run/SKILL.md")
    (begun.root / path).chmod(0o755)
    begun.commit(path)
    assert begun.git("ls-tree", "HEAD", path).startswith("100755")
    assert begun.status == ""


def test_a_store_in_a_folder_of_a_repository_commits_below_that_folder_only(begun, environment):
    inner = begun.root / "notes" / "mem"
    inner.mkdir(parents=True)
    journal = Journal.init(inner, environment, within=True)
    assert journal.prefix == "notes/mem/"
    assert not (inner / ".git").exists()
    begun.write("notes/mem/mem.toml", "")
    commits.commit(journal, ["mem.toml"], Message("init"), actor_name="ana")
    begun.write("notes/mem/schemas/global/a.md")
    reopened = Journal.open(inner, environment)
    commits.commit(reopened, ["schemas/global/a.md"], Message("remember", "a"), actor_name="ana")
    assert begun.paths_of() == ["notes/mem/schemas/global/a.md"]
    assert tree.blobs(reopened, "HEAD").keys() == {"schemas/global/a.md"}
    assert tree.read(reopened, "HEAD", ["schemas/global/a.md"]) == {"schemas/global/a.md": b"x\n"}
    assert [one.path for one in tree.versions(reopened, "schemas/global/a.md")] == ["schemas/global/a.md"]
    assert begun.status == ""


@pytest.mark.case("P-GIT-10")
def test_a_store_whose_repository_is_gone_does_not_slip_into_the_parents(begun, environment):
    inner = begun.root / "inner"
    inner.mkdir()
    Journal.init(inner, environment)
    (inner / ".git").rename(inner / ".git2")
    (inner / "schemas").mkdir()
    (inner / "schemas/a.md").write_text("x\n")
    before = begun.head
    with pytest.raises(Unavailable, match="does not hold this store"):
        commits.commit(
            Journal.open(inner, environment), ["schemas/a.md"], Message("remember"), actor_name="a"
        )
    assert begun.head == before
    assert begun.git("ls-files").split() == ["user.txt"]


def test_detached_head_takes_the_commit_and_no_branch_moves(begun):
    begun.git("checkout", "-q", "--detach")
    before = begun.git("rev-parse", "main")
    made = begun.remember()
    assert begun.head == made
    assert begun.journal.branch() is None
    assert begun.git("rev-parse", "main") == before
    assert begun.status == ""


def test_a_branch_that_only_packed_refs_know_moves(begun):
    begun.git("pack-refs", "--all")
    assert not (begun.root / ".git/refs/heads/main").exists()
    made = begun.remember()
    assert begun.git("rev-parse", "main").strip() == made
    assert begun.journal.head() == made


def test_a_branch_with_slashes_and_its_first_commit(store):
    store.git("symbolic-ref", "HEAD", "refs/heads/feature/deep/one")
    made = store.remember()
    assert store.git("rev-parse", "feature/deep/one").strip() == made
    assert store.journal.branch() == "feature/deep/one"


def test_the_reflog_names_every_commit_as_gits_own_would(begun):
    made = [begun.remember(f"schemas/project/t/{n}.md") for n in range(3)]
    for name in ("HEAD", "main"):
        listed = begun.git("log", "-g", "--format=%H %gs %gn", name).splitlines()
        assert listed[:3] == [f"{one} commit: mem remember: a claim Ana" for one in reversed(made)]
    begun.git("reset", "-q", "--hard", "HEAD@{1}")
    assert begun.head == made[1]


def test_everything_packed_away_is_read_again(begun):
    begun.remember("schemas/project/t/a.md")
    begun.git("gc", "-q")
    begun.remember("schemas/project/t/b.md")
    assert begun.git("ls-files", "schemas").split() == ["schemas/project/t/a.md", "schemas/project/t/b.md"]
    assert begun.sound


@pytest.mark.case("P-GIT-04")
def test_a_sha256_repository_is_committed_to_and_sound(tmp_path, environment):
    root = tmp_path / "long"
    root.mkdir()
    store = Store(root, environment)
    store.git("init", "-q", "--object-format=sha256", "-b", "main")
    first = store.remember("schemas/project/t/a.md")
    second = store.remember("schemas/project/t/b.md")
    assert len(first) == len(second) == 64
    assert store.journal.head() == second
    assert store.journal.state().object_format == "sha256"
    assert store.paths_of() == ["schemas/project/t/b.md"]
    assert store.status == ""
    assert store.sound


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("also", [[], ["--split-index"], ["--untracked-cache"]])
def test_every_kind_of_staging_area_is_brought_in_line(begun, version, also):
    for n in range(40):
        begun.write(f"schemas/project/t{n % 4}/{n:03}.md", f"{n}\n")
    begun.git("add", ".")
    begun.git("commit", "-qm", "many")
    begun.git("update-index", "--index-version", version, *also)
    begun.write("staged.txt", "s\n")
    begun.git("add", "-N", "staged.txt")
    begun.remember("schemas/project/t2/new.md")
    assert begun.paths_of() == ["schemas/project/t2/new.md"]
    assert begun.status == " A staged.txt\n"


def test_a_shared_repository_keeps_its_permissions(begun):
    begun.git("config", "core.sharedRepository", "group")
    made = begun.remember()
    mode = (begun.root / ".git/objects" / made[:2] / made[2:]).stat().st_mode & 0o777
    assert mode == 0o440 | (mode & 0o004)
    assert begun.sound


def test_what_the_repository_would_run_is_refused_until_it_is_trusted(begun, tmp_path):
    begun.git("config", "gpg.program", "touch " + str(tmp_path / "pwn"))
    begun.git("config", "commit.gpgsign", "true")
    begun.options["trusted"] = False
    before = begun.head
    with pytest.raises(Refused, match="not trusted"):
        begun.remember()
    assert begun.head == before
    assert not (tmp_path / "pwn").exists()


def test_a_file_that_is_too_large_is_refused(begun, monkeypatch):
    monkeypatch.setattr("memcli.journal.content.LIMIT_BYTES", 10)
    with pytest.raises(BadFile, match="larger"):
        begun.remember(text="x" * 11)
    assert begun.git("ls-files", "schemas") == ""


@pytest.mark.parametrize("act", ["rebase", "bisect"])
def test_an_act_that_may_throw_commits_away_is_finished_first(begun, act):
    begun.remember("schemas/project/t/a.md", "one\n")
    begun.remember("schemas/project/t/a.md", "two\n")
    if act == "bisect":
        begun.git("bisect", "start", "HEAD", "HEAD~2")
    else:
        begun.git("rebase", "--quiet", "-i", "HEAD~1", setting={"GIT_SEQUENCE_EDITOR": "sed -i s/pick/edit/"})
    before = begun.head
    with pytest.raises(TryAgain, match=act):
        begun.remember("schemas/project/t/b.md")
    assert begun.head == before
    assert begun.journal.under_way()


def test_a_commit_in_a_plain_repository_starts_no_process(begun, monkeypatch):
    started, run = [], Git._run
    monkeypatch.setattr(Git, "_run", lambda *words: started.append(words) or run(*words))
    begun.remember()
    begun.remember("schemas/project/t/b.md")
    assert started == []
    assert begun.status == ""


@pytest.mark.parametrize(("setting", "synced"), [(None, 7), ("none", 0), ("all", 7)])
def test_objects_and_ref_are_synced_unless_git_is_told_not_to(begun, monkeypatch, setting, synced):
    begun.remember()
    if setting:
        begun.git("config", "core.fsync", setting)
    begun.write("schemas/project/t/b.md", "b\n")
    calls, sync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: calls.append(handle) or sync(handle))
    begun.commit("schemas/project/t/b.md")
    assert len(calls) == synced  # a blob, four folders, a commit and the ref
