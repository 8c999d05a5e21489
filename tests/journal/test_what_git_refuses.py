"""Where git fails, is missing, waits or says nothing: said in one sentence, and nothing is left half done."""

import errno
import os
import re
import shutil
import signal
from dataclasses import replace

import pytest
from journal_store import Store

from memcli.errors import BadFile, Refused, TryAgain, Unavailable
from memcli.journal import commit as commits
from memcli.journal import content, damage, history, message, process, rewriting, steps, worktree
from memcli.journal.commit import Seal
from memcli.journal.message import Change, Message
from memcli.journal.objects import Objects, parse_tree
from memcli.journal.refs import Head
from memcli.journal.repository import Journal
from memcli.journal.rewriting import Rewriting
from memcli.journal.signing import Signers
from memcli.journal.staging import Staging

A, B = "schemas/project/t/a.md", "schemas/project/t/b.md"
GIT = shutil.which("git")


def script(place, body):
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{body}\n")
    place.chmod(0o755)
    return place


def before_git(store, body):
    """Let `body` run before the real git, wherever the journal starts one."""
    own = script(store.root.parent / "bin" / "git", f'{body}\nexec {GIT} "$@"')
    store.environment["PATH"] = f"{own.parent}:{store.environment['PATH']}"


# Objects


def test_an_object_of_another_kind_is_damage(begun):
    blob = begun.git("hash-object", "-w", "--stdin", given=b"x").strip()
    objects = rewriting.objects_of(begun.journal)
    assert objects.read(blob, "blob") == b"x"
    with pytest.raises(Unavailable, match=f"object {blob} is missing or unreadable"):
        objects.read(blob, "tree")


def test_objects_that_are_missing_or_no_deflated_bytes_are_damage(begun):
    objects = rewriting.objects_of(begun.journal)
    with pytest.raises(Unavailable, match="is missing or unreadable"):
        objects.read("1" * 40, "blob")
    with pytest.raises(Unavailable, match="is missing or unreadable"):
        objects.read_all([begun.head, "1" * 40])
    place = begun.root / ".git/objects/11" / ("1" * 38)
    place.parent.mkdir()
    place.write_bytes(b"not deflated")
    with pytest.raises(Unavailable, match="is missing or unreadable"):
        objects.read("1" * 40, "blob")
    assert objects.read_all([]) == {}


@pytest.mark.parametrize("raw", [b"100644 a\0short", b"100644 a", b"nonsense", b"100644 a\0" + bytes(21)])
def test_a_tree_that_is_not_whole_is_damage(raw):
    with pytest.raises(Unavailable, match="a tree cannot be read"):
        parse_tree(raw, 20)
    assert parse_tree(b"", 20) == {}
    assert parse_tree(b"100644 a b\0" + bytes(20), 20) == {b"a b": (b"100644", bytes(20))}


def test_a_disk_that_takes_no_advice_takes_objects_all_the_same(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    objects = Objects(tmp_path, None)
    name = objects.write("blob", b"x")
    objects.settle()
    assert Objects(tmp_path, None).read(name, "blob") == b"x"


# Processes


def test_a_folder_that_is_gone_starts_no_git(begun):
    git = replace(begun.journal.git, folder=begun.root / "gone")
    with pytest.raises(Unavailable, match="git cannot be started"):
        git.read("status")


def test_a_git_that_does_not_end_when_asked_is_ended(begun, monkeypatch):
    monkeypatch.setattr(process, "_POLITE_S", 0.1)
    before_git(begun, "trap '' TERM\nsleep 60 & wait; sleep 60")
    with pytest.raises(Unavailable, match=r"did not answer within 0\.3 s"):
        replace(begun.journal.git, limit_s=0.3).read("status")


def test_whoever_interrupts_ends_git_too(begun, tmp_path):
    mark = tmp_path / "pid"
    before_git(
        begun, f"echo $$ > {mark}.new; mv {mark}.new {mark}; sleep 0.2; kill -INT {os.getpid()}; sleep 60"
    )
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run where it is ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            begun.journal.git.read("status")
    finally:
        signal.signal(signal.SIGINT, before)
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), signal.SIGCONT)


@pytest.mark.parametrize(
    ("err", "said"),
    [
        ("fatal: no\nmore", "no"),
        ("hint: x\nerror: local changes:\n\ta.md\n\tb.md\nAborting", "local changes: a.md b.md"),
        ("error: local changes:\n  a.md\nMerge failed.\n", "local changes: a.md"),
        ("", "exit code 7"),
        ("hint: only", "exit code 7"),
    ],
)
def test_of_what_git_complains_the_first_sentence_is_told(err, said):
    assert process.Ran(7, b"", err).complaint == said


