"""What one clone moved, deleted or took out while the other changed it, or moved it elsewhere: one memory of both."""

import pytest
from engine.test_meeting_clones import (
    REFUND,
    SUCCESSOR,
    TEA,
    WAREHOUSE,
    by_driver,
    by_git,
    by_sync,
    pair,
    same,
    says_by_hand,
)
from trial import AGENT

from memcli.engine.moving import moved_apart

__all__ = ["pair"]


def _worded(one, id_):
    _worded_at(one, one.path(id_))


def _worded_at(one, path):
    path.write_text(f"{path.read_text('utf-8')}\nGift cards are excluded.\n", "utf-8")
    one.did("save", "--yes")


def _moved(one, id_):
    one.did("move", id_, "project:other")


@pytest.fixture
def both_took_it_in(pair, tmp_path):
    """Two clones that both imported what a third exported, and the id of it; they have not met since."""
    here, there, _ = pair
    third = here.clone(tmp_path / "third")
    id_ = third.remember("The brewery holds 40 barrels.")["id"]
    file = tmp_path / "third.jsonl"
    file.write_text(third.did("export"), "utf-8")
    for one in (here, there):
        one.did("import", str(file), "--yes")
        assert one.status(id_) == "active"
    return here, there, id_


@pytest.mark.parametrize("mover", [0, 1])
def test_what_both_took_in_and_one_moved_is_one_memory_where_it_was_moved(both_took_it_in, mover):
    """With control: what the other said of it meanwhile goes along."""
    *sides, id_ = both_took_it_in
    sides[mover].did("move", id_, "project:other")
    path = sides[1 - mover].path(id_)
    path.write_text(path.read_text("utf-8") + "\nIn the cellar there are more.\n", "utf-8")
    sides[1 - mover].did("save", "--yes")
    by_sync(*sides)
    same(*sides)
    for one in sides:
        (file,) = one.root.glob(f"schemas/**/*{id_}.md")
        assert file.parent.name == "other"
        assert "In the cellar" in file.read_text("utf-8")
        assert one.told("audit")["clean"]


@pytest.mark.parametrize(("act", "becomes"), [("forget", "forgotten"), ("retract", "retracted")])
def test_what_one_moved_and_the_other_took_out_stays_out_where_it_was_moved(both_took_it_in, act, becomes):
    here, there, id_ = both_took_it_in
    here.did("move", id_, "project:other")
    there.did(act, id_, "--reason", "it was wrong", "--yes")
    by_sync(here, there)
    same(here, there)
    for one in (here, there):
        assert one.status(id_) == becomes
        assert one.found("how much does the brewery hold", "--scope", "project:other") == []
        assert one.told("audit")["clean"]


def test_a_sync_that_was_cut_off_between_its_merge_and_that_is_made_whole_by_the_next(
    both_took_it_in, monkeypatch
):
    here, there, id_ = both_took_it_in
    here.did("move", id_, "project:other")
    there.did("sync")
    with monkeypatch.context() as cut:
        cut.setattr(moved_apart, "joined", _cut_off)
        assert here.ran("sync").code == 130  # as of Ctrl-C
    assert len(list(here.root.glob(f"schemas/**/*{id_}.md"))) == 2
    by_sync(here, there)
    same(here, there)
    assert [path.parent.name for path in here.root.glob(f"schemas/**/*{id_}.md")] == ["other"]


def test_what_plain_git_left_twice_is_one_memory_after_the_next_sync(both_took_it_in):
    """Control: one that is being edited is left until it is saved."""
    here, there, id_ = both_took_it_in
    here.did("move", id_, "project:other")
    by_git(here, there)
    left = next(here.root.glob(f"schemas/project/t/*{id_}.md"))
    committed = left.read_text("utf-8")
    left.write_text(committed + "\nIn the cellar there are more.\n", "utf-8")
    here.did("sync")
    assert len(list(here.root.glob(f"schemas/**/*{id_}.md"))) == 2
    left.write_text(committed, "utf-8")
    by_sync(here, there)
    same(here, there)
    assert [path.parent.name for path in here.root.glob(f"schemas/**/*{id_}.md")] == ["other"]


@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize(("act", "becomes"), [("forget", "forgotten"), ("retract", "retracted")])
def test_what_one_moved_and_wrote_anew_and_the_other_took_out_is_one_memory_that_stays_out(
    pair, mover, act, becomes
):
    *sides, (id_, _) = pair
    sides[mover].did("move", id_, "project:other")
    path = sides[mover].path(id_)
    note = "The board of the company decided so last winter, after a long debate.\n" * 12
    path.write_text(f"{path.read_text('utf-8')}\n{note}", "utf-8")
    sides[mover].did("save", "--yes")
    sides[1 - mover].did(act, id_, "--reason", "it was wrong", "--yes")
    by_sync(*sides)
    same(*sides)
    for one in sides:
        (file,) = one.root.glob(f"schemas/**/*{id_}.md")
        assert file.parent.name == "other"
        assert one.status(id_) == becomes
        assert one.found("refund window", "--scope", "project:other") == []


def _cut_off(*_):
    raise KeyboardInterrupt


