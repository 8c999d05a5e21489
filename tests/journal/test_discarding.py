"""What keeps an object alive is found wherever git keeps a name, and let go whole or not at all."""

from dataclasses import replace

import pytest

from memcli.errors import HistoryCut, Refused, TryAgain, Unavailable
from memcli.journal import discarding
from memcli.journal.discarding import Ref


def blob(store, text="gone\n"):
    return store.git("hash-object", "-w", "--stdin", given=text.encode()).strip()


def test_every_name_is_listed_and_a_name_of_a_name_is_not(begun):
    head = begun.head
    begun.git("branch", "-M", "main")
    begun.git("branch", "side")
    begun.git("tag", "light")
    begun.git("tag", "-a", "-m", "heavy", "heavy")
    begun.git("symbolic-ref", "refs/heads/alias", "refs/heads/side")
    begun.git("update-ref", "refs/heads/two\u2028lines", head)
    begun.git("update-ref", "refs/odd/blob", blob(begun))
    begun.git("update-ref", "refs/notes/commits", head)
    heavy = begun.git("rev-parse", "heavy").strip()
    assert set(discarding.refs(begun.journal)) == {
        Ref("refs/heads/main", head, "commit"),
        Ref("refs/heads/side", head, "commit"),
        Ref("refs/heads/two\u2028lines", head, "commit"),
        Ref("refs/notes/commits", head, "commit"),
        Ref("refs/tags/light", head, "commit"),
        Ref("refs/tags/heavy", heavy, "tag"),
    }


def test_a_whole_repository_of_ones_own_is_fit(begun):
    discarding.refuse_unfit(begun.journal)


@pytest.mark.parametrize(
    ("file", "error", "said"),
    [
        ("shallow", HistoryCut, "shallow clone"),
        ("objects/info/alternates", Refused, "borrows objects"),
        ("objects/pack/pack-1.keep", Refused, "marked to be kept"),
        ("MERGE_HEAD", TryAgain, "merge is in progress"),
    ],
)
def test_what_would_keep_the_objects_is_said_before_anything_is_done(begun, file, error, said):
    place = begun.root / ".git" / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(begun.head if file == "shallow" else "")
    with pytest.raises(error, match=said):
        discarding.refuse_unfit(begun.journal)


def test_without_a_branch_there_is_none_to_rewrite(begun):
    begun.git("switch", "-q", "--detach")
    with pytest.raises(Refused, match="on no branch"):
        discarding.refuse_unfit(begun.journal)


def test_other_working_trees_are_named_with_what_is_checked_out_there(begun):
    assert discarding.elsewhere(begun.journal) == ()
    other = begun.root.parent / "other"
    begun.git("worktree", "add", "-q", "-b", "side", str(other))
    assert discarding.elsewhere(begun.journal) == ((str(other), begun.head),)
    assert discarding.elsewhere(replace(begun, root=other).journal) == ((str(begun.root), begun.head),)


def test_reflogs_of_every_branch_and_working_tree_are_read(begun):
    begun.git("branch", "-M", "main")
    begun.git("worktree", "add", "-q", "-b", "side", str(begun.root.parent / "other"))
    begun.write("x")
    begun.git("stash", "-u", "-q")
    found = discarding.logs(begun.journal)
    assert set(found) == {
        "logs/HEAD",
        "logs/refs/heads/main",
        "logs/refs/heads/side",
        "logs/refs/stash",
        "worktrees/other/logs/HEAD",
    }
    stash = begun.git("rev-parse", "refs/stash").strip()
    assert set(discarding.named_in(begun.journal, found.values())) == {begun.head, stash}


def test_of_the_names_in_a_reflog_those_count_that_are_commits_and_still_there(begun):
    line = f"{'0' * 40} {begun.head} a\n{'1' * 40} {blob(begun)} b\n".encode()
    assert discarding.named_in(begun.journal, [line]) == (begun.head,)
    assert discarding.named_in(begun.journal, []) == ()


def test_what_is_still_there_is_told_of_any_kind(begun):
    here = blob(begun)
    assert discarding.there(begun.journal, ["1" * 40, here, begun.head]) == (here, begun.head)


