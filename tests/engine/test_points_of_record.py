"""Points of the record: which commit held at a moment, by dates, times and revisions."""

import os

import pytest
from trial import BEGINNING

from memcli.engine.opened import open_store
from memcli.engine.recorded import committed, points
from memcli.errors import HistoryCut, NothingKnown, Usage
from memcli.memory import times
from memcli.surroundings import Surroundings

DAY = 86_400


def opened(trial, now=None):
    """The trial's store as a verb gets it."""
    environment = {**trial.environment, "PATH": os.environ["PATH"]}
    stands = Surroundings(
        environment=environment, cwd=trial.root, now=now or trial.moment, width=80, ttys=(False,) * 3,
        terminal=False, home=None, own=None,
    )  # fmt: skip
    return open_store(stands, named=str(trial.root))


@pytest.fixture
def dated(trial):
    """Three commits at moments of their own: name → (commit, moment)."""
    found = {}

    def commit(name, moment):
        trial.write(f"{name}aaaaaaaa"[:12], f"The {name} is on the shelf.")
        trial.git("add", "-A")
        stamp = {"GIT_COMMITTER_DATE": f"{moment} +0000", "GIT_AUTHOR_DATE": f"{moment} +0000"}
        trial.environment |= stamp
        trial.git("commit", "-qm", name)
        for key in stamp:
            del trial.environment[key]
        found[name] = (trial.head(), moment)

    trial.moment = BEGINNING + 30 * DAY
    begun = int(trial.git("log", "-1", "--format=%ct"))
    start = max(begun, BEGINNING) // DAY * DAY + 2 * DAY
    trial.moment = start + 40 * DAY
    commit("first", start + 60)  # at 00:01
    commit("second", start + DAY - 60)  # at 23:59
    commit("skewed", start - DAY)  # its clock went back
    commit("third", start + 3 * DAY)
    return found


def test_a_moment_means_the_last_commit_recorded_by_then_and_its_own_second_counts(trial, dated):
    store = opened(trial)
    first, at = dated["first"]
    assert points.resolve(store, times.show(at)).commit == first
    before = points.resolve(store, times.show(at - 1))
    assert before.commit not in {one for one, _ in dated.values()}
    third, at = dated["third"]
    assert points.resolve(store, times.show(at)).commit == third
    assert points.resolve(store, times.show(at - 1)).commit == dated["skewed"][0]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "Pacific/Kiritimati"])
def test_a_date_is_the_end_of_that_day_whatever_the_zone_of_the_process(trial, dated, zone, monkeypatch):
    monkeypatch.setenv("TZ", zone)
    day = times.show_day(dated["first"][1])
    found = points.resolve(opened(trial), day)
    assert found.commit == dated["skewed"][0]  # recorded with the clock of its parent, at 23:59
    assert times.show(found.at) == f"{day}T23:59:59Z"


def test_a_revision_is_taken_as_it_is_with_the_moment_at_which_it_was_recorded(trial, dated):
    store = opened(trial)
    skewed, _ = dated["skewed"]
    found = points.resolve(store, "HEAD~1")
    assert (found.commit, found.at) == (skewed, dated["second"][1])
    assert points.resolve(store, skewed[:10]).commit == skewed
    assert points.resolve(store, "main").commit == trial.head()


def test_before_the_first_commit_nothing_was_known_and_ahead_of_now_it_is_now(trial, dated):
    store = opened(trial)
    with pytest.raises(NothingKnown, match=r"History begins on \d{4}-.*nothing was known before"):
        points.resolve(store, "1999-01-01")
    ahead = points.resolve(store, "2099-01-01")
    assert (ahead.commit, ahead.at, ahead.ahead) == (dated["third"][0], store.now, True)


GARBAGE = ("", " ", "yesterday", "2 weeks ago", "HEAD@{yesterday}", "@{1.day.ago}", "-1", "--all", "2026",
           "2026-13-01", "2026-02-30", ":/first", "HEAD^{/first}", "nothing-like-that", "HEAD\n", "^HEAD", "^main")  # fmt: skip


@pytest.mark.parametrize("text", GARBAGE)
def test_what_is_no_time_and_no_revision_is_refused_and_never_read_as_now(trial, dated, text):
    with pytest.raises(Usage, match="--known-at"):
        points.resolve(opened(trial), text)


def test_a_history_that_was_rewritten_answers_for_no_moment(trial, dated):
    trial.did("list")
    assert points.resolve(opened(trial), "HEAD").commit == dated["third"][0]
    trial.git("update-ref", "refs/mem/seen/main", trial.head())
    trial.git("reset", "-q", "--hard", "HEAD~2")
    with pytest.raises(HistoryCut, match="rewritten"):
        points.resolve(opened(trial), "2099-01-01")


def test_a_commit_gives_its_files_and_its_journal(trial):
    id_ = trial.remember("The kiln is fired on Mondays.")["id"]
    before = trial.head()
    trial.forget(id_)
    store = opened(trial)
    then, now = (committed.filed_at(store, one) for one in (before, trial.head()))
    assert [one.schema.status for found in (then, now) for one in found.values()] == ["active", "forgotten"]
    assert committed.standings_at(store, before).forgotten == frozenset()
    assert committed.standings_at(store, trial.head()).forgotten == {id_}
