"""The short form of the benchmark on conversations: its arithmetic, and the whole way on a little text."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
import rivals
from conversations import Held, ask, take_in
from locomo import RUNS
from locomo_summary import abstention, leaks
from placed import Placed, figures, gained
from published import Question, Told, locomo

SHARED = Path(__file__).parents[3] / "shared" / "eval"
TURNS, QUESTIONS = 60, 30  # of each of two conversations

GARDEN = Told(
    texts=[
        "Ruth: The tomatoes went into the greenhouse this morning.",
        "Omar: Did you mend the watering can?",
        "Ruth: Not yet, its handle broke when I dropped it by the shed.",
        "Omar: My sister sends cuttings of her fig tree from Lisbon.",
        "Ruth: Wonderful, I will plant them along the south wall.",
        "Ruth: Wonderful, I will plant them along the south wall!",
    ],
    days=["2024-03-02"] * 3 + ["2024-04-11"] * 3,
    places={"D1:1": 0, "D1:2": 1, "D1:3": 2, "D2:1": 3, "D2:2": 4, "D2:3": 5},
    questions=[
        Question("g1", "Where did the tomatoes go?", ("D1:1",)),
        Question("g2", "Who dropped it by the shed so that the handle broke?", ("D1:3",)),
        Question("g3", "Who sends fig cuttings from Lisbon?", ("D2:1",)),
    ],
    name="garden",
)
HARBOUR = Told(
    texts=[
        "Lena: The ferry to the island leaves at six on Sundays.",
        "Piet: I sold the old sailing boat to a teacher.",
        "Lena: Then who paints the lighthouse door this summer?",
    ],
    days=["2023-06-18"] * 3,
    places={"D1:1": 0, "D1:2": 1, "D1:3": 2},
    questions=[Question("h1", "Who bought the sailing boat?", ("D1:2",))],
    name="harbour",
)


def test_places_count_each_piece_of_evidence_once_and_where_it_first_came():
    order = [{"D1:9"}, {"D1:1", "D1:2"}, {"D1:1"}, {"D1:3"}]
    found = Placed.among("q", {"D1:1", "D1:2", "D1:7"}, order)
    assert found.places == (2, 2)
    assert found.recall(1) == 0
    assert found.recall(5) == pytest.approx(2 / 3)
    assert not found.full(50)
    assert found.reciprocal() == 0.5


def test_evidence_in_the_first_places_gains_everything():
    assert Placed("q", 2, (1, 2)).gain() == 1
    assert Placed("q", 1, (3,)).gain() == 0.5
    assert Placed("q", 1, (11,)).gain() == 0
    assert Placed("q", 1, ()).reciprocal() == 0


def test_figures_hold_their_mean_between_their_bounds():
    found = figures([Placed(str(at), 1, (at % 12 + 1,)) for at in range(60)])
    assert found["n"] == 60
    for name, row in found.items():
        assert name == "n" or row[1] <= row[0] <= row[2]


def test_only_answers_to_the_same_questions_are_compared():
    here = [Placed("a", 1, (1,)), Placed("b", 1, (4,))]
    there = [Placed("a", 1, (2,)), Placed("b", 1, ())]
    assert gained(here, there, "R@1")[0] == 50
    assert gained(here, here, "R@10") == [0, 0, 0]
    with pytest.raises(ValueError, match="same questions"):
        gained(here, there[:1], "R@1")


@pytest.fixture
def remembered(trial):
    return [Held.of(one, take_in(trial, one)) for one in (GARDEN, HARBOUR)]


def test_every_turn_is_remembered_and_one_said_again_is_found_as_the_memory_that_it_reinforced(remembered):
    garden, harbour = remembered
    assert garden.decisions == {"created": 5, "reinforced": 1}
    assert {turn for turns in garden.turns.values() for turn in turns} == set(GARDEN.places)
    assert {"D2:2", "D2:3"} in garden.turns.values()
    assert not set(harbour.turns) & set(garden.turns)


def test_evidence_comes_first_and_nothing_of_the_other_conversation_comes_at_all(trial, remembered):
    answers = []
    for told, held in zip((GARDEN, HARBOUR), remembered, strict=True):
        for question in told.questions:
            answer = ask(trial, question, held, "--floor", "0")
            assert answer.placed(question, held).places[0] == 1
            assert answer.first(held)[0][0] == question.evidence[0]
            answers.append(answer)
    assert leaks({"ranking": {one.question: one for one in answers}})["leaked"] == 0


def test_a_question_put_to_the_other_conversation_is_not_found(trial, remembered):
    own = {one.id: ask(trial, one, remembered[0]) for one in GARDEN.questions}
    foreign = {one.id: ask(trial, one, remembered[1]) for one in GARDEN.questions}
    told = abstention({"shipped": own, "foreign": foreign})
    assert told["own"]["found"]["count"] == 3
    assert told["foreign"]["found"]["count"] == 0
    assert told["auroc"] == 1


@pytest.fixture
def baselines(monkeypatch):
    """The folder of the baselines; what loading them leaves behind is taken away."""
    if not (SHARED / "baselines" / "retrieval.py").exists():
        pytest.skip("the evaluation sets are not beside the project")
    before = set(sys.modules)
    yield SHARED
    for name in set(sys.modules) - before:
        if str(SHARED) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def beginning(told):
    """The first turns of a conversation, and the questions that they answer."""
    places = {turn: place for turn, place in told.places.items() if place < TURNS}
    answered = [one for one in told.answerable if set(one.evidence) <= set(places)]
    return replace(
        told, texts=told.texts[:TURNS], days=told.days[:TURNS], places=places, questions=answered[:QUESTIONS]
    )


@pytest.mark.filterwarnings("ignore:unclosed file", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_two_beginnings_of_locomo_are_recalled_at_least_as_well_as_the_fused_baseline_ranks_them(
    trial, baselines, tmp_path
):
    told = [beginning(one) for one in locomo(baselines / "data")[:2]]
    scopes = [Held.of(one, take_in(trial, one)) for one in told]
    (trial.root / "mem.toml").write_text(RUNS[0].settings)
    pairs = [(asked, held) for one, held in zip(told, scopes, strict=True) for asked in one.questions]
    answers = [ask(trial, asked, held, *RUNS[0].options) for asked, held in pairs]
    assert sum(one.leaks for one in answers) == 0
    ours = [one.placed(*pair) for one, pair in zip(answers, pairs, strict=True)]
    fused = rivals.placed(baselines, ["fused"], [asked.id for asked, _ in pairs], tmp_path, turns=TURNS)[
        "fused"
    ]
    assert figures(ours)["full@10"][0] >= figures(fused)["full@10"][0]
