"""Who may see what, one row at a time; that the index says the same is shown in tests/index/test_filter.py."""

from dataclasses import replace

import pytest

from memcli.memory.schema import Stage, StaleReason, Status, Validity
from memcli.memory.scope import GLOBAL, USER, Scope
from memcli.memory.visibility import Mode, Row, Verdict, Viewer, verdict, viewer_from, was_right

SHOP, FARM, TEAM = Scope("project", "shop"), Scope("project", "farm"), Scope("team", "ops")
NOW = 1_000
HERE = viewer_from(SHOP, NOW)
EVERYWHERE = viewer_from(None, NOW)


def row(status=Status.ACTIVE, **keys):
    keys = {"scope": SHOP, "stale_reason": None, "validity": Validity(), "type": "fact"} | keys
    return Row(status=status, **keys)


def abroad(**keys):
    return Viewer((SHOP,), NOW, abroad=True, **keys)


def test_the_words_that_people_and_programs_read_are_these():
    assert [one.value for one in Mode] == ["default", "wide", "history"]
    assert [one.value for one in Verdict] == ["admitted", "status", "validity", "type", "tag", "invisible"]


@pytest.mark.parametrize(
    ("mode", "admitted"),
    [
        (Mode.DEFAULT, {"active"}),
        (Mode.WIDE, {"active", "needs_review", "staged"}),
        (Mode.HISTORY, {"active", "needs_review", "superseded", "stale", "retracted"}),
    ],
)
def test_each_way_of_asking_admits_its_statuses_and_says_of_the_others_why_not(mode, admitted):
    viewer = viewer_from(SHOP, NOW, mode)
    found = {status.value for status in Status if verdict(viewer, row(status)) is Verdict.ADMITTED}
    assert found == admitted
    for status in Status:
        hidden = status in (Status.FORGOTTEN, Status.ARCHIVED)
        assert (verdict(viewer, row(status)) is Verdict.INVISIBLE) == hidden


def test_what_was_right_answers_inside_its_window_once_that_has_ended():
    ended = Validity(NOW - 10, NOW + 1)
    assert verdict(HERE, row(Status.SUPERSEDED, validity=ended)) is Verdict.ADMITTED
    assert verdict(HERE, row(Status.SUPERSEDED, validity=Validity(None, NOW))) is Verdict.VALIDITY
    assert verdict(HERE, row(Status.SUPERSEDED)) is Verdict.VALIDITY  # a hand left the end out
    outdated = row(Status.STALE, validity=ended, stale_reason=StaleReason.OUTDATED)
    assert verdict(HERE, outdated) is Verdict.ADMITTED
    assert verdict(HERE, row(Status.STALE, validity=ended)) is Verdict.STATUS
    assert verdict(HERE, row(Status.RETRACTED, validity=ended)) is Verdict.STATUS
    assert not was_right(Status.ACTIVE, StaleReason.OUTDATED)


def test_a_window_hides_but_for_one_who_asks_about_history():
    past = row(validity=Validity(None, NOW))
    assert verdict(HERE, past) is Verdict.VALIDITY
    assert verdict(viewer_from(SHOP, NOW, Mode.WIDE), past) is Verdict.VALIDITY
    assert verdict(viewer_from(SHOP, NOW, Mode.HISTORY), past) is Verdict.ADMITTED
    assert verdict(viewer_from(SHOP, NOW - 1), past) is Verdict.ADMITTED


def test_one_sees_its_own_scope_and_what_is_everybodys_and_no_other():
    for seen in (SHOP, GLOBAL, USER):
        assert verdict(HERE, row(scope=seen)) is Verdict.ADMITTED
    for foreign in (FARM, TEAM):
        assert verdict(HERE, row(scope=foreign)) is Verdict.INVISIBLE
        assert verdict(EVERYWHERE, row(scope=foreign)) is Verdict.ADMITTED
    assert EVERYWHERE.scopes is None


def test_what_is_withheld_here_is_seen_elsewhere_and_by_nobody_who_asks_for_every_scope():
    held = row(scope=GLOBAL, hidden_in=("project:shop",))
    assert verdict(HERE, held) is Verdict.INVISIBLE
    assert verdict(viewer_from(FARM, NOW), held) is Verdict.ADMITTED
    assert verdict(EVERYWHERE, held) is Verdict.INVISIBLE


def test_a_type_and_all_tags_are_asked_for_and_the_first_that_lacks_is_named():
    tagged = row(tags=("a", "b"))
    assert verdict(replace(HERE, types=("fact", "rule"), tags=("a", "b")), tagged) is Verdict.ADMITTED
    assert verdict(replace(HERE, types=("rule",), tags=("c",)), tagged) is Verdict.TYPE
    assert verdict(replace(HERE, tags=("a", "c")), tagged) is Verdict.TAG


@pytest.mark.parametrize(
    ("stage", "scope", "lets"),
    [
        (Stage.SCOPED, FARM, False),
        (Stage.PORTABLE, FARM, True),
        (Stage.PORTABLE, TEAM, False),
        (Stage.CONTEXTUAL, TEAM, True),
        (Stage.GLOBAL, TEAM, True),
        (Stage.GLOBAL, SHOP, False),  # its own is not abroad
    ],
)
def test_from_abroad_comes_what_may_travel_that_far(stage, scope, lets):
    assert (verdict(abroad(), row(scope=scope, stage=stage)) is Verdict.ADMITTED) == lets


def test_from_abroad_comes_only_what_is_believed_there_or_was_and_nothing_else_is_told():
    far = {"scope": FARM, "stage": Stage.GLOBAL}
    ended = Validity(None, NOW + 1)
    assert verdict(abroad(), row(Status.SUPERSEDED, validity=ended, **far)) is Verdict.ADMITTED
    wide = abroad(mode=Mode.WIDE)
    for status in Status:
        wanted = Verdict.ADMITTED if status is Status.ACTIVE else Verdict.INVISIBLE
        assert verdict(wide, row(status, **far)) is wanted
    assert verdict(abroad(types=("rule",)), row(**far)) is Verdict.INVISIBLE
    assert verdict(abroad(), row(validity=Validity(NOW + 1), **far)) is Verdict.INVISIBLE
    assert verdict(abroad(), row(hidden_in=("project:shop",), **far)) is Verdict.INVISIBLE
    assert verdict(abroad(), row(hidden_in=("project:farm",), **far)) is Verdict.ADMITTED


@pytest.mark.parametrize("scopes", [None, ()])
def test_who_stands_nowhere_gets_nothing_from_abroad(scopes):
    assert verdict(Viewer(scopes, NOW, abroad=True), row(scope=FARM, stage=Stage.GLOBAL)) is Verdict.INVISIBLE
