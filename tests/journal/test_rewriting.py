"""History written anew: what changes gets new ids, and nothing else differs in anything."""

import pytest

from memcli.journal import discarding, rewriting
from memcli.journal.repository import Journal
from memcli.journal.rewriting import Rewriting


@pytest.fixture
def woven(trial):
    """A history with two branches, a merge, a nested tag, and an author of another time and alphabet."""
    trial.write("keep", "Keep me.")
    trial.commit_by_hand("Grüße aus Łódź\n\nMit einem langen Text.\n")
    trial.git("switch", "-qc", "side")
    trial.write("gone", "Take me out.")
    (trial.root / "app.py").write_text("pass\n")
    trial.git("add", "-A")
    trial.git("commit", "-qm", "side", "--author", "Žofie <z@x.y>", "--date", "2001-02-03T04:05:06+0900")
    trial.git("switch", "-q", "main")
    trial.write("more", "More of it.")
    trial.commit_by_hand("main")
    trial.git("merge", "-q", "--no-ff", "-m", "join", "side")
    trial.git("tag", "-a", "-m", "inner", "inner", "side")
    trial.git("tag", "-a", "-m", "outer", "outer", "inner")
    return trial


def run(trial, keep, said=lambda text: text, *, dry=False):
    journal = Journal.open(trial.root, trial.environment)
    work = Rewriting(journal, keep, said, dry=dry)
    return work, work.run([trial.head(), trial.git("rev-parse", "side")])


def without(path, raw):
    return None if path.endswith("gone.md") else raw


def fields(trial, commit):
    """All that a commit says of itself but its parents and tree."""
    return trial.git("log", "-1", "--format=%an%ae%ad%cn%ce%cd%B%e", "--date=raw", commit)


def test_where_nothing_changes_nothing_is_written(woven):
    _, made = run(woven, lambda _, raw: raw)
    assert (made.commits, made.first, made.signatures) == ({}, (), 0)


def test_only_what_comes_after_the_first_change_gets_new_ids(woven):
    side, head = woven.git("rev-parse", "side"), woven.head()
    _, made = run(woven, without)
    assert set(made.commits) == {side, head}
    assert made.first == (side,)
    for old, new in made.commits.items():
        assert fields(woven, old) == fields(woven, new)
        assert "gone.md" not in woven.git("ls-tree", "-r", "--name-only", new)
        before = woven.git("ls-tree", "-r", old).splitlines()
        assert [line for line in before if "gone.md" not in line] == woven.git(
            "ls-tree", "-r", new
        ).splitlines()
    assert woven.git("rev-parse", f"{made.of(head)}^1") == woven.git("rev-parse", f"{head}^1")
    assert woven.git("rev-parse", f"{made.of(head)}^2") == made.of(side)
    assert woven.git("fsck", "--strict", "--no-dangling") == ""


def test_a_message_is_rewritten_and_a_tag_of_a_tag_follows(woven):
    work, made = run(woven, lambda _, raw: raw, lambda text: text.replace("side", "[purged]"))
    outer = work.tag(woven.git("rev-parse", "outer"), made.commits)
    assert woven.git("log", "-1", "--format=%B", outer) == "[purged]"
    assert woven.git("cat-file", "tag", outer).endswith("outer")


def test_a_dry_run_gives_the_same_ids_and_writes_nothing(woven):
    before = woven.git("count-objects", "-v")
    _, dry = run(woven, without, dry=True)
    assert woven.git("count-objects", "-v") == before
    _, made = run(woven, without)
    assert made == dry


def test_refs_move_all_or_none(woven):
    journal = Journal.open(woven.root, woven.environment)
    head, side = woven.head(), woven.git("rev-parse", "side")
    moves = [("refs/heads/side", side, head), ("refs/heads/main", side, side)]
    with pytest.raises(Exception, match="moved meanwhile"):
        discarding.move(journal, moves)
    assert woven.git("rev-parse", "side") == side
    discarding.move(journal, moves[:1])
    discarding.move(journal, moves[:1])
    assert woven.git("rev-parse", "side") == head


def test_the_files_of_a_history_are_listed_each_state_once(woven):
    journal = Journal.open(woven.root, woven.environment)
    found = [path for path, _ in rewriting.files(journal, [woven.head()]) if path.endswith(".md")]
    assert sorted(path.rpartition("/")[2] for path in found) == ["gone.md", "keep.md", "more.md"]
