"""What belongs to an answer is shown beside it, under the same rules as the answer itself."""

import fcntl

import pytest
from trial import Trial

QUESTION = "which port does the database listen on"
ANSWER = "The database listens on port 5433."
RELATED = "Backups run from the harbour office."


@pytest.fixture
def trial(tmp_path):
    return Trial.made(tmp_path)


def linked(trial, to, weight=0.9, rel="relates_to"):
    """A memory that answers the question and has a link."""
    head = f"links:\n  - to: {to}\n    rel: {rel}\n    weight: {weight}\n"
    trial.write("database0aaa", ANSWER, head)


def ways(trial, *options):
    """Id → along what it was found."""
    items = trial.recall(QUESTION, *options)["items"]
    return {one["id"]: one["via"] for one in items}


def test_a_related_memory_stands_beside_the_answer(trial):
    linked(trial, "harbour00aaa")
    trial.write("harbour00aaa", RELATED)
    trial.write("rabbit000aaa", "The rabbit sleeps.")
    assert ways(trial) == {"database0aaa": "direct", "harbour00aaa": "relates_to"}


def test_the_files_alone_lead_to_the_same(trial):
    linked(trial, "harbour00aaa")
    trial.write("harbour00aaa", RELATED)
    asked = (QUESTION, "--as-of", "2026-12-01")
    by_index = trial.recall(*asked)["items"]
    (trial.root / "mem.toml").write_text("[lock]\nwait_s = 0\n")
    trial.write("harbour00aaa", RELATED)  # the same bytes, but whoever asks has to look
    with (trial.root / ".mem" / "lock").open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        by_files = trial.recall(*asked)["items"]
    assert by_index == by_files


@pytest.mark.parametrize(
    "head",
    [
        "status: forgotten\n",
        "status: retracted\n",
        "status: archived\narchive_reason: duplicate\n",
        "status: staged\n",
        "validity:\n  to: 2026-01-01\n",
    ],
)
def test_what_no_longer_counts_is_not_reached(trial, head):
    linked(trial, "harbour00aaa")
    trial.write("harbour00aaa", RELATED, head)
    assert ways(trial) == {"database0aaa": "direct"}


def test_another_scope_is_not_reached_unless_it_lets_travel(trial):
    linked(trial, "harbour00aaa")
    trial.write("harbour00aaa", RELATED, folder="project/other")
    assert ways(trial) == {"database0aaa": "direct"}
    trial.write("harbour00aaa", RELATED, "stage: global\n", folder="project/other")
    assert ways(trial) == {"database0aaa": "direct"}
    trial.did("save")  # a new file's stage counts once a person saved it
    assert set(ways(trial)) == {"database0aaa", "harbour00aaa"}


def test_a_weak_link_and_one_of_another_kind_lead_nowhere(trial):
    trial.write("harbour00aaa", RELATED)
    linked(trial, "harbour00aaa", weight=0.1)
    assert ways(trial) == {"database0aaa": "direct"}
    linked(trial, "harbour00aaa", rel="duplicate_of")
    assert ways(trial) == {"database0aaa": "direct"}


def test_nothing_is_reached_from_what_the_floor_holds_back(trial):
    linked(trial, "harbour00aaa")
    trial.write("harbour00aaa", RELATED)
    assert ways(trial, "--floor", "1") == {}
    assert ways(trial, "--floor", "0.9") == {"database0aaa": "direct"}


def test_a_filter_holds_for_what_is_reached_too(trial):
    linked(trial, "harbour00aaa")
    trial.write("harbour00aaa", RELATED, "type: warning\n")
    assert ways(trial, "--type", "fact") == {"database0aaa": "direct"}
    assert set(ways(trial)) == {"database0aaa", "harbour00aaa"}
