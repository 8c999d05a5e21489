"""A file that the machine could not read is no broken file: the act says so, and finds it the next time."""

import errno
import os

import pytest

from memcli.store import inside, scan

ACTS = (
    ("show",),
    ("forget", "--yes"),
    ("retract", "--reason", "never so", "--yes"),
    ("supersede", "--with", "The refund window is 14 days."),
)


@pytest.fixture
def refused(trial, monkeypatch):
    """The id of a memory whose file no process may open at the moment; what lifts that."""
    id_ = trial.remember("The refund window is 30 days.")["id"]
    name, opens = trial.path(id_).name, os.open

    def failing(path, *words, **named):
        if os.fspath(path) == name:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return opens(path, *words, **named)

    monkeypatch.setattr(inside.os, "open", failing)
    return id_, monkeypatch.undo


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("act", ACTS, ids=lambda act: act[0])
def test_an_act_on_it_fails_as_the_machine_does_and_blames_no_file(trial, refused, act):
    (id_, lifted), head = refused, trial.head()
    ran = trial.ran(act[0], id_, *act[1:])
    assert ran.code == 6
    assert "Too many open files" in ran.err
    assert "Correct the file" not in ran.err
    assert trial.head() == head
    lifted()
    assert trial.status(id_) == "active"
    assert trial.found("how long is the refund window") == [id_]
    assert trial.ran(act[0], id_, *act[1:]).code == 0


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("error", [errno.EMFILE, errno.EIO, errno.EACCES])
def test_an_id_is_not_called_unknown_while_a_folder_cannot_be_listed(trial, monkeypatch, error):
    id_ = trial.remember("The refund window is 30 days.")["id"]
    elsewhere = trial.told("remember", "Tea is free.", "--scope", "project:other")["id"]
    (trial.root / ".mem").rename(trial.root.parent / "index")
    opens = os.open

    def failing(path, *words, **named):
        if os.fspath(path) == "t" and "dir_fd" in named:
            raise OSError(error, os.strerror(error))
        return opens(path, *words, **named)

    monkeypatch.setattr(scan.os, "open", failing)
    for act in ACTS:
        ran = trial.ran(act[0], id_, *act[1:])
        assert ran.code == 6, (act, ran.code, ran.err)
        assert "schemas/project/t/ cannot be listed" in ran.err
    assert trial.ran("show", elsewhere).code == 0
    monkeypatch.undo()
    assert trial.status(id_) == "active"
    assert trial.ran("show", "nobody000000").code == 3


@pytest.mark.case("P-CLI-10")
@pytest.mark.parametrize("lacking", ["the file", "its folder"])
def test_no_answer_is_given_without_what_this_process_could_not_open(trial, monkeypatch, lacking):
    id_ = trial.remember("The refund window is 30 days.")["id"]
    trial.remember("Tea is free.", "--scope", "user")
    (trial.root / ".mem").rename(trial.root.parent / "index")
    name, opens = trial.path(id_).name if lacking == "the file" else "t", os.open

    def failing(path, *words, **named):
        if os.fspath(path) == name and "dir_fd" in named:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return opens(path, *words, **named)

    monkeypatch.setattr(inside.os, "open", failing)
    for act in (("recall", "refund window"), ("list",), ("status",), ("export",)):
        ran = trial.ran(*act)
        assert (ran.code, ran.out) == (6, ""), (act, ran.out, ran.err)
        assert "Too many open files" in ran.err
    monkeypatch.undo()
    assert trial.found("refund window")[0] == id_


@pytest.mark.case("P-CLI-10")
def test_an_answer_without_a_folder_that_may_not_be_listed_says_so(trial, monkeypatch):
    trial.remember("The refund window is 30 days.")
    free = trial.told("remember", "Tea is free.", "--scope", "user")["id"]
    assert "cannot be listed" not in trial.ran("recall", "tea").err
    (trial.root / ".mem").rename(trial.root.parent / "index")
    opens = os.open

    def failing(path, *words, **named):
        if os.fspath(path) == "t" and "dir_fd" in named:
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        return opens(path, *words, **named)

    monkeypatch.setattr(scan.os, "open", failing)
    for _ in range(2):  # the index is made anew, and is there
        ran = trial.ran("recall", "tea")
        assert (ran.code, ran.out[: len(free)]) == (0, free)
        assert "A folder of schemas cannot be listed" in ran.err


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("nth", [1, 2])
def test_a_save_that_may_not_list_a_folder_leaves_no_edit_behind(trial, monkeypatch, nth):
    kept = trial.path(trial.remember("The refund window is 30 days.")["id"])
    moved = trial.path(trial.remember("Tea is free.")["id"])
    trial.did("save")
    kept.write_text(kept.read_text() + "\nGift cards are excluded.\n")
    moved.rename(moved.with_name("renamed.md"))
    head, opens, met = trial.head(), os.open, []

    def failing(path, *words, **named):
        if os.fspath(path) == "t" and "dir_fd" in named:
            met.append(path)
            if len(met) == nth:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return opens(path, *words, **named)

    monkeypatch.setattr(scan.os, "open", failing)
    ran = trial.ran("save")
    monkeypatch.undo()
    assert len(met) >= nth
    assert ran.code in (0, 6), ran.err
    assert (trial.head() != head) == (ran.code == 0)
    trial.did("save")
    assert trial.git("status", "--porcelain") == ""


def test_a_broken_file_is_still_blamed(trial):
    id_ = trial.remember("The refund window is 30 days.")["id"]
    path = trial.path(id_)
    path.write_text(path.read_text().replace("status: active", "status: sleeping"))
    ran = trial.ran("show", id_)
    assert ran.code == 4
    assert "Correct the file" in ran.err


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("folder", ["events", "t"])
def test_what_was_said_is_not_taken_for_nothing_where_no_folder_can_be_opened(trial, monkeypatch, folder):
    trial.did("observe", "-", stdin="We always ship on Fridays because the warehouse is empty then.")
    head, opens = trial.head(), os.open

    def failing(path, *words, **named):
        if os.fspath(path).rpartition("/")[2] == folder:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return opens(path, *words, **named)

    with monkeypatch.context() as patch:
        patch.setattr(inside.os, "open", failing)
        ran = trial.ran("consolidate")
    assert (ran.code, "Too many open files" in ran.err, trial.head()) == (6, True, head), ran.err
    trial.did("consolidate")
    assert trial.head() != head
