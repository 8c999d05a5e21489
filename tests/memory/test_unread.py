"""What vectors hardly read keeps near claims apart; what they read, or what says nothing, does not."""

import pytest

from memcli.memory.claim import differs, veto

APART = [
    ("Build status: \u2705", "Build status: \u274c"),
    ("ok \U0001f44d", "ok \U0001f525"),
    ("Rating of the canteen \u2605\u2605\u2605", "Rating of the canteen \u2605\u2605"),
    ("Tabs \u2192 spaces.", "Tabs \u2190 spaces."),
    ("Retry while x < limit.", "Retry while x > limit."),
    (f"The key is {'a' * 120}", f"The key is {'b' * 120}"),
    ("The user is called Zo\u00eb.", "The user is called Zo\u00e9."),
    ("El a\u00f1o es largo.", "El ano es largo."),
    ("\u5009\u5eab\u306f\u6771\u9580\u3067\u3059\u3002", "\u5009\u5eab\u306f\u897f\u9580\u3067\u3059\u3002"),
    ("The branch is feature/x", "The branch is feature-x"),
    ("The flag is --all", "The flag is --no-all"),
    ("Variable is named userId", "Variable is named user_id"),
]
TOGETHER = [
    ("We use GitHub\u2122 for reviews.", "We use GitHub for reviews."),
    ("The caf\u00e9 opens late.", "The cafe\u0301 opens late."),
    ("Deploys happen on Tuesdays.", "Deploys happen on tuesdays!"),
    ("The well-known shop is closed.", "The well known shop is closed."),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_differs_in_that_alone_is_another_claim_and_no_veto(one, other):
    assert differs(one, other)
    assert differs(other, one)
    assert not veto(one, other) or veto(one, other) == "names"


@pytest.mark.parametrize(("one", "other"), TOGETHER)
def test_what_says_nothing_keeps_nothing_apart(one, other):
    assert differs(one, other) == ""
