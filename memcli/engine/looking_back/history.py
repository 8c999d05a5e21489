"""Every recorded state of one memory, with both times, and the one on disk where that is another."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memcli.engine import filing, journaling, resolve
from memcli.engine.looking_back import lost, present
from memcli.engine.looking_back.present import FORGOTTEN
from memcli.engine.opened import Opened
from memcli.engine.recorded import points
from memcli.errors import NoSuchMemory
from memcli.journal import steps, tree
from memcli.journal.history import Entry
from memcli.memory import two_times
from memcli.memory.difference import State
from memcli.memory.schema import Schema
from memcli.memory.two_times import Grid


@dataclass(frozen=True, slots=True)
class Version:
    """One state; `entry` is the operation that recorded it, None on disk, where no commit holds it.

    `claim` is FORGOTTEN where it says again what is forgotten now.
    """

    schema: Schema
    path: str
    claim: str
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class History:
    """Oldest first; `gone`: no file holds it any more. The rows of the `grid` are the versions."""

    id: str
    path: str
    versions: tuple[Version, ...]
    grid: Grid
    gone: bool = False
    notices: tuple[str, ...] = ()


def run(opened: Opened, text: str) -> History:
    """Every recorded state of one memory. Raises NoSuchMemory, BadFile, Refused, HistoryCut, Unavailable."""
    points.refuse_rewritten(opened.journal)
    try:
        found = resolve.one(opened, text)
    except NoSuchMemory as error:
        gone = None if error.details else lost.find(opened, text)
        if gone is None:
            raise
        return _told(opened, gone.id, gone.path, [], gone=True)
    resolve.refuse_unreadable(opened, found)
    unsaved = Version(found.schema, found.path, found.schema.claim)
    return _told(opened, found.schema.id, found.path, [unsaved])


def _told(opened: Opened, id_: str, path: str, disk: Sequence[Version], *, gone: bool = False) -> History:
    recorded = [one for one in _recorded(opened, path) if one.schema.id == id_ or not gone]
    last = recorded[-1].schema if recorded else None
    versions = [*recorded, *(one for one in disk if one.schema != last)]
    grid = two_times.grid([one.schema for one in versions])
    told = tuple(_veiled(opened, versions))
    return History(id_, path, told, grid, gone, journaling.notices(opened))


def _recorded(opened: Opened, path: str) -> Iterator[Version]:
    """The committed states of a file, renames followed, the oldest first."""
    states = [one for one in tree.versions(opened.journal, path) if one.blob]
    entries = steps.named(opened.journal, [one.commit for one in states])
    raw = tree.read_blobs(opened.journal, [one.blob for one in states])
    for one in reversed(states):
        schema = filing.understand(opened, one.path, raw[one.blob]).schema
        if schema is not None:
            yield Version(schema, one.path, schema.claim, entries.get(one.commit))


def _veiled(opened: Opened, versions: Sequence[Version]) -> Iterator[Version]:
    """The versions; what says again what is forgotten elsewhere loses its text."""
    veil = present.veil_over(opened, [State(one.schema, one.path, one.schema.status) for one in versions])
    for one in versions:
        hidden = (one.schema.id, one.claim) in veil.claims
        yield Version(one.schema, one.path, FORGOTTEN, one.entry) if hidden else one
