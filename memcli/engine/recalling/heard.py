"""What was said, brought into an index of its own: every turn of the event files, as they grow.

An index of its own because turns outnumber claims by far and nobody edits them: only what
was appended is read. A turn is a row like a claim's, so that the guard, the filters and
the words of a question treat both alike; its second vector is that of the window (the
turn before, this one, the next), since an answer often makes sense only beside its question.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from memcli.engine import indexed
from memcli.engine.opened import Opened
from memcli.engine.recalling import turns
from memcli.engine.recalling.turns import Taken
from memcli.engine.view import View
from memcli.errors import UNREADABLE, MemError, TryAgain, Unavailable
from memcli.store import events, private
from memcli.store.lines import Mark

if TYPE_CHECKING:
    from memcli.index.tables import Index

Progress = Callable[[int, int], None]
WAIT_S: Final = 2.0  # asserted: how long a question waits for who writes; then it hears what is there
MANY: Final = 64  # asserted: turns taken in at once that are worth indexing before anybody asks
_FORMAT: Final = 1


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
class Ears:
    """The index of what was said (None where nothing ever was), and what of the files it has taken in.

    `stale` says that it may be behind them.
    """

    index: "Index | None"
    known: Known = field(default_factory=Known)
    stale: bool = False

    def holds(self, row: str) -> bool:
        """Whether a file has a turn of that name, as far as it was taken in."""
        path, _, number = row.rpartition("#")
        return 0 <= int(number) < self.known.files.get(path, Taken()).turns


def freshen(opened: Opened, view: View, progress: Progress | None = None) -> Ears:
    """The index of what was said, brought to the files as far as nobody else holds that up."""
    kept, sizes = _load(opened), events.sizes(opened.place)
    if kept is None and not sizes:
        return Ears(None)
    before = kept or Known()
    news = turns.news(opened.place, before.files, sizes)
    if before.files != news.files and not (news.turns or news.gone):
        before = Known(news.files, before.guarded)  # claims alone, as every remember leaves one
        _save(opened, before)
    index = open_index(opened) if before.turns else None
    if index is None and before.turns:
        before, news = Known(), turns.news(opened.place, {}, sizes)
    if not (news.turns or news.gone) and (not before.turns or before.guarded == view.confirmed.guarded):
        return Ears(index, before)
    if view.index is None:
        return Ears(index, before, stale=True)
    from memcli.engine.recalling import listening
    from memcli.store import lock

    listening.encode_ahead(opened, news.turns, progress)
    try:
        wait_s = min(WAIT_S, opened.settings.lock_wait_s)
        with lock.hold(opened.place, wait_s=wait_s, holder="recall"):
            return _brought_in_line(opened, view, index)
    except (TryAgain, Unavailable):
        return Ears(index, before, stale=True)


def follow(opened: Opened, progress: Progress | None = None, view: View | None = None) -> None:
    """Bring the index along after much was taken in, so that the next question need not.

    `view` is the store as it was just seen; None has it looked at.
    """
    from memcli.engine import reconcile

    if not opened.place.events.is_dir():
        return
    with suppress(MemError):  # what was taken in is there; the next question looks again
        freshen(opened, view or reconcile.freshen(opened), progress)


def open_index(opened: Opened) -> "Index | None":
    """The index of turns that fits this encoder, or None."""
    from memcli.index.tables import Index

    dimensions, fingerprint = indexed.embedding(opened)
    if opened.kept is not None and (kept := opened.kept.turns(dimensions, fingerprint)) is not None:
        return kept
    folder = opened.place.turns_folder
    index = Index.open(folder, dimensions=dimensions, fingerprint=fingerprint, writable=True)
    if opened.kept is not None and index is not None:
        opened.kept.keep_turns(index)
    return index


def _brought_in_line(opened: Opened, view: View, index: "Index | None") -> Ears:
    from memcli.engine.recalling import listening

    kept = _load(opened) or Known()
    index = (index or open_index(opened)) if kept.turns else None
    news = turns.news(opened.place, kept.files if index else {}, events.sizes(opened.place))
    if index is not None:
        listening.grown(opened, view, index, kept.guarded, news)
    elif news.turns:
        index = listening.made(opened, view, news.turns)
        if opened.kept is not None:
            opened.kept.keep_turns(index)
    known = Known(news.files, view.confirmed.guarded)
    _save(opened, known)
    return Ears(index, known)


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
        return Known(files, frozenset(map(str, raw["guarded"])))
    except UNREADABLE:
        return None


def _taken(told: Sequence[Any]) -> Taken:
    end, tail, back, back_tail, before, turns = told
    read, again = Mark(int(end), bytes.fromhex(tail)), Mark(int(back), bytes.fromhex(back_tail))
    return Taken(read, again, int(before), int(turns))


def _save(opened: Opened, known: Known) -> None:
    """Keep it. Not fsynced: what is torn is read as nothing, and what is old only has more read again."""
    files = {
        path: [one.end.end, one.end.tail.hex(), one.back.end, one.back.tail.hex(), one.before, one.turns]
        for path, one in known.files.items()
    }
    told = {"format": _FORMAT, "files": files, "guarded": sorted(known.guarded)}
    with suppress(OSError):  # then the next question only looks again
        private.put(opened.place.turns_file, json.dumps(told).encode())
