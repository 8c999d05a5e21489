"""mem gate and recall --gate: what needs memory gets it, what does not is told so, a fault opens (A17)."""

import json

import pytest
from trial import AGENT

from memcli.engine.recalling import gating, recall, searching
from memcli.memory import gate
from memcli.memory.gate import Reason


@pytest.fixture
def shop(trial):
    """A few memories, and their ids by what they are about."""
    trial.ids = {
        "window": trial.remember("The refund window is 30 days after delivery.")["id"],
        "deploy": trial.remember("We deploy to production on Tuesdays only.")["id"],
        "paper": trial.remember("The office printer wants A5 paper.")["id"],
    }
    return trial


def decided(trial, text, **how):
    ran = trial.ran("gate", "--json", "--", text, **how)
    told = json.loads(ran.out)
    assert ran.code == (0 if told["retrieve"] else 1), ran.err
    return told


def test_a_question_about_what_is_known_is_asked_and_small_talk_is_not(shop):
    told = decided(shop, "until when can customers return things they bought?")
    assert (told["retrieve"], told["reason"]) == (True, "evidence")
    assert told["query"] == "until when can customers return things they bought?"
    for text in ("thanks a lot!", "What is the capital of Mongolia?"):
        assert not decided(shop, text)["retrieve"], text


def test_recall_with_the_gate_gives_the_same_answer_where_memory_is_needed(shop):
    plain = shop.recall("refund window", "--as-of", "2026-12-01")
    gated = shop.recall("refund window", "--as-of", "2026-12-01", "--gate", "auto")
    assert gated.pop("gate")["reason"] == "evidence"
    assert plain.pop("gate") is None
    assert gated == plain
    assert plain["items"]


def test_a_text_that_needs_none_is_gated_and_the_hint_asks_anyway(shop):
    text = "what a lovely printer paper joke about Mongolia and its capital city"
    ran = shop.ran("recall", "--gate", "auto", "thanks!")
    assert (ran.code, ran.out) == (1, "")
    assert "needs no memory" in ran.err
    told = shop.recall("thanks!", "--gate", "auto")
    assert (told["outcome"], told["items"], told["gate"]["retrieve"]) == ("gated", [], False)
    assert told["hint"].startswith("mem recall ")
    assert "--gate" not in told["hint"]
    assert shop.recall(text, "--gate", "off")["gate"] is None


def test_a_text_without_topic_is_not_even_searched(shop, monkeypatch):
    monkeypatch.setattr(searching, "searched", lambda *_: pytest.fail("searched"))
    assert not decided(shop, "ok, thanks")["retrieve"]
    assert shop.recall("ok, thanks", "--gate", "auto")["outcome"] == "gated"


def test_an_empty_store_is_absent_and_not_gated(trial):
    assert decided(trial, "refund window")["reason"] == "no memories"
    assert trial.recall("refund window", "--gate", "auto")["outcome"] == "absent"


def test_what_a_filter_holds_back_is_still_asked_for(shop):
    told = shop.recall("refund window days after delivery", "--type", "warning", "--gate", "auto")
    assert (told["outcome"], told["gate"]["reason"]) == ("withheld", "held back")


def test_another_scope_opens_no_gate_and_moves_no_evidence(shop):
    text = "When does the ledger of the mint close?"
    before = decided(shop, text)
    shop.remember("The ledger of the mint closes at noon.", "--scope", "project:mint")
    assert decided(shop, text) == before
    assert not before["retrieve"]
    assert shop.ran("gate", "--scope", "project:mint", "--", text).code == 0
    assert decided(shop, "When does the refund window close?")["retrieve"]


def test_what_is_forgotten_opens_no_gate(shop):
    text = "Which paper does the printer want?"
    assert decided(shop, text)["retrieve"]
    shop.forget(shop.ids["paper"])
    assert not decided(shop, text)["retrieve"]
    assert shop.recall(text, "--gate", "auto")["outcome"] == "gated"
    shop.unforget(shop.ids["paper"])
    assert decided(shop, text)["retrieve"]


