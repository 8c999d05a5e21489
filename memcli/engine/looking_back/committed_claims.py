"""What each commit did to memories: pairs of states, read off the journal once."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from memcli.engine.opened import Opened
from memcli.engine.recorded import committed
from memcli.journal import steps as lines
from memcli.journal.history import Entry
from memcli.journal.log import Touched
from memcli.journal.steps import Step
from memcli.memory import difference
from memcli.memory.difference import Difference, State, What
from memcli.store import scan


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing that happened to one memory, when and by whom as the journal says.

    `at` is when it was known here; `entry` the operation that did it, which of a merge is the
    one that was merged.
    """

    at: int
    commit: str
    entry: Entry
    difference: Difference


class States(Protocol):
    """What says which memory a file holds."""

    def state(self, path: str, blob: str) -> State | None:
        """The memory in that file, None where it is set aside."""


class Understood:
    """Files of commits as memories; each is read once, whatever the number of commits that hold it."""

    def __init__(self, opened: Opened, named: Iterable[tuple[str, str]]) -> None:
        """`named` are (path, blob) of all files that will be asked for."""
        self._filed = committed.learn(opened, named)

    def state(self, path: str, blob: str) -> State | None:
        """The memory in that file, None where it is set aside."""
        schema = self._filed[path, blob].schema
        return None if schema is None else State(schema, path, schema.status)


def happened(opened: Opened, tip: str, after: str | None = None) -> Iterator[Happened]:
    """Everything that the commits up to `tip` (a full id) did to memories, the oldest first."""
    steps = lines.along(opened.journal, tip, after=after)
    understood = Understood(opened, named(touched for step in steps for touched in step.touched))
    for step in steps:
        yield from _of_step(opened, step, understood)


def _of_step(opened: Opened, step: Step, understood: Understood) -> Iterator[Happened]:
    files = [one for one in step.touched if scan.is_schema_path(one.path)]
    found = list(differences(files, understood))
    brought: Mapping[str, Entry] = {}
    if found and len(step.entry.parents) > 1:
        brought = lines.merged(opened.journal, step.entry)
    for one in found:
        by = brought.get(one.state.path, step.entry)
        yield Happened(step.entry.at, step.entry.commit, by, one)


def differences(files: Iterable[Touched], understood: States) -> Iterator[Difference]:
    """What changed files mean for memories: a memory is known by its id, wherever its file lies."""
    before: dict[str, State] = {}
    after: dict[str, State] = {}
    broken: dict[str, What] = {}
    for one in files:
        old, new = (
            understood.state(one.path, blob) if blob.strip("0") else None for blob in (one.before, one.blob)
        )
        if old is not None:
            before[old.schema.id] = old
            if new is None and one.blob.strip("0"):
                broken[old.schema.id] = What.SET_ASIDE
        if new is not None:
            after[new.schema.id] = new
            if old is None and one.before.strip("0"):
                broken[new.schema.id] = What.MENDED
    for id_ in dict.fromkeys([*before, *after]):
        found = difference.between(before.get(id_), after.get(id_))
        if found is not None:
            alone = id_ in broken and len(found.states) == 1
            yield replace(found, what=broken[id_]) if alone else found


def named(touched: Iterable[Touched]) -> Iterator[tuple[str, str]]:
    """The path and blob of every memory's file in either state."""
    for one in touched:
        if scan.is_schema_path(one.path):
            yield from ((one.path, blob) for blob in (one.before, one.blob) if blob.strip("0"))
