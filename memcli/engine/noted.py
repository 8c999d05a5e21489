"""Noted: what an operation will change, file by file, before anything of it is written.

Each act reads a file as those before it will have left it.
"""

from dataclasses import dataclass, field
from functools import cached_property

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.engine.writer import FileChange, Writer
from memcli.errors import NoSuchMemory
from memcli.journal.message import Change
from memcli.memory import lifecycle
from memcli.memory.schema import GONE, Schema
from memcli.store import atomic, format
from memcli.store.event import Event


@dataclass
class Noted:
    """What was noted so far: files, `events` to be appended, `changes` for the journal to tell.

    `count` grows with everything that will be written.
    """

    writer: Writer
    events: list[Event] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    count: int = 0
    _bytes: dict[str, tuple[str | None, bytes]] = field(default_factory=dict)

    @property
    def files(self) -> tuple[FileChange, ...]:
        """The files, each with what it has to hold before and will hold after."""
        return tuple(FileChange(path, expected, after) for path, (expected, after) in self._bytes.items())

    @property
    def rewritten(self) -> list[str]:
        """Those of the files that exist already."""
        return [path for path, (before, _) in self._bytes.items() if before]

    @property
    def paths(self) -> set[str]:
        """Every path that is taken."""
        return {*self.writer.view.known, *self._bytes}

    def path_of(self, id_: str) -> str | None:
        """The file of a memory that was there before; None where there is none."""
        return self._known.get(id_)

    def schema(self, path: str) -> Schema:
        """The schema in the file `path`, as noted so far. Raises NoSuchMemory where it is set aside."""
        parsed = format.parse(self._raw(path), path, self._opened.settings.timezone)
        if parsed.schema is None:
            raise NoSuchMemory(f"{path} is set aside.", "Correct the file; `mem check` shows all.")
        return parsed.schema

    def make(self, path: str, raw: bytes, schema: Schema) -> None:
        """Note a new file."""
        self._bytes[path] = (None, raw)
        self.changes.append(Change(schema.id, GONE, schema.status.value))
        self.count += 1

    def alter(self, path: str, change: lifecycle.Change) -> None:
        """Note what an act changes in a schema that exists, beside what was noted before."""
        pending, raw = self._bytes.get(path), self._raw(path)
        expected = pending[0] if pending else format.digest(raw)
        after = filing.changed(self._opened, path, raw, change.keys)
        self._bytes[path] = (expected, after)
        self.count += after != raw
        if change.prior is not change.status:
            self.changes.append(Change(change.id, change.prior.value, change.status.value))

    def append(self, event: Event) -> None:
        """Note an event to be appended."""
        self.events.append(event)
        self.count += 1

    @property
    def _opened(self) -> Opened:
        return self.writer.opened

    @cached_property
    def _known(self) -> dict[str, str]:
        """Id → file of every memory that was there before; of several files with one id the first by name."""
        found = sorted((path for path, one in self.writer.view.known.items() if one.id), reverse=True)
        return {self.writer.view.known[path].id: path for path in found}

    def _raw(self, path: str) -> bytes:
        pending = self._bytes.get(path)
        return pending[1] if pending else atomic.read(self._opened.place, path)
