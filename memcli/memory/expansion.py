"""From what answers to what belongs to it: along relations, and along use.

A memory that shares no word with a question may still be wanted beside the one that
answers it. What is found so carries a part of the match that led to it, never one of its
own, and passes the same floor, the same visible set and the same ladder as everything else.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from memcli.memory import ladder
from memcli.memory.account import NOTHING, Account, bonds
from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.schema import RELATES_TO, Link
from memcli.memory.scope import Scope
from memcli.memory.visibility import Row

TOGETHER: Final = "together"  # how a memory is reached that was shown after another one


@dataclass(frozen=True, slots=True)
class Answering:
    """A memory of the answer: its id, its match in whole 1/SCALE, and its links."""

    id: str
    match: int
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Carried:
    """A memory reached from the answer: the match that was carried to it, and along what."""

    id: str
    match: int
    via: str


def carried(
    answer: Iterable[Answering],
    accounts: Mapping[str, Account],
    as_of: int,
    rules: Constants = DEFAULTS,
) -> tuple[Carried, ...]:
    """What the memories of an answer lead to, strongest first, each by its best way; ties by id."""
    shown = list(answer)
    best: dict[str, Carried] = {}
    for one in shown:
        for id_, weight, via in _ways(one, accounts.get(one.id, NOTHING), as_of, rules):
            match = int(one.match * rules.carry * weight + 1e-6)
            if id_ not in best or match > best[id_].match:
                best[id_] = Carried(id_, match, via)
    known = {one.id for one in shown}
    found = [one for one in best.values() if one.id not in known]
    return tuple(sorted(found, key=lambda one: (-one.match, one.id)))


def _ways(one: Answering, account: Account, as_of: int, rules: Constants) -> Iterable[tuple[str, float, str]]:
    """The ids that a memory leads to, how strongly (0 to 1), and along what."""
    yield from ((link.to, min(link.weight, 1.0), RELATES_TO) for link in one.links if link.rel == RELATES_TO)
    for other, strength in bonds(account, as_of, rules).items():
        yield other, strength / (1 + strength), TOGETHER


def let_in(one: Carried, row: Row, viewer: Scope, floor: int, rules: Constants = DEFAULTS) -> int | None:
    """The match with which it is shown to `viewer`, None where ladder or floor keep it back."""
    match = ladder.cross_scope(row.stage, row.scope, viewer, one.match, rules)
    return match if match is not None and match >= floor else None
