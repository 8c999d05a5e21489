"""A batch is compared with itself: whatever its size nothing is taken in twice, and what is new is."""

import pytest
from trial import AGENT

NUMBERED = [f"Shelf {number} of the archive holds the folders of {1900 + number}." for number in range(60)]


@pytest.mark.parametrize("again", [str.upper, lambda text: f"  {text} ", str])
def test_a_claim_said_again_in_one_batch_is_found_among_many_that_look_alike(trial, again):
    """Control: sixty claims that differ in a number alone are sixty memories."""
    decided = trial.batch([*NUMBERED, *(again(text) for text in NUMBERED)], env=AGENT)
    first, second = decided[: len(NUMBERED)], decided[len(NUMBERED) :]
    assert {one["decision"] for one in first} == {"created"}
    assert {one["decision"] for one in second} == {"reinforced"}
    assert [one["id"] for one in second] == [one["id"] for one in first]


def test_of_one_concept_every_line_of_a_batch_is_seen(trial):
    lines = [{"text": f"{text} It is locked.", "concept": "keys"} for text in NUMBERED[:12]]
    last = {"text": "Nobody may enter the cellar.", "concept": "KEYS"}
    *_, found = trial.batch([*lines, last])
    assert found["decision"] == "created"
    assert len(trial.recall("cellar")["items"][0]["conflict"]) == len(lines)


def test_a_line_supersedes_one_before_it_and_the_old_words_stay_out(trial):
    old, new = "The keys hang in the kitchen.", "The keys lie in the safe of the bank."
    told = trial.batch(
        [
            *NUMBERED[:20],
            {"text": old, "concept": "keys", "valid_from": "2026-01-01"},
            {"text": new, "concept": "keys", "supersede_concept": True},
            {"text": f"As ever: {old} Tea stands beside them."},
        ]
    )
    assert [one["decision"] for one in told[20:]] == ["created", "superseded", "skipped"]
