"""The journal replayed beside the files, commit by commit, parents first: values only.

Two maps are carried from parent to child. One is what the files say: id → status, from the
bytes of each commit. The other is what the entries say: id → status, from their trailers and
nothing else. A change of the first that its own commit does not state is unexplained, unless
a later entry states it or a person has accepted all that came before. Where branches were
joined, a memory may stand as either side had it; a removal holds against everything else.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from memcli.engine.auditing.findings import Finding, Sort
from memcli.journal.message import Change
from memcli.memory.schema import GONE

ACCEPT: Final = "audit"  # the act by which a person accepts what stands before it
PURGE: Final = "purge"
_HOLDS: Final = ("forgotten", "retracted")  # the stronger first
_STRONGEST: Final = ("forgotten", "retracted", "superseded")


@dataclass(frozen=True, slots=True)
class State:
    """What a file says in one commit; both empty where it could not be understood."""

    id: str
    status: str


@dataclass(frozen=True, slots=True)
class Turned:
    """A file of a memory that differs from the first parent's; None where it is not there."""

    path: str
    before: State | None
    after: State | None


@dataclass(frozen=True, slots=True)
class Step:
    """One commit: what its trailers state and what it did to the files. `op` is empty for one by hand.

    At an `edge` a shallow clone was cut off: what its files say is taken as it stands.
    """

    commit: str
    parents: tuple[str, ...]
    at: int
    author: str
    op: str = ""
    stated: tuple[Change, ...] = ()
    files: tuple[Turned, ...] = ()
    edge: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """The last that the entries say of an id, by which commit, and whose word that takes back."""

    status: str
    commit: str
    past: frozenset[str] = frozenset()


