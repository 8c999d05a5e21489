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

from memcli.engine.opened import Opened
from memcli.engine.recalling import turns
from memcli.engine.recalling.turns import Taken
from memcli.engine.view import View
from memcli.errors import MemError, TryAgain, Unavailable
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


def there(opened: Opened) -> Callable[[str], bool]:
    """Whether a file has a turn of that name, as far as it was taken in."""
    files = (_load(opened) or Known()).files

    def known(row: str) -> bool:
        path, _, number = row.rpartition("#")
        return 0 <= int(number) < files.get(path, Taken()).turns

    return known


def freshen(opened: Opened, view: View, progress: Progress | None = None) -> "tuple[Index | None, bool]":
    """The index of what was said, and whether it may be behind the files; None where nothing ever was."""
    kept, sizes = _load(opened), events.sizes(opened.place)
    judged = view.confirmed.guarded
    if kept is None and not sizes:
        return None, False
    before = kept or Known()
    if not _current(before, sizes):
        news = turns.news(opened.place, before.files)
        if not (news.turns or news.gone):  # claims alone, as every remember leaves one
            before = Known(news.files, before.guarded)
            _save(opened, before)
    if _current(before, sizes) and (before.guarded == judged or not before.turns):
        index = open_index(opened) if before.turns else None
        if index is not None or not before.turns:
            return index, False
    if view.index is None:
        return open_index(opened), True
    from memcli.engine.recalling import listening
    from memcli.store import lock

    listening.encode_ahead(opened, turns.news(opened.place, before.files).turns, progress)
    try:
        wait_s = min(WAIT_S, opened.settings.lock_wait_s)
        with lock.hold(opened.place, wait_s=wait_s, holder="recall"):
            return _brought_in_line(opened, view), False
    except (TryAgain, Unavailable):
        return open_index(opened), True


def follow(opened: Opened, progress: Progress | None = None) -> None:
    """Bring the index along after much was taken in, so that the next question need not."""
    from memcli.engine import reconcile

    if not opened.place.events.is_dir():
        return
    with suppress(MemError):  # what was taken in is there; the next question looks again
        freshen(opened, reconcile.freshen(opened), progress)


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
    from memcli.engine.recalling import listening

    kept = _load(opened) or Known()
    index = open_index(opened) if kept.turns else None
    news = turns.news(opened.place, kept.files if index else {})
    if index is not None:
        listening.grown(opened, view, index, kept.guarded, news)
    elif news.turns:
        index = listening.made(opened, view, news.turns)
        if opened.kept is not None:
            opened.kept.keep_turns(index)
    _save(opened, Known(news.files, view.confirmed.guarded))
    return index


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
