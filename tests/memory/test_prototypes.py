"""Prototypes: a function of the turns in their order, bounded, and proposing once two sessions agree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.memory.constants import constants
from memcli.memory.prototypes import OPEN, Prototypes, Turn

D = 16
TOPICS = np.eye(D, dtype=np.float32)
SENTENCES = [f"The number {word} is kept in the archive." for word in "abcdefghijklmnop"]


def vector(topic, noise=0.0, seed=0):
    made = TOPICS[topic] + noise * np.random.default_rng(seed).normal(size=D).astype(np.float32)
    return (made / np.linalg.norm(made)).astype(np.float32)


def encode(texts):
    return np.stack([TOPICS[SENTENCES.index(text.rpartition(": ")[2])] for text in texts])


def turn(nth, topic=0, session="s1", at=None):
    return Turn(f"{nth:026d}", session, SENTENCES[topic], 1000 + nth * 10 if at is None else at)


def taken(turns, made=None, rules=None):
    made = made or Prototypes(D)
    proposals = [made.take(one, found, encode, rules or constants({})) for one, found in turns]
    return made, [one for one in proposals if one is not None]


def test_a_second_session_makes_a_prototype_propose_and_a_third_does_not():
    _, found = taken([(turn(nth, session=f"s{nth}"), vector(0)) for nth in range(1, 5)])
    (one,) = found
    assert (one.text, one.sessions) == (SENTENCES[0], ("s1", "s2"))
    assert one.evidence == ((f"{1:026d}", SENTENCES[0], ""), (f"{2:026d}", SENTENCES[0], ""))


def test_one_session_is_no_support_however_often_it_says_it():
    made, found = taken([(turn(nth), vector(0)) for nth in range(1, 9)])
    assert (found, len(made.all), made.all[0].turns, made.episodes) == ([], 1, 8, 1)


def test_a_turn_out_of_order_is_refused():
    made, _ = taken([(turn(5), vector(0))])
    with pytest.raises(ValueError, match="3"):
        made.take(turn(3), vector(0), encode)


def test_an_episode_ends_at_a_pause_and_at_a_shift_of_topic():
    made, _ = taken([(turn(1), vector(0)), (turn(2), vector(0)), (turn(3), vector(1))])
    assert made.episodes == 2
    made, _ = taken(
        [(turn(1, at=0), vector(0)), (turn(2, at=1800), vector(0)), (turn(3, at=3601), vector(0))]
    )
    assert made.episodes == 2


def test_so_many_are_kept_and_the_longest_untouched_one_goes():
    rules = constants({"prototypes.kept": 3})
    turns = [(turn(nth, topic), vector(topic)) for nth, topic in enumerate((0, 1, 2, 0, 3), 1)]
    made, _ = taken(turns, rules=rules)
    assert sorted(one.founder[-1] for one in made.all) == ["1", "3", "5"]


def test_the_last_episodes_of_so_many_sessions_may_go_on():
    made, _ = taken([(turn(nth, nth % D, f"s{nth}"), vector(nth % D)) for nth in range(1, OPEN + 9)])
    assert len(made.open) == OPEN


def spelled(made):
    return (
        made.last,
        made.episodes,
        [(one.founder, one.touched, one.sessions, one.members, one.turns, one.done) for one in made.all],
        made.sums[: len(made.all)].tobytes(),
        {name: (one.first, one.last_at, one.total.tobytes()) for name, one in made.open.items()},
    )


def again(made):
    """What is put away and read again."""
    return Prototypes(
        D, made.last, made.all, made.sums[: len(made.all)].copy(), made.open, made.episodes, made.turns
    )


@settings(max_examples=25, deadline=None)
@given(
    said=st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 3), st.floats(0, 0.5)), min_size=1, max_size=30
    ),
    cuts=st.lists(st.booleans(), min_size=30, max_size=30),
)
def test_the_outcome_does_not_depend_on_batches(said, cuts):
    turns = [
        (turn(nth, topic, f"s{session}"), vector(topic, noise, nth))
        for nth, (topic, session, noise) in enumerate(said, 1)
    ]
    whole, proposals = taken(turns)
    made, found = Prototypes(D), []
    for one, cut in zip(turns, cuts, strict=False):
        made, more = taken([one], again(made) if cut else made)
        found += more
    assert (spelled(made), found) == (spelled(whole), proposals)
