"""A merge is made or it is not: what settles it, and that everything else is as it was before."""

import shutil

import pytest

from memcli.errors import Refused, TryAgain, Unavailable
from memcli.journal import joins
from memcli.journal.joins import Stages
from memcli.journal.message import Message

A, B = "schemas/project/t/a.md", "schemas/project/t/b.md"


@pytest.fixture
def parted(begun):
    """A store on main; on the branch `theirs` a memory was changed that main changes too."""
    begun.remember(A, "base\n")
    begun.git("switch", "-qc", "theirs")
    begun.remember(A, "theirs\n")
    begun.git("switch", "-q", "-")
    return begun


def merge(store, settle=lambda _: None, rev="theirs"):
    commit = store.git("rev-parse", rev).strip()
    return joins.merge(store.journal, commit, lambda: Message("sync", "a join"), settle, actor_name="ana")


def state(store):
    return store.head, store.status, store.git("ls-files", "--stage"), (store.root / A).read_bytes()


def test_where_nothing_was_done_here_the_branch_only_moves_on(parted):
    theirs = parted.git("rev-parse", "theirs").strip()
    assert merge(parted) == theirs == parted.head
    assert (parted.root / A).read_text() == "theirs\n"
    assert parted.status == ""


def test_what_git_merges_alone_asks_nobody(parted):
    parted.remember(B, "ours\n")
    asked = []
    made = merge(parted, asked.append)
    assert (made, asked, parted.status) == (parted.head, [], "")
    assert parted.git("log", "-1", "--format=%P").split() == [
        parted.git("rev-parse", "HEAD^1").strip(),
        parted.git("rev-parse", "theirs").strip(),
    ]
    assert "Mem-Op: sync" in parted.git("log", "-1", "--format=%B")
    assert ((parted.root / A).read_text(), (parted.root / B).read_text()) == ("theirs\n", "ours\n")


def test_a_file_in_conflict_becomes_what_is_said_of_its_three_versions(parted):
    parted.remember(A, "ours\n")
    asked = []

    def settle(one):
        asked.append(one)
        return one.ours + one.theirs

    merge(parted, settle)
    assert asked == [Stages(A, b"base\n", b"ours\n", b"theirs\n")]
    assert (parted.root / A).read_text() == "ours\ntheirs\n"
    assert parted.git("show", f"HEAD:{A}") == "ours\ntheirs\n"
    assert parted.status == ""
    assert parted.whole


def test_of_a_file_that_one_side_deleted_there_are_two_versions(parted):
    (parted.root / A).unlink()
    parted.commit(A)
    asked = []

    def settle(one):
        asked.append(one)
        return b"back\n"

    merge(parted, settle)
    assert asked == [Stages(A, b"base\n", None, b"theirs\n")]
    assert parted.git("show", f"HEAD:{A}") == "back\n"


def test_what_nobody_settles_is_listed_and_everything_is_as_before(parted):
    parted.remember(A, "ours\n")
    before = state(parted)
    with pytest.raises(TryAgain, match="1 file was changed on both sides") as refused:
        merge(parted)
    assert refused.value.details == (A,)
    assert state(parted) == before
    assert not (parted.root / ".git/MERGE_HEAD").exists()


def test_one_that_is_left_leaves_those_that_were_settled_too(parted):
    parted.git("switch", "-q", "theirs")
    parted.remember(B, "theirs\n")
    parted.git("switch", "-q", "-")
    parted.remember(A, "ours\n")
    parted.remember(B, "ours\n")
    before = state(parted)
    with pytest.raises(TryAgain) as refused:
        merge(parted, lambda one: b"settled\n" if one.path == A else None)
    assert refused.value.details == (B,)
    with pytest.raises(TryAgain, match="2 files were"):
        merge(parted)
    assert state(parted) == before


def test_a_failure_while_settling_takes_the_merge_back(parted):
    parted.remember(A, "ours\n")
    before = state(parted)
    with pytest.raises(ZeroDivisionError):
        merge(parted, lambda _: 1 / 0)
    assert state(parted) == before


@pytest.mark.parametrize("staged", [False, True])
def test_an_uncommitted_file_in_the_way_is_named_and_kept(parted, staged):
    parted.remember(B, "ours\n")
    parted.write(A, "not committed\n")
    if staged:
        parted.git("add", A)
    before = state(parted)
    with pytest.raises(TryAgain, match="in the way"):
        merge(parted)
    assert state(parted) == before


def test_a_hook_that_refuses_the_merge_leaves_everything_as_before(parted):
    parted.remember(B, "ours\n")
    hook = parted.root / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)
    before = state(parted)
    with pytest.raises(Unavailable, match="could not commit the merge: no"):
        merge(parted)
    assert state(parted) == before
    parted.options["trusted"] = False
    with pytest.raises(Refused):
        merge(parted)


def test_what_is_no_commit_cannot_be_merged(parted):
    parted.remember(B, "ours\n")
    with pytest.raises(Unavailable, match="could not merge"):
        joins.merge(parted.journal, "0" * 40, lambda: Message("sync", "x"), lambda _: None, actor_name="ana")


def test_a_file_outside_of_the_store_is_a_persons_to_settle(begun):
    begun.write("notes/app.txt", "base\n")
    begun.write("notes/mem/schemas/a.md", "base\n")
    begun.git("add", "-A")
    begun.git("commit", "-qm", "base")
    begun.git("switch", "-qc", "theirs")
    for text, branch in (("theirs\n", "-"), ("ours\n", None)):
        begun.write("notes/app.txt", text)
        begun.write("notes/mem/schemas/a.md", text)
        begun.git("commit", "-qam", text)
        if branch:
            begun.git("switch", "-q", branch)
    begun.root /= "notes/mem"
    asked = []
    with pytest.raises(TryAgain) as refused:
        merge(begun, lambda one: asked.append(one.path) or b"settled\n")
    assert asked == ["schemas/a.md"]
    assert refused.value.details == ("../notes/app.txt",)
    assert (begun.root / "schemas/a.md").read_text() == "ours\n"
    assert begun.status == ""


def test_a_disk_that_does_not_take_what_was_settled_leaves_everything_as_before(parted):
    parted.remember(A, "ours\n")
    parted.write(B, "a file of its own\n")
    before = state(parted)
    real, false = shutil.which("git"), parted.root.parent / "bin" / "git"
    false.parent.mkdir()
    false.write_text(f'#!/bin/sh\ncase "$*" in *checkout-index*) exit 128;; esac\nexec {real} "$@"\n')
    false.chmod(0o755)
    path = parted.environment["PATH"]
    parted.environment["PATH"] = f"{false.parent}:{path}"
    with pytest.raises(Unavailable, match="checkout-index failed"):
        merge(parted, lambda _: b"settled\n")
    parted.environment["PATH"] = path
    assert state(parted) == before
    assert merge(parted, lambda _: b"settled\n") == parted.head


def test_without_a_merge_there_is_none_to_take_back(begun):
    with pytest.raises(Unavailable, match="could not be taken back"):
        joins.abort(begun.journal)
