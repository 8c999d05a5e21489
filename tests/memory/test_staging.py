"""What brings a staged claim to count, and when it is given up."""

from dataclasses import replace

import pytest

from memcli.memory import staging
from memcli.memory.constants import constants
from memcli.memory.schema import ArchiveReason, Evidence, Schema, Status
from memcli.memory.scope import Scope
from memcli.memory.staging import DAY_S, Heard

FIRST, SECOND = "01kb0000000000000000000001", "01kb0000000000000000000002"
STAGED = Schema(
    "aaaa", Scope("project", "shop"), "Invoices run per country.", status=Status.STAGED,
    evidence=(Evidence(FIRST),),
)  # fmt: skip
SAID_IN = frozenset({"monday"})
HEARD = Heard(SECOND, "wednesday", 0.6)


def test_a_later_session_that_says_it_on_its_own_promotes():
    assert staging.resonates(STAGED, SAID_IN, HEARD)


@pytest.mark.parametrize(
    "heard",
    [
        replace(HEARD, session="monday"),
        replace(HEARD, echo=True),
        replace(HEARD, cosine=0.599),
        replace(HEARD, event="01kb0000000000000000000000"),
        replace(HEARD, event=FIRST),
    ],
    ids=["same session", "echo", "too far", "earlier", "itself"],
)
def test_nothing_else_does(heard):
    assert not staging.resonates(STAGED, SAID_IN, heard)
    assert staging.resonates(STAGED, SAID_IN, HEARD)


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.STAGED])
def test_only_what_is_staged_resonates(status):
    assert not staging.resonates(replace(STAGED, status=status), SAID_IN, HEARD)


def test_the_threshold_is_a_setting():
    strict = constants({"staging.resonance": 0.7})
    assert not staging.resonates(STAGED, SAID_IN, HEARD, strict)


def test_what_was_said_without_a_session_is_one_session_a_day():
    day = staging.DAY_S * 1000
    assert staging.session_of("", 5 * day) == staging.session_of("", 6 * day - 1)
    assert staging.session_of("", 5 * day) != staging.session_of("", 6 * day)
    assert staging.session_of("s1", 5 * day) == staging.session_of("s1", 9 * day) == "s1"


def test_being_promoted_adds_the_evidence_and_the_status():
    change = staging.promoted(STAGED, Evidence(SECOND))
    assert (change.prior, change.status) == (Status.STAGED, Status.ACTIVE)
    assert change.keys["status"] == "active"
    assert change.keys["evidence"] == [{"event": FIRST}, {"event": SECOND}]


def test_it_is_given_up_after_fourteen_days_and_not_a_second_before():
    assert staging.is_expired(1000, 1000 + 14 * DAY_S)
    assert not staging.is_expired(1000, 1000 + 14 * DAY_S - 1)
    week = constants({"staging.expires_days": 7})
    assert staging.is_expired(1000, 1000 + 7 * DAY_S, week)


def test_what_is_given_up_is_kept_with_its_reason():
    change = staging.given_up(STAGED)
    assert (change.prior, change.status) == (Status.STAGED, Status.ARCHIVED)
    assert change.keys == {"status": "archived", "archive_reason": ArchiveReason.NEVER_RESONATED.value}
