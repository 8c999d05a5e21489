"""How salient a claim is: each feature moves it the way it says, and the thresholds divide as documented."""

import pytest

from memcli.memory import salience
from memcli.memory.constants import DEFAULTS, constants
from memcli.memory.layers import Neighbour, Reach
from memcli.memory.schema import Schema, Status, Type
from memcli.memory.scope import Scope

SHOP = Scope("project", "shop")
CLAIM = "Invoices are kept in a cold archive in Dublin."


def near(claim, cosine, reach=Reach.OWN, status=Status.ACTIVE):
    return Neighbour(Schema("a" * 12, SHOP, claim, status=status), cosines=(cosine,), reach=reach)


def score(text, type_=Type.FACT, neighbours=()):
    return salience.weighed(text, type_, neighbours).score


def test_a_new_whole_fact_is_believed_and_an_empty_remark_is_not():
    assert salience.status_of(score(CLAIM)) is Status.ACTIVE
    assert salience.status_of(score("Fine.", Type.TASK)) is Status.ARCHIVED


def test_what_is_near_to_a_believed_claim_is_less_novel_the_nearer_it_is():
    told = [score(CLAIM, neighbours=[near(CLAIM, cosine)]) for cosine in (0.3, 0.6, 0.8, 1.0)]
    assert told[0] == told[1] > told[2] > told[3]
    assert salience.status_of(told[2]) is Status.STAGED


@pytest.mark.parametrize(
    "other",
    [near(CLAIM, 0.9, status=Status.STAGED), near(CLAIM, 0.9, reach=Reach.NARROWER)],
)
def test_what_is_not_believed_or_not_seen_from_here_takes_nothing_away(other):
    assert score(CLAIM, neighbours=[other]) == score(CLAIM)


def test_another_number_than_the_near_claim_has_is_a_surprise():
    text, known = "The refund window is 14 days.", "The refund window is 30 days."
    same = score(text, neighbours=[near(text, 0.95)])
    assert score(text, neighbours=[near(known, 0.95)]) > same + 0.2


@pytest.mark.parametrize(
    ("plain", "more", "feature"),
    [
        ("Invoices lie in Dublin.", "Invoices must always lie in Dublin.", "decision"),
        ("Invoices lie in Dublin.", "Invoices lie in Dublin because of the audit.", "causal"),
        ("The invoices lie there.", "The 14 invoices lie in s3://archive in Dublin.", "effort"),
    ],
)
def test_words_of_a_decision_a_reason_and_of_effort_add(plain, more, feature):
    def part(text):
        return dict(salience.weighed(text, Type.FACT, ()).reasons)[feature]

    assert part(more) > part(plain)


def test_what_binds_a_later_act_weighs_more_than_a_task():
    assert score(CLAIM, Type.DECISION) > score(CLAIM, Type.FACT) > score(CLAIM, Type.TASK)


def test_the_reasons_add_up_to_the_score_and_say_so():
    told = salience.weighed(CLAIM, Type.FACT, ())
    assert abs(sum(value for _, value in told.reasons) - told.score) < 1e-3
    assert str(told).startswith(f"{told.score:.2f} (novelty 0.30")


def test_the_thresholds_are_settings():
    assert salience.status_of(0.4) is Status.ACTIVE
    assert salience.status_of(0.3999) is Status.STAGED
    assert salience.status_of(0.2) is Status.STAGED
    assert salience.status_of(0.1999) is Status.ARCHIVED
    assert salience.status_of(0.3, constants({"salience.active": 0.3})) is Status.ACTIVE
    assert DEFAULTS.salience_staged < DEFAULTS.salience_active


def test_without_an_encoder_words_say_what_is_near():
    said = Neighbour(Schema("a" * 12, SHOP, CLAIM))
    assert score(CLAIM, neighbours=[said]) < score(CLAIM)