@pytest.mark.parametrize(
    ("complaint", "hint"),
    [
        ("fatal: unknown repository extension found: x", "A newer git"),
        ("fatal: detected dubious ownership in repository at '/x'", "safe.directory"),
        ("fatal: bad object x", "git fsck"),
    ],
)
def test_what_git_complains_of_has_a_remedy_of_its_own(begun, complaint, hint):
    before_git(begun, f'echo "{complaint}" >&2; exit 128')
    with pytest.raises(Unavailable) as refused:
        begun.journal.git.read("status")
    assert hint in refused.value.hint


def test_before_an_act_it_is_said_what_would_keep_it_from_being_committed(begun):
    begun.journal.ready()
    (begun.root / ".git/rebase-apply").mkdir()
    for act, mark in (("rebase", ""), ("am", "rebase-apply/applying")):
        if mark:
            (begun.root / ".git" / mark).touch()
        with pytest.raises(TryAgain, match=f"A git {act} is in progress"):
            begun.journal.ready()
    shutil.rmtree(begun.root / ".git/rebase-apply")
    head = begun.root / ".git/HEAD"
    whole = head.read_text()
    head.write_text("nonsense\n")
    with pytest.raises(Unavailable, match="HEAD does not name a commit"):
        begun.journal.ready()
    head.write_text(whole)
    begun.environment["PATH"] = "/nowhere"
    with pytest.raises(Unavailable, match="git is not on the PATH"):
        begun.journal.ready()


def test_a_repository_that_git_does_not_make_is_said(tmp_path, environment):
    before_git(Store(tmp_path / "x", environment), 'echo "fatal: no room" >&2; exit 128')
    (tmp_path / "new").mkdir()
    with pytest.raises(Unavailable, match="git init failed: no room"):
        Journal.init(tmp_path / "new", environment)


def test_where_head_is_kept_otherwise_than_in_a_file_git_is_asked(begun):
    (begun.root / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    commit = "echo " + "1" * 40
    before_git(begun, f'case "$*" in *symbolic-ref*) echo refs/heads/main;; *) {commit};; esac; exit 0')
    assert begun.journal.standing() == Head("refs/heads/main", "1" * 40, plain=False)
    assert begun.journal.branch() == "main"


# Staging


def staged(store, *paths):
    return store.git("ls-files", "--stage", "--", *paths)


def test_what_git_does_not_stage_is_said_and_no_lock_is_waited_for(begun):
    before_git(begun, 'case "$*" in *update-index*) echo "fatal: no room" >&2; exit 128;; esac')
    with pytest.raises(Unavailable, match="could not stage the files: no room"):
        Staging(begun.journal).by_git({A: None})


def test_a_staging_area_that_stays_locked_is_busy(begun):
    (begun.root / ".git/index.lock").touch()
    begun.options["wait_s"] = 0.1
    with pytest.raises(TryAgain, match="Another git command is busy"):
        Staging(begun.journal).by_git({A: None})


def test_what_was_staged_is_put_back_and_a_file_rebuilt_meanwhile_is_left(begun):
    begun.remember()
    writer = commits._Writer.of(begun.journal, "ana")
    begun.write(A, "new\n")
    before = staged(begun)
    take_back = Staging(begun.journal).bring_in_line(writer.contents((A,)))
    assert staged(begun) != before
    take_back()
    assert staged(begun) == before
    take_back = Staging(begun.journal).bring_in_line(writer.contents((A,)))
    now = staged(begun)
    begun.git("update-index", "--index-version", "4")
    take_back()
    assert staged(begun) == now


# Commits


def test_a_hook_whose_git_is_busy_for_good_makes_no_commit(begun):
    script(begun.root / ".git/hooks/pre-commit", "exit 0")
    begun.options["wait_s"] = 0.2
    before_git(begun, 'case "$*" in *--only*) echo "fatal: x.lock: File exists" >&2; exit 128;; esac')
    before = begun.head, begun.status
    with pytest.raises(TryAgain, match="Another git command is busy"):
        begun.remember()
    assert (begun.head, begun.status) == (before[0], "?? schemas/\n")


def test_a_commit_of_git_that_is_not_named_is_found_all_the_same(begun):
    script(begun.root / ".git/hooks/pre-commit", "exit 0")
    before_git(begun, f'case "$*" in *--only*) {GIT} "$@" >/dev/null; exit;; esac')
    made = begun.remember()
    assert made == begun.head
    assert begun.status == ""


def test_a_filter_that_fails_stores_nothing(begun):
    begun.write(".gitattributes", "*.md filter=broken\n")
    begun.git("config", "filter.broken.clean", "exit 1")
    begun.git("config", "filter.broken.required", "true")
    before = begun.head
    with pytest.raises(Unavailable, match=f"could not store {re.escape(A)}"):
        begun.remember()
    assert begun.head == before


def test_with_hooks_an_act_that_must_be_signed_is_signed_before_they_run(begun, tmp_path):
    if not shutil.which("ssh-keygen"):
        pytest.skip("no ssh-keygen")
    os.spawnlp(
        os.P_WAIT, "ssh-keygen", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "k")
    )
    begun.git("config", "--global", "gpg.format", "ssh")
    begun.git("config", "--global", "user.signingkey", str(tmp_path / "k"))
    script(begun.root / ".git/hooks/pre-commit", f"touch {tmp_path}/ran")
    mine = Signers(b"ana@b.c " + (tmp_path / "k.pub").read_bytes())

    def forget(seal):
        begun.write(A, "x\n")
        said = Message("forget", "a claim", changes=(Change("k3v9x2m4", "active", "forgotten"),))
        return commits.commit(begun.journal, (A,), said, actor_name="ana", seal=seal)

    before = begun.head
    with pytest.raises(Refused, match="your key is not"):
        forget(Seal(Signers(b"bob@b.c ssh-ed25519 AAAA\n")))
    assert begun.head == before
    assert not (tmp_path / "ran").exists()
    made = forget(Seal(mine))
    assert begun.head == made
    assert "gpgsig" in begun.git("cat-file", "commit", "HEAD")
    assert (tmp_path / "ran").exists()


