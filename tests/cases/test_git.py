"""The user's git is the user's: what commands do beside, inside and in spite of it (cases GIT)."""

import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from functools import partial

import pytest
from trial import Trial

from memcli.cli import words
from memcli.journal.repository import Journal

CLAIM = "The refund window is 30 days."
OTHER = "Deploys to production happen on Tuesdays only."


def paths_of(trial, rev="HEAD"):
    """All paths that one commit changed."""
    return trial.touched(rev, below=".")


def kinds_of(trial, rev="HEAD"):
    """How many schema files, event files and others one commit changed."""
    paths = paths_of(trial, rev)
    schemas = sum(path.startswith("schemas/") for path in paths)
    events = sum(path.startswith("events/") for path in paths)
    return schemas, events, len(paths) - schemas - events


def porcelain(trial, *argv, cwd=None):
    """The lines of git status, as a person sees them."""
    ran = subprocess.run(
        ["git", "status", "--porcelain", *argv],
        cwd=cwd or trial.root,
        env=trial.environment,
        capture_output=True,
        check=True,
        text=True,
    )
    return ran.stdout.splitlines()


def sound(trial):
    """Whether git finds every object that history needs."""
    trial.git("fsck", "--strict")
    return True


def script(path, body):
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def files_of(folder):
    """Path → bytes of every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# GIT-01


@pytest.fixture
def staged(trial):
    """A store in which the user has staged something of every kind, and edited on."""
    for name in ("kept", "renamed", "gone", "moved over"):
        (trial.root / f"{name}.txt").write_text(f"{name}\n" * 9)
    trial.commit_by_hand()
    (trial.root / "user.txt").write_text("draft\n")
    trial.git("add", "user.txt")
    (trial.root / "user.txt").write_text("draft, edited on\n")
    (trial.root / "kept.txt").write_text("changed\n")
    trial.git("add", "kept.txt")
    trial.git("rm", "-q", "gone.txt")
    trial.git("mv", "renamed.txt", "anew.txt")
    (trial.root / "intended.txt").write_text("later\n")
    trial.git("add", "-N", "intended.txt")
    return trial


@pytest.mark.case("P-GIT-01")
def test_no_command_takes_along_what_the_user_staged(staged):
    before = porcelain(staged), staged.git("diff", "--cached", "--raw", "--no-abbrev")
    assert "AM user.txt" in before[0]
    old = staged.remember(CLAIM)["id"]
    assert kinds_of(staged) == (1, 1, 0)
    staged.forget(old)
    assert kinds_of(staged) == (1, 0, 0)
    staged.unforget(old)
    staged.did("supersede", old, "--with", "The refund window is 14 days.")
    assert kinds_of(staged) == (2, 1, 0)
    staged.did("undo")
    staged.did("move", old, "project:shop")
    assert kinds_of(staged) == (2, 0, 0)
    staged.path(old).write_text(staged.path(old).read_text() + "\nA detail.\n")
    staged.did("save")
    assert kinds_of(staged) == (1, 0, 0)
    assert (porcelain(staged), staged.git("diff", "--cached", "--raw", "--no-abbrev")) == before
    assert staged.git("show", ":user.txt") == "draft"
    staged.git("commit", "-qm", "the user's own")
    assert paths_of(staged) == ["anew.txt", "gone.txt", "kept.txt", "renamed.txt", "user.txt"]


@pytest.mark.case("P-GIT-01")
def test_an_edit_of_a_memory_that_the_user_staged_is_committed_as_an_edit_before_the_act(trial):
    id_ = trial.remember(CLAIM)["id"]
    path = trial.path(id_)
    path.write_text(path.read_text() + "\nA detail.\n")
    trial.git("add", ".")
    path.write_text(path.read_text() + "\nAnother detail.\n")
    edited = path.read_bytes()
    trial.forget(id_)
    assert [entry["op"] for entry in trial.told("log", "-n2")["entries"]] == ["forget", "edit"]
    assert porcelain(trial) == []
    trial.unforget(id_)
    assert path.read_bytes() == edited


# GIT-02


@pytest.fixture
def impatient(monkeypatch):
    """Other git commands are waited for a second instead of fifteen, and a program two instead of thirty."""
    monkeypatch.setattr(Journal, "open", partial(Journal.open, wait_s=1.0, limit_s=2.0))


def standing_on(trial, lock):
    """HEAD is written itself only where it is detached."""
    if lock == "HEAD.lock":
        trial.git("switch", "-q", "--detach")


@pytest.mark.case("P-GIT-02")
@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_a_lock_of_another_git_command_is_waited_for(trial, lock):
    standing_on(trial, lock)
    path = trial.root / ".git" / lock
    path.touch()
    timer = threading.Timer(0.4, path.unlink)
    timer.start()
    id_ = trial.remember(CLAIM)["id"]
    timer.join()
    assert trial.found("refund window") == [id_]
    assert porcelain(trial) == []
    assert sound(trial)


@pytest.mark.case("P-GIT-02")
@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_a_lock_that_stays_ends_the_command_as_busy_and_stays(trial, impatient, lock):
    standing_on(trial, lock)
    path = trial.root / ".git" / lock
    path.write_text("somebody's")
    head, files = trial.head(), files_of(trial.root / "schemas")
    started = time.monotonic()
    ran = trial.ran("remember", CLAIM)
    assert time.monotonic() - started < 10
    assert (ran.code, ran.out) == (8, "")
    assert "rm" not in ran.err.split()
    assert "lock" not in ran.err.lower()
    assert path.read_text() == "somebody's"
    assert (trial.head(), files_of(trial.root / "schemas")) == (head, files)
    path.unlink()
    assert porcelain(trial) == []
    trial.remember(CLAIM)


# GIT-03


@pytest.fixture
def other(trial, tmp_path):
    """A repository of somebody else's, with a file that is staged."""
    folder = tmp_path / "other"
    folder.mkdir()
    trial.git("init", "-q", "-b", "main", cwd=folder)
    (folder / "first.txt").write_text("first\n")
    trial.git("add", ".", cwd=folder)
    trial.git("commit", "-qm", "first", cwd=folder)
    (folder / "staged.txt").write_text("staged\n")
    trial.git("add", ".", cwd=folder)
    return folder


