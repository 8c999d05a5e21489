"""What was said, brought into an index of its own: every turn of the event files, as they grow.

An index of its own because turns outnumber claims by far and nobody edits them: only what
was appended is read. A turn is a row like a claim's, so that the guard, the filters and
the words of a question treat both alike; its second vector is that of the window (the
turn before, this one, the next), since an answer often makes sense only beside its question.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from memcli.engine import arrivals, filing, removals
from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.errors import BadFile, MemError, TryAgain, Unavailable
from memcli.memory.schema import Evidence, Schema, Status, Validity
from memcli.store import event, events, lines, lock, private
from memcli.store.event import Event, Kind
from memcli.store.lines import START, Mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

    from memcli.engine.standing import Confirmed
    from memcli.index.rows import IndexRow
    from memcli.index.tables import Index

    Progress = Callable[[int, int], None]

WAIT_S: Final = 2.0  # asserted: how long a question waits for who writes; then it hears what is there
CHUNK: Final = 256  # turns encoded between two reports of progress
BATCH: Final = 1000  # turns handed to the index at a time; bounds memory
FEW: Final = 64  # asserted: turns from which two threads encode sooner than one
LONG: Final = 8  # asserted: further pieces of a turn that the model cannot take at once
BESIDE: Final = 2  # turns read again where a file grew: the last one's window changes, by the one before it
_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Taken:
    """How far one file was taken in: read up to `end`; `before` of its `turns` stand before `back`."""

    end: Mark = START
    back: Mark = START
    before: int = 0
    turns: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """What the index of turns has seen: its files, and the marks of the removed claims it was judged by."""

    files: Mapping[str, Taken] = field(default_factory=dict)
    guarded: frozenset[str] = frozenset()

    @property
    def turns(self) -> int:
        """How many turns there are in all."""
        return sum(one.turns for one in self.files.values())


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
class _News:
    """What a look at the event files found: turns to take in, rows that went, and how far it was read."""

    turns: tuple[Turn, ...] = ()
    gone: tuple[str, ...] = ()
    files: Mapping[str, Taken] = field(default_factory=dict)


def row_path(path: str, number: int) -> str:
    """The name of the turn `number` of a file, as the index has it."""
    return f"{path}#{number:06d}"


def there(opened: Opened) -> "Callable[[str], bool]":
    """Whether a file has a turn of that name, as far as it was taken in."""
    files = (_load(opened) or Known()).files

    def known(row: str) -> bool:
        path, _, number = row.rpartition("#")
        return 0 <= int(number) < files.get(path, Taken()).turns

    return known


def beside(row: str) -> tuple[str, str]:
    """The names of the turns before and after one."""
    path, _, number = row.rpartition("#")
    return row_path(path, int(number) - 1), row_path(path, int(number) + 1)


def freshen(opened: Opened, view: View, progress: "Progress | None" = None) -> "tuple[Index | None, bool]":
    """The index of what was said, and whether it may be behind the files; None where nothing ever was."""
    kept, sizes = _load(opened), events.sizes(opened.place)
    judged = view.confirmed.guarded
    if kept is None and not sizes:
        return None, False
    before = kept or Known()
    if not _current(before, sizes):
        news = _news(opened, before)
        if not (news.turns or news.gone):  # claims alone, as every remember leaves one
            before = Known(news.files, before.guarded)
            _save(opened, before)
    if _current(before, sizes) and (before.guarded == judged or not before.turns):
        index = open_index(opened) if before.turns else None
        if index is not None or not before.turns:
            return index, False
    if view.index is None:
        return open_index(opened), True
    _encode_ahead(opened, before, progress)
    try:
        wait_s = min(WAIT_S, opened.settings.lock_wait_s)
        with lock.hold(opened.place, wait_s=wait_s, holder="recall"):
            return _brought_in_line(opened, view), False
    except (TryAgain, Unavailable):
        return open_index(opened), True


def follow(opened: Opened, progress: "Progress | None" = None) -> None:
    """Bring the index along after much was taken in, so that the next question need not."""
    from memcli.engine import reconcile

    with suppress(MemError):  # what was taken in is there; the next question looks again
        freshen(opened, reconcile.freshen(opened), progress)


def _encode_ahead(opened: Opened, before: Known, progress: "Progress | None") -> None:
    """Encode many turns into the cache of vectors before the lock is taken, which others wait for."""
    turns = _news(opened, before).turns
    if len(turns) <= FEW:
        return
    for start in range(0, len(turns), CHUNK):
        meanings(opened, turns[start : start + CHUNK])
        if progress:
            progress(min(start + CHUNK, len(turns)), len(turns))


def _current(kept: Known, sizes: Mapping[str, int]) -> bool:
    return {path: one.end.end for path, one in kept.files.items()} == sizes


def open_index(opened: Opened) -> "Index | None":
    """The index of turns that fits this encoder, or None."""
    from memcli.index.tables import Index

    dimensions, fingerprint = _embedding(opened)
    if opened.kept is not None and (kept := opened.kept.turns(dimensions, fingerprint)) is not None:
        return kept
    folder = opened.place.turns_folder
    index = Index.open(folder, dimensions=dimensions, fingerprint=fingerprint, writable=True)
    if opened.kept is not None and index is not None:
        opened.kept.keep_turns(index)
    return index


def _embedding(opened: Opened) -> tuple[int, str]:
    encoder = opened.encoder
    return (encoder.dimensions, encoder.fingerprint) if encoder else (0, "words")


def _brought_in_line(opened: Opened, view: View) -> "Index | None":
    kept = _load(opened) or Known()
    index = open_index(opened) if kept.turns else None
    if index is None:
        kept = Known()
    news = _news(opened, kept)
    judge = _Judge(opened, removals.all_of(opened, (), view.confirmed, view.index), view.confirmed)
    if index is None:
        index = _made(opened, judge, news.turns) if news.turns else None
    else:
        _grown(opened, index, judge, kept, news)
    _save(opened, Known(news.files, view.confirmed.guarded))
    return index


def _made(opened: Opened, judge: "_Judge", turns: Sequence[Turn]) -> "Index":
    from memcli.index.tables import Index

    dimensions, fingerprint = _embedding(opened)

    def batches() -> "Iterator[tuple[list[IndexRow], list[np.ndarray | None]]]":
        for start in range(0, len(turns), BATCH):
            yield judge.rows(turns[start : start + BATCH])

    folder = opened.place.turns_folder
    index = Index.rebuild(folder, dimensions=dimensions, fingerprint=fingerprint, batches=batches())
    if opened.kept is not None:
        opened.kept.keep_turns(index)
    return index


def _grown(opened: Opened, index: "Index", judge: "_Judge", kept: Known, news: _News) -> None:
    index.drop(news.gone)
    turns = {one.row_path: one for one in news.turns}
    again = arrivals.concerned(index, judge.removed, kept.guarded) - turns.keys()
    turns |= {one.row_path: one for one in _named(opened, again)}
    ordered = [turns[path] for path in sorted(turns)]
    for start in range(0, len(ordered), BATCH):
        index.upsert(*judge.rows(ordered[start : start + BATCH]))
    index.tidy()


@dataclass(frozen=True)
class _Judge:
    """Turns as rows, with those withheld that say again what was removed."""

    opened: Opened
    removed: removals.Removals
    confirmed: "Confirmed"

    def rows(self, turns: Sequence[Turn]) -> "tuple[list[IndexRow], list[np.ndarray | None]]":
        """The rows of `turns`, and the vectors of each: its own, its window's, further pieces'."""
        rows = [as_row(one) for one in turns]
        vectors = meanings(self.opened, turns)
        # Judged by what was said alone: the name before it is no part of a claim.
        bare = [
            replace(row, schema=replace(row.schema, claim=one.event.text))
            for row, one in zip(rows, turns, strict=True)
        ]
        judged = arrivals.withheld(
            self.opened, bare, vectors, self.removed, self.confirmed, spares=_nothing_spares
        )
        return [
            replace(row, effective=one.effective, hidden_in=one.hidden_in)
            for row, one in zip(rows, judged, strict=True)
        ], vectors


def _nothing_spares(*_: object) -> bool:
    """A turn is no memory that a person saw beside the removed one and left standing."""
    return False


def as_row(turn: Turn) -> "IndexRow":
    """The turn as the index holds it: a claim that rests on itself, true from when it was said."""
    from memcli.index.rows import IndexRow

    said = turn.event
    moment = said.at if said.occurred_at is None else said.occurred_at
    schema = Schema(
        said.id,
        said.scope,
        event.said(said),
        validity=Validity(moment),
        evidence=(Evidence(said.id),),
        key=said.session,
    )
    start, end = turn.span
    return IndexRow(schema, turn.row_path, f"{start}-{end}", Status.ACTIVE, occurred_at=moment)


def meanings(opened: Opened, turns: Sequence[Turn]) -> "list[np.ndarray | None]":
    """For each turn float32 [pieces, d]: itself, its window, then what of it is too long for one piece."""
    encoder = opened.encoder
    if encoder is None:
        return [None] * len(turns)
    texts = []
    for one in turns:
        own = encoder.chunks(event.said(one.event), LONG) or [event.said(one.event)]
        window = encoder.chunks(one.window, 1) or own[:1]
        texts.append([own[0], window[0], *own[1:]])
    return filing.embedded(opened, encoder, texts, workers=filing.WORKERS if len(turns) > FEW else 1)


def _news(opened: Opened, kept: Known) -> _News:
    """What the files of events hold beyond what was taken in."""
    sizes = events.sizes(opened.place)
    turns: list[Turn] = []
    gone = [name for path in kept.files.keys() - sizes.keys() for name in _rows(path, 0, kept.files[path])]
    files = {}
    for path, size in sizes.items():
        before = kept.files.get(path, Taken())
        if before.end.end == size:
            files[path] = before
            continue
        found, files[path] = _read(opened, path, before)
        turns += found
        gone += _rows(path, files[path].turns, before)
    return _News(tuple(turns), tuple(gone), files)


def _rows(path: str, first: int, taken: Taken) -> "Iterator[str]":
    return (row_path(path, number) for number in range(first, taken.turns))


def _read(opened: Opened, path: str, before: Taken) -> tuple[list[Turn], Taken]:
    """The turns of `path` that are new or whose window changed; a file with another past is read anew."""
    try:
        lines.since(opened.place, path, before.end)
        found, end = events.read_since(opened.place, path, before.back)
    except ValueError:
        return _read(opened, path, Taken())
    except BadFile:  # no file of ours: `mem check` names it
        return [], Taken(end=Mark(opened.place.at(path).lstat().st_size, b""))
    said = [(one, span) for one, span in zip(found.events, found.spans, strict=True) if one.kind is Kind.TURN]
    turns = _windowed(path, said, before.before)
    many = before.before + len(said)
    back, passed = before.back, before.before
    if len(said) > BESIDE:
        back, passed = lines.mark(opened.place, path, said[-BESIDE][1][0]), many - BESIDE
    return turns[1 if before.before else 0 :], Taken(end, back, passed, many)


def _windowed(path: str, said: Sequence[tuple[Event, tuple[int, int]]], first: int) -> list[Turn]:
    texts = [one.text for one, _ in said]
    return [
        Turn(one, path, first + at, span, "\n".join(texts[max(at - 1, 0) : at + 2]))
        for at, (one, span) in enumerate(said)
    ]


def _named(opened: Opened, rows: Iterable[str]) -> list[Turn]:
    """The turns with these names, read anew with all of their files."""
    wanted = set(rows)
    found: list[Turn] = []
    for path in sorted({row.rpartition("#")[0] for row in wanted}):
        turns, _ = _read(opened, path, Taken())
        found += [one for one in turns if one.row_path in wanted]
    return found


def doubt(opened: Opened) -> None:
    """Have the index of turns made anew by the next look."""
    private.remove(opened.place, opened.place.turns_file)


def _load(opened: Opened) -> Known | None:
    """What was taken in, or None where nothing says so that can be read."""
    if opened.kept is not None:
        return opened.kept.heard(lambda: _loaded(opened))
    return _loaded(opened)


def _loaded(opened: Opened) -> Known | None:
    try:
        raw = json.loads(private.read(opened.place, opened.place.turns_file) or b"")
        if raw["format"] != _FORMAT:
            return None
        files = {str(path): _taken(told) for path, told in raw["files"].items()}
        return Known(files, frozenset(raw["guarded"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _taken(told: Sequence[Any]) -> Taken:
    end, tail, back, back_tail, before, turns = told
    return Taken(
        Mark(int(end), bytes.fromhex(tail)), Mark(int(back), bytes.fromhex(back_tail)), before, turns
    )


def _save(opened: Opened, known: Known) -> None:
    """Keep it; the caller holds the lock. Not fsynced: what is torn is read as nothing."""
    files = {
        path: [one.end.end, one.end.tail.hex(), one.back.end, one.back.tail.hex(), one.before, one.turns]
        for path, one in known.files.items()
    }
    told = {"format": _FORMAT, "files": files, "guarded": sorted(known.guarded)}
    with suppress(OSError):  # then the next question only looks again
        private.put(opened.place.turns_file, json.dumps(told).encode())
