"""What became of a memory between two states, and both times as a grid: pure functions."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory import difference, two_times
from memcli.memory.difference import State, What
from memcli.memory.schema import Link, Schema, Stage, StaleReason, Status, Validity
from memcli.memory.scope import Scope

HERE = Scope("project", "t")
HERON = Schema("heron0000000", HERE, "The heron sleeps.")
GONE = (Status.SUPERSEDED, Status.STALE, Status.RETRACTED, Status.ARCHIVED, Status.FORGOTTEN)


def state(schema=HERON, path="schemas/project/t/heron.md", status=None):
    return State(schema, path, status or schema.status)


def between(before, after):
    found = difference.between(before, after)
    return found and found.what


@pytest.mark.parametrize("status", list(Status))
def test_the_same_state_is_no_difference(status):
    assert difference.between(state(status=status), state(status=status)) is None
    assert difference.between(None, None) is None


@pytest.mark.parametrize("before", list(Status))
@pytest.mark.parametrize("after", list(Status))
def test_every_change_of_status_has_a_name(before, after):
    what = between(state(status=before), state(status=after))
    if before is after:
        assert what is None
    elif (before in GONE and after not in GONE) or before is Status.FORGOTTEN:
        assert what is What.RESTORED
    elif after is Status.ACTIVE:
        assert what is What.BELIEVED
    elif after is Status.NEEDS_REVIEW:
        assert what is What.WAITS
    else:
        assert what == after.value


@pytest.mark.parametrize(
    ("changes", "what", "keys"),
    [
        ({"claim": "The heron wakes."}, What.REWORDED, ["claim"]),
        ({"claim": "The heron wakes.", "concept": "heron"}, What.REWORDED, ["claim", "concept"]),
        ({"validity": Validity(5, None)}, What.EDITED, ["validity.from"]),
        ({"validity": Validity(None, 5)}, What.EDITED, ["validity.to"]),
        ({"scope": Scope("project", "other")}, What.MOVED, ["scope"]),
        ({"scope": Scope("project", "other"), "concept": "x"}, What.EDITED, ["scope", "concept"]),
        ({"links": (Link("otter0000000"),)}, What.EDITED, ["links"]),
        ({"stage": Stage.PORTABLE}, What.EDITED, ["stage"]),
        ({"stale_reason": StaleReason.OUTDATED}, What.EDITED, ["reason"]),
    ],
)
def test_what_differs_is_named_by_its_keys(changes, what, keys):
    found = difference.between(state(), state(replace(HERON, **changes)))
    assert (found.what, [key.name for key in found.keys]) == (what, keys)
    back = difference.between(state(replace(HERON, **changes)), state())
    assert [(key.name, key.after, key.before) for key in back.keys] == [
        (key.name, key.before, key.after) for key in found.keys
    ]


def test_a_file_that_lies_elsewhere_was_moved():
    assert between(state(), state(path="schemas/project/t/old/heron.md")) is What.MOVED


def test_one_missing_state_is_an_addition_or_a_removal():
    assert between(None, state()) is What.ADDED
    assert between(state(), None) is What.REMOVED
    assert difference.between(state(), None).state == state()


WORDS = st.text("ab .,-", max_size=24)


@given(WORDS, WORDS)
def test_the_pieces_of_each_side_are_its_claim(before, after):
    pieces = difference.rewording(before, after)
    for side, claim in (("before", before), ("after", after)):
        told = "".join(piece.text for piece in pieces if piece.side in ("same", side))
        assert told == " ".join(claim.split())


def test_only_the_words_that_differ_stand_out():
    pieces = difference.rewording("The window is 30 days.", "The window is 14 days.")
    assert [(piece.text, piece.side) for piece in pieces] == [
        ("The window is ", "same"),
        ("30", "before"),
        ("14", "after"),
        (" days.", "same"),
    ]


BOUND = st.none() | st.integers(-3, 3).map(lambda n: n * 1000)
STATES = st.lists(
    st.builds(
        lambda start, end, status: replace(HERON, validity=Validity(start, end), status=status),
        BOUND,
        BOUND,
        st.sampled_from(list(Status)),
    ),
    min_size=1,
    max_size=4,
)


@given(STATES, st.integers(-4000, 4000))
def test_the_grid_says_for_every_moment_what_recall_would(states, moment):
    grid = two_times.grid(states)
    column = max(place for place, bound in enumerate(grid.bounds) if bound is None or bound <= moment)
    for schema, row in zip(states, grid.rows, strict=True):
        assert row[column] is two_times.answers(schema, moment)


def test_a7_as_a_grid():
    """A7: valid January to March, recorded in January; corrected in April to end with February."""
    january, march, april = 1_767_225_600, 1_772_323_200, 1_775_001_600
    first = replace(HERON, validity=Validity(january, april))
    second = replace(HERON, validity=Validity(january, march))
    grid = two_times.grid([first, second])
    assert grid.bounds == (None, january, march, april)
    assert grid.rows == ((False, True, True, False), (False, True, False, False))