@pytest.mark.case("P-GIT-03")
def test_variables_of_a_calling_git_lead_nowhere_else(trial, other):
    names = trial.git("rev-parse", "--local-env-vars").split()
    values = {
        "GIT_DIR": f"{other}/.git",
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": f"{other}/.git/index",
        "GIT_OBJECT_DIRECTORY": f"{other}/.git/objects",
        "GIT_COMMON_DIR": f"{other}/.git",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_PARAMETERS": "'core.bare=true'",
    }
    env = {name: values.get(name, "1") for name in names}
    env |= {"GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true"}
    env |= {"GIT_NAMESPACE": "n", "GIT_LITERAL_PATHSPECS": "0", "GIT_ICASE_PATHSPECS": "1"}
    before = files_of(other)
    for argv in (["remember", CLAIM], ["recall", "refund"], ["status"], ["log"], ["check"]):
        ran = trial.process(*argv, env=env)
        assert ran.code == 0, (argv, ran.err)
    assert kinds_of(trial) == (1, 1, 0)
    assert files_of(other) == before
    assert porcelain(trial) == []


@pytest.mark.case("P-GIT-03")
@pytest.mark.parametrize("hook", ["pre-commit", "pre-push"])
def test_a_hook_of_another_repository_remembers_in_the_store(trial, other, tmp_path, hook):
    script(
        other / ".git/hooks" / hook,
        f"MEM_STORE={trial.root} exec {sys.executable} -m memcli remember '{CLAIM}' >&2",
    )
    trial.git("init", "-q", "--bare", str(tmp_path / "bare.git"))
    trial.git("commit", "-qm", "with the hook", cwd=other)
    if hook == "pre-push":
        trial.git("push", "-q", str(tmp_path / "bare.git"), "main", cwd=other)
    assert kinds_of(trial) == (1, 1, 0)
    assert trial.git("show", "--format=", "--name-only", cwd=other) == "staged.txt"
    assert porcelain(trial, cwd=other) == porcelain(trial) == []
    assert trial.git("log", "-1", "--format=%s") == f"mem remember: {CLAIM}"


# GIT-04


@pytest.mark.case("P-GIT-04")
def test_a_repository_with_sha256_takes_every_act(trial, tmp_path):
    root = tmp_path / "long"
    trial.git("init", "-q", "--object-format=sha256", str(root))
    long = Trial(root, trial.environment, trial.moment)
    long.did("init", str(root))
    id_ = long.remember(CLAIM)["id"]
    assert len(long.head()) == 64
    long.forget(id_)
    long.unforget(id_)
    new = long.told("supersede", id_, "--with", "The refund window is 14 days.")["new"]
    assert long.found("refund window") == [new]
    long.did("undo")
    assert long.found("refund window") == [id_]
    assert long.ran("log").code == long.ran("history", id_).code == 0
    assert porcelain(long) == []
    assert sound(long)


@pytest.mark.case("P-GIT-04")
@pytest.mark.parametrize(
    "key", ["extensions.unheardOf", "extensions.refStorage", "core.repositoryFormatVersion"]
)
@pytest.mark.parametrize("plain", [True, False])
def test_a_format_that_this_git_does_not_know_is_read_around_and_never_written_to(trial, key, plain):
    id_ = trial.remember(CLAIM)["id"]
    version = "9" if key == "core.repositoryFormatVersion" else "1"
    with (trial.root / ".git/config").open("a") as file:
        file.write(f"[core]\n\trepositoryFormatVersion = {version}\n")
        file.write("" if version == "9" else f"[extensions]\n\t{key.partition('.')[2]} = newer\n")
    env = {} if plain else {"GIT_CONFIG_NOSYSTEM": "1"}  # then git says what is configured, not the files
    before = files_of(trial.root / ".git"), files_of(trial.root / "schemas")
    for argv in (["remember", OTHER], ["forget", id_, "--yes"], ["undo"], ["save"], ["log"]):
        ran = trial.ran(*argv, env=env)
        assert (ran.code, ran.out) == (6, ""), (argv, ran.code, ran.err)
        assert "newer git" in ran.err
        assert version in ran.err or key.partition(".")[2].lower() in ran.err
    assert (files_of(trial.root / ".git"), files_of(trial.root / "schemas")) == before
    assert trial.found("refund window") == [id_]
    told = trial.ran("doctor", env=env).out + trial.ran("check", env=env).out
    assert "newer git" in told
    assert "damaged" not in told


