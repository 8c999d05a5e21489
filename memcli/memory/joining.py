"""Two changed versions of one memory's frontmatter made one, key by key, from what both began with.

Lines are the wrong measure: two clones that each add evidence touch the same lines and mean no
conflict, and one that forgets while the other supersedes may merge cleanly into nonsense. So
each key has its rule. What both sides say differently and no rule settles is a conflict, and
a person's. The result does not depend on which side is called ours.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from memcli.memory import times
from memcli.memory.schema import RELATES_TO, Stage, Status, Trust

Tree = str | list["Tree"] | dict[str, "Tree"]
Keys = Mapping[str, Tree]
"""Key → value as it is written; what stands below `validity` has its keys with a dot."""

# How strongly a status withholds. The stronger one holds: a forget on one side is a forget on both.
_HOLDS: Final[Mapping[str, int]] = MappingProxyType(
    {
        Status.FORGOTTEN.value: 6,
        Status.RETRACTED.value: 5,
        Status.SUPERSEDED.value: 4,
        Status.STALE.value: 3,
        Status.ARCHIVED.value: 2,
        Status.NEEDS_REVIEW.value: 1,
    },
)
# What goes with a status, and comes from the side whose status holds.
_COMPANIONS: Final = ("stale_reason", "archive_reason", "review", "retraction")
_GATHERED: Final = frozenset({"evidence", "tags", "links", "supersedes", "overrides"})
_STATUS: Final = "status"
_UNTIL: Final = "validity.to"


class _Conflict:
    """Stands for a value that no rule settles."""


_CONFLICT: Final = _Conflict()


@dataclass(frozen=True, slots=True)
class Joined:
    """The keys of both; `conflicts` names those that no rule settles, which `keys` leaves out."""

    keys: Keys
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Sides:
    """One key: what both began with, and what each made of it; None where it is left out."""

    base: Tree | None
    ours: Tree | None
    theirs: Tree | None

    @property
    def settled(self) -> bool:
        """Whether only one side changed it, or both alike."""
        return self.ours == self.theirs or self.base in (self.ours, self.theirs)

    @property
    def value(self) -> Tree | None:
        """What the side that changed it says; only where it is settled."""
        return self.theirs if self.base == self.ours else self.ours


def joined(base: Keys, ours: Keys, theirs: Keys) -> Joined:
    """The keys of `ours` and `theirs`, which both came from `base` (empty: each was made by itself)."""
    keys: dict[str, Tree] = {}
    conflicts = []
    held = _held(base, ours, theirs)
    for key in dict.fromkeys([*ours, *theirs]):
        sides = _Sides(base.get(key), ours.get(key), theirs.get(key))
        value = _joined(key, sides, held)
        if isinstance(value, _Conflict):
            conflicts.append(key)
        elif value is not None:
            keys[key] = value
    return Joined(keys, tuple(sorted(conflicts)))


def _joined(key: str, sides: _Sides, held: "_Held") -> Tree | _Conflict | None:
    if key == _STATUS or key in _COMPANIONS:
        return held.of(key, sides)
    if sides.settled:
        return sides.value
    if key in _GATHERED:
        return _gathered(sides)
    rule = _RULES.get(key)
    both = isinstance(sides.ours, str) and isinstance(sides.theirs, str)
    return rule(str(sides.ours), str(sides.theirs)) if rule and both else _CONFLICT


@dataclass(frozen=True, slots=True)
class _Held:
    """Which side's status holds; None where both have the same one."""

    side: Keys | None

    def of(self, key: str, sides: _Sides) -> Tree | _Conflict | None:
        if self.side is not None:
            return self.side.get(key)
        if sides.settled:
            return sides.value
        return _earliest(sides)


def _held(base: Keys, ours: Keys, theirs: Keys) -> _Held:
    one, other = _status(ours), _status(theirs)
    if one == other:
        return _Held(None)
    if base and _status(base) in (one, other):
        return _Held(theirs if _status(base) == one else ours)
    return _Held(max((ours, theirs), key=lambda side: (_HOLDS.get(_status(side), 0), _status(side))))


def _status(keys: Keys) -> str:
    return str(keys.get(_STATUS, Status.ACTIVE.value))


def _earliest(sides: _Sides) -> Tree | None:
    """Of two companions of one status the first in an order of their own, so that both clones agree."""
    there = [one for one in (sides.ours, sides.theirs) if one is not None]
    return min(there, key=repr, default=None)


def _gathered(sides: _Sides) -> Tree | _Conflict:
    """Everything that either side has, less what one of them took out; each member joined for itself."""
    lists = [_members(one) for one in (sides.base, sides.ours, sides.theirs)]
    base, ours, theirs = (_by_mark(lists, found) for found in lists)
    if base is None or ours is None or theirs is None:
        return _CONFLICT
    there = [mark for mark in base if mark in ours and mark in theirs]
    added = sorted({*ours, *theirs} - set(base))
    members = (_Sides(base.get(mark), ours.get(mark), theirs.get(mark)) for mark in (*there, *added))
    found = (one.value if one.settled else _earliest(one) for one in members)
    return [one for one in found if one is not None]


def _members(value: Tree | None) -> Sequence[Tree] | None:
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else None


def _by_mark(lists: Sequence[Sequence[Tree] | None], members: Sequence[Tree] | None) -> Keys | None:
    """`members` by what makes each the same one on both sides: what it names, where no list does so twice."""
    if members is None:
        return None
    told = all(len({_mark(one) for one in found}) == len(found) for found in lists if found)
    return {_mark(one) if told else repr(one): one for one in members}


def _mark(member: Tree) -> str:
    """The event that a member names, or the memory and how it is linked, else all of it."""
    if not isinstance(member, dict):
        return str(member)
    if "to" in member:
        return f"{member['to']} {member.get('rel', RELATES_TO)}"
    return str(member.get("event") or sorted(member.items()))


def _sooner(one: str, other: str) -> Tree | _Conflict:
    """A window is only ever shortened."""
    try:
        return min(one, other, key=lambda text: (times.parse(text), text))
    except times.NotATime:
        return _CONFLICT


def _doubted(one: str, other: str) -> Tree:
    return Trust.UNTRUSTED.value if Trust.UNTRUSTED.value in (one, other) else min(one, other)


def _nearer(one: str, other: str) -> Tree | _Conflict:
    """The shorter reach."""
    words = {stage.word: stage for stage in Stage}
    return min(one, other, key=lambda word: words[word]) if {one, other} <= set(words) else _CONFLICT


def _lower(one: str, other: str) -> Tree | _Conflict:
    try:
        return min(one, other, key=lambda text: (float(text), text))
    except ValueError:
        return _CONFLICT


_RULES: Final[Mapping[str, Callable[[str, str], Tree | _Conflict]]] = MappingProxyType(
    {_UNTIL: _sooner, "superseded_by": min, "trust": _doubted, "stage": _nearer, "confidence": _lower},
)
