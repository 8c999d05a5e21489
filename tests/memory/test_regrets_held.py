"""Abstain and gate regret: what was held back and then used counts, what was never missed does not."""

from dataclasses import dataclass

from memcli.memory import regret
from memcli.memory.regret import Given, Held, Step
from memcli.memory.schema import Status


def test_what_was_held_back_and_then_used_is_regretted_and_what_was_not_is_not():
    answers = [Given({"a"}, {"x": 0.2, "y": 0.25}), Given({"x"}, used={"x"})]
    assert regret.abstained([answers]) == Held((0.2,), (0.25,))


def test_what_was_used_before_it_was_held_back_is_no_regret():
    answers = [Given({"x"}, used={"x"}), Given({"a"}, {"x": 0.2})]
    assert regret.abstained([answers]) == Held((), (0.2,))


def test_a_memory_counts_once_a_session_with_its_best_match():
    again = [Given((), {"x": 0.2}), Given((), {"x": 0.28}), Given({"x"}, used={"x"})]
    assert regret.abstained([again, again[:2]]) == Held((0.28,), (0.28,))


def test_what_another_session_used_is_no_regret_of_this_one():
    assert regret.abstained([[Given((), {"x": 0.2})], [Given({"x"}, used={"x"})]]).regret.wanted == 0


def test_a_gated_text_that_was_asked_again_and_answered_is_regretted():
    shut = Given((), gated=True, evidence=0.2, asked="q")
    assert regret.gated([[shut, Given({"x"}, asked="q")]]) == Held((0.2,), ())
    assert regret.gated([[shut, Given((), asked="q")]]) == Held((), (0.2,))  # nothing was there to miss
    assert regret.gated([[shut, Given({"x"}, asked="other")]]) == Held((), (0.2,))
    assert regret.gated([[Given({"x"}, asked="q"), shut]]) == Held((), (0.2,))


def test_a_gated_memory_that_was_used_later_is_regretted_and_one_only_shown_is_not():
    shut = Given((), {"x": 0.5}, gated=True, evidence=0.2)
    assert regret.gated([[shut, Given({"x"}, used={"x"})]]).regret.wanted == 1
    assert regret.gated([[shut, Given({"x"})]]).regret.wanted == 0


def test_what_the_gate_held_back_is_not_counted_against_the_floor():
    assert regret.abstained([[Given((), {"x": 0.5}, gated=True), Given({"x"}, used={"x"})]]).regret.of == 0


def test_a_setting_is_proposed_with_what_else_it_would_let_through():
    held = Held((0.28, 0.26, 0.22), (0.29, 0.27, 0.21, None))
    half, whole = regret.proposals("recall.floor", 0.3, held)
    assert (half.to, half.regained, half.wanted, half.beside, half.left) == (0.26, 2, 3, 2, 4)
    assert (whole.to, whole.regained, whole.beside) == (0.22, 3, 2)


def test_too_few_cases_propose_nothing():
    assert not list(regret.proposals("recall.floor", 0.3, Held((0.28, 0.26), (0.1,))))
    assert not list(regret.proposals("gate.evidence", 0.3, Held((None, None, None))))


@dataclass(frozen=True)
class Change:
    id: str
    prior: str
    status: str


def test_what_was_put_aside_is_weighed_by_the_status_it_was_put_aside_as():
    made = (
        "consolidate",
        [Change("a", "none", "staged"), Change("b", "none", "archived"), Change("c", "none", "staged")],
    )
    steps = [
        Step(*made),
        Step("consolidate", [Change("a", "staged", "archived")]),  # given up later: staged is how it began
        Step("remember", [Change("a", "archived", "active")]),
    ]
    aside = regret.discarded(list(reversed(steps)), {"a", "b", "c"})
    weights = {"a": 0.35, "b": 0.1}
    assert aside.held(Status.STAGED, weights) == Held((0.35,), (None,))
    assert aside.held(Status.ARCHIVED, weights) == Held((), (0.1,))
    assert (aside.regret.wanted, aside.regret.of) == (1, 3)