# GIT-05


def bare_environment(trial, home):
    """What `env -i PATH=$PATH HOME=$(mktemp -d)` leaves, and the prepared model."""
    home.mkdir(exist_ok=True)
    kept = {name: trial.process.environment[name] for name in ("PATH", "PYTHONPATH", "XDG_CACHE_HOME")}
    return {**kept, "HOME": str(home)}


@pytest.mark.case("P-GIT-05")
def test_without_an_identity_a_commit_names_the_actor_and_no_configuration_is_written(trial, tmp_path):
    mem, home = trial.process, tmp_path / "bare home"
    mem.environment = bare_environment(trial, home)
    mem.folder = tmp_path
    ran = mem("remember", CLAIM)
    assert ran.code == 0, ran.err
    own = home / ".local/share/mem"
    said = trial.git("log", "--format=%an <%ae> %cn <%ce>", cwd=own).splitlines()
    assert set(said) == {"unknown <mem@localhost> unknown <mem@localhost>"}
    assert mem("remember", OTHER, env={"MEM_ACTOR": "agent:claude"}).code == 0
    assert trial.git("log", "-1", "--format=%an <%ae>", cwd=own) == "claude <mem@localhost>"
    assert not (home / ".gitconfig").exists()
    assert "[user]" not in (own / ".git/config").read_text()


@pytest.mark.case("P-GIT-05")
@pytest.mark.parametrize(
    ("configured", "author"),
    [
        (["[user]", "name = Bo", "email = bo@example.org"], "Bo <bo@example.org>"),
        (["[user]", 'name = ""', 'email = ""'], "ana <mem@localhost>"),
        (["[user]", "name = Bo"], "Bo <mem@localhost>"),
    ],
)
def test_a_configured_identity_wins_and_an_empty_one_is_none(trial, configured, author):
    with (trial.root / ".git/config").open("a") as file:
        file.write("\n".join([*configured, ""]))
    before = (trial.root / ".git/config").read_bytes()
    trial.remember(CLAIM)
    assert trial.git("log", "-1", "--format=%an <%ae>") == author
    assert (trial.root / ".git/config").read_bytes() == before


# GIT-06


def refused_without_a_trace(trial, code, *argv):
    """Run a command that must fail and leave everything as it was."""
    before = trial.head(), files_of(trial.root / "schemas"), porcelain(trial)
    started = time.monotonic()
    ran = trial.ran(*argv)
    assert time.monotonic() - started < 20
    assert (ran.code, ran.out) == (code, ""), ran.err
    assert "Hint: " in ran.err
    assert (trial.head(), files_of(trial.root / "schemas"), porcelain(trial)) == before
    return ran


@pytest.mark.case("P-GIT-06")
@pytest.mark.parametrize("program", ["", "exit 1", "sleep 60"])
def test_where_commits_are_to_be_signed_and_cannot_be_nothing_is_committed(
    trial, impatient, tmp_path, program
):
    trial.did("trust", "--yes")
    trial.git("config", "commit.gpgsign", "true")
    trial.git("config", "user.signingkey", "0000")
    if program:
        trial.git("config", "gpg.program", str(script(tmp_path / "gpg", program)))
    refused_without_a_trace(trial, 6, "remember", CLAIM)
    trial.git("config", "commit.gpgsign", "false")
    assert trial.remember(CLAIM)["decision"] == "created"
    assert trial.found("refund window")


@pytest.mark.case("P-GIT-06")
@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="no ssh-keygen")
def test_where_commits_are_to_be_signed_they_are(trial, tmp_path):
    trial.did("trust", "--yes")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    for key, value in (
        ("commit.gpgsign", "true"),
        ("gpg.format", "ssh"),
        ("user.signingkey", tmp_path / "key"),
    ):
        trial.git("config", key, str(value))
    id_ = trial.remember(CLAIM)["id"]
    trial.forget(id_)
    for rev in ("HEAD", "HEAD^"):
        assert "-----BEGIN SSH SIGNATURE-----" in trial.git("cat-file", "commit", rev)
    assert porcelain(trial) == []


# GIT-07, GIT-08


def in_a_merge(trial, name="user.txt", ours="ours\n", theirs="theirs\n"):
    """A merge that waits for the user: `name` is in conflict, `clean.txt` came with it."""
    file = trial.root / name
    if not file.exists():
        file.write_text("before\n")
        trial.commit_by_hand()
    trial.git("switch", "-qc", "side")
    file.write_text(theirs)
    (trial.root / "clean.txt").write_text("from the side\n")
    trial.commit_by_hand("theirs")
    trial.git("switch", "-q", "main")
    file.write_text(ours)
    trial.commit_by_hand("ours")
    trial.git("merge", "-q", "side", check=False)
    assert (trial.root / ".git/MERGE_HEAD").exists()


