"""The gate: whether a text needs memory at all, decided by what a search found for it.

To ask needlessly costs some tokens; not to ask where something is known costs the answer. So
whatever is doubtful opens: a text in a language that the vectors do not read, a store without
vectors, any failure. What closes is a text without a topic, and one that nothing known comes near.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from memcli.memory.constants import DEFAULTS, SCALE, Constants
from memcli.memory.language import ASKING, LOOKED_AT, strange
from memcli.memory.tokens import STOP, words


class Reason(StrEnum):
    """Why a text is taken to the memory, or not."""

    EVIDENCE = "evidence"  # something known comes near it
    HELD = "held back"  # something that a filter holds back does
    LANGUAGE = "another language"  # the vectors do not read it
    WORDS_ONLY = "words only"  # there are no vectors to judge by
    FAILED = "failed open"
    ACKNOWLEDGEMENT = "acknowledgement"
    NOTHING_NEAR = "nothing near"
    NO_MEMORIES = "no memories"  # none is visible that could be asked


_OPEN: Final = frozenset(
    {Reason.EVIDENCE, Reason.HELD, Reason.LANGUAGE, Reason.WORDS_ONLY, Reason.FAILED},
)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to ask the memory, what, and why; `evidence` in [0, 1 + `gate.words`], None where unasked."""

    query: str
    reason: Reason
    evidence: float | None = None
    threshold: float | None = None

    @property
    def retrieve(self) -> bool:
        """Whether the text is to be asked."""
        return self.reason in _OPEN


class Found(Protocol):
    """One candidate of a search; both in whole 1/SCALE."""

    @property
    def vector(self) -> int:
        """Its cosine with the text."""

    @property
    def coverage(self) -> int:
        """The share of the text's word weight that stands in it: rare words weigh most."""


def of_words(text: str) -> Decision | None:
    """What the text alone decides: an acknowledgement has no topic. None where a search has to tell."""
    return Decision(text, Reason.ACKNOWLEDGEMENT) if acknowledges(text) else None


def of_evidence(
    text: str, found: Iterable[Found], *, held: bool, meant: bool, rules: Constants = DEFAULTS
) -> Decision:
    """What the search for `text` decides; `held`: a filter holds back a match, `meant`: there were vectors.

    A candidate speaks for the text by its cosine and by `gate.words` of its coverage. Unlike a
    match, this is not lessened by how many memories there are: a larger store opens more often,
    and does not come to overlook what it knows (tests/benchmarks/gate.py).
    """
    strengths = [one.vector + rules.gate_words * one.coverage for one in found]
    if not strengths and not held and meant:
        return Decision(text, Reason.NO_MEMORIES)
    evidence = round(max(strengths, default=0)) / SCALE
    return Decision(
        text,
        _reason(text, evidence, held=held, meant=meant, rules=rules),
        evidence,
        rules.gate_evidence,
    )


def _reason(text: str, evidence: float, *, held: bool, meant: bool, rules: Constants) -> Reason:
    if evidence >= rules.gate_evidence:
        return Reason.EVIDENCE
    if held:
        return Reason.HELD
    if not meant:
        return Reason.WORDS_ONLY
    return Reason.LANGUAGE if strange(text) else Reason.NOTHING_NEAR


LONGEST: Final = 8  # words of an acknowledgement at most; asserted
_SAYING: Final = """
thanks thank thx ty cheers ok okay k yes yep yeah yup no nope sure fine great good perfect cool nice
awesome excellent brilliant wonderful lovely amazing right correct exactly agreed alright understood
done lgtm sense makes hi hello hey bye goodbye welcome please continue proceed ahead got sounds looks works
danke dank bitte ja nein gut super passt genau prima klar hallo tschuss weiter
merci oui non bien parfait accord bonjour salut gracias si vale perfecto bueno hola
grazie bene perfetto ciao obrigado obrigada sim nao otimo bem ola
"""
_BETWEEN: Final = """
much lot lots bit job work go let us oh ah hm hmm haha lol wow well really now already then morning
afternoon evening night day today tonight tomorrow later soon see never mind everyone all
dir ihnen vielen schon sehr so das es dann morgen abend guten mach beaucoup c est tres d bonne nuit
muchas muy buenos dias mille va molto muito bom dia ta
"""
# What greets, thanks, agrees and declines, folded, and what stands beside it; asserted, chosen by hand.
_SAID: Final = frozenset(_SAYING.split())
_BESIDE: Final = STOP | frozenset(_BETWEEN.split())


def acknowledges(text: str) -> bool:
    """Whether `text` only greets, thanks, agrees or declines, or says no word at all.

    A question never does: "right?" asks something, and so does "who is right".
    """
    if len(text) > LOOKED_AT or text.rstrip().endswith("?"):
        return False
    said = [word for word in words(text) if word.isalnum()]  # and no sign that goes with it
    if not said:
        return not any(map(str.isalnum, text))
    if len(said) > LONGEST or not _SAID.intersection(said) or ASKING.intersection(said[:1]):
        return False
    return all(word in _SAID or word in _BESIDE for word in said)
