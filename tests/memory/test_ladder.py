"""Reach is earned by use: what promotes, what takes back, and who lets what in."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from memcli.memory import account, ladder, scope
from memcli.memory.account import NOTHING, Report, accounts
from memcli.memory.constants import DEFAULTS, SCALE, constants
from memcli.memory.schema import Stage
from memcli.memory.scope import GLOBAL, USER

SHOP, FARM, TEAM = (scope.parse(text) for text in ("project:shop", "project:farm", "team:ops"))
DAY = 86_400
NOW = 1_800_000_000
FLOOR = round(DEFAULTS.cross_floor * SCALE)


def reports(*told):
    """Reports on the memory m, each as (kind, scope, session) a day apart; the last was yesterday."""
    start = NOW - DAY * len(told)
    return [
        Report(f"e{n:03d}", start + n * DAY, where, session, f"r{n}", ("m",), **{kind: ("m",)})
        for n, (kind, where, session) in enumerate(told)
    ]


def stage(*told, as_of=NOW):
    return ladder.earned(accounts(reports(*told)).get("m", NOTHING), SHOP, as_of)


def used(where, session):
    return "used", where, session


PORTABLE = (used("project:shop", "a"), used("project:shop", "b"))
CONTEXTUAL = (*PORTABLE, used("project:farm", "c"), used("project:mill", "d"))
EVERYWHERE = (*CONTEXTUAL, used("team:ops", "e"))
MISS = "irrelevant", "project:farm"


@pytest.mark.parametrize(
    ("told", "earned"),
    [
        ((), Stage.SCOPED),
        (PORTABLE[:1], Stage.SCOPED),
        (PORTABLE[:1] * 5, Stage.SCOPED),  # one session, however often
        (PORTABLE, Stage.PORTABLE),
        (PORTABLE + CONTEXTUAL[2:3], Stage.PORTABLE),
        ((*PORTABLE, used("project:farm", "c"), used("project:farm", "d")), Stage.PORTABLE),
        ((*PORTABLE, used("team:ops", "c"), used("team:dev", "d")), Stage.PORTABLE),  # of another kind
        (CONTEXTUAL, Stage.CONTEXTUAL),
        (CONTEXTUAL[2:], Stage.SCOPED),  # nothing of its own
        ((*CONTEXTUAL, used("project:pond", "e")), Stage.CONTEXTUAL),  # one kind
        (EVERYWHERE, Stage.GLOBAL),
        ((*EVERYWHERE, ("stale", "project:farm", "f")), Stage.CONTEXTUAL),
    ],
)
def test_stages_are_earned_by_sessions_scopes_and_kinds_that_used_it(told, earned):
    assert stage(*told) is earned


def test_a_memory_that_was_only_shown_earns_nothing():
    shown = [Report(f"e{n}", NOW, f"project:p{n}", f"s{n}", f"r{n}", ("m", "n")) for n in range(20)]
    assert ladder.earned(accounts(shown)["m"], SHOP, NOW) is Stage.SCOPED


def test_a_store_with_one_scope_promotes_nothing_beyond_portable():
    assert stage(*(used("project:shop", f"s{n}") for n in range(50))) is Stage.PORTABLE


def test_three_answers_elsewhere_beside_the_point_cost_one_stage_until_it_is_used_again():
    misses = [(*MISS, session) for session in "xyz"]
    assert stage(*CONTEXTUAL, *misses[:2]) is Stage.CONTEXTUAL
    assert stage(*CONTEXTUAL, *misses) is Stage.PORTABLE
    assert stage(*CONTEXTUAL, *misses, *misses) is Stage.PORTABLE  # one stage, not one a sweep
    assert stage(*CONTEXTUAL, *misses, used("project:shop", "z")) is Stage.CONTEXTUAL
    own = [("irrelevant", "project:shop", session) for session in "xyz"]
    assert stage(*CONTEXTUAL, *own) is Stage.CONTEXTUAL


def test_a_stale_report_holds_the_highest_stage_back_for_ninety_days():
    told = (("stale", "project:farm", "f"), *EVERYWHERE)
    reported = NOW - DAY * len(told)
    quiet = DEFAULTS.quiet_days * DAY
    assert stage(*told, as_of=reported + quiet - 1) is Stage.CONTEXTUAL
    assert stage(*told, as_of=reported + quiet) is Stage.GLOBAL


def test_the_stage_of_a_moment_is_what_was_reported_until_then():
    at = [NOW - DAY * (len(EVERYWHERE) - n) for n in range(len(EVERYWHERE))]
    stages = [stage(*EVERYWHERE, as_of=moment) for moment in at]
    assert stages == [Stage.SCOPED, Stage.PORTABLE, Stage.PORTABLE, Stage.CONTEXTUAL, Stage.GLOBAL]
    assert stage(*EVERYWHERE, as_of=at[0] - 1) is Stage.SCOPED


REPORTS = some.lists(
    some.tuples(
        some.sampled_from(["used", "irrelevant", "stale"]),
        some.sampled_from(["project:shop", "project:farm", "project:mill", "team:ops"]),
        some.sampled_from("abcd"),
    ),
    max_size=12,
)


@settings(max_examples=100, deadline=None)
@given(told=REPORTS, order=some.randoms(use_true_random=False))
def test_neither_the_order_of_reading_nor_reading_twice_changes_an_account(told, order):
    said = reports(*told)
    mixed = said * 2
    order.shuffle(mixed)
    assert accounts(mixed) == accounts(said)


@settings(max_examples=100, deadline=None)
@given(told=REPORTS)
def test_one_use_more_never_takes_reach_away(told):
    before = stage(*told)
    # The same reports a day earlier, and then a use.
    assert stage(*told, used("project:farm", "z")) >= before


def test_a_report_that_is_refined_counts_no_more():
    first, second = reports(*PORTABLE)
    taken_back = Report("e9", NOW, "project:shop", "b", "r1", ("m",), refines=second.id)
    assert ladder.earned(accounts([first, second])["m"], SHOP, NOW) is Stage.PORTABLE
    assert ladder.earned(accounts([first, second, taken_back])["m"], SHOP, NOW) is Stage.SCOPED


# Who is let in.


@pytest.mark.case("P-LIFE-05")
@pytest.mark.parametrize(
    ("reach", "own", "viewer", "least"),
    [
        (Stage.SCOPED, SHOP, FARM, None),
        (Stage.SCOPED, SHOP, TEAM, None),
        (Stage.PORTABLE, SHOP, FARM, FLOOR),
        (Stage.PORTABLE, SHOP, TEAM, None),
        (Stage.PORTABLE, SHOP, USER, None),
        (Stage.CONTEXTUAL, SHOP, FARM, 5715),  # 0.40 / 0.70, in whole ten-thousandths
        (Stage.CONTEXTUAL, SHOP, TEAM, 5715),
        (Stage.GLOBAL, SHOP, TEAM, 0),
        (Stage.SCOPED, SHOP, SHOP, 0),
        (Stage.SCOPED, GLOBAL, SHOP, 0),
        (Stage.SCOPED, USER, SHOP, 0),
    ],
)
def test_a_memory_is_let_in_from_its_floor_on_and_not_a_hair_below(reach, own, viewer, least):
    let = [match for match in range(SCALE + 1) if ladder.cross_scope(reach, own, viewer, match) is not None]
    assert let == ([] if least is None else list(range(least, SCALE + 1)))
    assert ladder.may_reach(reach, own, viewer) or own in viewer.seen or not let


def test_a_contextual_memory_answers_elsewhere_with_seven_tenths_of_its_match():
    assert ladder.cross_scope(Stage.CONTEXTUAL, SHOP, FARM, 8000) == 5600
    assert ladder.cross_scope(Stage.PORTABLE, SHOP, FARM, 8000) == 8000
    assert ladder.cross_scope(Stage.GLOBAL, SHOP, FARM, 100) == 100


def test_the_floor_and_the_share_are_the_store_s_to_choose():
    rules = constants({"ladder.floor": 0.5, "ladder.contextual": 1})
    let = [ladder.cross_scope(Stage.CONTEXTUAL, SHOP, FARM, match, rules) for match in (4999, 5000)]
    assert let == [None, 5000]


# What use makes of a memory in its place.


def test_three_misses_in_a_row_make_it_labile_and_three_uses_give_it_back():
    def shaken(*kinds):
        told = [(kind, "project:shop", f"s{n}") for n, kind in enumerate(kinds)]
        return account.labile(accounts(reports(*told))["m"], NOW)

    miss, use = "irrelevant", "used"
    assert not shaken(miss, miss)
    assert shaken(miss, miss, miss)
    assert not shaken(miss, miss, use, miss)
    assert shaken(miss, miss, miss, use, use)
    assert not shaken(miss, miss, miss, use, use, use)
    assert shaken(miss, miss, miss, use, use, use, miss, miss, miss)


def test_use_fades_by_whole_days_and_has_one_ceiling():
    def worth(sessions, as_of):
        told = [
            Report(f"e{n}", NOW, "project:shop", f"s{n}", f"r{n}", ("m",), ("m",)) for n in range(sessions)
        ]
        return account.salience_now(accounts(told)["m"], as_of)

    assert worth(1, NOW) == DEFAULTS.use_step
    assert worth(1, NOW) == worth(1, NOW + DAY - 1)
    assert worth(1, NOW + DAY) < worth(1, NOW)
    assert worth(1, NOW + DEFAULTS.use_half_life_days * DAY) == DEFAULTS.use_step / 2
    assert worth(50, NOW) == 1.0
    assert worth(1, NOW - 1) == 0.0  # nobody had used it yet


def test_what_is_shown_together_is_bound_in_the_order_of_the_answer_and_more_where_both_were_used():
    shown = ("a", "b", "c")
    found = accounts([Report("e1", NOW, "project:shop", "s", "r1", shown, used=("a", "b"))])
    assert account.bonds(found["a"], NOW) == {"b": 2.0, "c": 1.0}
    assert account.bonds(found["b"], NOW) == {"c": 1.0}
    assert "c" not in found or not account.bonds(found["c"], NOW)
    later = NOW + DEFAULTS.together_half_life_days * DAY
    assert account.bonds(found["a"], later) == {"b": 1.0, "c": 0.5}


def test_an_answer_that_two_events_tell_of_binds_once():
    told = [Report(f"e{n}", NOW, "project:shop", "s", "r1", ("a", "b")) for n in range(3)]
    assert account.bonds(accounts(told)["a"], NOW) == {"b": 1.0}


def test_every_pair_of_stage_and_scope_is_decided_alike_by_reach_and_by_the_gate():
    for reach, own, viewer in itertools.product(Stage, (SHOP, FARM, TEAM), (SHOP, FARM, TEAM, USER, GLOBAL)):
        if own not in viewer.seen:
            sure = ladder.cross_scope(reach, own, viewer, SCALE) is not None
            assert sure is ladder.may_reach(reach, own, viewer)


@pytest.mark.parametrize("whole", [GLOBAL, USER])
def test_a_scope_that_every_other_sees_climbs_nowhere(whole):
    assert not ladder.climbs(whole)
    assert ladder.climbs(SHOP)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (
            PORTABLE[:1],
            "used in 1 session of its own scope, in 0 other scopes of its kind, in 1 scope of 1 kind in all",
        ),
        (
            EVERYWHERE,
            (
                "used in 2 sessions of its own scope, in 2 other scopes of its kind, "
                "in 4 scopes of 2 kinds in all"
            ),
        ),
        (
            (*PORTABLE, (*MISS, "x"), (*MISS, "y"), ("stale", "project:shop", "z")),
            (
                "used in 2 sessions of its own scope, in 0 other scopes of its kind, in 1 scope of 1 kind in all"
                ", beside the point in 2 answers elsewhere since, 1 report of late that it is stale"
            ),
        ),
    ],
)
def test_the_journal_says_by_what_a_stage_was_earned(told, words):
    found = ladder.counts(accounts(reports(*told))["m"], SHOP, NOW)
    assert ladder.said(found) == words
