"""Pending: the events that no consolidation has passed yet, read as far as the files have grown.

Of each file it is kept how far everything in it was digested, with its size and time; only
what follows is read. What was kept is good for one version of the rules and one encoder; where
it is missing, or a file is not the one that was read, that file is read whole, and its
own lines tell what was digested.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from memcli.engine import drafting
from memcli.engine.opened import Opened
from memcli.errors import UNREADABLE, MemError
from memcli.store import digested, events, private
from memcli.store.digested import Digested
from memcli.store.event import Event, Kind
from memcli.store.lines import START, Mark

_FORMAT: Final = 1
_FILE: Final = "marks.json"


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a file was digested, when it had this size (bytes) and time."""

    size: int
    mtime_ns: int
    mark: Mark


@dataclass(frozen=True, slots=True)
class Fresh:
    """A file with events that are new here, in its order: pending, digested by older rules, or elsewhere."""

    path: str
    found: Digested
    reached: Reached
    logic: str

    @property
    def pending(self) -> tuple[Event, ...]:
        """What no consolidation has passed."""
        return self.found.pending

    @property
    def older(self) -> tuple[Event, ...]:
        """What was digested by older rules."""
        return self.found.older(self.logic)

    @property
    def through(self) -> str:
        """The event up to which a consolidation of all of it reaches."""
        return max(one.id for one in self.found.events)


@dataclass(frozen=True, slots=True)
class Pending:
    """What is new since the marks `before`; `kind` says by which rules and encoder these were made."""

    kind: str
    fresh: tuple[Fresh, ...]
    before: Mapping[str, Reached] = field(default_factory=dict)

    def exchanges(self) -> int:
        """How many closed exchanges are pending, over all sessions."""
        return sum(exchanges(one.pending) for one in self.fresh)

    def ended(self) -> bool:
        """Whether a session that ended is pending."""
        return any(event.kind is Kind.OUTCOME for one in self.fresh for event in one.pending)


def look(opened: Opened, fingerprint: str, sessions: Collection[str] | None = None) -> Pending:
    """What is new in the events of the store, or of `sessions` alone."""
    logic = drafting.LOGIC
    kind = f"{logic} {fingerprint}"
    before = _load(opened, kind)
    found = [one for one in _grown(opened, before, logic) if one.found.events]
    if sessions is not None:
        found = [one for one in found if any(event.session in sessions for event in one.found.events)]
    return Pending(kind, tuple(found), before)


def turns(opened: Opened) -> int:
    """How many turns no consolidation has passed yet; reads only what grew since the last one."""
    found = look(opened, fingerprint(opened)).fresh
    return sum(event.kind is Kind.TURN for one in found for event in one.pending)


def fingerprint(opened: Opened) -> str:
    """What prototypes are made with: another encoder digests everything again."""
    return opened.encoder.fingerprint if opened.encoder else "words"


def _grown(opened: Opened, before: Mapping[str, Reached], logic: str) -> Iterator[Fresh]:
    for path, stood in events.stood(opened.place).items():
        known = before.get(path)
        with suppress(MemError, OSError):
            if known is None or (known.size, known.mtime_ns) != stood or known.mark.end < known.size:
                yield _read(opened, path, known, stood, logic)


def _read(opened: Opened, path: str, known: Reached | None, stood: tuple[int, int], logic: str) -> Fresh:
    mark = known.mark if known else START
    try:
        found, end = events.read_since(opened.place, path, mark)
    except ValueError:
        found, end = events.read_since(opened.place, path)
    return Fresh(path, digested.digested(found.events), Reached(*stood, end), logic)


def exchanges(said: Collection[Event]) -> int:
    """Closed exchanges among the events of one file: somebody spoke, and another one answered."""
    closed, opener = 0, ""
    for one in said:
        if one.kind is not Kind.TURN or one.data.get("role") in ("tool", "system"):
            continue
        speaker = f"{one.data.get('role', '')} {one.data.get('subject', '')}"
        if not opener:
            opener = speaker
        elif speaker != opener:
            closed, opener = closed + 1, ""
    return closed


def keep(opened: Opened, pending: Pending, done: Collection[str]) -> None:
    """Note that everything in the files `done` is digested by now. Raises OSError.

    What was appended to them since (the consolidation's own line) is read once more, so that
    the mark stands where the file ends.
    """
    marks, there = dict(pending.before), events.stood(opened.place)
    for one in pending.fresh:
        if one.path in done and one.path in there:
            with suppress(MemError, OSError):
                marks[one.path] = _reached(opened, one, there[one.path])
    kept = {path: _written(one) for path, one in marks.items() if path in there}
    folder = opened.place.latent_folder
    folder.mkdir(mode=0o700, exist_ok=True)
    text = json.dumps({"format": _FORMAT, "kind": pending.kind, "files": kept}, separators=(",", ":"))
    private.put(folder / _FILE, text.encode("utf-8", "surrogateescape"))


def _reached(opened: Opened, one: Fresh, stood: tuple[int, int]) -> Reached:
    """The end of the file, if nothing but digested lines was appended; else as far as was looked at."""
    if stood == (one.reached.size, one.reached.mtime_ns):
        return one.reached
    with suppress(ValueError):
        since, end = events.read_since(opened.place, one.path, one.reached.mark)
        if all(event.kind is Kind.CONSOLIDATED for event in since.events):
            return Reached(*stood, end)
    return Reached(0, 0, one.reached.mark)


def _load(opened: Opened, kind: str) -> dict[str, Reached]:
    try:
        kept = json.loads(private.read(opened.place, opened.place.latent_folder / _FILE) or b"")
        if (kept["format"], kept["kind"]) != (_FORMAT, kind):
            return {}
        return {str(path): _of(one) for path, one in kept["files"].items()}
    except UNREADABLE:
        return {}


def _written(one: Reached) -> list[Any]:
    return [one.size, one.mtime_ns, one.mark.end, one.mark.tail.hex()]


def _of(kept: list[Any]) -> Reached:
    size, mtime_ns, end, tail = kept
    return Reached(int(size), int(mtime_ns), Mark(int(end), bytes.fromhex(tail)))