def test_what_both_moved_to_different_scopes_is_left_for_a_person_and_named(both_took_it_in):
    here, there, id_ = both_took_it_in
    here.did("move", id_, "project:other")
    there.did("move", id_, "project:third")
    by_sync(here, there)
    assert len(list(here.root.glob(f"schemas/**/*{id_}.md"))) == 2
    assert f"{id_} stands in 2 files" in here.ran("check").out


def with_a_hook(here, there):
    """Both meet where git itself has to merge."""
    for one in (here, there):
        hook = one.root / ".git/hooks/post-merge"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\n")
        hook.chmod(0o755)
        one.did("trust", "--yes")
    by_sync(here, there)


@pytest.mark.case("P-LIFE-02")
@pytest.mark.parametrize("meet", [by_sync, with_a_hook])
@pytest.mark.parametrize("mover", [0, 1])
def test_what_is_new_in_a_scope_stays_in_it_though_the_other_moved_all_that_was_there(pair, meet, mover):
    *sides, ids = pair
    for id_ in ids:
        sides[mover].did("move", id_, "project:other")
    fresh = sides[1 - mover].remember(WAREHOUSE)["id"]
    meet(*sides)
    same(*sides)
    for one in sides:
        assert one.path(fresh).parent.name == "t"
        assert {one.path(id_).parent.name for id_ in ids} == {"other"}
        assert one.found("where is the warehouse") == [fresh]
        assert one.found("where is the warehouse", "--scope", "project:other") == []


@pytest.mark.parametrize("meet", [by_sync, with_a_hook])
@pytest.mark.parametrize("deleter", [0, 1])
def test_what_is_new_is_not_taken_for_what_was_deleted_though_it_says_nearly_the_same(pair, meet, deleter):
    *sides, (refund, _) = pair
    note = "The board of the company decided so last winter, after a long debate.\n" * 12
    for one in sides:
        path = one.path(refund)
        path.write_text(f"{path.read_text('utf-8')}\n{note}", "utf-8")
        one.did("save", "--yes")
        meet(*sides)
    here, there = sides[deleter], sides[1 - deleter]
    text = here.path(refund).read_text("utf-8")
    here.path(refund).unlink()
    new = here.write("fresh000aaaa", f"{TEA}\n\n{note}")
    here.did("save", "--yes")
    there.path(refund).write_text(text.replace("status:", "tags: [billing]\nstatus:"), "utf-8")
    there.did("save")
    before = new.read_bytes()
    meet(*sides)
    same(*sides)
    for one in sides:
        assert one.path("fresh000aaaa").read_bytes() == before
        assert "billing" in one.path(refund).read_text("utf-8")


@pytest.mark.parametrize("mover", [0, 1])
@pytest.mark.parametrize("taken_in", [False, True])
def test_what_one_gave_other_words_and_moved_keeps_them_whatever_else_the_other_did_to_it(
    both_took_it_in, pair, mover, taken_in
):
    *sides, brought = both_took_it_in
    id_ = brought if taken_in else pair[2][0]
    here, there = sides[mover], sides[1 - mover]
    path, words = here.path(id_), "Only the cellar of the old castle is still in use."
    text = path.read_text("utf-8")
    claim = text.rpartition("---\n")[2].strip()
    path.write_text(text.replace(claim, words), "utf-8")
    here.did("save", "--yes")
    here.did("move", id_, "project:other")
    there.told("supersede", id_, "--with", SUCCESSOR)
    by_sync(*sides)
    same(*sides)
    for one in sides:
        (file,) = one.root.glob(f"schemas/**/*{id_}.md")
        assert (file.parent.name, one.status(id_)) == ("other", "superseded")
        assert file.read_text("utf-8").endswith(f"{words}\n")
        assert one.told("audit")["clean"]


@pytest.mark.parametrize("deleter", [0, 1])
def test_a_file_that_one_deleted_and_the_other_moved_stays_in_the_journal_too(pair, deleter):
    *sides, (refund, _) = pair
    sides[deleter].path(refund).unlink()
    sides[deleter].did("save", "--yes")
    sides[1 - deleter].did("move", refund, "project:other")
    by_sync(*sides)
    same(*sides)
    for one in sides:
        assert one.path(refund).parent.name == "other"
        assert one.status(refund) == "active"
        assert one.told("audit")["clean"]


@pytest.mark.parametrize("mover", [0, 1])
def test_what_both_moved_to_one_scope_and_one_changed_is_one_memory_there(pair, mover):
    *sides, (refund, _) = pair
    for one in sides:
        one.did("move", refund, "project:other")
    _worded(sides[mover], refund)
    by_sync(*sides)
    same(*sides)
    assert "Gift cards" in sides[0].path(refund).read_text("utf-8")


def test_what_both_moved_to_different_scopes_is_told_by_the_sync_and_is_one_once_one_is_deleted(pair):
    here, there, (refund, _) = pair
    here.did("move", refund, "user")
    there.did("move", refund, "project:other")
    there.did("sync")
    ran = here.ran("sync")
    assert (ran.code, "stands in two files" in ran.err) == (0, True)
    next(here.root.glob(f"schemas/user/*{refund}.md")).unlink()
    here.did("save", "--yes")
    by_sync(here, there)
    same(here, there)
    for one in (here, there):
        assert one.path(refund).parent.name == "other"
        assert one.told("audit")["clean"]