@pytest.mark.parametrize(
    ("module", "name", "stage"),
    [
        (gate, "of_words", "text"),
        (gating.reconcile, "freshen", "index"),
        (searching, "searched", "search"),
        (searching, "query_vector", "search"),
        (recall, "listened", "search"),
        (gate, "of_evidence", "decision"),
        (gate, "strange", "decision"),
    ],
)
def test_a_fault_in_every_stage_opens_and_says_so(shop, monkeypatch, module, name, stage):
    text = "Whose is the capital of Mongolia?"
    assert not decided(shop, text)["retrieve"]

    def fails(*_, **__):
        raise RuntimeError("broken")

    monkeypatch.setattr(module, name, fails)
    ran = shop.ran("gate", "--json", "--", text)
    told = json.loads(ran.out)
    assert (ran.code, told["retrieve"], told["reason"], told["query"]) == (0, True, Reason.FAILED, text)
    assert f"The gate failed open: its {stage} (RuntimeError) failed." in ran.err


@pytest.mark.parametrize("name", ["of_words", "of_evidence"])
def test_a_fault_of_the_gate_takes_no_answer_away(shop, monkeypatch, name):
    def fails(*_, **__):
        raise RuntimeError("broken")

    monkeypatch.setattr(gate, name, fails)
    told = shop.recall("refund window", "--gate", "auto")
    assert (told["outcome"], told["gate"]["reason"]) == ("found", "failed open")
    assert told["items"][0]["id"] == shop.ids["window"]


@pytest.mark.parametrize("text", ["", "   ", "\u200b\n"])
def test_a_blank_text_is_no_question(shop, text):
    ran = shop.ran("gate", "--", text)
    assert (ran.code, ran.out) == (2, "")
    assert shop.ran("gate", "-", stdin="refund window").code == 0


def test_it_is_asked_in_a_shell_by_its_exit_code_alone(shop):
    assert (shop.ran("gate", "-q", "refund window").out, shop.ran("gate", "-q", "thanks").code) == ("", 1)


def test_an_agent_cannot_ask_every_scope(shop):
    assert shop.ran("gate", "--scope", "*", "refund window", env=AGENT).code == 5


def test_the_search_is_shared_and_the_text_encoded_once(shop, monkeypatch):
    calls = []
    vector = searching.query_vector
    monkeypatch.setattr(searching, "query_vector", lambda *args: calls.append(1) or vector(*args))
    shop.recall("refund window", "--events", "none", "--gate", "auto")
    assert len(calls) == 1


def test_the_question_about_another_time_is_gated_alike(shop):
    shop.git("log", "-1")
    told = shop.recall("What is the capital of Mongolia?", "--gate", "auto", "--known-at", "HEAD")
    assert told["outcome"] == "gated"
    assert shop.recall("refund window", "--gate", "auto", "--known-at", "HEAD")["outcome"] == "found"


def test_what_was_only_said_opens_it_too(shop):
    shop.told("observe", "-", stdin="user: the freight forwarder picks up pianos on Mondays")
    shop.did("consolidate")
    assert decided(shop, "Who picks up pianos on Mondays?")["retrieve"]
    assert not decided(shop, "What is the capital of Mongolia?")["retrieve"]


def test_without_an_index_or_an_encoder_it_decides_by_the_files(shop, monkeypatch):
    text = "refund window"
    by_index = decided(shop, text)
    monkeypatch.setattr(gating.reconcile, "freshen", _without_index(gating.reconcile.freshen))
    assert decided(shop, text) == by_index


def _without_index(freshen):
    from dataclasses import replace

    return lambda opened: replace(freshen(opened), index=None)


def test_a_store_without_vectors_is_always_asked(shop, monkeypatch):
    from memcli.engine.opened import Opened

    monkeypatch.setattr(Opened, "encoder", None)
    told = decided(shop, "What is the capital of Mongolia?")
    assert (told["retrieve"], told["reason"]) == (True, "words only")
    assert not decided(shop, "thanks")["retrieve"]


@pytest.mark.parametrize(
    "text", ["x" * 200_000, "thanks " * 50_000, "\u0130\u202e\x1b[31m" * 1000, "-- --", "{}" * 9999]
)
def test_whatever_text_comes_it_decides(shop, text):
    ran = shop.ran("gate", "--json", "-", stdin=text)
    assert ran.code in (0, 1), ran.err
    assert json.loads(ran.out)["query"] == text.strip()
