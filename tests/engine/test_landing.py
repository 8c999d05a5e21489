"""A merge of `mem sync` is there whole or not at all, wherever it is cut off, and git's own locks are not taken."""

from contextlib import suppress

import pytest
from engine.test_meeting_clones import WAREHOUSE, divided, pair, same

from memcli.engine.moving import landing
from memcli.journal import commit as commits
from memcli.journal import joins
from memcli.store import intent

__all__ = ["pair"]

TWICE = "Stock is counted in June and in December."


def changed_twice(pair):
    """Both have given one memory another tag, and one clone did more: a merge with a file that both changed."""
    here, there, (refund, tuesdays) = pair
    for one, tag in ((there, "theirs"), (here, "ours")):
        path = one.path(tuesdays)
        path.write_text(path.read_text().replace("---\n\n", f"tags:\n  - {tag}\n---\n\n", 1))
        one.did("save", "--yes")
    there.forget(refund)
    there.remember(TWICE, "--scope", "user")
    there.told("sync")
    return here, there


def only_behind(pair):
    """One clone has gone on, the other one has not."""
    here, there, (refund, _) = pair
    there.forget(refund)
    there.remember(TWICE)
    there.told("sync")
    return here, there


@pytest.fixture(params=[changed_twice, only_behind], ids=["a merge", "a step forward"])
def apart(request, pair):
    return request.param(pair)


def by_hand(monkeypatch):
    """Git is not asked to merge."""

    def never(*_args, **_how):
        raise AssertionError

    monkeypatch.setattr(joins, "merge", never)


def test_git_is_not_asked_to_merge_plain_files(apart, monkeypatch):
    here, there = apart
    by_hand(monkeypatch)
    before = here.head()
    here.told("sync")
    there.told("sync")
    same(here, there)
    assert here.git("merge-base", "--is-ancestor", before, "HEAD") == ""
    assert here.git("fsck", "--strict", "--no-dangling") == ""


STEPS = [(intent, "begin"), (landing, "put"), (commits, "joined"), (commits, "forwarded"), (intent, "end")]


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(("room", "step"), STEPS, ids=[step for _, step in STEPS])
def test_cut_off_at_any_step_it_is_whole_or_absent(apart, room, step, number):
    here, there = apart
    before, met, real = here.head(), [], getattr(room, step)

    class Killed(BaseException):
        pass

    def dies(*args, **how):
        met.append(step)
        if len(met) > number:
            raise Killed
        return real(*args, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, step, dies)
        patch.setattr(landing, "take_back", lambda _opened: None)  # as a process that is no more
        with suppress(Killed):
            here.ran("sync")
    here.remember(WAREHOUSE)  # whoever writes next takes back what was cut off
    assert here.git("status", "--porcelain") == ""
    if step != "end" and len(met) > number:
        assert here.git("rev-parse", "HEAD^") == before
    here.told("sync")
    there.told("sync")
    same(here, there)


def test_a_name_that_a_disk_may_take_for_another_ones_is_left_to_git(pair):
    here, there, (refund, _) = pair
    path = there.path(refund)
    there.git("mv", str(path), str(path.with_name(path.name.upper())))
    there.commit_by_hand()
    there.told("sync")
    here.remember(WAREHOUSE)
    here.told("sync")
    there.told("sync")
    assert here.head() == there.head()
    assert here.git("status", "--porcelain") == ""


def test_an_edit_in_the_way_is_left_and_named(pair):
    here, there, (refund, _) = pair
    path = there.path(refund)
    path.write_text(path.read_text().replace("30 days", "31 days"))
    there.did("save", "--yes")
    there.told("sync")
    mine = here.path(refund)
    mine.write_text(mine.read_text().replace("30 days", "29 days"))
    head, edited = here.head(), mine.read_bytes()
    ran = here.ran("sync")
    assert (ran.code, "in the way" in ran.err) == (8, True), ran.err
    assert (here.head(), mine.read_bytes()) == (head, edited)


def test_a_merge_says_whose_it_is_like_one_of_gits(pair):
    here, _, _ = divided(pair)
    here.told("sync")
    assert here.git("log", "-1", "--format=%P").count(" ") == 1
    assert "Mem-Op: sync" in here.git("log", "-1", "--format=%B")
    assert here.ran("audit").code == 0
