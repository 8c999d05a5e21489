"""What sessions were denied and then used is counted, proposed, and never acted upon."""

import pytest
from talk import claim, consolidate, observe
from trial import AGENT

CLAIM = "Orders over 31.5 kilograms are picked up by the freight forwarder."


@pytest.fixture
def shop(trial):
    """Memories, of which one answers only when it is asked for by its own words."""
    trial.heavy = trial.remember(CLAIM)["id"]
    trial.other = trial.remember("The refund window is 30 days after delivery.")["id"]
    trial.told("activate", "--task", "Ship the piano", env=AGENT)
    return trial


def ended(trial, used):
    said = ("--used", used) if used else ()
    trial.told("feedback", *said, "--coverage", "partial", env=AGENT)
    trial.did("commit", "--outcome", "done", env=AGENT)


def below(trial, text, floor="0.99"):
    """Ask so that everything is held back."""
    told = trial.recall(text, "--floor", floor, env=AGENT)
    assert told["outcome"] == "withheld"
    return told


def regrets(trial, *options):
    return trial.told("eval", "regret", *options)


def test_what_the_floor_held_back_and_the_session_then_used_is_regretted(shop):
    below(shop, "freight forwarder for orders")
    assert shop.found("freight forwarder for orders", env=AGENT)[0] == shop.heavy
    ended(shop, shop.heavy)
    told = regrets(shop)
    assert told["abstain"]["wanted"] == 1
    assert told["gate"] == {"wanted": 0, "of": 0}
    assert shop.told("stats")["regret"]["abstain"] == told["abstain"]


def test_what_nobody_missed_is_counted_and_not_regretted(shop):
    below(shop, "freight forwarder for orders")
    ended(shop, "")
    told = regrets(shop)
    assert told["abstain"]["wanted"] == 0
    assert told["abstain"]["of"] >= 1


def test_what_the_gate_held_back_and_was_asked_again_is_regretted(shop):
    text = "Who picks up orders that are heavy?"
    toml = shop.root / "mem.toml"
    toml.write_text(toml.read_text() + "\n[gate]\nevidence = 1.0\n")
    assert shop.recall("thanks", "--gate", "auto", env=AGENT)["outcome"] == "gated"
    assert shop.ran("gate", text, env=AGENT).code == 1
    assert shop.found(text, env=AGENT) == [shop.heavy]
    ended(shop, "")
    told = regrets(shop)
    assert told["gate"] == {"wanted": 1, "of": 2}
    assert shop.told("stats")["regret"]["gate"] == told["gate"]


def test_nothing_that_was_held_back_stands_in_the_answer(shop):
    told = below(shop, "freight forwarder for orders")
    assert shop.heavy not in str(told)


def test_no_forgotten_and_no_foreign_memory_is_noted(shop):
    foreign = shop.remember("The freight forwarder of the mint is slow.", "--scope", "project:mint")["id"]
    gone = shop.remember("Freight forwarder invoices go to the archive.")["id"]
    shop.forget(gone)
    below(shop, "freight forwarder for orders")
    ended(shop, "")
    said = "".join(path.read_text() for path in shop.root.glob("events/**/*.jsonl") if "s_" in path.name)
    assert shop.heavy in said
    assert foreign not in said
    assert gone not in said


def test_another_scope_is_told_of_no_regret_of_this_one(shop):
    below(shop, "freight forwarder for orders")
    ended(shop, "")
    assert regrets(shop)["abstain"]["of"] >= 1
    assert regrets(shop, "--scope", "project:mint")["abstain"] == {"wanted": 0, "of": 0}


def test_a_setting_is_proposed_from_enough_cases_and_nothing_is_written(shop):
    ended(shop, "")
    for _ in range(3):
        shop.told("activate", "--task", "Ship the piano", env=AGENT)
        below(shop, "freight forwarder for orders")
        shop.recall("freight forwarder for orders", env=AGENT)
        ended(shop, shop.heavy)
    head, settings = shop.head(), (shop.root / "mem.toml").read_bytes()
    toml = shop.root / "mem.toml"
    toml.write_text(toml.read_text() + "\n[recall]\nfloor = 0.99\n")
    told = regrets(shop, "--suggest")
    assert told["abstain"]["wanted"] == 3
    (first, *_) = told["proposals"]
    assert (first["key"], first["now"], first["regained"], first["wanted"]) == ("recall.floor", 0.99, 3, 3)
    assert first["to"] < 0.99
    assert shop.head() == head
    assert toml.read_bytes() != settings
    assert "floor = 0.99" in toml.read_text()


def test_what_was_staged_and_said_again_proposes_a_lower_salience(trial):
    weak = ("It rained today.", "The tea was cold.", "The lift is slow.", "The lamp is old.")
    observe(trial, "s1", *map(claim, weak))
    consolidate(trial)
    staged = [id_ for id_, status in trial.statuses().items() if status == "staged"]
    assert len(staged) == len(weak)
    for text in weak[:3]:
        trial.remember(text)
    told = regrets(trial, "--suggest")
    assert told["discard"] == {"wanted": 3, "of": 4, "met": 0}
    (first, *_) = told["proposals"]
    assert (first["key"], first["now"], first["wanted"], first["left"]) == ("salience.active", 0.4, 3, 1)
    assert 0 < first["to"] < 0.4


def test_a_question_that_a_staged_claim_would_have_answered_is_noted_and_tells_nothing(trial):
    observe(trial, "s1", claim("The lift is slow."), claim("The lamp is old."))
    consolidate(trial)
    trial.told("activate", "--task", "Ship the piano", env=AGENT)
    asked = trial.recall("is the lift slow?", env=AGENT)
    assert (asked["items"], asked["withheld"]["by"]["status"]) == ([], 1)
    ended(trial, "")
    assert regrets(trial)["discard"] == {"wanted": 0, "of": 2, "met": 1}


def test_labelled_messages_are_put_to_the_gate_and_a_missed_one_fails(shop):
    line = (
        '{"text": "which carrier takes heavy orders?", "needed": true}\n{"text": "thanks", "needed": false}\n'
    )
    told = shop.told("eval", "gate", "-", stdin=line)
    assert (told["needed"], told["not_needed"], told["missed"], told["opened"]) == (1, 1, [], [])
    wrong = shop.told("eval", "gate", "-", stdin=line.replace("false", "true"), code=1)
    assert [(one["place"], one["text"]) for one in wrong["missed"]] == [("stdin:2", "thanks")]
    (shop.root / "set.jsonl").write_text(line + '{"text": "x"}\n{"needed": true}\n{torn\n[1]\n' + "[" * 9000)
    refused = shop.ran("eval", "gate", "set.jsonl")
    assert (refused.code, refused.out) == (4, "")
    assert "set.jsonl:3: needed: " in refused.err
    assert "set.jsonl:4: text: " in refused.err
    for number in (5, 7):
        assert f"set.jsonl:{number}: it is not JSON, or torn\n" in refused.err
    assert "set.jsonl:6: it is no JSON object\n" in refused.err


def test_the_verb_tells_its_parts_apart(shop):
    assert shop.ran("eval", "nonsense").code == 2
    assert shop.ran("eval", "regret", "file.yaml").code == 2
    assert shop.ran("eval", "regret").out.splitlines()[:2] == ["regret.discard\t0/0", "regret.met\t0"]