@pytest.mark.case("P-GIT-07")
@pytest.mark.parametrize("resolved", [True, False])
def test_a_merge_goes_on_beside_what_is_remembered(trial, resolved):
    in_a_merge(trial)
    if resolved:
        (trial.root / "user.txt").write_text("both\n")
        trial.git("add", "user.txt")
    before = porcelain(trial)
    merge = (trial.root / ".git/MERGE_HEAD").read_bytes(), (trial.root / ".git/MERGE_MSG").read_bytes()
    id_ = trial.remember(CLAIM)["id"]
    assert kinds_of(trial) == (1, 1, 0)
    assert len(trial.git("log", "-1", "--format=%P").split()) == 1
    assert porcelain(trial) == before
    now = (trial.root / ".git/MERGE_HEAD").read_bytes(), (trial.root / ".git/MERGE_MSG").read_bytes()
    assert now == merge
    trial.forget(id_)
    trial.unforget(id_)
    if not resolved:
        (trial.root / "user.txt").write_text("both\n")
        trial.git("add", "user.txt")
    trial.git("commit", "-q", "--no-edit")
    assert len(trial.git("log", "-1", "--format=%P").split()) == 2
    assert trial.git("show", "HEAD:user.txt") == "both"
    assert trial.git("show", "HEAD:clean.txt") == "from the side"
    assert trial.found("refund window") == [id_]
    assert porcelain(trial) == []
    assert sound(trial)


@pytest.mark.case("P-GIT-07")
def test_a_merge_in_a_repository_with_hooks_is_finished_first(trial):
    in_a_merge(trial)
    trial.did("trust", "--yes")
    script(trial.root / ".git/hooks/pre-commit", "exit 0")
    refused_without_a_trace(trial, 8, "remember", CLAIM)
    trial.git("checkout", "--ours", "user.txt")
    trial.git("add", "user.txt")
    trial.git("commit", "-q", "--no-edit")
    assert trial.remember(CLAIM)["decision"] == "created"


@pytest.mark.case("P-GIT-07")
@pytest.mark.parametrize("act", ["cherry-pick", "revert"])
def test_a_pick_in_progress_goes_on(trial, act):
    (trial.root / "user.txt").write_text("before\n")
    trial.commit_by_hand()
    trial.git("switch", "-qc", "side")
    (trial.root / "user.txt").write_text("theirs\n")
    trial.commit_by_hand("theirs")
    trial.git("switch", "-q", "main")
    (trial.root / "user.txt").write_text("ours\n")
    trial.commit_by_hand("ours")
    trial.git(act, "side" if act == "cherry-pick" else "HEAD~1", check=False)
    state = f"{act.upper().replace('-', '_')}_HEAD"
    before = (trial.root / ".git" / state).read_bytes(), porcelain(trial)
    trial.remember(CLAIM)
    assert kinds_of(trial) == (1, 1, 0)
    assert ((trial.root / ".git" / state).read_bytes(), porcelain(trial)) == before
    (trial.root / "user.txt").write_text("both\n")
    trial.git("add", "user.txt")
    trial.git("-c", "core.editor=true", act, "--continue")
    assert trial.found("refund window")


@pytest.mark.case("P-GIT-07")
def test_a_rebase_in_progress_is_finished_first_and_reading_goes_on(trial):
    id_ = trial.remember(OTHER)["id"]
    (trial.root / "user.txt").write_text("before\n")
    trial.commit_by_hand()
    trial.git("switch", "-qc", "side")
    (trial.root / "user.txt").write_text("theirs\n")
    trial.commit_by_hand("theirs")
    trial.git("switch", "-q", "main")
    (trial.root / "user.txt").write_text("ours\n")
    trial.commit_by_hand("ours")
    trial.git("rebase", "side", check=False)
    refused_without_a_trace(trial, 8, "remember", CLAIM)
    refused_without_a_trace(trial, 8, "forget", id_, "--yes")
    assert trial.found("deploys") == [id_]
    trial.git("rebase", "--abort")
    assert trial.remember(CLAIM)["decision"] == "created"


def in_conflict(trial, by):
    """A memory whose status line two sides changed: by a merge, or by a stash (no MERGE_HEAD)."""
    path = trial.write("refund00aaaa", CLAIM, "status: active\n")
    trial.write("deploy00aaaa", OTHER)
    trial.commit_by_hand()
    stale = path.read_text().replace("active", "stale\nstale_reason: outdated")
    needs = path.read_text().replace("active", "needs_review\nreview:\n  reason: reported")
    if by == "merge":
        in_a_merge(trial, "schemas/project/t/refund00aaaa.md", stale, needs)
    else:
        path.write_text(needs)
        trial.git("stash")
        path.write_text(stale)
        trial.commit_by_hand("ours")
        trial.git("stash", "pop", check=False)
    assert "<<<<<<<" in path.read_text()
    return path


