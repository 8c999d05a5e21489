"""What teaches nothing is sifted out by name, and what says something goes through."""

import numpy as np
import pytest

from memcli.memory import sieve
from memcli.memory.sieve import Shown, Sieve

CLAIM = "The refund window is 14 days."
UNIT = np.array([1.0, 0.0], np.float32)
FAR = np.array([0.0, 1.0], np.float32)


@pytest.mark.parametrize(
    ("text", "role", "why"),
    [
        ("ok, thanks!", "user", Sieve.NOISE),
        ("Let me check the logs of the staging cluster first.", "assistant", Sieve.NOISE),
        ("Traceback (most recent call last): something", "user", Sieve.NOISE),
        ("Running the whole test suite now...", "assistant", Sieve.NOISE),
        ("Do you remember where the staging cluster runs?", "user", Sieve.MEMORY),
        ("I ran mem recall staging and found nothing there.", "assistant", Sieve.MEMORY),
        (CLAIM, "tool", Sieve.MACHINE),
        (CLAIM, "system", Sieve.MACHINE),
    ],
)
def test_it_is_sifted_out_and_named(text, role, why):
    assert sieve.caught(text, role) is why


@pytest.mark.parametrize(
    "text",
    [
        CLAIM,
        "The memory limit of the worker is 4 GB.",
        "Reading comprehension lessons happen in the library on Mondays.",
        "Running the tests needs Docker and about ten minutes.",
        "OK is not what the endpoint returns when a payment fails; it returns 402.",
    ],
)
def test_what_says_something_goes_through(text):
    assert sieve.caught(text, "user") is None


def test_what_was_shown_before_is_an_echo_and_what_was_said_before_it_is_none():
    shown = [Shown(CLAIM, UNIT, at=100)]
    assert sieve.echoed("the refund window is 14 days", 100, None, shown)
    assert sieve.echoed("Refunds: a window of 14 days.", 101, UNIT, shown)
    assert not sieve.echoed("the refund window is 14 days", 99, UNIT, shown)


def test_another_number_is_an_answer_and_no_echo():
    assert not sieve.echoed("The refund window is 30 days.", 200, UNIT, [Shown(CLAIM, UNIT)])
    assert not sieve.echoed("Refunds take 14 days.", 200, FAR, [Shown(CLAIM, UNIT)])
