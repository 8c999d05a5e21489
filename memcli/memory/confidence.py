"""What retractions leave of the confidence of others, read off the retracted memories themselves."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from memcli.memory.constants import DEFAULTS, SCALE, Constants
from memcli.memory.schema import Affected, Retraction, Schema, Status
from memcli.memory.scope import Scope, parse

_DIGITS: Final = 4  # a penalty as files state it
_ELSEWHERE: Final = "elsewhere."  # begins what stands for a memory of a scope that is not seen


@dataclass(frozen=True, slots=True)
class Retracted:
    """A retracted memory with what its file says of its retraction."""

    id: str
    scope: Scope
    retraction: Retraction


def of_schemas(schemas: Iterable[tuple[Schema, Status]]) -> tuple[Retracted, ...]:
    """Those that cast doubt on others, by id; the status beside each is the one that counts."""
    found = [
        Retracted(one.id, one.scope, one.retraction)
        for one, status in schemas
        if status is one.status is Status.RETRACTED and one.retraction and one.retraction.affected
    ]
    return tuple(sorted(found, key=lambda one: one.id))


def of_rows(rows: Iterable[tuple[str, str, str, Retraction]]) -> tuple[Retracted, ...]:
    """The same of rows that count as retracted: id, scope and stated status as text, and the retraction."""
    found = [
        Retracted(id_, parse(scope), said)
        for id_, scope, stated, said in rows
        if stated == Status.RETRACTED.value and said.affected
    ]
    return tuple(sorted(found, key=lambda one: one.id))


@dataclass(frozen=True, slots=True)
class Taken:
    """What one retraction takes from one memory."""

    by: str
    scope: Scope
    penalty: float
    review: bool


@dataclass(frozen=True, slots=True)
class Doubt:
    """All that retractions take from one memory. `labile`: enough at once that a person should look at it."""

    taken: tuple[Taken, ...] = ()

    @property
    def penalty(self) -> float:
        """What they take together."""
        return round(math.fsum(one.penalty for one in self.taken), _DIGITS)

    @property
    def labile(self) -> bool:
        """Whether one of them is so strong that it waits for a person and stands further down."""
        return any(one.review for one in self.taken)


NONE: Final = Doubt()


class Doubts(Mapping[str, Doubt]):
    """Id → what it lost, whether the retraction names it or, from another scope, veils it."""

    def __init__(self, found: Mapping[str, Doubt]) -> None:
        self._found = found
        self._veiled = any(id_.startswith(_ELSEWHERE) for id_ in found)

    def __getitem__(self, id_: str) -> Doubt:
        names = (id_, veiled(id_)) if self._veiled else (id_,)
        told = [one for name in names if (one := self._found.get(name)) is not None]
        if not told:
            raise KeyError(id_)
        return told[0] if len(told) == 1 else Doubt(tuple(each for one in told for each in one.taken))

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def veiled(id_: str) -> str:
    """What stands for a memory in the file of one whose scope does not see it: it names nobody."""
    return _ELSEWHERE + hashlib.sha256(f"affected {id_}".encode("utf-8", "surrogatepass")).hexdigest()[:20]


def doubts(retracted: Iterable[Retracted], rules: Constants = DEFAULTS) -> Doubts:
    """Id → what it lost; a memory that a person has looked at since loses nothing."""
    found: dict[str, list[Taken]] = {}
    for one in sorted(retracted, key=lambda one: one.id):
        for each in one.retraction.affected:
            if not each.cleared and each.penalty > 0:
                review = each.penalty >= rules.retract_review
                found.setdefault(each.id, []).append(Taken(one.id, one.scope, each.penalty, review))
    return Doubts({id_: Doubt(tuple(taken)) for id_, taken in found.items()})


def left(confidence: float, penalty: float, rules: Constants = DEFAULTS) -> float:
    """What is left of a confidence: never below `retract.least`, unless it was less before."""
    least = min(confidence, rules.retract_least)
    return round(max(least, confidence - penalty), _DIGITS)


def share(schema: Schema, doubt: Doubt, rules: Constants = DEFAULTS) -> float:
    """The part of its score that a doubted memory keeps."""
    if not schema.confidence:
        return 1.0
    return round(left(schema.confidence, doubt.penalty, rules) / schema.confidence * SCALE) / SCALE


def cleared(retraction: Retraction, id_: str) -> tuple[Affected, ...]:
    """What the retraction takes from each, once a person has found that `id_` stands."""
    names = (id_, veiled(id_))
    return tuple(replace(one, cleared=True) if one.id in names else one for one in retraction.affected)
