"""Which head was seen last: of the branch in use, wherever git keeps its names."""

import pytest

from memcli.errors import Unavailable
from memcli.journal import seen, swap


def test_before_the_first_commit_there_is_nothing_to_note(store):
    seen.accept(store.journal)
    assert seen.last(store.journal) is None
    assert seen.rewritten(store.journal) is None


def test_a_detached_head_has_no_branch_of_which_to_note_anything(begun):
    begun.git("switch", "-q", "--detach")
    seen.advance(begun.journal)
    assert seen.last(begun.journal) is None
    assert begun.git("for-each-ref", "refs/mem") == ""


def test_each_branch_has_its_own(begun):
    begun.git("branch", "-M", "main")
    seen.advance(begun.journal)
    begun.git("switch", "-qc", "side")
    assert seen.last(begun.journal) is None
    begun.remember()
    seen.advance(begun.journal)
    assert begun.git("rev-parse", "refs/mem/seen/main", "refs/mem/seen/side").split() == [
        begun.git("rev-parse", "main").strip(),
        begun.head,
    ]


def test_where_refs_are_not_plain_files_git_is_asked(begun):
    begun.git("branch", "-M", "main")
    begun.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    begun.git("symbolic-ref", "HEAD", "refs/heads/alias")
    assert not begun.journal.standing().plain
    branch = begun.journal.branch()
    assert seen.last(begun.journal) is None
    seen.advance(begun.journal)
    assert seen.last(begun.journal) == begun.head
    assert begun.git("rev-parse", f"refs/mem/seen/{branch}").strip() == begun.head


def test_a_rewrite_stays_noticed_until_a_person_accepts_it(begun):
    first = begun.head
    old = begun.remember()
    seen.advance(begun.journal)
    begun.git("reset", "-q", "--hard", first)
    seen.advance(begun.journal)
    assert seen.rewritten(begun.journal) == old
    seen.accept(begun.journal)
    assert (seen.rewritten(begun.journal), seen.last(begun.journal)) == (None, first)


def test_a_branch_that_lost_its_only_commit_is_rewritten(begun):
    begun.git("branch", "-M", "main")
    seen.advance(begun.journal)
    old = begun.head
    begun.git("update-ref", "-d", "refs/heads/main")
    assert seen.rewritten(begun.journal) == old


def test_where_it_cannot_be_noted_that_is_said(begun):
    begun.git("branch", "-M", "main")
    begun.write(".git/refs/mem/seen/main/below", "not a ref\n")
    with pytest.raises(Unavailable, match="could not note what was seen"):
        seen.accept(begun.journal)


def test_a_lock_that_a_killed_git_left_on_what_was_seen_is_let_go(begun, monkeypatch):
    monkeypatch.setattr(swap, "DEAD_S", 0.3)
    left = begun.root / f".git/refs/mem/seen/{begun.journal.branch()}.lock"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.touch()
    seen.accept(begun.journal)
    assert seen.last(begun.journal) == begun.head
    assert not left.exists()