# Looking back


def test_what_git_says_of_damage_is_told_a_line_each_whatever_bytes_are_in_it(begun):
    said = "notice: No refs\\nmissing blob \\377\\n\\n"
    before_git(begun, f'case "$*" in *fsck*) printf "{said}"; echo "error: y" >&2; exit 2;; esac')
    assert damage.find(begun.journal) == ("missing blob \ufffd", "error: y")


def test_an_object_that_cannot_be_read_is_found_where_nothing_leads_to_it(begun):
    assert damage.find(begun.journal) == ()
    said = "blob\\n\\377 missing\\ncommit\\n"
    before_git(begun, f'case "$*" in *fsck*) exit;; *--batch-all-objects*) printf "{said}"; exit;; esac')
    assert damage.find(begun.journal) == ("object \ufffd is unreadable",)


def test_a_commit_counts_as_there_by_head_a_branch_a_remote_or_a_tag_and_not_by_a_log_alone(begun):
    journal, first = begun.journal, begun.head
    assert history.reachable(journal, first)
    kept = {}
    for kind in ("heads", "remotes/origin", "tags", "stash"):
        made = begun.git("commit-tree", "-m", kind, "-p", first, "HEAD^{tree}").strip()
        begun.git("update-ref", "--create-reflog", f"refs/{kind}/{kind[:2]}", made)
        kept[kind] = history.reachable(journal, made)
    assert kept == {"heads": True, "remotes/origin": True, "tags": True, "stash": False}
    lost = begun.remember()
    begun.git("reset", "-q", "--hard", first)
    assert not history.reachable(journal, lost)
    assert not history.reachable(journal, "1" * 40)


def test_a_file_is_told_of_the_last_operation_that_a_merge_brought(begun):
    begun.git("switch", "-qc", "side")
    begun.write("app.py")
    begun.git("add", "app.py")
    begun.git("commit", "-qm", "not the store's")
    begun.remember(A, "1\n")
    last = begun.remember(A, "2\n")
    begun.git("switch", "-q", "-")
    begun.git("merge", "-q", "--no-ff", "-m", message.compose(Message("sync", "side")), "side")
    merge = history.entry(begun.journal, "HEAD")
    assert {path: one.commit for path, one in steps.merged(begun.journal, merge).items()} == {A: last}


def test_links_and_repositories_below_a_store_come_through_a_rewriting_as_they_are(begun):
    (begun.root / "schemas").mkdir()
    (begun.root / "schemas/link.md").symlink_to("elsewhere")
    begun.git("add", "-A")
    begun.git("update-index", "--add", "--cacheinfo", f"160000,{begun.head},schemas/inner")
    begun.git("commit", "-qm", "a link and a repository")
    begun.git("tag", "-a", "-m", "stays", "stays", "HEAD^")
    old = begun.remember(A, "gone\n")
    asked = []

    def keep(path, raw):
        asked.append(path)
        return None if path == A else raw

    work = Rewriting(begun.journal, keep, lambda text: text)
    made = work.run([old])
    assert set(asked) == {A}
    assert set(made.commits) == {old}
    tree = begun.git("ls-tree", "-r", made.of(old))
    assert [line.split()[0] for line in tree.splitlines()] == ["160000", "120000", "100644"]
    tag = begun.git("rev-parse", "stays").strip()
    assert work.tag(tag, made.commits) == tag
    assert {path for path, _ in rewriting.files(begun.journal, [old])} == {A}