@pytest.mark.case("P-GIT-08")
@pytest.mark.parametrize("by", ["merge", "stash"])
def test_neither_side_of_a_conflict_is_served_and_the_file_is_listed_as_in_conflict(trial, by):
    path = in_conflict(trial, by)
    raw, head, status = path.read_bytes(), trial.head(), porcelain(trial)
    for mode in ("default", "wide", "history"):
        assert trial.found("refund window or deploys", "--mode", mode) == ["deploy00aaaa"]
    ran = trial.ran("check")
    assert ran.code == 4
    assert re.search(r"refund00aaaa\.md:\d+: .*conflict", ran.out)
    assert trial.ran("forget", "refund00aaaa", "--yes").code == 4
    assert trial.ran("show", "refund00aaaa").code == 4
    ran = trial.ran("save")
    assert ran.code == 4
    assert "conflict" in ran.err
    assert (path.read_bytes(), trial.head(), porcelain(trial)) == (raw, head, status)
    trial.forget("deploy00aaaa")
    assert kinds_of(trial) == (1, 0, 0)
    path.write_text(re.sub(r"<<<<<<< .*\n|=======\n(.*\n)*>>>>>>> .*\n", "", path.read_text()))
    assert trial.status("refund00aaaa") == "stale"


# GIT-09, GIT-10


@pytest.mark.case("P-GIT-09")
def test_a_repository_without_a_commit_gets_its_first_one(trial, tmp_path):
    root = tmp_path / "fresh"
    trial.git("init", "-q", "-b", "trunk", str(root))
    (root / "mem.toml").write_text("")
    fresh = Trial(root, trial.environment, trial.moment)
    assert fresh.ran("recall", "refund").code == 1
    ran = fresh.ran("log")
    assert (ran.code, ran.out) == (1, "")
    assert "empty" in ran.err
    (root / "user.txt").write_text("the user's\n")
    fresh.git("add", "user.txt")
    id_ = fresh.remember(CLAIM)["id"]
    assert fresh.git("branch", "--show-current") == "trunk"
    assert fresh.commits() == 1
    assert kinds_of(fresh) == (1, 1, 0)
    assert [line for line in porcelain(fresh) if line != "?? .mem/"] == ["A  user.txt", "?? mem.toml"]
    assert fresh.found("refund window") == [id_]
    ran = fresh.ran("undo")
    assert (ran.code, ran.out) == (5, "")
    assert sound(fresh)


def in_a_parent(trial, folder):
    """A repository of somebody's around `folder`, with nothing of the store in it."""
    trial.git("init", "-q", "-b", "main", cwd=folder)
    (folder / "first.txt").write_text("first\n")
    trial.git("add", "first.txt", cwd=folder)
    trial.git("commit", "-qm", "first", cwd=folder)
    return {path: raw for path, raw in files_of(folder).items() if path.startswith(".git/")}


@pytest.mark.case("P-GIT-10")
@pytest.mark.parametrize("state", ["plain", "removed", "bare"])
def test_without_a_repository_recall_answers_and_writing_names_the_remedy(trial, state):
    id_ = trial.remember(CLAIM)["id"]
    repository = trial.root / ".git"
    if state == "removed":
        repository.rename(trial.root / ".git2")
    else:
        shutil.rmtree(repository)
    if state == "bare":
        trial.git("init", "-q", "--bare", str(trial.root))
    parent = in_a_parent(trial, trial.root.parent)
    assert trial.found("refund window", "--scope", "project:t") == [id_]
    assert trial.ran("show", id_, "--scope", "project:t").code == 0
    trial.write("hand0000aaaa", OTHER)
    files = files_of(trial.root / "schemas")
    assert trial.found("deploys on tuesdays", "--scope", "project:t") == ["hand0000aaaa"]
    for argv in (["remember", "Stock is counted in June."], ["forget", id_, "--yes"], ["save"]):
        ran = trial.ran(*argv, "--scope", "project:t")
        assert ran.code == 6, (argv, ran.err)
        assert ("Clone it" if state == "bare" else "mem init") in ran.err
    for argv in (["log"], ["undo"], ["status"], ["check"]):
        assert trial.ran(*argv).code in (0, 1, 3, 6)
    assert files_of(trial.root / "schemas") == files
    now = files_of(trial.root.parent)
    assert {path: raw for path, raw in now.items() if path.startswith(".git/")} == parent


# GIT-11


@pytest.mark.case("P-GIT-11")
def test_two_worktrees_of_one_repository_both_remember_each_on_its_branch(trial, tmp_path):
    trial.git("worktree", "add", "-q", "-b", "w2", str(tmp_path / "w2"))
    second = Trial(tmp_path / "w2", trial.environment, trial.moment)
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "memcli", "remember", "--json", "--scope", "project:t", claim],
            cwd=one.root,
            env=one.process.environment,
            stdout=subprocess.PIPE,
        )
        for one, claim in ((trial, CLAIM), (second, OTHER))
    ]
    answers = [one.communicate()[0] for one in running]
    assert [one.returncode for one in running] == [0, 0]
    expected = ((trial, "main", answers[0], CLAIM), (second, "w2", answers[1], OTHER))
    for one, branch, answer, claim in expected:
        assert one.head().encode() in answer
        assert one.git("branch", "--show-current") == branch
        assert kinds_of(one) == (1, 1, 0)
        assert porcelain(one) == []
        found = one.recall("refund deploys", "--scope", "project:t")["items"]
        assert [item["text"] for item in found] == [claim]
    assert trial.git("merge-base", "main", "w2") == trial.git("rev-parse", "main^")
    assert sound(trial)


