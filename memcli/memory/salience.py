"""How much a claim that nobody asked to keep is worth keeping: a sum of stated features.

The danger is on both sides: a store that believes every remark, and one that throws away the
one sentence that mattered. So each feature is named with what it adds, the sum decides
between believed, kept on trial and kept out of sight, and nothing is ever dropped.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from memcli.memory import claim
from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.layers import Neighbour, Reach
from memcli.memory.schema import Status, Type
from memcli.memory.tokens import STOP, content_words, words

ENOUGH_WORDS: Final = 4  # content words from which a text says something whole; asserted
ENOUGH_MARKS: Final = 3  # numbers, names and compounds that count as full effort; asserted
_DECISION: Final = re.compile(
    r"\b(?:decid\w+|decision|chose|chosen|choose|agreed|adopt\w*|settled on|switch(?:ed)? to|mov(?:ed|ing) to"
    r"|must|never|always|only|polic(?:y|ies)|rule|standard|convention|from now on|instead of|prefer\w*"
    r"|require[sd]?|approved|rejected)\b",
    re.IGNORECASE,
)
_CAUSAL: Final = re.compile(
    r"\b(?:because|since|so that|therefore|due to|caus(?:e|es|ed|ing)|leads? to|reason|hence|thus"
    r"|as a result|in order to|which is why|otherwise|unless)\b",
    re.IGNORECASE,
)
_SURPRISE: Final = re.compile(
    r"\b(?:unexpected\w*|surpris\w+|turn(?:s|ed) out|actually|however|contrary|in fact|no longer|instead)\b",
    re.IGNORECASE,
)
_COMPOUND: Final = re.compile(r"\w[._/:@=-]+\w|[a-z][A-Z]")
# What share of salience.type a type has: asserted. What binds a later act weighs most.
_TYPES: Final[Mapping[Type, float]] = MappingProxyType(
    {Type.FACT: 0.6, Type.TASK: 0.3, Type.ARTIFACT: 0.3, Type.OPEN_QUESTION: 0.3}
)


@dataclass(frozen=True, slots=True)
class Salience:
    """The sum in [0, 1], and what each feature added to it, the largest first."""

    score: float
    reasons: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        """Like `0.42 (novelty 0.30, type 0.12)`."""
        told = ", ".join(f"{name} {value:.2f}" for name, value in self.reasons if value)
        return f"{self.score:.2f}" + (f" ({told})" if told else "")


def weighed(text: str, type_: Type, neighbours: Sequence[Neighbour], rules: Constants = DEFAULTS) -> Salience:
    """The salience of a claim beside what its scope believes already (`neighbours`, live ones count)."""
    live = [one for one in neighbours if one.reach is not Reach.NARROWER and one.schema.live]
    whole = min(1.0, len(content_words(text)) / ENOUGH_WORDS) if _says_something(text) else 0.0
    parts = {
        "novelty": rules.novelty * whole * _novelty(text, live, rules),
        "decision": rules.decision * _found(_DECISION, text),
        "causal": rules.causal * _found(_CAUSAL, text),
        "surprise": rules.surprise * max(_differs(text, live, rules), _found(_SURPRISE, text) / 2),
        "effort": rules.effort * min(1.0, _marks(text) / ENOUGH_MARKS),
        "type": rules.type_share * _TYPES.get(type_, 1.0),
    }
    score = round(min(1.0, sum(parts.values())), 4)
    told = sorted(parts.items(), key=lambda one: (-one[1], one[0]))
    return Salience(score, tuple((name, round(value, 4)) for name, value in told))


def status_of(score: float, rules: Constants = DEFAULTS) -> Status:
    """What a claim of this salience becomes: active, staged, or archived (low_salience)."""
    if score >= rules.salience_active:
        return Status.ACTIVE
    return Status.STAGED if score >= rules.salience_staged else Status.ARCHIVED


def _says_something(text: str) -> bool:
    return any(word not in STOP for word in words(text))


def _novelty(text: str, live: Sequence[Neighbour], rules: Constants) -> float:
    """1 for what is near to nothing, 0 for what is there already."""
    nearest = max((_near(text, one) for one in live), default=0.0)
    return min(1.0, max(0.0, (1.0 - nearest) / (1.0 - rules.resonance)))


def _near(text: str, one: Neighbour) -> float:
    """Its cosine with the whole text; without an encoder the share of words that both have."""
    if one.cosines is not None:
        return min(1.0, one.cosines[0]) if one.cosines else 0.0
    ours, theirs = content_words(text), content_words(one.schema.claim)
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0


def _differs(text: str, live: Sequence[Neighbour], rules: Constants) -> float:
    """1 where something near says otherwise: another number, another name, the reverse."""
    near = [one for one in live if one.schema.claim and _near(text, one) >= rules.resonance]
    return float(any(claim.veto(text, one.schema.claim) for one in near))


def _found(pattern: re.Pattern[str], text: str) -> float:
    return float(pattern.search(text) is not None)


def _marks(text: str) -> int:
    return len(claim.marks(text) - {"", "not"}) + len(_COMPOUND.findall(text))
