"""What a history says last of every id, where branches were joined too."""

import pytest

from memcli.journal.message import Change
from memcli.journal.standings import Said, summed


def said(commit, parents, *changes):
    """A commit whose trailers say `prior>status` of x."""
    return Said(commit, tuple(parents), "op", tuple(Change("x", *one.split(">")) for one in changes))


BASE = said("a", "", "none>active")


@pytest.mark.parametrize("swapped", [True, False])
@pytest.mark.parametrize(
    ("one", "other", "status"),
    [
        ("active>forgotten", "active>superseded", "forgotten"),
        ("active>retracted", "active>superseded", "retracted"),
        ("active>forgotten", "active>retracted", "forgotten"),
        ("active>superseded", "active>needs_review", "superseded"),
        ("active>forgotten", "active>needs_review", "forgotten"),
    ],
)
def test_of_two_branches_the_stronger_removal_holds(one, other, status, swapped):
    first, second = (other, one) if swapped else (one, other)
    found = summed([BASE, said("b", "a", first), said("c", "a", second), said("m", "bc")])
    assert found["x"].status == status


def test_what_one_branch_took_back_stays_taken_back():
    history = [
        BASE,
        said("b", "a", "active>forgotten"),
        said("c", "b", "forgotten>active"),
        said("d", "b"),
        said("m", "dc"),
    ]
    assert summed(history)["x"].status == "active"
    assert summed([*history[:3], said("d", "a"), said("m", "dc")])["x"].status == "active"


def test_a_word_after_the_join_holds():
    history = [BASE, said("b", "a", "active>forgotten"), said("c", "a", "active>superseded"), said("m", "cb")]
    assert summed([*history, said("n", "m", "forgotten>active")])["x"].status == "active"


def test_of_a_file_that_is_gone_it_is_known_who_had_removed_it():
    found = summed([BASE, said("b", "a", "active>forgotten"), said("c", "b", "forgotten>none")])["x"]
    assert (found.status, found.prior, found.removed_by) == ("none", "forgotten", "b")
    assert summed([BASE, said("c", "a", "active>none")])["x"].removed_by == "a"


def test_what_was_brought_back_is_known_until_it_is_removed_again():
    history = [BASE, said("b", "a", "active>forgotten"), said("c", "b", "forgotten>active")]
    assert summed(history)["x"].back
    assert summed([*history, said("d", "c", "active>needs_review")])["x"].back
    assert not summed([*history, said("d", "c", "active>superseded")])["x"].back
    assert summed([*history, said("d", "c", "active>none")])["x"].back
    removed = [*history, said("d", "c", "active>retracted")]
    assert not summed([*removed, said("e", "d", "retracted>none")])["x"].back
    assert not summed([BASE])["x"].back


def test_what_was_brought_back_is_known_from_the_newer_part_of_a_history_alone():
    newer = [said("c", "b", "forgotten>active"), said("d", "c", "active>needs_review")]
    assert summed(newer[:1])["x"].back
    assert summed(newer)["x"].back
    assert not summed([said("c", "b", "superseded>active"), newer[1]])["x"].back


def test_what_one_branch_alone_knows_is_kept():
    other = Said("c", ("a",), "op", (Change("y", "none", "active"),))
    found = summed([BASE, said("b", "a", "active>forgotten"), other, said("m", "bc")])
    assert {id_: one.status for id_, one in found.items()} == {"x": "forgotten", "y": "active"}
