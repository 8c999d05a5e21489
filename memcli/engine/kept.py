"""What a resident keeps of one store between two commands, so that the second pays for the new alone.

All of it can be had again from the files. The danger is an answer from a store that has
moved on meanwhile, so what is kept is used only after the witness has said that no file
changed since, and what every writer changes last still stands as it stood.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from memcli.engine.view import View
from memcli.errors import MemError
from memcli.store import atomic, format, scan
from memcli.store.place import Place

if TYPE_CHECKING:
    import numpy as np

    from memcli.engine.opened import Opened
    from memcli.engine.recalling.heard import Known
    from memcli.index.encoder import Encoder
    from memcli.index.tables import Index
    from memcli.memory.account import Account
    from memcli.store.settings import Settings

LOCK_WAIT_S: Final = (
    0.25  # asserted: all questions wait meanwhile; who would wait longer does the work itself
)
VECTORS: Final = 1024  # of queries, 1.5 KB each
PATIENCE: Final = 3  # asserted: so many times as many writes as elsewhere, for `tidy` comes in a quiet moment
_CURRENT: Final = 2  # where the stamp says which generation of the index counts
Stamp = tuple[tuple[int, int, int] | None, ...]


class Elsewhere(Exception):
    """The command means another store than the one that is kept here."""


class Witness(Protocol):
    """Who saw what changed."""

    def touched(self) -> frozenset[str] | None:
        """Paths that may have changed since this was last asked; None where it cannot be known."""


@dataclass(frozen=True, slots=True)
class Held:
    """A view that stands still, but for the files `changed`; `stamp` is what stood beside it."""

    view: View
    stamp: Stamp
    settings: "Settings"
    changed: frozenset[str] = frozenset()


class Kept:
    """One store, kept warm. One thread at a time."""

    def __init__(self, place: Place, witness: Witness) -> None:
        self.place = place
        self._witness = witness
        self._held: Held | None = None
        self._index: Index | None = None
        self._turns: Index | None = None
        self._revisions: Index | None = None
        self._heard: tuple[Stamp, Known | None] | None = None
        self._encoder: tuple[Stamp, Encoder] | None = None
        self._vectors: dict[str, np.ndarray] = {}
        # Of use, as they were at a commit.
        self.accounts: tuple[str | None, Mapping[str, Account]] = (None, {})

    def serve(self, opened: "Opened") -> None:
        """Let `opened` use what is kept. Raises Elsewhere where it is another store."""
        if opened.place.root.resolve() != self.place.root.resolve():
            raise Elsewhere
        patience = min(opened.settings.lock_wait_s, LOCK_WAIT_S)
        opened.settings = replace(opened.settings, lock_wait_s=patience)
        opened.kept = self

    def held(self, opened: "Opened") -> Held | None:
        """The store as it was last seen and the files that changed since; None: look at all of it.

        What it names as changed it names once.
        """
        held, self._held = self._held, None
        touched = self._witness.touched()
        if held is None or touched is None or held.settings != opened.settings:
            return None
        if held.stamp != self.stamp(opened.settings.encoder_path):
            return None
        journal = opened.readable_journal
        if (journal.head() if journal else None) != held.view.head:
            return None
        changed = frozenset(path for path in touched if not self._same(path, held.view))
        if not changed:
            self._held = held
        return replace(held, changed=changed)

    def doubt(self) -> None:
        """Have all files looked at for the next question, whatever the witness says."""
        self._held = None

    def _same(self, path: str, view: View) -> bool:
        """Whether the file `path` is the one that was indexed, by its very bytes."""
        if not scan.is_schema_path(path):
            return True
        known = view.known.get(path)
        try:
            return known is not None and known.digest == format.digest(atomic.read(self.place, path))
        except MemError:
            return known is None and not os.path.lexists(self.place.at(path))

    def hold(self, opened: "Opened", view: View, stood: Stamp) -> None:
        """Keep `view`, made of the store as it `stood`; one that is not whole is looked at again.

        What another writes while the view is made must not pass for seen: `stood` is from before,
        unless the caller holds the lock.
        """
        from memcli.index.lance import Damaged

        whole = view.index is not None and not (view.stale or view.notices or view.hidden or view.rebuilt)
        self._held = Held(view, stood, opened.settings) if whole else None
        if view.index is not None and view.index is not self._index:
            self._let_go()
            self._index = view.index
            self._index.patience = PATIENCE
            with suppress(Damaged):  # so that the first write of its own is known for the next version
                self._index.reading.refresh()

    def tidy(self) -> None:
        """Make few files of many in the index, if there were many writes, while nobody asks."""
        from memcli.index import generations

        held, index = self._held, self._index
        if held is None or index is None or held.view.index is not index:
            return
        index.tidy()
        stood = _stood(self.place.index_folder / generations.CURRENT)
        if generations.current(self.place.index_folder) == index.generation:
            stamp = (*held.stamp[:_CURRENT], stood, *held.stamp[_CURRENT + 1 :])
            self._held = replace(held, stamp=stamp)

    def stamp(self, model: str | None) -> Stamp:
        """What every writer changes last, the settings, and the files of the model that they name.

        As long as these stand, nobody has written and the same texts have the same vectors.
        """
        place = self.place
        files = (place.known_file, place.standing_file, place.index_folder / "current")
        settings = (place.root / "mem.toml", place.root / "pyproject.toml")
        return (*map(_stood, (*files, *settings)), *_model(model))

    def index(self, dimensions: int, fingerprint: str) -> "Index | None":
        """The index that is open, brought up to what others wrote; None where it must be opened anew."""
        index = _fits(self._index, dimensions, fingerprint)
        if index is None:
            self._let_go()
        return index

    def turns(self, dimensions: int, fingerprint: str) -> "Index | None":
        """As `index`, that of what was said."""
        index = _fits(self._turns, dimensions, fingerprint)
        if index is None and self._turns is not None:
            self._turns.close()
            self._turns = None
        return index

    def keep_turns(self, index: "Index") -> None:
        """Keep the index of what was said."""
        if self._turns is not None and self._turns is not index:
            self._turns.close()
        self._turns = index

    def revisions(self, dimensions: int, fingerprint: str) -> "Index | None":
        """As `index`, that of all that was ever recorded."""
        index = _fits(self._revisions, dimensions, fingerprint)
        if index is None and self._revisions is not None:
            self._revisions.close()
            self._revisions = None
        return index

    def keep_revisions(self, index: "Index") -> None:
        """Keep the index of all that was ever recorded."""
        if self._revisions is not None and self._revisions is not index:
            self._revisions.close()
        self._revisions = index

    def heard(self, load: "Callable[[], Known | None]") -> "Known | None":
        """What of the events was taken in, read again only where somebody wrote it since."""
        stood = (_stood(self.place.turns_file),)
        if self._heard is None or self._heard[0] != stood:
            self._heard = stood, load()
        return self._heard[1]

    def _let_go(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None

    def vector(self, text: str, encode: "Callable[[str], np.ndarray]") -> "np.ndarray":
        """The vector of a query, remembered for those that are asked again and again."""
        found = self._vectors.pop(text, None)
        self._vectors[text] = encode(text) if found is None else found
        while len(self._vectors) > VECTORS:
            del self._vectors[next(iter(self._vectors))]
        return self._vectors[text]

    def encoder(self, path: str | None, load: "Callable[[], Encoder | None]") -> "Encoder | None":
        """The model at `path`, loaded once and made fast for many questions."""
        stands = _model(path)
        if self._encoder is None or self._encoder[0] != stands:
            self._encoder = None
            loaded = load()
            if loaded is None:
                return None
            loaded.warm()
            self._encoder = stands, loaded
            self._vectors.clear()
        return self._encoder[1]


def _fits(index: "Index | None", dimensions: int, fingerprint: str) -> "Index | None":
    """The open index brought up to what others wrote, or None where it is another's or cannot be read."""
    if index is None or (index.about.dimensions, index.about.fingerprint) != (dimensions, fingerprint):
        return None
    from memcli.index.lance import Damaged

    try:
        return index if index.refresh() else None
    except Damaged:  # the caller opens it anew, and heals it
        return None


def _model(path: str | None) -> Stamp:
    """The files of a model that the settings name; none of the one that comes with mem, which stays."""
    if path is None:
        return ()
    folder = Path(path) if Path(path).is_dir() else Path(path).parent
    try:
        return (_stood(folder), *map(_stood, sorted(folder.iterdir())))
    except OSError:
        return (None,)


def _stood(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
