"""git is waited for while it works, and no longer than its limit where it only waits itself."""

import os
from dataclasses import replace

import pytest
from test_what_git_refuses import before_git

from memcli.errors import Unavailable
from memcli.journal import waiting

LIMIT_S = 0.4
WORKS = "end=$(($(date +%s%N) + {ns})); while [ $(date +%s%N) -lt $end ]; do :; done"
LONG = WORKS.format(ns=2_500_000_000)

pytestmark = pytest.mark.skipif(
    waiting.ticks_of(os.getpgrp()) is None, reason="this system tells of no process's time"
)


def git(begun, body):
    before_git(begun, body)
    return replace(begun.journal.git, limit_s=LIMIT_S)


def test_what_works_longer_than_the_limit_is_waited_for(begun):
    assert git(begun, LONG).read("rev-parse", "HEAD").decode().strip() == begun.head


def test_what_it_was_given_is_given_once(begun):
    words = ("hash-object", "--stdin")
    expected = begun.git(*words, given=b"x").strip()
    assert git(begun, LONG).read(*words, given=b"x").decode().strip() == expected


def test_what_waits_is_ended(begun):
    with pytest.raises(Unavailable, match="did not answer within"):
        git(begun, "sleep 60").read("status")


def test_what_worked_and_then_waits_is_ended(begun):
    with pytest.raises(Unavailable, match="did not answer within"):
        git(begun, WORKS.format(ns=500_000_000) + "; sleep 60").read("status")


def test_what_works_for_ever_is_ended_all_the_same(begun, monkeypatch):
    monkeypatch.setattr(waiting, "LONGEST_S", 1.0)
    with pytest.raises(Unavailable, match="did not answer within"):
        git(begun, "while :; do :; done").read("status")


def test_a_program_that_the_repository_names_has_its_limit_however_much_it_works(begun):
    with pytest.raises(Unavailable, match="did not answer within"):
        git(begun, LONG).trust("status")
