"""A resident hears what was said as a command alone does, and at once."""

import json

import pytest
from engine.test_what_was_said import TALK, say, turn

QUESTIONS = ("grinder", "when are parcels shipped to Peru", "the rabbit", "nothing at all like it")
OPTIONS = ((), ("--events", "only"), ("--events", "none"), ("--floor", "0"), ("--prompt",))


@pytest.fixture
def heard(house):
    """A watched store with a conversation in it."""
    say(house, *(turn(nth, *told) for nth, told in enumerate(TALK)))
    house.start()
    return house


def texts(house, query, *options):
    """The turns of an answer of the resident."""
    answer = json.loads(house.mem("recall", "--json", "--events", "only", *options, "--", query).out)
    return [one["text"] for one in answer["items"]]


def test_the_answer_has_the_same_bytes_with_and_without_a_resident(heard):
    before = heard.tally()[0]
    for query in QUESTIONS:
        for options in OPTIONS:
            asked = ("recall", "--as-of", "2026-12-01", *options, query)
            one, other = heard.mem(*asked), heard.alone(*asked)
            assert (one.code, one.out, one.err) == (other.code, other.out, other.err), asked
    assert heard.tally()[0] == before + len(QUESTIONS) * len(OPTIONS)


def test_what_is_said_next_is_in_the_next_answer(heard):
    for nth, what in enumerate(("umbrella", "bicycle", "lantern"), 10):
        say(heard, turn(nth, "Bo", f"The {what} is in the car."))
        assert texts(heard, what)[0] == f"The {what} is in the car."


def test_what_repeats_a_forgotten_memory_is_hidden_at_once(heard):
    kept = json.loads(heard.mem("remember", "--json", TALK[3][1]).out)["id"]
    assert TALK[3][1] in texts(heard, "grinder")
    person = {"MEM_ACTOR": "human:ana"}
    assert heard.mem("forget", kept, "--yes", env=person).code == 0
    assert TALK[3][1] not in texts(heard, "grinder", "--floor", "0")
    assert TALK[1][1] in texts(heard, "parcels to Peru")
