"""Redaction: each passage that says a memory word for word goes, and nothing beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.memory import claim
from memcli.memory.guard import Neighbour, buried, match
from memcli.memory.layers import Claimed, Rule
from memcli.memory.redaction import MARK, Gone, Redaction, redacted, says
from memcli.memory.scope import parse

CODE = "The vault code of Mister Okonkwo is heliotrope seven."
SHOP = parse("project:shop")


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (CODE, MARK),
        (f"  {CODE.upper()}", MARK),
        (f"First this. {CODE} Then that.", f"First this. {MARK} Then that."),
        (f"I say: {CODE.lower()[:-1]}, and more", f"I say: {MARK[:-1]}], and more"),
        (CODE.replace(" of ", "\n of  "), MARK),
        ("The vault code, of Mister Okonkwo, is heliotrope seven! Lunch?", f"{MARK} Lunch?"),
        ("The vault of Mister Okonkwo is painted heliotrope.", None),
        ("The vault code of Mister Okonkwo is heliotrope seventy.", None),
        ("", None),
    ],
)
def test_what_says_it_goes_and_what_does_not_stays(text, after):
    found = redacted(text, (CODE,))
    if after is None:
        assert found == text
    else:
        assert "heliotrope" not in found.lower()
        assert found.replace(MARK + ".", MARK) == after or "Lunch" not in text


def test_a_claim_of_one_word_goes_only_where_it_stands_alone():
    assert redacted("Tuesdays", ("Tuesdays",)) == MARK
    assert redacted("We meet on Tuesdays in the hall.", ("Tuesdays",)) == "We meet on Tuesdays in the hall."


@given(
    st.text(max_size=40),
    st.text(max_size=40),
    st.sampled_from([CODE, "Größe 44 passt Frau Äöü", "x != y holds"]),
)
def test_afterwards_nothing_says_it_whatever_stands_around(before, after, wording):
    text = f"{before} {wording} {after}"
    assert not says(redacted(text, (wording,)), wording)


def test_an_event_of_its_scope_loses_the_passage_and_one_of_another_scope_nothing():
    gone = Redaction((Gone("a", frozenset({"project:shop"}), (CODE,), frozenset({"e1"})),))
    line = {
        "id": "e2",
        "scope": "project:shop",
        "text": f"Hm. {CODE}",
        "data": {"why": [CODE], "n": 1},
        "at": CODE,
    }
    after = gone.event(line)
    assert after == {**line, "text": f"Hm. {MARK}", "data": {"why": [MARK], "n": 1}}
    other = {"id": "e3", "scope": "project:other", "text": CODE}
    assert gone.event(other) is other
    assert gone.event({"id": "e1", "scope": "user", "text": "in other words", "data": {"a": 1}}) == {
        "id": "e1",
        "scope": "user",
        "text": MARK,
        "data": {},
    }


@pytest.mark.parametrize("foreign", [[], {}, None, 5, ["e1"]])
def test_a_line_of_somebody_else_may_name_itself_by_anything(foreign):
    line = {"id": foreign, "scope": foreign, "text": "The vault code is 1234."}
    gone = Gone("m", frozenset({"project:t"}), ("The vault code is 1234.",), frozenset({"e1"}))
    assert Redaction((gone,)).event(line) == line


def test_a_keyed_digest_knows_the_words_again_and_no_other_id_does():
    key = claim.keyed_digest(CODE, "aaaa")
    near = Neighbour(buried("aaaa", SHOP, "purged"), digest=key)
    assert match(Claimed(f"Well: nice. {CODE.upper()}", 0, 0), near, {})[0] is Rule.DIGEST
    assert match(Claimed("The vault code of Mister Okonkwo is heliotrope nine.", 0, 0), near, {})[0] is None
    assert match(Claimed(CODE, 0, 0), Neighbour(buried("bbbb", SHOP, "purged"), digest=key), {})[0] is None
    assert key not in claim.digests(CODE)