@pytest.mark.case("P-GIT-11")
def test_a_store_that_is_a_submodule_commits_there_and_not_in_the_project(trial, other):
    trial.git("reset", "-q", cwd=other)
    trial.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(trial.root), "t", cwd=other)
    trial.git("commit", "-qm", "with a store", cwd=other)
    assert (other / "t/.git").is_file()
    sub = Trial(other / "t", trial.environment, trial.moment)
    head = trial.git("rev-parse", "HEAD", cwd=other)
    id_ = sub.remember(CLAIM)["id"]
    assert kinds_of(sub) == (1, 1, 0)
    assert porcelain(sub) == []
    sub.git("switch", "-q", "--detach")
    sub.forget(id_)
    assert sub.git("log", "-1", "--format=%s") == f"mem forget: {CLAIM}"
    sub.unforget(id_)
    assert sub.found("refund window") == [id_]
    assert trial.git("rev-parse", "HEAD", cwd=other) == head
    assert porcelain(sub, cwd=other) == [" M t", "?? staged.txt"]


@pytest.mark.case("P-GIT-11")
def test_a_worktree_whose_repository_was_moved_names_the_command_that_joins_them_again(trial, tmp_path):
    trial.git("worktree", "add", "-q", "-b", "w2", str(tmp_path / "w 2"))
    second = Trial(tmp_path / "w 2", trial.environment, trial.moment)
    id_ = second.remember(CLAIM, "--scope", "project:t")["id"]
    moved = trial.root.rename(tmp_path / "elsewhere")
    assert second.found("refund window", "--scope", "project:t") == [id_]
    ran = second.ran("remember", OTHER, "--scope", "project:t")
    assert (ran.code, ran.out) == (6, "")
    command = ran.err.strip().rpartition(": ")[2]
    subprocess.run(shlex.split(command), cwd=moved, env=trial.environment, check=True, capture_output=True)
    assert second.remember(OTHER, "--scope", "project:t")["decision"] == "created"
    assert sound(second)


@pytest.mark.case("P-GIT-11")
def test_a_detached_head_takes_commits_and_moves_no_branch(trial):
    trial.git("switch", "-q", "--detach")
    main = trial.git("rev-parse", "main")
    id_ = trial.remember(CLAIM)["id"]
    trial.forget(id_)
    trial.unforget(id_)
    assert trial.git("rev-parse", "main") == main
    assert trial.git("rev-list", "--count", "main..HEAD") == "3"
    assert trial.found("refund window") == [id_]
    assert trial.ran("status").code == 0


# GIT-12, GIT-20


@pytest.mark.case("P-GIT-12")
def test_a_shallow_clone_says_where_its_history_is_cut(trial, tmp_path):
    old = trial.remember(CLAIM)["id"]
    trial.forget(old)
    trial.remember(OTHER)
    trial.git("clone", "-q", "--depth", "1", f"file://{trial.root}", str(tmp_path / "shallow"))
    cut = Trial(tmp_path / "shallow", trial.environment, trial.moment)
    day = cut.git("log", "-1", "--format=%cs")
    for argv in (["log"], ["history", old]):
        ran = cut.ran(*argv)
        assert ran.code == 0, ran.err
        assert f"cut at {day}" in ran.err
    assert cut.recall("refund window", "--scope", "project:t")["items"] == []
    assert cut.ran("remember", CLAIM, "--scope", "project:t").code == 5
    assert cut.status(old) == "forgotten"


@pytest.mark.case("P-GIT-12")
@pytest.mark.parametrize("left", ["blob:none", "tree:0"])
def test_a_partial_clone_names_what_brings_the_rest_and_fetches_nothing_unasked(trial, tmp_path, left):
    old = trial.remember(CLAIM)["id"]
    wrong = trial.remember("Lorries are red.")["id"]
    for path in (trial.path(old), trial.path(wrong)):
        path.write_text(path.read_text() + "\nA detail.\n")
    trial.did("save")
    trial.forget(old)
    trial.did("retract", wrong, "--reason", "misread", "--yes")
    trial.git("config", "uploadpack.allowFilter", "true")
    trial.git("clone", "-q", f"--filter={left}", f"file://{trial.root}", str(tmp_path / "part"))
    part = Trial(tmp_path / "part", trial.environment, trial.moment)
    lacks = part.git("rev-list", "--objects", "--missing=print", "HEAD").count("?")
    new = part.remember(OTHER, "--scope", "project:t")["id"]
    assert part.found("deploys on tuesdays", "--scope", "project:t") == [new]
    acts = [["unforget", old, "--yes"], ["unretract", wrong, "--yes"]]
    for argv in (["history", old], ["blame", old], ["audit"], *acts, ["purge", old]):
        ran = part.ran(*argv, "--scope", "project:t")
        assert (ran.code, ran.out) == (7, ""), (argv, ran.code, ran.err)
        assert ran.code in words.find(argv[0]).codes
        assert "partial clone" in ran.err
    assert "partial clone" in part.ran("doctor").out
    assert part.git("rev-list", "--objects", "--missing=print", "HEAD").count("?") == lacks > 0
    for command in ran.err.partition("Hint: ")[2].strip().split("; "):
        subprocess.run(command.split(), cwd=part.root, env=part.environment, check=True)
    assert part.ran("history", old, "--scope", "project:t").code == part.ran("audit").code == 0
    assert "partial clone" not in part.ran("doctor").out


