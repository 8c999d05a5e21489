"""Three texts in one, as git merges them."""

import pytest

from memcli.errors import Unavailable
from memcli.journal.textmerge import Text, merged

BASE = b"one\ntwo\nthree\nfour\nfive\n"


def test_changes_of_both_sides_in_different_lines_come_together(store):
    ours, theirs = BASE.replace(b"one", b"1"), BASE.replace(b"five", b"5")
    assert merged(store.journal.git, BASE, ours, theirs) == Text(b"1\ntwo\nthree\nfour\n5\n", clean=True)


def test_one_side_alone_wins_and_nothing_stays_nothing(store):
    git = store.journal.git
    assert merged(git, BASE, BASE, b"new\n") == Text(b"new\n", clean=True)
    assert merged(git, BASE, b"", BASE) == Text(b"", clean=True)


def test_the_same_lines_changed_twice_are_marked_by_whose_they_are(store):
    ours, theirs = BASE.replace(b"three", b"3"), BASE.replace(b"three", b"III")
    found = merged(store.journal.git, BASE, ours, theirs)
    assert not found.clean
    assert found.raw == (b"one\ntwo\n<<<<<<< ours\n3\n=======\nIII\n>>>>>>> theirs\nfour\nfive\n")


def test_several_conflicts_are_no_failure(store):
    long = b"".join(b"line %d\n" % number for number in range(40))
    ours, theirs = long, long
    for number in (2, 20, 38):
        ours = ours.replace(b"line %d\n" % number, b"a\n")
        theirs = theirs.replace(b"line %d\n" % number, b"b\n")
    found = merged(store.journal.git, long, ours, theirs)
    assert (found.clean, found.raw.count(b"<<<<<<< ours")) == (False, 3)


def test_what_is_no_text_cannot_be_merged_and_that_is_said(store):
    with pytest.raises(Unavailable, match="merge-file"):
        merged(store.journal.git, b"\0", b"\0a", b"\0b")