def test_a_reflog_names_the_new_commit_wherever_it_named_the_old():
    old, new = "a" * 40, "b" * 40
    raw = f"{'0' * 40} {old} Ana <a@b.c> 1 +0000\tcommit: {old[:10]}\n{old} {'c' * 40} x\n".encode()
    assert discarding.mapped(raw, {old: new}) == raw.replace(old.encode(), new.encode())
    assert discarding.mapped(raw, {}) == raw
    assert discarding.mapped(b"x" + old.encode(), {old: new}) == b"x" + old.encode()


def test_refs_move_are_made_and_go_in_one_step(begun):
    one, two = begun.head, begun.remember()
    begun.git("branch", "side", one)
    begun.git("branch", "old", one)
    moves = [("refs/heads/side", one, two), ("refs/heads/old", one, ""), ("refs/heads/new", "", two)]
    discarding.move(begun.journal, moves)
    discarding.move(begun.journal, moves)  # what moved already is passed over
    named = {one.name.rpartition("/")[2]: one.target for one in discarding.refs(begun.journal)}
    assert "old" not in named
    assert (named["side"], named["new"]) == (two, two)


def test_a_ref_that_moved_meanwhile_or_is_held_stops_all_of_them(begun):
    one, two = begun.head, begun.remember()
    begun.git("branch", "side", one)
    begun.git("branch", "held", one)
    with pytest.raises(TryAgain, match="refs/heads/side moved meanwhile"):
        discarding.move(begun.journal, [("refs/heads/held", one, two), ("refs/heads/side", two, "")])
    (begun.root / ".git/refs/heads/held.lock").touch()
    with pytest.raises(TryAgain, match="could not move the branches"):
        discarding.move(begun.journal, [("refs/heads/side", one, two), ("refs/heads/held", one, two)])
    assert begun.git("rev-parse", "side", "held").split() == [one, one]


def test_a_reflog_gets_its_new_lines_once_and_keeps_what_came_since(begun):
    file, old, new = begun.root / ".git/logs/HEAD", "a" * 40, "b" * 40
    before, since = f"{old} one\n", f"{old} since\n"
    file.write_text(before + since)
    after = {"logs/HEAD": (len(before), f"{new} one\n".encode()), "logs/gone": (0, b"x")}
    for _ in range(2):
        discarding.write_logs(begun.journal, after, {old: new})
        assert file.read_text() == f"{new} one\n{new} since\n"
    assert not (begun.root / ".git/logs/gone").exists()


def test_a_reflog_that_holds_its_lines_already_is_not_written_again(begun):
    file = begun.root / ".git/logs/HEAD"
    file.write_text("whole\n")
    file.chmod(0o400)
    before = file.stat().st_mtime_ns
    discarding.write_logs(begun.journal, {"logs/HEAD": (3, b"whole\n")}, {})
    assert file.stat().st_mtime_ns == before


@pytest.mark.parametrize("packed", [False, True])
def test_what_nothing_names_is_gone_and_the_rest_is_whole(begun, packed):
    begun.remember()
    loose = blob(begun)
    dropped = begun.git("commit-tree", "-m", "dropped", "HEAD^{tree}").strip()
    begun.git("update-ref", "ORIG_HEAD", dropped)
    if packed:
        begun.git("update-ref", "refs/heads/dropped", dropped)
        begun.git("repack", "-adq")
        begun.git("commit-graph", "write", "--reachable", "--split")
        begun.git("multi-pack-index", "write")
        begun.git("branch", "-qD", "dropped")
        begun.git("reflog", "expire", "--expire=now", "--all")
    discarding.let_go(begun.journal)
    assert discarding.there(begun.journal, [loose, dropped, begun.head]) == (begun.head,)
    assert begun.whole
    left = {path.name for path in (begun.root / ".git").rglob("*")}
    assert not left & {"ORIG_HEAD", "commit-graphs", "multi-pack-index"}
    discarding.let_go(begun.journal)


def test_a_graph_in_one_file_goes_too(begun):
    begun.git("commit-graph", "write", "--reachable")
    discarding.let_go(begun.journal)
    assert not (begun.root / ".git/objects/info/commit-graph").exists()


def test_where_git_cannot_remove_them_that_is_said(begun):
    begun.write(".git/objects/pack/pack-1.pack", "no pack")
    (begun.root / ".git/refs/heads/broken").write_text("1" * 40 + "\n")
    with pytest.raises(Unavailable, match="could not remove the old objects"):
        discarding.let_go(begun.journal)