@dataclass
class _At:
    """Both maps at one commit: id → (path, status) of its files (none left: empty), id → what is told."""

    held: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    told: dict[str, Told] = field(default_factory=dict)
    last: dict[str, Step] = field(default_factory=dict)  # the step that last touched its files

    def copy(self) -> "_At":
        return _At(dict(self.held), dict(self.told), dict(self.last))

    def status(self, id_: str) -> str:
        """What the files say of the id; the strongest removal where several files have it."""
        found = {status for _, status in self.held.get(id_, ())}
        strongest = next((one for one in _STRONGEST if one in found), "")
        return strongest or (self.held[id_][0][1] if found else GONE)


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of it: the findings that nothing explains, and both maps at the last commit.

    `said` is id → status by the entries, `files` by the files; memories without a file are in
    neither. `accepted` are the commits that a person's word covers.
    """

    findings: tuple[Finding, ...]
    said: Mapping[str, str]
    files: Mapping[str, str]
    explained: int = 0
    accepted: frozenset[str] = frozenset()


class Replay:
    """One pass over a history, parents first; an entry that accepts counts unless it is `doubted`.

    Doubted are those that lack the signature that the store demands of them.
    """

    def __init__(self, history: Sequence[Step], doubted: frozenset[str] = frozenset()) -> None:
        self._history = history
        self._doubted = doubted
        self._children = Counter(parent for one in history for parent in one.parents)
        self._states: dict[str, _At] = {}
        self._parents = {one.commit: one.parents for one in history}
        self._linear = all(len(one.parents) < 2 for one in history) and _one_line(history)  # noqa: PLR2004
        self._found: list[Finding] = []
        self._of: dict[str, list[int]] = {}  # id → where it is in what was found
        self._explained: set[int] = set()
        self._accepted: set[str] = set()  # commits that a person's word covers
        self._purged = frozenset(one.id for step in history if step.op == PURGE for one in step.stated)

    def run(self, graves: frozenset[str] = frozenset()) -> Replayed:
        """Replay it all; `graves` are the ids that the last commit has tombstones of."""
        at = _At()
        for step in self._history:
            at = self._step(step)
        self._found += self._differing(at, graves)
        open_ = tuple(one for number, one in enumerate(self._found) if not self._settled(number, one))
        said = {id_: one.status for id_, one in at.told.items() if one.status != GONE}
        files = {id_: at.status(id_) for id_, held in at.held.items() if held}
        return Replayed(open_, said, files, len(self._found) - len(open_), frozenset(self._accepted))

    def _settled(self, number: int, finding: Finding) -> bool:
        accepted = finding.sort is not Sort.DIFFERS and finding.commit in self._accepted
        return number in self._explained or accepted

    def _step(self, step: Step) -> _At:
        others = [self._states[one] for one in step.parents[1:] if one in self._states]
        at = self._taken(step.parents[0]) if step.parents else _At()
        touched = sorted(
            {state.id for one in step.files for state in (one.before, one.after) if state and state.id}
        )
        before = {id_: at.status(id_) for id_ in touched}
        _turn(at, step)
        if others:
            _join(at, others)
        for other in step.parents[1:]:
            self._let_go(other)
        self._state(at, step)
        if step.edge:
            at.told |= {id_: Told(at.status(id_), step.commit) for id_ in touched}
        changed = {id_: prior for id_, prior in before.items() if at.status(id_) != prior}
        for one in () if step.edge else self._unexplained(at, step, others, changed):
            self._of.setdefault(one.id, []).append(len(self._found))
            self._found.append(one)
        if step.op == ACCEPT and step.commit not in self._doubted:
            self._accepted |= ancestry(self._parents, step.parents)
        self._states[step.commit] = at
        return at

    def _unexplained(
        self, at: _At, step: Step, others: Sequence[_At], changed: Mapping[str, str]
    ) -> Iterator[Finding]:
        if others:
            yield from self._joined(at, step, others, changed)
        else:
            yield from self._changed(at, step, changed)

    def _taken(self, parent: str) -> _At:
        """The maps at `parent`, to be changed: a copy as long as another child needs them."""
        self._children[parent] -= 1
        known = self._states.get(parent)
        if known is None:  # beyond the edge of a shallow clone
            return _At()
        return known.copy() if self._children[parent] else self._states.pop(parent)

    def _let_go(self, parent: str) -> None:
        self._children[parent] -= 1
        if not self._children[parent]:
            self._states.pop(parent, None)

    def _state(self, at: _At, step: Step) -> None:
        """Take the entry at its word."""
        for one in step.stated:
            before = at.told.get(one.id)
            past = before.past | {before.commit} if before else frozenset()
            at.told[one.id] = Told(one.status, step.commit, past)

    def _changed(self, at: _At, step: Step, changed: Mapping[str, str]) -> Iterator[Finding]:
        """What a commit with one parent did and did not state, and what it stated and did not do."""
        stated = {one.id: one for one in step.stated}
        for id_, prior in changed.items():
            if id_ not in stated or stated[id_].status != at.status(id_):
                yield _finding(Sort.STATUS, step, id_, _path(step, id_), prior, at.status(id_))
        for id_, one in stated.items():
            if one.status == at.status(id_):
                self._confirm(step, one)
            elif id_ not in changed and id_ not in self._purged:
                yield _finding(Sort.UNTRUE, step, id_, _path(step, id_), at.status(id_), one.status)
        if not step.op:
            yield from _edited(step, changed)

    def _joined(
        self, at: _At, step: Step, others: Sequence[_At], changed: Mapping[str, str]
    ) -> Iterator[Finding]:
        """Of a commit that joins branches: what stands as neither side had it, and nothing states."""
        stated = {one.id: one.status for one in step.stated}
        for id_, prior in changed.items():
            now = at.status(id_)
            came = any(id_ in other.held and other.status(id_) == now for other in others)
            if not came and stated.get(id_) != now:
                yield _finding(Sort.STATUS, step, id_, _path(step, id_), prior, now)
        for one in step.stated:
            if one.status == at.status(one.id):
                self._confirm(step, one)

    def _confirm(self, step: Step, change: Change) -> None:
        """An entry that states what is so explains whatever made it so earlier."""
        for number in self._of.get(change.id, ()):
            one = self._found[number]
            says = one.sort is Sort.STATUS and one.status == change.status
            if says and (self._linear or one.commit in ancestry(self._parents, step.parents)):
                self._explained.add(number)

    def _differing(self, at: _At, graves: frozenset[str]) -> list[Finding]:
        """Where both maps part at the end, and no finding speaks of it yet."""
        open_ = {one.id for number, one in enumerate(self._found) if not self._settled(number, one)}
        found = []
        for id_ in sorted({*at.told, *at.held} - open_ - self._purged):
            said = at.told[id_].status if id_ in at.told else GONE
            now = at.status(id_)
            buried = now == GONE and said in _HOLDS and id_ in graves
            if said != now and not buried:
                step = at.last.get(id_) or _step_of(self._history, at.told[id_].commit)
                path = at.held[id_][0][0] if at.held.get(id_) else ""
                found.append(_finding(Sort.DIFFERS, step, id_, path, said, now))
        return found


def ancestry(parents: Mapping[str, tuple[str, ...]], tips: Sequence[str]) -> set[str]:
    """The commits that `tips` reach, themselves included."""
    seen: set[str] = set()
    ahead = list(tips)
    while ahead:
        commit = ahead.pop()
        if commit not in seen:
            seen.add(commit)
            ahead += parents.get(commit, ())
    return seen


def _one_line(history: Sequence[Step]) -> bool:
    return sum(not one.parents for one in history) < 2  # noqa: PLR2004 - one beginning


def _turn(at: _At, step: Step) -> None:
    """Let the files be as the commit holds them."""
    for one in step.files:
        for state in (one.before, one.after):
            if state and state.id:
                kept = tuple(pair for pair in at.held.get(state.id, ()) if pair[0] != one.path)
                at.held[state.id] = kept
                at.last[state.id] = step
    for one in step.files:
        if one.after and one.after.id:
            at.held[one.after.id] = tuple(sorted((*at.held[one.after.id], (one.path, one.after.status))))


def _join(at: _At, others: Sequence[_At]) -> None:
    """What the entries of all parents come to; of two that knew nothing of each other what the file says."""
    for other in others:
        for id_, told in other.told.items():
            here = at.told.get(id_)
            at.told[id_] = told if here is None else _holding(here, told, at.status(id_))
        for id_, step in other.last.items():
            at.last.setdefault(id_, step)
            at.held.setdefault(id_, ())


def _holding(one: Told, other: Told, file: str) -> Told:
    if one.commit == other.commit or other.commit in one.past:
        return one
    if one.commit in other.past:
        return other
    past = one.past | other.past | {one.commit, other.commit}
    for status in _HOLDS:  # whatever the file says: a removal is taken back by an act only
        for told in (one, other):
            if told.status == status:
                return Told(status, told.commit, past)
    chosen = other if other.status == file else one
    return Told(chosen.status, chosen.commit, past)


def _edited(step: Step, changed: Mapping[str, str]) -> Iterator[Finding]:
    """The files that a commit by hand changed without changing a status."""
    for one in step.files:
        ids = [state.id for state in (one.before, one.after) if state]
        if one.after is None or any(id_ in changed for id_ in ids):
            continue  # where a file went away and its memory did not, the file that came tells of it
        yield _finding(Sort.TEXT, step, ids[-1], one.path, "", "", "edited" if one.before else "moved")


def _path(step: Step, id_: str) -> str:
    """The file by which the commit touched the memory."""
    paths = [one.path for one in step.files for state in (one.after, one.before) if state and state.id == id_]
    return paths[0] if paths else ""


def _finding(sort: Sort, step: Step, id_: str, path: str, prior: str, status: str, why: str = "") -> Finding:  # noqa: PLR0913, PLR0917
    return Finding(sort, step.commit, step.at, step.author, path, id_, prior, status, why)


def _step_of(history: Sequence[Step], commit: str) -> Step:
    return next(one for one in history if one.commit == commit)