def test_a_tag_in_another_alphabet_follows_its_commit_with_every_byte(begun):
    old = begun.remember(A, "gone\n")
    head = f"object {old}\ntype commit\ntag x\ntagger Ana <a@b.c> 1000000000 +0000\n\n".encode()
    tag = begun.git("hash-object", "-t", "tag", "-w", "--stdin", given=head + b"Gr\xfc\xdfe\n").strip()
    work = Rewriting(begun.journal, lambda *_: None, lambda text: text)
    made = work.run([old])
    after = work.tag(tag, made.commits)
    raw = rewriting.objects_of(begun.journal).read(after, "tag")
    assert raw == head.replace(old.encode(), made.of(old).encode()) + b"Gr\xfc\xdfe\n"


def test_a_long_history_goes_to_the_disk_in_parts(begun, monkeypatch):
    monkeypatch.setattr(rewriting, "_SETTLE", 2)
    tip = [begun.remember(A, f"{number}\n") for number in range(5)][-1]
    work = Rewriting(begun.journal, lambda _, raw: b"all alike\n", lambda text: text)
    settled, settle = [], work._settle
    work._settle = lambda: (settled.append(len(work.objects._new)), settle())
    made = work.run([tip])
    assert len(made.commits) == 5
    assert len(settled) == 4
    assert begun.git("log", "--format=%T", made.of(tip)).count("\n") == 6


# A branch for the store alone


def test_a_branch_that_git_does_not_make_is_said(begun):
    before_git(begun, 'case "$*" in *commit-tree*) echo "fatal: no room" >&2; exit 128;; esac')
    with pytest.raises(Unavailable, match="could not make the branch: no room"):
        worktree.add(begun.journal, "mem", begun.root.parent / "mem")


def test_what_was_made_for_it_is_taken_back_whole(begun):
    folder, before = begun.root.parent / "mem", begun.git("for-each-ref")
    worktree.add(begun.journal, "mem", folder)
    assert Store(folder, begun.environment).head == begun.git("rev-parse", "mem").strip()
    worktree.remove(begun.journal, "mem", folder)
    assert not folder.exists()
    assert begun.git("for-each-ref") == before
    assert begun.git("worktree", "list").count("\n") == 1


# Files that change while they are read


def test_a_file_that_changes_while_it_is_read_is_not_committed(begun, monkeypatch):
    place, real = begun.root / begun.write(A, "one\n"), os.fstat

    def fstat(handle):
        found = real(handle)
        if os.path.samestat(found, place.stat()):
            with place.open("a") as file:
                file.write("more\n")
        return found

    monkeypatch.setattr(content.os, "fstat", fstat)
    before = begun.head
    with pytest.raises(TryAgain, match="changed while it was read"):
        begun.commit(A)
    assert begun.head == before


@pytest.mark.parametrize("there", ["gone", "folder"])
def test_what_is_no_file_any_more_when_it_is_opened_is_no_removal(begun, monkeypatch, there):
    place, real = begun.root / begun.write(A, "one\n"), os.open

    def opens(name, flags, *words, **how):
        if name == "a.md":
            place.unlink()
            if there == "folder":
                place.mkdir()
            raise OSError(errno.ELOOP, "a link, a moment ago")
        return real(name, flags, *words, **how)

    monkeypatch.setattr(content.os, "open", opens)
    with pytest.raises(TryAgain, match="changed while it was read"):
        begun.commit(A)


@pytest.mark.case("P-FILE-13")
def test_a_pipe_and_a_folder_in_place_of_a_file_are_none(begun):
    begun.remember(A)
    (begun.root / A).unlink()
    os.mkfifo(begun.root / A)
    (begun.root / B).mkdir()
    begun.write(f"{B}/c.txt")
    begun.commit(A, B)
    assert "schemas" not in begun.git("ls-tree", "-r", "--name-only", "HEAD")


def test_attributes_that_cannot_be_read_may_convert(begun):
    (begun.root / ".gitattributes").mkdir()
    begun.remember(A, "a\r\n")
    assert begun.git("show", f"HEAD:{A}") == "a\r\n"
    with pytest.raises(BadFile, match="repository of its own"):
        begun.remember(begun.write("schemas/inner/.git", "x") and "schemas/inner/a.md")
