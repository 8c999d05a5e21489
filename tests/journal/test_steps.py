"""The branch's own line, step by step: replayed, it gives the tree of every commit on it."""

import random

import pytest
from journal_store import Store

from memcli.journal import history, lines_of, steps, tree
from memcli.journal.repository import Journal

BELOW = "schemas/"


def merge(store, name, text):
    """A branch with one commit on a file of its own, merged."""
    store.git("checkout", "-qb", name)
    store.remember(f"schemas/{name}.md", text, actor="agent:codex")
    store.git("checkout", "-q", "main")
    store.remember("schemas/beside.md", f"beside {name}\n")
    store.git("merge", "-q", "--no-edit", name)


def replayed(journal, tip):
    """Commit → path → blob, as the steps say, for every commit on the line."""
    found, state = {}, {}
    for step in steps.along(journal, tip):
        for one in step.touched:
            assert (one.before if one.before.strip("0") else "") == state.get(one.path, "")
            state.pop(one.path, None)
            if one.blob.strip("0"):
                state[one.path] = one.blob
        found[step.entry.commit] = dict(state)
    return found


@pytest.fixture
def winding(begun):
    """Adds, edits, moves, removals and merges, with names that need care."""
    rolls = random.Random(3)
    names = ["a.md", "b c.md", "ü\tx.md", "-dash.md", 'q"uote.md']
    for nth in range(8):
        path = begun.write(f"schemas/project/t/{rolls.choice(names)}", f"text {nth}\n")
        begun.git("add", "-A")
        begun.git("commit", "-qm", f"step {nth}", "--", path)
        if nth % 3 == 2:
            merge(begun, f"side{nth}", f"side {nth}\n")
    begun.git("mv", "schemas/beside.md", "schemas/moved.md")
    begun.git("commit", "-qm", "move")
    begun.git("rm", "-q", "schemas/side2.md")
    begun.git("commit", "-qm", "remove")
    return begun


def test_replaying_the_steps_gives_the_tree_of_every_commit(winding):
    journal = winding.journal
    told = replayed(journal, journal.head())
    for commit, state in told.items():
        assert state == tree.blobs(journal, commit, BELOW)
    line = winding.git("rev-list", "--first-parent", "HEAD").split()
    assert set(told) <= set(line)
    assert len(told) >= 12


def test_steps_go_on_after_a_commit(winding):
    journal = winding.journal
    every = [one.entry.commit for one in steps.along(journal, journal.head())]
    for place in (0, 4, len(every) - 1):
        rest = [one.entry.commit for one in steps.along(journal, journal.head(), after=every[place])]
        assert rest == every[place + 1 :]


def test_record_time_never_goes_back_along_the_line(winding):
    early = {"GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z"}
    winding.write("schemas/late.md")
    winding.git("add", "-A")
    winding.git("commit", "-qm", "skewed", setting=early)
    moments = [one.entry.at for one in steps.along(winding.journal, winding.journal.head())]
    assert moments == sorted(moments)


def test_a_merge_says_who_did_what_it_brought(begun):
    begun.remember("schemas/one.md")
    merge(begun, "aside", "aside\n")
    last = steps.along(begun.journal, begun.journal.head())[-1]
    assert [one.path for one in last.touched] == ["schemas/aside.md"]
    by = steps.merged(begun.journal, last.entry)
    assert {path: one.actor for path, one in by.items()} == {"schemas/aside.md": "agent:codex"}


def test_operations_are_named_by_their_commits(winding):
    journal = winding.journal
    every = {one.commit: one for one in history.entries(journal)}
    some = sorted(every)[::3]
    assert steps.named(journal, some) == {one: every[one] for one in some}
    assert steps.named(journal, []) == {}


def test_where_a_shallow_clone_was_cut_nothing_seems_new(winding, tmp_path, environment):
    winding.git("clone", "-q", "--depth", "2", f"file://{winding.root}", str(tmp_path / "cut"))
    cut = Store(tmp_path / "cut", environment).journal
    told = steps.along(cut, cut.head())
    assert [one.path for one in told[-1].touched] == ["schemas/side2.md"]
    assert sum(len(one.touched) for one in told) <= 4


def test_a_store_in_a_folder_of_a_repository_has_its_own_paths(tmp_path, environment):
    outer = Store(tmp_path / "outer", environment)
    outer.root.mkdir()
    Journal.init(outer.root, environment)
    outer.write("notes/schemas/a.md", "one\n")
    outer.write("schemas/foreign.md", "two\n")
    outer.git("add", "-A")
    outer.git("commit", "-qm", "both")
    inner = Journal.open(outer.root / "notes", environment)
    (step,) = steps.along(inner, inner.head())
    assert [one.path for one in step.touched] == ["schemas/a.md"]
    assert [one.text for one in lines_of.brought(inner, inner.head(), "schemas/a.md")] == [b"one"]


def test_lines_are_as_git_blame_has_them(winding):
    path = winding.write("schemas/project/t/lines.md", "a\n\nb\r\n\tc\nlast without end")
    winding.git("add", "-A")
    winding.git("commit", "-qm", "lines")
    first = winding.journal.head()
    winding.write(path, "a\nnew\n\nb\r\n\tc\nlast without end")
    winding.git("commit", "-qam", "more")
    found = lines_of.brought(winding.journal, winding.journal.head(), path)
    assert [one.text for one in found] == [b"a", b"new", b"", b"b\r", b"\tc", b"last without end"]
    assert {one.commit for one in found if one.text != b"new"} == {first}
    assert found[1].commit == winding.journal.head()
