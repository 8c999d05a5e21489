"""Whose word each line of a memory is: a person's, an agent's or the consolidator's, and since when."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from memcli.engine import resolve
from memcli.engine.opened import Opened
from memcli.engine.recorded import points
from memcli.journal import lines_of, steps, tree
from memcli.journal.history import Entry
from memcli.journal.lines_of import Brought
from memcli.store import atomic

_CONSOLIDATING: Final = frozenset({"consolidate", "replay"})
_BROUGHT: Final = frozenset({"import"})


class Voice(StrEnum):
    """Who speaks in a line."""

    PERSON = "person"
    AGENT = "agent"
    CONSOLIDATOR = "consolidator"
    IMPORT = "import"
    SYSTEM = "system"
    UNSAVED = "unsaved"  # on disk, and in no commit yet


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the file as it lies on disk; `at` is record time, None where it is not saved."""

    number: int
    text: str
    voice: Voice
    actor: str = ""
    op: str = ""
    commit: str | None = None
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Blame:
    """The lines of one memory's file."""

    id: str
    path: str
    lines: tuple[Line, ...]


def run(opened: Opened, id_: str) -> Blame:
    """Whose the lines of one memory are. Raises NoSuchMemory, BadFile, Refused, HistoryCut, Unavailable."""
    points.refuse_rewritten(opened.journal)
    found = resolve.one(opened, id_)
    resolve.refuse_unreadable(opened, found)
    disk = atomic.read(opened.place, found.path).split(b"\n")
    if disk and not disk[-1]:
        disk = disk[:-1]
    committed = _committed(opened, found.path)
    entries = steps.named(opened.journal, sorted({line.commit for line in committed}))
    lines = (
        _line(number, text, by, entries) for number, (text, by) in enumerate(_matched(disk, committed), 1)
    )
    return Blame(found.schema.id, found.path, tuple(lines))


def _committed(opened: Opened, path: str) -> tuple[Brought, ...]:
    """The lines that HEAD holds of the file; none where it does not."""
    head = opened.journal.head()
    if head is None or tree.read(opened.journal, head, [path])[path] is None:
        return ()
    return lines_of.brought(opened.journal, head, path)


def _matched(disk: Sequence[bytes], committed: Sequence[Brought]) -> Iterator[tuple[bytes, str | None]]:
    """The lines on disk, each with the commit whose line it is, None where none has it there."""
    old = [one.text for one in committed]
    found: list[str | None] = [None] * len(disk)
    for start, at, size in SequenceMatcher(None, old, list(disk), autojunk=False).get_matching_blocks():
        found[at : at + size] = [one.commit for one in committed[start : start + size]]
    return zip(disk, found, strict=True)


def _line(number: int, text: bytes, commit: str | None, entries: dict[str, Entry]) -> Line:
    shown = text.decode("utf-8", "replace").rstrip("\r")
    entry = entries.get(commit) if commit else None
    if entry is None:
        return Line(number, shown, Voice.PERSON if commit else Voice.UNSAVED, commit=commit)
    return Line(number, shown, voice(entry), entry.actor, entry.op, commit, entry.at)


def voice(entry: Entry) -> Voice:
    """Who speaks in what an operation wrote: who consolidates or imports does not say it himself."""
    if entry.op in _CONSOLIDATING:
        return Voice.CONSOLIDATOR
    if entry.op in _BROUGHT:
        return Voice.IMPORT
    kind = entry.actor.partition(":")[0]
    return {"agent": Voice.AGENT, "system": Voice.SYSTEM}.get(kind, Voice.PERSON)
