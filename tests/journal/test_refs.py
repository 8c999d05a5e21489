"""HEAD read and moved: wherever git keeps it, and from what was seen or not at all."""

from dataclasses import replace

import pytest

from memcli.errors import Unavailable
from memcli.journal import refs
from memcli.journal.refs import Head, Move

WHO = "Ana <ana@example.org> 1000000000 +0100"


@pytest.fixture
def begun(begun):
    begun.git("branch", "-M", "main")
    return begun


def head(store):
    return refs.head(store.journal.found, store.journal.git)


def move(store, commit, seen=None, **how):
    wanted = Move(seen or head(store), commit, WHO, "commit: x", **how)
    return refs.move(store.journal.found, store.journal.git, wanted)


def another(store, name="another"):
    """A commit that nothing names."""
    return store.git("commit-tree", "-m", name, "-p", "HEAD", "HEAD^{tree}").strip()


def test_head_is_a_branch_a_commit_or_not_born_yet(store):
    store.git("symbolic-ref", "HEAD", "refs/heads/fresh")
    assert head(store) == Head("refs/heads/fresh", None)
    store.git("commit", "-q", "--allow-empty", "-m", "x")
    assert head(store) == Head("refs/heads/fresh", store.head)
    store.git("switch", "-q", "--detach")
    assert head(store) == Head(None, store.head)


def test_a_branch_whose_file_git_packed_away_is_found_and_its_namesakes_are_not(begun):
    begun.git("branch", "a/main", another(begun))
    begun.git("pack-refs", "--all")
    assert head(begun) == Head("refs/heads/main", begun.head)
    found = begun.journal.found
    assert refs.value(found, "refs/heads/main") == begun.head
    assert refs.value(found, "refs/heads/a/main") != begun.head
    assert refs.value(found, "refs/heads/ain") is None
    begun.git("commit", "-q", "--allow-empty", "-m", "loose again")
    assert refs.value(found, "refs/heads/main") == begun.head
    assert refs.value(found, "refs/heads/main/below") is None


@pytest.mark.parametrize("text", ["", "x" * 40, "a" * 39, "a" * 41, "\0" * 40])
def test_a_ref_that_names_no_commit_is_damage_and_not_a_fresh_branch(begun, text):
    (begun.root / ".git/refs/heads/main").write_text(text + "\n")
    with pytest.raises(Unavailable, match="refs/heads/main does not name a commit"):
        head(begun)
    with pytest.raises(Unavailable, match="does not name a commit"):
        refs.value(begun.journal.found, "refs/heads/main")


def test_a_damaged_head_and_a_damaged_packed_ref_are_said(begun):
    (begun.root / ".git/HEAD").write_text("nonsense\n")
    with pytest.raises(Unavailable, match="HEAD does not name"):
        head(begun)
    (begun.root / ".git/HEAD").write_text("ref: refs/heads/lost\n")
    (begun.root / ".git/packed-refs").write_text("nonsense refs/heads/lost\n")
    with pytest.raises(Unavailable, match="refs/heads/lost does not name"):
        head(begun)


def test_a_name_for_a_branch_and_a_ref_that_is_no_branch_are_asked_of_git(begun):
    begun.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    begun.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert head(begun).commit == begun.head
    assert not head(begun).plain
    begun.git("update-ref", "refs/other/x", begun.head)
    begun.git("symbolic-ref", "HEAD", "refs/other/x")
    assert head(begun) == Head("refs/other/x", begun.head, plain=False)


def test_head_moves_with_its_branch_and_both_logs_say_so(begun):
    before, after = begun.head, another(begun)
    assert move(begun, after) is True
    assert head(begun) == Head("refs/heads/main", after)
    line = f"{before} {after} {WHO}\tcommit: x\n"
    for log in ("HEAD", "refs/heads/main"):
        assert (begun.root / ".git/logs" / log).read_text().endswith(line)
    assert not list((begun.root / ".git").rglob("*.lock"))


def test_a_detached_head_moves_alone(begun):
    begun.git("switch", "-q", "--detach")
    after = another(begun)
    assert move(begun, after) is True
    assert head(begun) == Head(None, after)
    assert begun.git("rev-parse", "main").strip() != after
    assert f"{after} {WHO}" in (begun.root / ".git/logs/HEAD").read_text()
    assert after not in (begun.root / ".git/logs/refs/heads/main").read_text()


def test_a_first_commit_comes_from_nothing(store):
    store.git("symbolic-ref", "HEAD", "refs/heads/deep/fresh")
    tree = store.git("mktree", given=b"").strip()
    made = store.git("commit-tree", "-m", "x", tree).strip()
    assert move(store, made) is True
    assert store.head == made
    assert (store.root / ".git/logs/HEAD").read_text().startswith(f"{'0' * 40} {made} ")


def test_a_head_that_somebody_moved_is_not_moved_again(begun):
    seen, lost = head(begun), another(begun, "lost")
    begun.git("commit", "-q", "--allow-empty", "-m", "theirs")
    assert move(begun, lost, seen) is False
    begun.git("switch", "-qc", "side", seen.commit)
    assert move(begun, lost, seen) is False
    assert begun.git("rev-parse", "side").strip() == seen.commit


def test_without_logs_none_is_begun_and_one_that_stands_goes_on(begun):
    logs = begun.root / ".git/logs"
    (logs / "refs/heads/main").unlink()
    after = another(begun)
    assert move(begun, after, logs=False) is True
    assert not (logs / "refs/heads/main").exists()
    assert after in (logs / "HEAD").read_text()


def test_a_log_that_cannot_be_written_does_not_unsay_the_move(begun):
    log = begun.root / ".git/logs/HEAD"
    log.unlink()
    log.mkdir()
    after = another(begun)
    assert move(begun, after) is True
    assert begun.head == after


def test_where_refs_are_not_files_git_moves_them_and_compares_too(begun):
    seen, after = replace(head(begun), plain=False), another(begun)
    assert move(begun, after, seen) is True
    assert begun.head == after
    assert move(begun, another(begun, "late"), seen) is False
    assert begun.head == after
    assert begun.git("reflog", "-1", "--format=%gs").strip() == "commit: x"


def test_what_git_refuses_for_another_reason_is_said(begun):
    seen = replace(head(begun), plain=False)
    with pytest.raises(Unavailable, match="could not move HEAD"):
        move(begun, "1" * 40, seen)
    assert begun.head == seen.commit
