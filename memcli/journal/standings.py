"""What the trailers of a history say last of every id, where branches were joined too.

The danger here is a merge: one machine forgets a memory, another one supersedes it a minute
later, and by the clock the later word would bring the text back. So an entry takes back
only what its own history holds; of two that knew nothing of each other the stronger
removal counts.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from memcli.journal import message as messages
from memcli.journal.message import Change
from memcli.memory.schema import GONE

# How strongly a status holds against another one that was given without knowing of it.
_STRENGTH: Final[Mapping[str, int]] = MappingProxyType({"superseded": 1, "retracted": 2, "forgotten": 3})


@dataclass(frozen=True, slots=True)
class Standing:
    """The last that the journal says of an id: its status, the one before, by which commit and operation.

    `removed_by`: of an id whose file is gone (status `none`), the commit that had given it its
    prior status; empty where that is not known. `back`: it was forgotten or retracted once, and
    was brought back by this or an earlier act; that stays so where its file is deleted then.
    """

    status: str
    prior: str
    commit: str
    op: str
    removed_by: str = ""
    back: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """One commit: its parents, and what its trailers say."""

    commit: str
    parents: tuple[str, ...]
    op: str
    changes: tuple[Change, ...]


def said(text: str) -> Said:
    """What `%H %P%n%B` shows of a commit."""
    head, _, message = text.partition("\n")
    commit, *parents = head.rstrip(" ").split(" ")
    lines = messages.trailers(message)
    return Said(commit, tuple(parents), lines[0][1] if lines else "", messages.changes(lines))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A standing with the commits whose word it takes back."""

    standing: Standing
    past: frozenset[str]


def summed(history: Sequence[Said]) -> dict[str, Standing]:
    """Id → standing at the last commit of `history`, which lists parents before children."""
    state: dict[str, _Entry] = {}
    for _, state in _states(history):  # noqa: B007 - the last one
        pass
    return {id_: entry.standing for id_, entry in state.items()}


def along(history: Sequence[Said], line: Sequence[str]) -> dict[str, list[tuple[int, Standing]]]:
    """Id → (position, standing) wherever its standing changes on the commits `line` of `history`."""
    places = {commit: at for at, commit in enumerate(line)}
    found: dict[str, list[tuple[int, Standing]]] = {}
    for one, state in _states(history):
        if one.commit not in places:
            continue
        for id_ in state if len(one.parents) > 1 else {change.id for change in one.changes}:
            told, standing = found.setdefault(id_, []), state[id_].standing
            if not told or told[-1][1] != standing:
                told.append((places[one.commit], standing))
    return found


def _states(history: Sequence[Said]) -> Iterator[tuple[Said, dict[str, "_Entry"]]]:
    """Each commit with what holds there; that is good until the next one is asked for."""
    open_children = Counter(parent for one in history for parent in one.parents)
    states: dict[str, dict[str, _Entry]] = {}
    for one in history:
        state = _joined([_taken(states, parent, open_children) for parent in one.parents])
        for change in one.changes:
            state[change.id] = _next(state.get(change.id), one, change)
        states[one.commit] = state
        yield one, state


def _taken(
    states: dict[str, dict[str, _Entry]], commit: str, open_children: Counter[str]
) -> dict[str, _Entry]:
    """The state at `commit`, to be changed by its caller: a copy as long as another child needs it."""
    open_children[commit] -= 1
    if open_children[commit]:
        return dict(states.get(commit, {}))
    return states.pop(commit, {})


def _joined(parents: Sequence[dict[str, _Entry]]) -> dict[str, _Entry]:
    if not parents:
        return {}
    first, *others = parents
    for other in others:
        for id_, entry in other.items():
            here = first.get(id_)
            first[id_] = entry if here is None else _holding(here, entry)
    return first


def _holding(one: _Entry, other: _Entry) -> _Entry:
    """Which of the words of two branches about one id holds."""
    if one.standing.commit in other.past:
        return other
    if other.standing.commit in one.past or one.standing.commit == other.standing.commit:
        return one
    return max(other, one, key=lambda entry: _strength(entry.standing))


def _strength(standing: Standing) -> int:
    gone = standing.status == GONE
    return _STRENGTH.get(standing.prior if gone else standing.status, 0)


def _next(before: _Entry | None, one: Said, change: Change) -> _Entry:
    """The entry after `change`; what stands before a history that is read in part is not known."""
    earlier = before.standing if before else None
    gone = earlier is not None and change.status == GONE and earlier.status == change.prior
    standing = Standing(
        change.status,
        change.prior,
        one.commit,
        one.op,
        removed_by=earlier.commit if earlier and gone else "",
        back=_counts(change.prior if change.status == GONE else change.status)
        and (_brings_back(change) or (earlier is not None and earlier.back)),
    )
    return _Entry(standing, before.past | {before.standing.commit} if before else frozenset())


def _counts(status: str) -> bool:
    return status != GONE and status not in _STRENGTH


def _brings_back(change: Change) -> bool:
    """Whether `change` itself says that it was forgotten or retracted until then."""
    return _STRENGTH.get(change.prior, 0) > _STRENGTH["superseded"]


def joins(history: Iterable[Said]) -> bool:
    """Whether any commit of it joins branches."""
    return any(len(one.parents) > 1 for one in history)
