"""What a merge comes to is known before anything is changed; where git would do more, there is no such plan."""

import pytest

from memcli.journal import foreseen
from memcli.journal.foreseen import Change

A, B, C = (f"schemas/project/t/{name}.md" for name in "abc")


@pytest.fixture
def parted(begun):
    """On main a memory was added; on the branch `theirs` another one, one changed and one gone."""
    begun.remember(A, "base\n")
    begun.remember(C, "gone\n")
    begun.git("switch", "-qc", "theirs")
    begun.remember(A, "theirs\n")
    begun.git("rm", "-q", C)
    begun.git("commit", "-qm", "gone")
    begun.git("switch", "-q", "-")
    return begun


def merge(store, settle=lambda _: None):
    return foreseen.merge(store.journal, store.git("rev-parse", "theirs").strip(), settle)


def state(store):
    return store.head, store.status, (store.root / A).read_text(), store.git("for-each-ref")


def test_head_only_goes_on_where_nothing_was_done_here(parted):
    before = state(parted)
    found = merge(parted)
    assert found.forward
    assert found.changes == {A: Change(b"base\n", b"theirs\n"), C: Change(b"gone\n", None)}
    assert state(parted) == before


def test_a_merge_changes_what_the_other_side_did(parted):
    parted.remember(B, "ours\n")
    before = state(parted)
    found = merge(parted)
    assert (found.forward, found.settled) == (False, ())
    assert found.changes == {A: Change(b"base\n", b"theirs\n"), C: Change(b"gone\n", None)}
    assert state(parted) == before


def test_a_file_in_conflict_is_what_is_said_of_it(parted):
    parted.remember(A, "ours\n")
    before = state(parted)
    found = merge(parted, lambda one: one.ours + one.theirs)
    assert found.changes[A] == Change(b"ours\n", b"ours\ntheirs\n")
    assert [one.path for one in found.settled] == [A]
    assert state(parted) == before


def test_one_that_is_settled_as_it_is_here_is_no_change(parted):
    parted.remember(A, "ours\n")
    found = merge(parted, lambda one: one.ours)
    assert found.changes == {C: Change(b"gone\n", None)}
    assert [one.path for one in found.settled] == [A]


def test_what_nobody_settles_is_no_plan(parted):
    parted.remember(A, "ours\n")
    assert merge(parted) is None


def _link(store):
    (store.root / B).symlink_to("a.md")


def _program(store):
    store.write(B, "x\n")
    (store.root / B).chmod(0o755)


def _attributes(store):
    store.write("schemas/.gitattributes", "*.md eol=crlf\n")


def _lines(store):
    store.write(B, "x\r\n")


@pytest.mark.parametrize("made", [_link, _program, _attributes, _lines])
def test_a_file_that_is_not_plain_is_gits_to_bring(parted, made):
    parted.git("switch", "-q", "theirs")
    made(parted)
    parted.git("add", "-A")
    parted.git("commit", "-qm", "strange")
    parted.git("switch", "-q", "-")
    assert merge(parted) is None


@pytest.mark.parametrize("name", ["pre-commit", "post-merge", "pre-merge-commit"])
def test_a_hook_is_gits_to_run(parted, name):
    hook = parted.root / ".git/hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    assert merge(parted) is not None
    hook.chmod(0o755)
    assert merge(parted) is None


def test_what_is_staged_is_gits_to_judge(parted):
    parted.write("draft.txt", "x\n")
    parted.git("add", "draft.txt")
    assert merge(parted) is None


def test_histories_that_parted_more_than_once_are_gits_to_merge(parted):
    parted.remember(B, "ours\n")
    parted.git("branch", "-q", "first")
    parted.git("merge", "-q", "--no-edit", "theirs")
    parted.git("switch", "-q", "theirs")
    parted.git("merge", "-q", "--no-edit", "first")
    parted.git("switch", "-q", "-")
    assert merge(parted) is None


def test_a_file_stays_by_its_path_though_all_beside_it_were_moved(parted):
    parted.remember(B, "ours\n")
    parted.git("switch", "-q", "theirs")
    parted.git("mv", "schemas/project/t", "schemas/project/other")
    parted.git("commit", "-qm", "moved")
    parted.git("switch", "-q", "-")
    found = merge(parted)
    assert B not in found.changes
    assert found.changes[A] == Change(b"base\n", None)
    assert found.changes["schemas/project/other/a.md"] == Change(None, b"theirs\n")


def test_the_mode_of_a_file_that_both_changed_is_gits_to_settle(parted):
    (parted.root / A).chmod(0o755)
    parted.write(A, "ours\n")
    parted.git("commit", "-qam", "a program")
    assert merge(parted, lambda one: one.ours) is None
