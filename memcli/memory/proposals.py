"""What a prototype proposes: one sentence that somebody said, word for word, and who else says the same.

The danger is a made-up memory: two turns glued together, half a sentence, a question, a
"that" without what it points to. So nothing is written here. A sentence is chosen that
stands for itself, and only if a second session agrees with it, number for number.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memcli.memory import claim, pool, subject
from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.tokens import STOP, words

if TYPE_CHECKING:
    import numpy as np

INDEPENDENT: Final = 2  # sessions that must say it (ENGINE section 4)
FEWEST_WORDS: Final = 3  # words that carry a topic; asserted
LONGEST: Final = 240  # characters of a sentence; asserted, as wording.LONG_SENTENCE
SENTENCES: Final = 8  # of one turn are looked at; asserted
_SIGNS: Final = 0.06  # share of signs from which a sentence is rather code; asserted
_DANGLING: Final = re.compile(
    r"^(?:it|that|this|these|those|they|he|she|him|her|them|so|and|but|then|also|or|here|there|which"
    r"|because|since|while|if|when|what|who|why|how|where|well|oh|wow|yeah|yes|no|ok|okay|sure|thanks?"
    r"|great|hi|hello|hey|sorry|haha|lol)\b",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(
    r"^(?:please|can|could|would|will you|do you|let'?s|let me|i'?ll|i will|i'?m going to|i am going to"
    r"|try|run|show|tell|give|look|check|make sure|now|i (?:see|know|agree|understand|guess|hope|mean))\b",
    re.IGNORECASE,
)
_PASSING: Final = re.compile(  # what is said of a day that the sentence does not name
    r"\b(?:yesterday|today|tonight|tomorrow|recently|lately|just (?:now|\w+ed|got|went|had)|right now|ago"
    r"|(?:last|this|next) (?:night|morning|afternoon|evening|week|weekend|month|year|time|summer|winter"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b",
    re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|must|should|will|can|may|needs?|uses?|runs?|wants?"
    r"|likes?|prefers?|works?|lives?|\w{3,}(?:ed|es))\b",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(r"\b(?:i|i'm|i've|my|me|mine|we|our|us)\b", re.IGNORECASE)
_CODE: Final = re.compile(r"[{}<>|;=`$\\\[\]]")


@dataclass(frozen=True, slots=True)
class Member:
    """A turn of a prototype, with its words; `episode` is the first event of its episode.

    `place` is where the event is to be found again.
    """

    event: str
    session: str
    text: str
    episode: str
    subject: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A sentence of the turn `event`; `evidence` are (event, quote, place) of all sessions that say it.

    `text` is the sentence, led by its speaker where it says "I". `central` is its cosine with
    the centre of the prototype.
    """

    event: str
    text: str
    evidence: tuple[tuple[str, str, str], ...]
    sessions: tuple[str, ...]
    central: float


@dataclass(frozen=True, slots=True)
class _Sentence:
    member: Member
    text: str
    vector: "np.ndarray"
    central: float


def proposed(
    members: Sequence[Member],
    centre: "np.ndarray",
    encode: "Callable[[Sequence[str]], np.ndarray]",
    rules: Constants = DEFAULTS,
) -> Proposal | None:
    """The most central sentence that is a claim and that two sessions say; None where there is none."""
    pairs = [(member, text) for member in members for text in claims(member.text)]
    if len({member.session for member, _ in pairs}) < INDEPENDENT:
        return None
    vectors = encode([_told(member, text) for member, text in pairs])
    said = [
        _Sentence(member, text, vector, pool.cosine(vector[None], centre))
        for (member, text), vector in zip(pairs, vectors, strict=True)
    ]
    ranked = sorted(said, key=lambda one: (-one.central, one.member.event, one.text))
    return next((found for one in ranked if (found := _backed(one, said, rules)) is not None), None)


def claims(text: str) -> tuple[str, ...]:
    """The sentences of a turn that state something and stand for themselves, as they stand in it."""
    found = [one for one in claim.sentences(text) if one in text and is_claim(one)]
    return tuple(found[:SENTENCES])


def is_claim(sentence: str) -> bool:
    """Whether a sentence of a talk can be read alone, and states something."""
    if not stands_alone(sentence) or any(found.search(sentence) for found in (_REQUEST, _PASSING)):
        return False
    return sentence.endswith((".", "!", "。")) or _VERB.search(sentence) is not None


def stands_alone(sentence: str) -> bool:
    """Whether a sentence, wherever it stood, can be read without what stood around it."""
    if len(sentence) > LONGEST or subject.asks(sentence) or _DANGLING.search(sentence):
        return False
    if len([word for word in words(sentence) if word not in STOP]) < FEWEST_WORDS:
        return False
    return len(_CODE.findall(sentence)) <= _SIGNS * len(sentence)


def _backed(one: _Sentence, said: Sequence[_Sentence], rules: Constants) -> Proposal | None:
    """The sentence as a proposal, if another session says the same."""
    backing = list(_agreeing(one, said, rules))
    sessions = tuple(dict.fromkeys(each.member.session for each in backing))
    if len(sessions) < INDEPENDENT:
        return None
    evidence = dict.fromkeys((each.member.event, each.text, each.member.place) for each in backing)
    return Proposal(
        one.member.event, _told(one.member, one.text), tuple(sorted(evidence)), sessions, one.central
    )


def _agreeing(one: _Sentence, said: Sequence[_Sentence], rules: Constants) -> Iterator[_Sentence]:
    """Of each turn the sentence that says the same, the chosen one among them."""
    seen: set[str] = set()
    for each in sorted(
        said, key=lambda other: (other is not one, -pool.cosine(other.vector[None], one.vector))
    ):
        if each.member.event in seen:
            continue
        near = each is one or pool.cosine(each.vector[None], one.vector) >= rules.agree
        if near and not claim.veto(each.text, one.text):
            seen.add(each.member.event)
            yield each


def _told(member: Member, text: str) -> str:
    return f"{member.subject}: {text}" if member.subject and _FIRST_PERSON.search(text) else text
