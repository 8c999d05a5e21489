"""One look at a store for an examination: everything is read, each part once, and nothing is written.

The usual ways to read bring the index into line or note what they saw, and an examination
must not change what it examines. So this goes by the parts that only read; what cannot be
read is None here, and the check that it belongs to says why.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memcli.engine import counting, filing, indexed, standing
from memcli.engine.filing import Filed
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.errors import MemError, Unavailable
from memcli.store import format, inside, lock, scan
from memcli.store import known as knowns
from memcli.store.known import Known, KnownFile
from memcli.store.place import Place
from memcli.store.scan import Scan

if TYPE_CHECKING:
    from memcli.index.tables import Index
    from memcli.journal.repository import Journal


def there(journal: "Journal", commit: str) -> bool:
    """Whether a commit and its tree can be read."""
    return journal.git.ask("cat-file", "-e", f"{commit}^{{tree}}").code == 0


def _stamp(place: Place) -> tuple[object, ...]:
    """What every writer changes: its note, and what the index saw."""
    files = (place.intent_file, place.known_file, place.standing_file, place.index_folder / "current")
    return tuple(_stood(file) for file in files)


def _stood(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


class Status(NamedTuple):
    """The status that a file states, and the one that counts."""

    stated: str
    counts: str


@dataclass
class Look:
    """A store as it stands; `opened` has its encoder already, loaded without leaving a trace."""

    opened: Opened
    began: tuple[object, ...] = ()

    def __post_init__(self) -> None:
        self.began = _stamp(self.opened.place)

    def close(self) -> None:
        """Let go of the index, so that it may be replaced."""
        if self.__dict__.get("index") is not None:
            self.__dict__["index"].close()

    def still(self) -> bool:
        """Whether nobody writes, and nobody wrote since this look began."""
        return not lock.holder(self.place) and self.began == _stamp(self.place)

    @property
    def place(self) -> Place:
        """Where it stands."""
        return self.opened.place

    @cached_property
    def repository(self) -> "Journal | None":
        """Its git, whatever HEAD is like; None where there is none, or none that can be asked."""
        with suppress(Unavailable, OSError):
            journal = self.opened.journal
            if journal.git.program:
                journal.refuse_unusable(journal.configuration)
            return journal
        return None

    @cached_property
    def journal(self) -> "Journal | None":
        """Its git, None where git is missing or HEAD, or its commit, cannot be read."""
        with suppress(Unavailable, OSError):
            head = self.repository.head() if self.repository else None
            if self.repository and self.repository.git.program:
                return self.repository if head is None or there(self.repository, head) else None
        return None

    @cached_property
    def busy(self) -> str:
        """Who writes now, empty where nobody does."""
        return lock.holder(self.place) or ""

    @cached_property
    def seen(self) -> Scan | None:
        """Its files, None where `schemas/` cannot be opened."""
        with suppress(Unavailable):
            return scan.scan(self.place)
        return None

    @cached_property
    def known(self) -> Known | None:
        """What the index last saw, None where that cannot be read."""
        return knowns.load(self.place.known_file)

    @cached_property
    def index(self) -> "Index | None":
        """The index that fits this encoder, None where there is none that can be read."""
        return indexed.open_index(self.opened, writable=False)

    @cached_property
    def changed(self) -> Mapping[str, Filed]:
        """The files that hold other bytes than the index saw, or that it never saw."""
        if self.seen is None:
            return {}
        known = self.known or {}
        suspects = knowns.difference(self.seen, known).changed
        fresh = [path for path in suspects if path not in known or self._differs(path, known[path].digest)]
        return {path: one for path in fresh if (one := filing.read(self.opened, path)) is not None}

    def _differs(self, path: str, digest: str) -> bool:
        try:
            return format.digest(inside.read(self.place, path)) != digest
        except MemError:
            return True

    @cached_property
    def vanished(self) -> tuple[str, ...]:
        """The files that the index saw and that are gone."""
        return knowns.difference(self.seen, self.known or {}).vanished if self.seen else ()

    @cached_property
    def files(self) -> Known:
        """Every file as it is now: what it holds, whose id, and why it is set aside."""
        gone = set(self.vanished)
        files = {path: one for path, one in (self.known or {}).items() if path not in gone}
        fresh = self.changed.items()
        return files | {
            path: KnownFile("", one.digest, one.schema.id if one.schema else "", one.problem)
            for path, one in fresh
        }

    @cached_property
    def confirmed(self) -> Confirmed:
        """What the journal says of removed ids at HEAD; that history was rewritten is not noted."""
        if self.journal is None:
            return standing.load(self.opened) or Confirmed()
        kept = standing.load(self.opened)
        confirmed = standing.forward(self.journal, None if self.rewritten else kept).confirmed
        return replace(confirmed, dirty=counting.dirty(self.opened, confirmed))

    @cached_property
    def rewritten(self) -> str | None:
        """The commit that history held when it was last seen and holds no more, else None."""
        if self.journal is None:
            return None
        from memcli.journal import history, seen

        noted = seen.rewritten(self.journal)
        kept, head = standing.load(self.opened), self.journal.head()
        if noted or kept is None or not kept.head or kept.branch != self.journal.branch():
            return noted
        return None if head and history.descends(self.journal, head, kept.head) else kept.head

    @cached_property
    def statuses(self) -> Mapping[str, Status]:
        """Path → status of each file that is understood: as indexed where that saw the file."""
        rows = []
        with suppress(MemError):  # an index that cannot be read is told by its own check
            rows = self.index.all_rows(("path", "stated", "status")) if self.index else []
        indexed = {row["path"]: Status(row["stated"], row["status"]) for row in rows}
        fresh = dict(self.changed)
        for path in self.files.keys() - indexed.keys() - fresh.keys():
            if (one := filing.read(self.opened, path)) is not None:
                fresh[path] = one
        found = {path: one for path, one in indexed.items() if path in self.files and path not in fresh}
        return found | self._worked_out(fresh)

    def _worked_out(self, fresh: Mapping[str, Filed]) -> dict[str, Status]:
        before = counting.committed(self.opened, self.confirmed, tuple(fresh)) if self.journal else {}
        schemas = {path: one.schema for path, one in fresh.items() if one.schema}
        counts = {
            path: counting.effective(one.id, one.status, self.confirmed, before.get(path))
            for path, one in schemas.items()
        }
        return {path: Status(one.status.value, counts[path].value) for path, one in schemas.items()}