@pytest.mark.case("P-GIT-20")
def test_after_a_forced_pull_the_files_count_and_the_old_tip_is_named(trial, tmp_path):
    trial.remember(CLAIM)
    upstream = trial.clone(tmp_path / "upstream")
    gone = trial.remember(OTHER)["id"]
    tip = trial.head()
    upstream.git("commit", "-q", "--amend", "-m", "rewritten")
    trial.git("fetch", "-q", str(upstream.root), "main")
    trial.git("reset", "-q", "--hard", "FETCH_HEAD")
    assert trial.found("deploys on tuesdays") == []
    assert trial.found("refund window")
    ran = trial.ran("status")
    assert ran.code == 0
    assert tip[:12] in ran.err
    assert "reflog" in ran.err
    assert "1 memory that it held vanished from history" in ran.err
    assert trial.ran("show", gone).code == 3
    trial.remember("Invoices are numbered per country.")
    assert gone not in trial.statuses()
    assert tip[:12] in trial.ran("status").err
    assert trial.git("rev-parse", "HEAD^") == upstream.head()


# GIT-13, GIT-14


@pytest.mark.case("P-GIT-13")
@pytest.mark.parametrize("setting", ["true", "input"])
def test_line_endings_that_git_converts_give_no_noise(trial, setting):
    trial.git("config", "core.autocrlf", setting)
    (trial.root / ".gitattributes").write_text("*.md text eol=lf\n")
    path = trial.root / "schemas/project/t/refund.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(f"---\r\nid: refund00aaaa\r\nstatus: active\r\n---\r\n\r\n{CLAIM}\r\n".encode())
    trial.commit_by_hand()
    raw = path.read_bytes()
    trial.forget("refund00aaaa")
    assert trial.git("show", "--format=", "--numstat").split()[:2] == ["1", "1"]
    assert path.read_bytes() == raw.replace(b"active", b"forgotten")
    assert b"\r" not in subprocess.check_output(
        ["git", "show", "HEAD:schemas/project/t/refund.md"], cwd=trial.root
    )
    assert porcelain(trial) == []
    trial.unforget("refund00aaaa")
    assert path.read_bytes() == raw
    trial.remember(OTHER)
    assert porcelain(trial) == []
    assert trial.told("status")["uncommitted"] == []


@pytest.mark.case("P-GIT-14")
@pytest.mark.parametrize("where", ["info", "global", "store"])
def test_what_the_user_ignores_is_tracked_all_the_same(trial, tmp_path, where):
    if where == "global":
        (tmp_path / "ignore").write_text("*.md\n*.jsonl\n")
        trial.git("config", "core.excludesFile", str(tmp_path / "ignore"))
    else:
        place = trial.root / (".git/info/exclude" if where == "info" else ".gitignore")
        place.write_text(".mem/\n*.md\nevents/\n")
    told = trial.remember(CLAIM)
    assert told["path"] in trial.git("ls-files").splitlines()
    assert kinds_of(trial) == (1, 1, 0)
    trial.write("hand0000aaaa", OTHER)
    assert trial.told("status")["uncommitted"] == ["schemas/project/t/hand0000aaaa.md"]
    trial.did("save")
    assert "schemas/project/t/hand0000aaaa.md" in trial.git("ls-files").splitlines()


# GIT-15, GIT-16, GIT-17


@pytest.mark.case("P-GIT-15")
def test_without_git_reading_goes_on_and_writing_names_it(trial, tmp_path):
    id_ = trial.remember(CLAIM)["id"]
    (tmp_path / "empty").mkdir()
    trial.write("hand0000aaaa", OTHER)
    env = {"PATH": str(tmp_path / "empty")}
    files = files_of(trial.root / "schemas")
    for argv in (["recall", "refund window"], ["show", id_], ["list"], ["status"], ["check"]):
        ran = trial.process(*argv, env=env)
        assert ran.code == 0, (argv, ran.err)
        assert CLAIM in ran.out or argv[0] in ("status", "check")
    assert OTHER in trial.process("recall", "deploys on tuesdays", env=env).out
    for argv in (["remember", "Stock is counted in June."], ["forget", id_, "--yes"], ["save"], ["log"]):
        ran = trial.process(*argv, env=env)
        assert (ran.code, ran.out) == (6, ""), (argv, ran.err)
        assert "git" in ran.err
        assert "Traceback" not in ran.err
    assert files_of(trial.root / "schemas") == files
    assert trial.process("--version", env=env).code == 0


