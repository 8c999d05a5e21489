"""A8: what was said is shown on no surface once all that rested on it was taken back, and only then."""

import json
import re

import pytest
from trial import AGENT, Trial

from memcli.memory.schema import Status

OLD = "The connector weighs 3.5 grams."
NEW = "The connector weighs 2.9 grams."
SAID = "I put the connector on the scale: 3.5 grams."
SAID_NOW = "I put the connector on the scale: 2.9 grams."
ASK = "connector grams"


@pytest.fixture(params=["as built", "rebuilt"])
def scales(request, tmp_path, one_encoder):
    """Two turns that differ in a number alone, a claim on each, the first superseded; ids of turns and claims."""
    trial = Trial.made(tmp_path)
    turns = [json.dumps({"role": "user", "text": text, "key": text}) for text in (SAID, SAID_NOW)]
    said = trial.told("observe", "-", stdin="\n".join(turns))["ids"]
    old = trial.remember(OLD, "--concept", "weight", "--evidence", said[0])["id"]
    how = ("--concept", "weight", "--supersede-concept", "--evidence", said[1])
    new = trial.remember(NEW, *how)["id"]
    if request.param == "rebuilt":
        trial.forgets_the_index()
    return trial, said, (old, new)


def surfaces(trial, *how):
    """What each surface prints of what was said: name → text."""
    asked = ("--evidence", "full", "--floor", "0")
    return {
        "recall": trial.ran("recall", "--events", "only", "--json", "--floor", "0", "--", ASK).out,
        "recall with evidence": trial.ran("recall", *asked, "--json", "--", ASK).out,
        "prompt": trial.ran("recall", "--prompt", *asked, "--", ASK).out,
        "timeline": trial.ran("timeline", "--events", "only", "--json", ASK).out,
        "timeline of all": trial.ran("timeline", "--events", "only").out,
        "activate": trial.ran("activate", "--task", ASK, "--json", env=AGENT).out,
        "export": trial.ran("export", env=AGENT).out,
    }


SPEAKING = ("recall", "timeline", "timeline of all")  # surfaces that print turns themselves


def test_the_turn_behind_a_superseded_claim_is_nowhere_and_the_one_behind_its_successor_is(scales):
    trial, (stale, live), _ = scales
    for name, text in surfaces(trial).items():
        assert SAID not in text, name
        assert stale not in text or name == "export", name  # where the superseded file itself names it
        if name in SPEAKING:
            assert live in text or SAID_NOW in text, name
        if name != "export":
            assert "2.9" in text, name
    assert "3.5" not in trial.ran("recall", "--prompt", "--", ASK).out
    assert "3.5" not in trial.ran("timeline", "--events", "only", ASK).out


def test_a_turn_that_another_live_claim_rests_on_too_is_told(scales):
    trial, (stale, _), _ = scales
    trial.remember("Ana owns a letter scale.", "--evidence", stale)
    assert SAID in trial.did("timeline", "--events", "only", ASK)


def test_a_turn_that_nothing_rests_on_is_told(scales):
    trial, *_ = scales
    trial.told("observe", "-", stdin="user: the connector came in a box of 7 grams")
    shown = trial.did("timeline", "--events", "only", ASK)
    assert "box of 7 grams" in shown
    assert SAID not in shown


@pytest.mark.parametrize("status", [Status.FORGOTTEN, Status.RETRACTED, "expired"])
def test_a_turn_behind_what_was_taken_out_is_not_told(scales, status):
    trial, _, (_, new) = scales
    assert SAID_NOW in trial.did("timeline", "--events", "only", ASK)
    path = trial.path(new)
    text = path.read_text()
    if status == "expired":
        path.write_text(re.sub("  from: .*", "  from: 2026-01-01\n  to: 2026-02-01", text))
    else:
        path.write_text(text.replace("status: active", f"status: {status}"))
    trial.commit_by_hand()
    assert SAID_NOW not in trial.ran("timeline", "--events", "only", ASK).out
    trial.told("observe", "-", stdin="user: the connector is grey, some grams of it")
    assert "grey" in trial.did("timeline", "--events", "only", ASK)


def test_a_turn_that_says_again_what_is_forgotten_is_not_told(scales):
    trial, *_ = scales
    id_ = trial.remember("The connector is painted green, 40 grams of paint.")["id"]
    trial.told("observe", "-", stdin="user: the connector is painted green, 40 grams of paint")
    assert "painted" in trial.did("timeline", "--events", "only", ASK)
    trial.forget(id_)
    shown = trial.did("timeline", "--events", "only", ASK)
    assert "painted" not in shown
    assert SAID_NOW in shown


def test_another_scopes_death_hides_nothing_here(scales):
    trial, (_, live), _ = scales
    head = f"status: retracted\nevidence:\n  - event: {live}\n    quote: 2.9 grams\n"
    trial.write("elsewhere000", "Elsewhere it weighs nothing.", head, folder="project/other")
    trial.commit_by_hand()
    assert SAID_NOW in trial.did("timeline", "--events", "only", ASK)


def test_what_a_told_memory_rests_on_is_not_told_twice(scales):
    trial, (_, live), _ = scales
    entries = trial.told("timeline", ASK)["entries"]
    assert live not in [one["id"] for one in entries]
    assert NEW in [one["text"] for one in entries if one["kind"] == "change"]
    assert live in [one["id"] for one in trial.told("timeline", "--events", "only", ASK)["entries"]]
    assert [one["kind"] for one in trial.told("timeline", "--events", "none", ASK)["entries"]].count(
        "event"
    ) == 0