@pytest.mark.parametrize(("known", "changed"), [(False, _worded), (False, _moved), (True, _worded)])
@pytest.mark.parametrize(("act", "becomes"), [("forget", "forgotten"), ("retract", "retracted")])
def test_what_one_took_out_and_deleted_while_the_other_changed_it_says_itself_that_it_is_out(
    pair, act, becomes, changed, known
):
    here, there, (id_, _) = pair
    here.did(act, id_, "--reason", "it was wrong", "--yes")
    if known:
        by_sync(here, there)
    here.path(id_).unlink()
    here.did("save", "--yes")
    changed(there, id_)
    by_sync(here, there)
    same(here, there)
    for one in (here, there):
        assert f"status: {becomes}" in one.path(id_).read_text("utf-8")
        assert one.path(id_).read_text("utf-8").count("Gift cards") == (changed is _worded)
        assert one.told("audit")["clean"]
        assert one.found("refund window", "--floor", "0.5", "--events", "none") == []
        assert one.ran("remember", REFUND, env=AGENT).code == 5


@pytest.mark.parametrize("deleter", [0, 1])
def test_what_one_reworded_before_both_met_keeps_its_words_where_one_deleted_it_and_the_other_took_it_out(
    pair, deleter
):
    *sides, (id_, _) = pair
    _worded(sides[0], id_)
    by_sync(*sides)
    sides[deleter].path(id_).unlink()
    sides[deleter].did("save", "--yes")
    sides[1 - deleter].did("retract", id_, "--reason", "never so", "--yes")
    by_sync(*sides)
    same(*sides)
    for one in sides:
        assert one.status(id_) == "retracted"
        assert "Gift cards" in one.path(id_).read_text("utf-8")
        assert one.told("audit")["clean"]


@pytest.mark.parametrize("renamer", [0, 1])
def test_one_that_one_moved_and_the_other_only_gave_another_name_is_where_it_was_moved(pair, renamer):
    *sides, (id_, _) = pair
    path = sides[renamer].path(id_)
    path.rename(path.with_name("refunds.md"))
    _worded_at(sides[renamer], path.with_name("refunds.md"))
    _moved(sides[1 - renamer], id_)
    by_sync(*sides)
    same(*sides)
    for one in sides:
        (file,) = one.root.glob("schemas/project/other/*.md")
        assert "Gift cards" in file.read_text("utf-8")


def test_of_two_new_names_the_first_stays(pair):
    here, there, (id_, _) = pair
    for one, name in ((here, "b.md"), (there, "a.md")):
        path = one.path(id_)
        path.rename(path.with_name(name))
        one.did("save", "--yes")
    by_sync(here, there)
    same(here, there)
    assert [path.name for path in here.root.glob("schemas/project/t/?.md")] == ["a.md"]


@pytest.mark.parametrize("meet", [by_sync, by_git, by_driver])
def test_what_was_removed_by_hand_while_the_other_gave_it_other_words_stays_out_in_both(pair, meet):
    """With control: what nobody removed is taken in."""
    here, there, (refund, _) = pair
    says_by_hand(here, refund, "forgotten")
    path = there.path(refund)
    words = "Customers may send goods back for a month after the parcel came."
    path.write_text(path.read_text("utf-8").replace(REFUND, words), "utf-8")
    there.did("save")
    meet(here, there)
    for one in (here, there):
        for _ in range(2):
            for text in (REFUND, words):
                assert one.ran("remember", text, env=AGENT).code == 5
            one.forgets_the_index()
        assert one.remember(TEA, env=AGENT)["decision"] in ("created", "reinforced")


def test_what_was_removed_by_hand_while_the_other_moved_it_stays_out_where_it_was(pair):
    here, there, (refund, _) = pair
    says_by_hand(here, refund, "forgotten")
    _moved(there, refund)
    by_sync(here, there)
    same(here, there)
    for one in (here, there):
        assert one.ran("remember", REFUND, env=AGENT).code == 5
        assert one.ran("remember", REFUND, "--scope", "project:other", env=AGENT).code == 5


def test_one_that_came_twice_by_a_merge_of_two_histories_stands_in_no_ones_way(pair, tmp_path):
    """Two stores that somebody merged by plain git, and each held the memory in another scope."""
    here, there, (refund, _) = pair
    strange = here.clone(tmp_path / "strange")
    strange.git("checkout", "-q", "--orphan", "new")
    strange.git("commit", "-qm", "another beginning")
    strange.did("move", refund, "project:other")
    here.git("fetch", "-q", str(strange.root), "new")
    here.git("merge", "-q", "--no-edit", "--allow-unrelated-histories", "FETCH_HEAD")
    assert len(list(here.root.glob(f"schemas/**/*{refund}.md"))) == 2
    assert here.told("sync")["sent"]
    there.told("sync")
    assert here.head() == there.head()