def git_files(trial):
    """What git holds, less its staging area's and our own notes."""
    return {path: raw for path, raw in files_of(trial.root / ".git").items() if "mem" not in path}


@pytest.mark.case("P-GIT-16")
@pytest.mark.parametrize("damage", ["object", "tree", "blob", "ref", "head"])
def test_damaged_history_leaves_recall_and_refuses_writing(trial, damage):
    id_ = trial.remember(CLAIM)["id"]
    kept = trial.path(id_).relative_to(trial.root)
    rev = {"object": "HEAD", "tree": "HEAD^{tree}", "blob": f"HEAD:{kept}"}.get(damage)
    name = trial.git("rev-parse", rev) if rev else ""
    place = {"ref": "refs/heads/main", "head": "HEAD"}.get(damage, f"objects/{name[:2]}/{name[2:]}")
    file = trial.root / ".git" / place
    file.chmod(0o644)
    file.write_text("")
    before, files = git_files(trial), files_of(trial.root / "schemas")
    assert trial.found("refund window") == [id_]
    assert trial.ran("show", id_).code == 0
    for argv in (["remember", OTHER], ["forget", id_, "--yes"]) if damage != "blob" else ():
        ran = trial.ran(*argv)
        assert (ran.code, ran.out) == (6, ""), (argv, ran.code, ran.err)
        assert "Hint: " in ran.err
    ran = trial.ran("check")
    assert "history" in (ran.out + ran.err).lower()
    assert "damaged" in (ran.out + ran.err)
    assert "git fsck" in (ran.out + ran.err)
    assert ran.code in (4, 6)
    assert files_of(trial.root / "schemas") == files
    assert {path: raw for path, raw in git_files(trial).items() if path in before} == before


@pytest.mark.case("P-GIT-17")
@pytest.mark.parametrize("hooked", [False, True])
def test_no_command_starts_an_editor_a_pager_or_a_prompt(trial, tmp_path, hooked):
    mark = tmp_path / "started"
    program = script(tmp_path / "prompt", f"touch '{mark}'; sleep 60")
    for key in ("core.editor", "sequence.editor", "core.pager", "pager.log", "pager.show", "core.askPass"):
        trial.git("config", key, f"'{program}'")
    trial.git("config", "credential.helper", f"!'{program}'")
    trial.git("config", "commit.template", "t")
    trial.git("config", "commit.verbose", "true")
    trial.git("config", "commit.status", "true")
    if hooked:
        trial.did("trust", "--yes")
        script(trial.root / ".git/hooks/pre-commit", "exit 0")
    env = {
        name: str(program)
        for name in ("GIT_EDITOR", "EDITOR", "VISUAL", "GIT_ASKPASS", "SSH_ASKPASS", "PAGER")
    }
    started = time.monotonic()
    ran = trial.process("remember", CLAIM, env=env)
    assert ran.code == 0, ran.err
    for argv in (["log"], ["status"], ["list"], ["recall", "refund"], ["undo"]):
        assert trial.ran(*argv, env=env).code == 0
    assert time.monotonic() - started < 30
    assert not mark.exists()


# GIT-18, GIT-19


@pytest.mark.case("P-GIT-18")
def test_on_another_branch_the_answers_are_those_of_its_files(trial):
    refund = trial.remember(CLAIM)["id"]
    trial.git("switch", "-qc", "b2")
    trial.forget(refund)
    deploy = trial.remember(OTHER)["id"]
    heads = {branch: trial.git("rev-parse", branch) for branch in ("main", "b2")}
    expected = {"main": {refund: "active"}, "b2": {refund: "forgotten", deploy: "active"}}
    found = {"main": [refund], "b2": [deploy]}
    for branch in ("main", "b2", "main", "b2"):
        trial.git("switch", "-q", branch)
        assert trial.found("refund window or deploys on tuesdays") == found[branch]
        assert trial.statuses() == expected[branch]
    trial.forgets_the_index()
    assert trial.found("refund window or deploys on tuesdays") == found["b2"]
    assert {branch: trial.git("rev-parse", branch) for branch in heads} == heads
    assert porcelain(trial) == []
    assert "rewritten" not in trial.ran("status").err


@pytest.mark.case("P-GIT-19")
def test_collecting_garbage_behind_every_commit_loses_nothing(trial):
    trial.git("config", "gc.auto", "1")
    trial.git("config", "gc.autoDetach", "true")
    ids = set()
    for number in range(20):
        started = time.monotonic()
        ids.add(trial.remember(f"Shelf {number} of the archive holds folder {number * 7 + 3}.")["id"])
        assert time.monotonic() - started < 5
    assert set(trial.statuses()) == ids
    assert trial.commits() == 21
    deadline = time.monotonic() + 20
    while (trial.root / ".git/gc.pid").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert sound(trial)
    assert porcelain(trial) == []
