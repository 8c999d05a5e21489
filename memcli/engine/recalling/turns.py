"""Turns as the files of events hold them, read on from where the last look ended."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from memcli.errors import BadFile
from memcli.store import events, lines
from memcli.store.event import Event, Kind
from memcli.store.lines import START, Mark
from memcli.store.place import Place

BESIDE: Final = 2  # turns read again where a file grew: the last one's window changes, by the one before it


@dataclass(frozen=True, slots=True)
class Taken:
    """How far one file was taken in: read up to `end`; `before` of its `turns` stand before `back`."""

    end: Mark = START
    back: Mark = START
    before: int = 0
    turns: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn with its number in its file, its bytes there, and what stood before and after it."""

    event: Event
    path: str
    number: int
    span: tuple[int, int]
    window: str

    @property
    def row_path(self) -> str:
        """Its name in the index: the file, and its number there."""
        return row_path(self.path, self.number)


@dataclass(frozen=True, slots=True)
class News:
    """What a look at the event files found: turns to take in, rows that went, and how far it was read."""

    turns: tuple[Turn, ...] = ()
    gone: tuple[str, ...] = ()
    files: Mapping[str, Taken] = field(default_factory=dict)


def row_path(path: str, number: int) -> str:
    """The name of the turn `number` of a file, as the index has it."""
    return f"{path}#{number:06d}"


def beside(row: str) -> tuple[str, str]:
    """The names of the turns before and after one."""
    path, _, number = row.rpartition("#")
    return row_path(path, int(number) - 1), row_path(path, int(number) + 1)


def news(place: Place, kept: Mapping[str, Taken], sizes: Mapping[str, int]) -> News:
    """What the files of events, of these `sizes`, hold beyond what was taken in, `kept` by path."""
    turns: list[Turn] = []
    gone = [name for path in kept.keys() - sizes.keys() for name in _rows(path, 0, kept[path])]
    files = {}
    for path, size in sizes.items():
        before = kept.get(path, Taken())
        if before.end.end == size:
            files[path] = before
            continue
        found, files[path] = _read(place, path, before)
        turns += found
        gone += _rows(path, files[path].turns, before)
    return News(tuple(turns), tuple(gone), files)


def _rows(path: str, first: int, taken: Taken) -> Iterator[str]:
    return (row_path(path, number) for number in range(first, taken.turns))


def _read(place: Place, path: str, before: Taken) -> tuple[list[Turn], Taken]:
    """The turns of `path` that are new or whose window changed; a file with another past is read anew."""
    try:
        lines.since(place, path, before.end)
        found, end = events.read_since(place, path, before.back)
    except ValueError:
        return _read(place, path, Taken())
    except BadFile:  # no file of ours: `mem check` names it
        return [], Taken(end=Mark(place.at(path).lstat().st_size, b""))
    said = [(one, span) for one, span in zip(found.events, found.spans, strict=True) if one.kind is Kind.TURN]
    turns = _windowed(path, said, before.before)
    many = before.before + len(said)
    back, passed = before.back, before.before
    if len(said) > BESIDE:
        back, passed = lines.mark(place, path, said[-BESIDE][1][0]), many - BESIDE
    return turns[1 if before.before else 0 :], Taken(end, back, passed, many)


def _windowed(path: str, said: Sequence[tuple[Event, tuple[int, int]]], first: int) -> list[Turn]:
    texts = [one.text for one, _ in said]
    return [
        Turn(one, path, first + at, span, "\n".join(texts[max(at - 1, 0) : at + 2]))
        for at, (one, span) in enumerate(said)
    ]


def named(place: Place, rows: Iterable[str]) -> list[Turn]:
    """The turns with these names, read anew with all of their files."""
    wanted = set(rows)
    found: list[Turn] = []
    for path in sorted({row.rpartition("#")[0] for row in wanted}):
        turns, _ = _read(place, path, Taken())
        found += [one for one in turns if one.row_path in wanted]
    return found
