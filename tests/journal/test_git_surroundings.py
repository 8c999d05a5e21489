"""In hooks, without identity, with signing, prompts, conversions, merges: git's settings are respected."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from journal_store import NAMED, Store

from memcli.errors import BadFile, TryAgain, Unavailable
from memcli.journal import commit as commits
from memcli.journal import history, tree
from memcli.journal.message import Message
from memcli.journal.process import surroundings
from memcli.journal.repository import Journal

SOURCE = str(Path(__file__).parents[2])


def other_repository(tmp_path, environment):
    root = tmp_path / "other"
    root.mkdir()
    other = Store(root, environment)
    other.git("init", "-q", "-b", "main")
    other.write("theirs.txt")
    other.git("add", ".")
    other.git("commit", "-qm", "theirs")
    other.write("staged.txt")
    other.git("add", ".")
    return other


def fingerprint(store):
    return store.head, store.status, (store.root / ".git/index").read_bytes()


def script(path, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


# GIT-03: git hands its own variables to hooks


def test_every_local_variable_of_git_is_scrubbed():
    names = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], capture_output=True, check=True, text=True
    )
    inherited = surroundings(dict.fromkeys(names.stdout.split(), "elsewhere"))
    assert "elsewhere" not in inherited.values()


@pytest.mark.case("P-GIT-03")
@pytest.mark.parametrize(
    "moved", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "all"]
)
def test_a_caller_inside_another_repository_is_not_followed(begun, tmp_path, environment, moved):
    other = other_repository(tmp_path, environment)
    before = fingerprint(other)
    named = {
        "GIT_DIR": f"{other.root}/.git",
        "GIT_INDEX_FILE": f"{other.root}/.git/index",
        "GIT_WORK_TREE": str(other.root),
        "GIT_OBJECT_DIRECTORY": f"{other.root}/.git/objects",
    }
    extra = {
        **named,
        "GIT_NAMESPACE": "n",
        "GIT_LITERAL_PATHSPECS": "0",
        "GIT_GLOB_PATHSPECS": "1",
        "GIT_PREFIX": "p/",
    }
    within = {**begun.environment, **(extra if moved == "all" else {moved: named[moved]})}
    mine = Store(begun.root, within)
    mine.write("schemas/project/t/a.md")
    made = commits.commit(mine.journal, ["schemas/project/t/a.md"], Message("remember"), actor_name="ana")
    assert begun.head == made
    assert tree.uncommitted(mine.journal) == ()
    assert fingerprint(other) == before
    assert begun.status == ""


@pytest.mark.case("P-GIT-03")
@pytest.mark.parametrize("hook", ["pre-commit", "pre-push", "post-commit"])
def test_a_real_hook_of_another_repository_commits_to_the_store(begun, tmp_path, environment, hook):
    other = other_repository(tmp_path, environment)
    begun.write("schemas/project/t/a.md")
    code = (
        "import os;from pathlib import Path;from memcli.journal.repository import Journal;"
        "from memcli.journal.commit import commit;from memcli.journal.message import Message;"
        f"commit(Journal.open(Path({str(begun.root)!r}),os.environ),['schemas/project/t/a.md'],"
        "Message('remember'),actor_name='ana')"
    )
    script(other.root / ".git/hooks" / hook, f'PYTHONPATH={SOURCE} exec {sys.executable} -c "{code}"')
    bare = tmp_path / "bare.git"
    other.git("init", "-q", "--bare", str(bare))
    other.git("commit", "-qm", "with hook", "--author=Bo <bo@example.org>", "--date=2001-01-01T00:00:00Z")
    if hook == "pre-push":
        other.git("push", "-q", str(bare), "main")
    assert begun.paths_of() == ["schemas/project/t/a.md"]
    assert begun.status == ""
    assert other.git("show", "--format=", "--name-only", "HEAD").split() == ["staged.txt"]
    assert begun.git("log", "-1", "--format=%an %ad", "--date=format:%Y").strip() != "Bo 2001"


def test_dates_that_the_caller_sets_stand_in_the_commit(begun):
    begun.environment["GIT_COMMITTER_DATE"] = "2020-02-02T02:02:02Z"
    made = begun.remember()
    assert begun.git("log", "-1", "--format=%ct").strip() == "1580608922"
    assert history.entry(begun.journal, made).at > 1580608922  # not before its parent


# GIT-05: who commits


@pytest.mark.case("P-GIT-05")
@pytest.mark.parametrize("empty", [{}, {"user.name": "", "user.email": ""}, {"user.name": "<>"}])
def test_without_identity_a_stated_fallback_counts_for_the_commit_alone(begun, empty):
    for name in NAMED:
        begun.environment.pop(name)
    for key, value in empty.items():
        begun.git("config", key, value)
    config = (begun.root / ".git/config").read_bytes()
    begun.remember()
    assert (
        begun.git("log", "-1", "--format=%an <%ae> %cn <%ce>").strip()
        == "ana <mem@localhost> ana <mem@localhost>"
    )
    assert (begun.root / ".git/config").read_bytes() == config
    assert not any((Path(begun.environment["HOME"])).iterdir())


@pytest.mark.case("P-GIT-05")
def test_a_configured_identity_wins_piece_by_piece(begun):
    for name in NAMED:
        begun.environment.pop(name)
    begun.git("config", "user.name", "Bo Configured")
    begun.git("config", "user.email", "bo@example.org")
    begun.git("config", "author.name", "Author of it")
    begun.remember()
    assert begun.git("log", "-1", "--format=%an|%ae|%cn|%ce").strip() == (
        "Author of it|bo@example.org|Bo Configured|bo@example.org"
    )
    assert begun.journal.configuration.text("user.name") == "Bo Configured"


# GIT-06: signing

SIGNING = """cat >/dev/null
printf '\\n[GNUPG:] SIG_CREATED D\\n' >&2
printf '%s\\n' '-----BEGIN PGP SIGNATURE-----' '' 'abc' '-----END PGP SIGNATURE-----'"""


def signing(store, body):
    store.git("config", "commit.gpgsign", "true")
    store.git("config", "gpg.program", str(script(store.root.parent / "gpg", body)))


@pytest.mark.case("P-GIT-06")
def test_a_commit_is_signed_where_that_is_configured(begun):
    signing(begun, SIGNING)
    begun.remember()
    assert "gpgsig -----BEGIN PGP SIGNATURE-----" in begun.git("cat-file", "commit", "HEAD")
    assert begun.paths_of() == ["schemas/project/t/a.md"]
    assert begun.status == ""


@pytest.mark.case("P-GIT-06")
@pytest.mark.parametrize("body", ["exit 1", "sleep 60"])
def test_no_signature_means_no_commit_and_nothing_staged(begun, body):
    signing(begun, body)
    begun.options["limit_s"] = 0.5
    before, started = begun.head, time.monotonic()
    with pytest.raises(Unavailable):
        begun.remember()
    assert time.monotonic() - started < 5
    assert begun.head == before
    assert begun.status == "?? schemas/\n"


@pytest.mark.case("P-GIT-06")
def test_no_usable_key_means_no_commit(begun):
    begun.git("config", "commit.gpgsign", "true")
    begun.git("config", "user.signingkey", "0000")
    before = begun.head
    with pytest.raises(Unavailable, match="commit"):
        begun.remember()
    assert begun.head == before


# GIT-13: conversions


@pytest.mark.case("P-GIT-13")
@pytest.mark.parametrize("setting", ["true", "input"])
def test_line_endings_are_committed_as_git_would_and_status_is_clean(begun, setting):
    begun.write(".gitattributes", "*.md text eol=lf\n*.jsonl merge=union\n")
    begun.git("add", ".")
    begun.git("commit", "-qm", "attributes")
    begun.git("config", "core.autocrlf", setting)
    begun.remember(text=b"---\r\nstatus: active\r\n---\r\n\r\nThe claim.\r\n")
    assert begun.git("show", "HEAD:schemas/project/t/a.md") == "---\nstatus: active\n---\n\nThe claim.\n"
    assert begun.status == ""
    begun.remember(text=b"---\r\nstatus: forgotten\r\n---\r\n\r\nThe claim.\r\n", op="forget")
    assert begun.git("show", "--format=", "--numstat", "HEAD").split()[:2] == ["1", "1"]
    assert begun.status == ""
    assert tree.uncommitted(begun.journal) == ()


@pytest.mark.case("P-GIT-13")
@pytest.mark.parametrize(
    "where", [".gitattributes", "schemas/.gitattributes", ".git/info/attributes", "global"]
)
def test_a_filter_and_ident_convert_wherever_they_are_named(begun, where):
    begun.git("config", "filter.upper.clean", "tr a-z A-Z")
    begun.git("config", "filter.upper.smudge", "cat")
    place = f"{begun.environment['HOME']}/.config/git/attributes" if where == "global" else where
    begun.write(place, "*.md filter=upper ident\n")
    begun.remember(text="a claim $Id: 1234$\n")
    assert begun.git("show", "HEAD:schemas/project/t/a.md") == "A CLAIM $ID: 1234$\n"
    assert begun.status.replace("?? .gitattributes\n", "").replace("?? schemas/.gitattributes\n", "") == ""


def test_bytes_without_conversion_are_committed_as_they_are(begun):
    begun.remember(text=b"\xef\xbb\xbf---\r\nid: x\n---\r\n\xff\x00")
    ran = subprocess.run(
        ["git", "show", "HEAD:schemas/project/t/a.md"], cwd=begun.root, capture_output=True, check=True
    )
    assert ran.stdout == b"\xef\xbb\xbf---\r\nid: x\n---\r\n\xff\x00"


# GIT-15, GIT-17: no git, nothing that prompts


@pytest.mark.case("P-GIT-15")
def test_without_git_a_commit_names_it_and_nothing_is_staged(begun, tmp_path):
    begun.environment["PATH"] = str(tmp_path / "empty")
    begun.write("schemas/project/t/a.md")
    with pytest.raises(Unavailable, match="git is not on the PATH"):
        begun.commit("schemas/project/t/a.md")
    assert begun.journal.head() is not None  # read from files


@pytest.mark.case("P-GIT-17")
@pytest.mark.parametrize("hooked", [False, True])
def test_no_editor_pager_or_credential_prompt_is_started(begun, tmp_path, hooked):
    mark = tmp_path / "started"
    program = script(tmp_path / "prompt", f"touch {mark}; sleep 60")
    for key in ("core.editor", "sequence.editor", "core.pager", "pager.log", "core.askpass"):
        begun.git("config", key, str(program))
    begun.git("config", "credential.helper", f"!{program}")
    begun.git("config", "commit.template", "t")
    begun.git("config", "commit.verbose", "true")
    begun.environment |= {"GIT_EDITOR": str(program), "EDITOR": str(program), "GIT_ASKPASS": str(program)}
    if hooked:
        script(begun.root / ".git/hooks/pre-commit", "exit 0")
    started = time.monotonic()
    begun.remember()
    list(history.entries(begun.journal))
    assert time.monotonic() - started < 5
    assert not mark.exists()
    assert begun.paths_of() == ["schemas/project/t/a.md"]


# Hooks of the store's own repository


def test_hooks_see_exactly_the_paths_and_the_message_and_staged_changes_stay(begun, tmp_path):
    seen = tmp_path / "seen"
    script(
        begun.root / ".git/hooks/pre-commit", f"git diff --cached --name-only -z | tr '\\0' '\\n' > {seen}"
    )
    script(begun.root / ".git/hooks/commit-msg", f'cat "$1" >> {seen}')
    begun.write("draft.txt")
    begun.git("add", "draft.txt")
    begun.remember("schemas/project/t/*.md")
    assert seen.read_text().startswith("schemas/project/t/*.md\nmem remember: a claim\n\nMem-Op: remember\n")
    assert begun.paths_of() == ["schemas/project/t/*.md"]
    assert begun.status == "A  draft.txt\n"
    (begun.root / "schemas/project/t/*.md").unlink()
    begun.commit("schemas/project/t/*.md", op="forget")
    assert begun.git("ls-tree", "-r", "--name-only", "HEAD").split() == ["user.txt"]
    assert begun.status == "A  draft.txt\n"


@pytest.mark.parametrize("where", ["hooks", "core.hooksPath"])
def test_a_hook_that_refuses_leaves_no_commit_and_nothing_staged(begun, tmp_path, where):
    folder = begun.root / ".git/hooks" if where == "hooks" else begun.root / "own-hooks"
    script(folder / "pre-commit", "echo no swearing >&2; exit 1")
    if where != "hooks":
        begun.git("config", "core.hooksPath", "own-hooks")
        begun.write(".git/info/exclude", "own-hooks\n")
    before = begun.head
    with pytest.raises(Unavailable, match="no swearing"):
        begun.remember()
    assert begun.head == before
    assert begun.status == "?? schemas/\n"


def test_a_sleeping_hook_is_ended(begun):
    script(begun.root / ".git/hooks/pre-commit", "sleep 60")
    begun.options["limit_s"] = 0.5
    before = begun.head
    with pytest.raises(Unavailable, match="did not answer"):
        begun.remember()
    assert begun.head == before


def test_a_hook_after_the_commit_cannot_take_it_back(begun):
    script(begun.root / ".git/hooks/post-commit", "sleep 60")
    begun.options["limit_s"] = 0.5
    made = begun.remember()
    assert begun.head == made
    assert begun.status == ""


def test_sample_hooks_are_not_hooks(begun):
    script(begun.root / ".git/hooks/pre-commit.sample", "exit 1")
    begun.write(".git/hooks/commit-msg", "exit 1")
    (begun.root / ".git/hooks/commit-msg").chmod(0o644)
    begun.remember()
    assert begun.status == ""


# GIT-07, GIT-08: merges


def merging(store, path):
    """A merge that stops at a conflict in `path`."""
    store.git("checkout", "-qb", "side")
    store.write(path, "theirs\n")
    store.git("add", ".")
    store.git("commit", "-qm", "theirs")
    store.git("checkout", "-q", "main")
    store.write(path, "ours\n")
    store.git("add", ".")
    store.git("commit", "-qm", "ours")
    store.git("merge", "side", check=False)


@pytest.mark.case("P-GIT-07")
def test_a_commit_beside_a_merge_does_not_end_it(begun):
    merging(begun, "user.txt")
    before = begun.git("rev-parse", "MERGE_HEAD")
    state = begun.journal.state()
    assert (state.merging, state.conflicted) == (True, ("user.txt",))
    begun.write("user.txt", "half resolved\n")
    made = begun.remember()
    assert begun.paths_of(made) == ["schemas/project/t/a.md"]
    assert begun.git("rev-parse", "MERGE_HEAD") == before
    assert begun.status == "UU user.txt\n"
    assert (begun.root / "user.txt").read_text() == "half resolved\n"
    begun.git("add", "user.txt")
    begun.git("commit", "-qm", "merged")
    assert begun.git("rev-parse", "HEAD^1").strip() == made
    assert begun.git("ls-files").split() == ["schemas/project/t/a.md", "user.txt"]
    assert begun.status == ""


@pytest.mark.case("P-GIT-08")
@pytest.mark.parametrize("by", ["merge", "stash pop"])
@pytest.mark.parametrize("also", [[], ["schemas/project/t/b.md"]])
def test_a_path_in_conflict_is_never_committed(begun, by, also):
    path = "schemas/project/t/a.md"
    begun.remember(path, "first\n")
    if by == "merge":
        merging(begun, path)
    else:
        begun.write(path, "stashed\n")
        begun.git("stash", "-q")
        begun.remember(path, "meanwhile\n")
        begun.git("stash", "pop", check=False)
    for one in also:
        begun.write(one)
    before, status = begun.head, begun.status
    assert begun.journal.conflicted() == (path,)
    with pytest.raises(TryAgain, match="conflict"):
        begun.commit(*also, path)
    assert begun.head == before
    assert begun.status == status


def test_a_conflict_is_seen_where_git_edits_the_staging_area(begun):
    path = "schemas/project/t/a.md"
    begun.remember(path, "first\n")
    merging(begun, path)
    begun.git("update-index", "--index-version", "4")
    before = begun.head
    with pytest.raises(TryAgain, match="conflict"):
        begun.commit(path)
    assert begun.head == before


def test_with_hooks_a_merge_is_finished_first(begun):
    script(begun.root / ".git/hooks/pre-commit", "exit 0")
    merging(begun, "user.txt")
    with pytest.raises(TryAgain, match="merge is in progress"):
        begun.remember()


# GIT-10, GIT-11: where the repository is


@pytest.mark.case("P-GIT-10")
def test_no_repository_and_a_bare_one_are_named(tmp_path, environment):
    (tmp_path / "plain").mkdir()
    with pytest.raises(Unavailable, match="not in a git repository"):
        Journal.open(tmp_path / "plain", environment)
    bare = Store(tmp_path, environment)
    bare.git("init", "-q", "--bare", "bare.git")
    with pytest.raises(Unavailable, match="bare"):
        Journal.open(tmp_path / "bare.git", environment)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / ".git").write_text("gitdir: ../nowhere\n")
    with pytest.raises(Unavailable, match="does not lead"):
        Journal.open(broken, environment)


@pytest.mark.case("P-GIT-11")
def test_a_linked_worktree_commits_to_its_own_branch(begun, tmp_path, environment):
    begun.git("worktree", "add", "-q", str(tmp_path / "w2"))
    second = Store(tmp_path / "w2", environment)
    one, two = begun.remember("schemas/a.md"), second.remember("schemas/b.md")
    assert (begun.head, second.head) == (one, two)
    assert (begun.journal.branch(), second.journal.branch()) == ("main", "w2")
    assert (begun.status, second.status) == ("", "")
    assert begun.git("rev-parse", "w2").strip() == two
    assert begun.sound


@pytest.mark.case("P-GIT-11")
def test_a_submodule_is_a_repository_of_its_own(begun, tmp_path, environment):
    other = other_repository(tmp_path, environment)
    begun.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "sub")
    begun.git("commit", "-qm", "with submodule")
    before = begun.head
    inside = Store(begun.root / "sub", environment)
    made = inside.remember()
    assert (inside.head, begun.head) == (made, before)
    assert inside.status == ""
    with pytest.raises(BadFile, match="repository of its own"):
        begun.commit("sub/schemas/project/t/a.md")


@pytest.mark.case("P-GIT-11")
def test_a_submodule_that_is_not_there_is_not_written_into(begun, tmp_path, environment):
    other = other_repository(tmp_path, environment)
    begun.git("update-index", "--add", "--cacheinfo", f"160000,{other.head},sub")
    begun.git("commit", "-qm", "with submodule")
    before = begun.head
    with pytest.raises(BadFile, match="repository of its own"):
        begun.remember("sub/schemas/project/t/a.md")
    assert begun.head == before


def test_a_ceiling_ends_the_search_as_it_does_for_git(begun, environment):
    inner = begun.root / "a" / "b"
    inner.mkdir(parents=True)
    assert Journal.open(inner, environment).prefix == "a/b/"
    for ceiling in (begun.root, begun.root / "a"):
        with pytest.raises(Unavailable, match="not in a git repository"):
            Journal.open(inner, {**environment, "GIT_CEILING_DIRECTORIES": f"/x:{ceiling}"})
    assert Journal.open(begun.root, {**environment, "GIT_CEILING_DIRECTORIES": str(begun.root)})


def test_somebody_elses_repository_is_left_to_gits_own_judgement(begun, monkeypatch):
    monkeypatch.setattr("memcli.journal.gitdir.foreign", lambda found: True)
    assert begun.journal.head() == begun.head
    begun.environment["GIT_TEST_ASSUME_DIFFERENT_OWNER"] = "1"
    monkeypatch.setattr("memcli.journal.process._KEPT", {"GIT_TEST_ASSUME_DIFFERENT_OWNER"})
    with pytest.raises(Unavailable, match="dubious ownership"):
        begun.journal.head()
