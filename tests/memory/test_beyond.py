"""Which of two near texts says more, told by their words."""

import pytest

from memcli.memory.beyond import says_more
from memcli.memory.claim import lost

NOTE = (
    "A queue stands between the web server and the workers. A worker takes one job at a time and "
    "reports when it is done. A job that fails is tried again after a pause. The web server never waits."
)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Refunds need approval by a manager.", "Refunds need written approval by a manager."),
        ("Deploys happen on Tuesdays only.", "Deploys happen on Tuesdays only, and never alone."),
        (NOTE, f"{NOTE} Backups are encrypted with the key in the safe."),
        (f"{NOTE} Tabs are preferred over spaces.", f"{NOTE} Backups are kept in another country."),
        ("one two words alpha beta", "one two words alpha beta gamma delta epsilon"),
    ],
    ids=["an adjective", "a clause", "a sentence", "another sentence", "a longer list"],
)
def test_what_is_added_is_seen_and_would_be_lost(known, said):
    assert says_more(said, known)
    assert lost(said, known) == "more"


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("The refund window is 30 days.", "Refund window: thirty days"),
        ("Deploys happen on Tuesdays.", "Note: deployments always happen on a Tuesday!"),
        ("A man is opening a box with a knife.", "A man is using a knife to open a box."),
        ("The front-end is built by the release script.", "The release script builds the frontend."),
        ("The shop opens at 17:00.", "The shop opens at 5 pm."),
        (f"{NOTE} Backups are encrypted.", NOTE),
        (NOTE, NOTE.upper()),
    ],
    ids=["numbers", "idle words", "rewording", "compounds", "hours", "less", "case"],
)
def test_a_rewording_or_a_part_says_no_more(known, said):
    assert not says_more(said, known)


def test_nothing_says_more_than_itself_and_anything_more_than_nothing():
    assert not says_more(NOTE, NOTE)
    assert says_more(NOTE, "")
    assert not says_more("", NOTE)
