"""What comes with the memories of another store: what was said, what was taken out, how things were done.

Nobody can review an event, so without a person's word it comes as somebody else's: marked as
untrusted, so that nothing it founds counts unseen; without its key, which would answer for a
later claim here; and without the lines that judge
(feedback, outcomes, what a consolidation has passed). Procedures and removals of what
counts here stay outside altogether.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memcli.engine import arrivals
from memcli.engine.moving.bundle import Bundle, Happened, Kept, named
from memcli.engine.opened import Opened
from memcli.engine.writer import Appended, FileChange, Writer
from memcli.errors import BadFile, TryAgain
from memcli.memory.schema import Trust
from memcli.store import atomic, event, events, secrets, skill, tombstones
from memcli.store.events import Event, Kind
from memcli.store.tombstones import Tombstone

_SAID = frozenset({Kind.CLAIM, Kind.TURN})
_OF_WHAT_COUNTS = "removals of what counts here"


@dataclass
class LinesBrought:
    """What is new of everything but the memories; `left` counts what stays outside, by its name."""

    writer: Writer
    bundle: Bundle
    restore: bool
    left: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def _opened(self) -> Opened:
        return self.writer.opened

    def events(self) -> tuple[Appended, ...]:
        """The lines of events that no file here holds, for the files in which they stood."""
        fresh = [one for one in self._unknown() if self._comes(one)]
        by_path: dict[str, list[Event]] = {}
        for one in fresh:
            by_path.setdefault(one.path, []).append(self._as_told(one.event))
        return tuple(
            Appended(path, tuple(event.as_object(one) for one in told)) for path, told in by_path.items()
        )

    def _unknown(self) -> list[Happened]:
        known = self._known()
        return [one for one in self.bundle.events if one.event.id not in known.ids and known.admits(one)]

    def _known(self) -> "_Known":
        months = {event.month_of(one.event.id) for one in self.bundle.events}
        place = self._opened.place
        paths = {path for month in months for path in events.files(place, month)}
        return _Known(
            {path: frozenset(one.id for one in events.read(place, path).events) for path in sorted(paths)},
            _by_file(self.bundle.events),
        )

    def _comes(self, one: Happened) -> bool:
        if secrets.find(f"{one.event.text}\n{one.event.key}\n{dict(one.event.data)}"):
            self.left["events that hold what looks like a secret"] += 1
            return False
        if self.restore or one.event.kind in _SAID:
            return True
        self.left["lines that judge (feedback, outcomes)"] += 1
        return False

    def _as_told(self, one: Event) -> Event:
        if self.restore:
            return one
        return replace(one, key="", data={**one.data, "trust": Trust.UNTRUSTED.value})

    def graves(self, here: Iterable[str]) -> tuple[Tombstone, ...]:
        """The tombstones that are new; not of what stands here, nor of what a person brought back here."""
        kept = set(tombstones.load(self._opened.place).tombstones)
        known = {(one.id, one.act) for one in kept}
        back = {*here, *self.writer.view.confirmed.returned}
        found = []
        for one in self.bundle.tombstones:
            if one in kept or (not one.claim and (one.id, one.act) in known):
                continue
            if one.id in back:
                self.left[_OF_WHAT_COUNTS] += 1
            else:
                found.append(one)
        return tuple(found) if self.restore else self._harmless(found)

    def _harmless(self, found: Sequence[Tombstone]) -> tuple[Tombstone, ...]:
        """Those that hold down nothing that counts here, whatever id it has."""
        down = arrivals.held_down(self._opened, self.writer.view, found)
        kept = tuple(one for one in found if one.id not in down)
        if len(kept) < len(found):
            self.left[_OF_WHAT_COUNTS] += len(found) - len(kept)
        return kept

    def procedures(self) -> tuple[list[FileChange], int]:
        """The files of procedures that have no page here, and how many procedures that are."""
        files: list[FileChange] = []
        count = 0
        for folder, kept in named(self.bundle.procedures).items():
            if self._held(f"{folder}/{skill.FILE}") is not None:
                if any(self._held(one.path) != one.text.encode() for one in kept):
                    self.left["procedures that stand here otherwise"] += 1
            elif not self.restore:
                self.left["procedures"] += 1
            elif self._fits(kept):
                files += [FileChange(one.path, None, one.text.encode()) for one in kept]
                count += 1
        return files, count

    def _fits(self, kept: Sequence[Kept]) -> bool:
        page = next((one for one in kept if one.path.endswith(f"/{skill.FILE}")), None)
        read = skill.understood(page.path, page.text.encode()) if page else None
        fits = read is not None and read.procedure is not None
        safe = not any(secrets.find(one.text) for one in kept)
        if fits and safe and all(self._held(one.path) is None for one in kept):
            return True
        self.left["procedures that do not fit"] += 1
        return False

    def _held(self, path: str) -> bytes | None:
        try:
            return atomic.read(self._opened.place, path)
        except TryAgain:
            return None
        except BadFile:
            return b""


@dataclass(frozen=True, slots=True)
class _Known:
    """The ids of events by file: here, and in the bundle."""

    here: Mapping[str, frozenset[str]]
    there: Mapping[str, frozenset[str]]

    @property
    def ids(self) -> frozenset[str]:
        return frozenset().union(*self.here.values())

    def admits(self, one: Happened) -> bool:
        """Whether a line that covers all before it covers nothing here that it did not cover there."""
        if one.event.kind is not Kind.CONSOLIDATED:
            return True
        through = str(one.event.data.get("through", ""))
        own = self.here.get(one.path, frozenset()) - self.there.get(one.path, frozenset())
        return not any(id_ <= through for id_ in own)


def _by_file(found: Iterable[Happened]) -> dict[str, frozenset[str]]:
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for one in found:
        ids[one.path].add(one.event.id)
    return {path: frozenset(held) for path, held in ids.items()}
