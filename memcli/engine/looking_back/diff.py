"""The difference of two states of the store, told in claims: what was added, ended, reworded, forgotten.

A date means the end of that day, as for every question about what was known; without a
second place the files as they are on disk are the other side, saved or not.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from memcli.engine.looking_back import committed_claims, present
from memcli.engine.looking_back.committed_claims import Understood
from memcli.engine.looking_back.present import Present
from memcli.engine.opened import Opened
from memcli.engine.recorded import committed, points
from memcli.errors import NothingKnown, Usage
from memcli.journal import steps, tree
from memcli.journal.history import Entry
from memcli.journal.log import Touched
from memcli.journal.tree import Kind
from memcli.memory.difference import Difference, State, What
from memcli.store import scan

HEAD = "HEAD"
RANGE = ".."
MOST = 2  # places that are compared
_DISK = "disk"  # stands where a blob would, for a file as it lies there


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two states: what was asked for, its commit and record time; without a commit the disk."""

    asked: str
    commit: str | None = None
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """What differs, in order of scope, what happened and claim.

    `by` is the last operation on a memory between the two, by its id; none where that is not saved.
    """

    before: Side
    after: Side
    differences: tuple[Difference, ...]
    by: Mapping[str, Entry] = field(default_factory=dict)


def run(opened: Opened, places: Sequence[str], *, every: bool = False) -> Compared:
    """What differs between two places, or between one (HEAD where none is named) and the disk.

    Raises Usage, NothingKnown, HistoryCut as `points.resolve`, Refused.
    """
    before, after = (_side(opened, one) for one in _asked(places))
    now = present.look(opened, every=every)
    both = _compared(now, before, after)
    found = [cut for one in both if (cut := now.in_view(one)) is not None]
    veil = now.veil(state for one in found for state in one.states)
    told = [veil.told(one) for one in found if now.person or not veil.covers(one.state.schema)]
    operations = _operations(now, before, after)
    by = {one.id: operations[path] for one in found if (path := one.state.path) in operations}
    return Compared(before, after, tuple(sorted(told, key=_order)), by)


def _operations(now: Present, before: Side, after: Side) -> dict[str, Entry]:
    """Path → the last operation on that file between the two, as far as it is what stands there."""
    journal = now.opened.journal
    tip = after.commit or journal.head()
    found: dict[str, Entry] = {}
    for step in steps.along(journal, tip, after=before.commit) if tip else ():
        merge = len(step.entry.parents) > 1
        brought = steps.merged(journal, step.entry) if merge else {}
        found |= {one.path: brought.get(one.path, step.entry) for one in step.touched}
    unsaved = now.confirmed.dirty if after.commit is None else frozenset()
    return {path: entry for path, entry in found.items() if path not in unsaved}


def _order(one: Difference) -> tuple[str, int, str, str]:
    """By scope, what happened, and claim: ids are chance, and would order nothing for a reader."""
    schema = one.state.schema
    return str(schema.scope), list(What).index(one.what), schema.claim, one.id


def _asked(places: Sequence[str]) -> tuple[str, str]:
    """The two places; an empty text is the disk."""
    if len(places) == 1 and RANGE in places[0]:
        first, _, second = places[0].partition(RANGE)
        return first or HEAD, second.lstrip(".") or HEAD
    if len(places) > MOST:
        raise Usage(
            f"mem diff compares two places; there are {len(places)}.", "For example: mem diff 2026-11-30 HEAD"
        )
    first, second = (*places, "", "")[:MOST]
    return first or HEAD, second


def _side(opened: Opened, asked: str) -> Side:
    if not asked:
        return Side("")
    if asked == HEAD:  # what lies before us, whatever became of the past
        head = opened.journal.head()
        if head is None:
            raise NothingKnown(
                "The journal is empty: nothing was known yet.", "`mem save` commits what is there."
            )
        return Side(asked, head)
    point = points.resolve(opened, asked, "REV")
    return Side(asked, point.commit, point.at)


def _compared(now: Present, before: Side, after: Side) -> Iterator[Difference]:
    """What differs for memories, by the files that do."""
    old = _files(now.opened, before.commit)
    new = _on_disk(now) if after.commit is None else _files(now.opened, after.commit)
    files = [
        Touched(new.get(path, ""), path, old.get(path, ""))
        for path in dict.fromkeys([*old, *new])
        if old.get(path) != new.get(path) and scan.is_schema_path(path)
    ]
    if after.commit is not None:
        return committed_claims.differences(files, Understood(now.opened, committed_claims.named(files)))
    files = [replace(one, blob=_DISK if one.blob else "") for one in files]
    earlier = [(one.path, one.before) for one in files if one.before]
    return committed_claims.differences(files, _WithDisk(now, Understood(now.opened, earlier)))


def _files(opened: Opened, commit: str | None) -> dict[str, str]:
    """Path → blob of every memory's file in a commit; links are none."""
    return tree.regular(opened.journal, commit, committed.SCHEMAS) if commit else {}


def _on_disk(now: Present) -> dict[str, str]:
    """Path → blob of every file as it lies on disk; of one that HEAD holds otherwise a mark."""
    journal = now.opened.journal
    found = _files(now.opened, journal.head())
    for one in tree.uncommitted(journal):
        if one.kind is Kind.DELETED:
            found.pop(one.path, None)
        else:
            found[one.path] = _DISK
    return found


@dataclass(frozen=True)
class _WithDisk:
    """Memories of commits, and of the disk with the status that counts."""

    now: Present
    committed: Understood

    def state(self, path: str, blob: str) -> State | None:
        """The memory in that file, None where it is set aside."""
        return self._counted.get(path) if blob == _DISK else self.committed.state(path, blob)

    @cached_property
    def _counted(self) -> dict[str, State]:
        return {row.path: State(row.schema, row.path, row.effective) for row in self.now.counted}
