"""The index of revisions: every row that ever counted, with the positions of the record between which it did.

An index beside that of the claims and of the same make, so that words, meaning and filters
treat the past like the present, and a point of the record is one more condition. It is made
when somebody first asks about another time, follows HEAD from then on, and is made anew
where HEAD stands on another line or what is forgotten changed what must be withheld.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memcli.engine import indexed, standing
from memcli.engine.opened import Opened
from memcli.errors import UNREADABLE, TryAgain
from memcli.index.lance import Damaged
from memcli.index.tables import Index
from memcli.journal.lineage import Lineage
from memcli.store import private

if TYPE_CHECKING:
    import numpy as np

    from memcli.engine.view import View
    from memcli.index.rows import IndexRow

BATCH: Final = 1000  # rows handed to the index at a time; bounds memory
_FORMAT: Final = 1

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Known:
    """What the index of revisions has taken in: the line up to `tip`, judged by what is removed now.

    `forgotten` are the marks of removed claims, and the ids that are forgotten; `rules` the settings it
    was made by.
    """

    tip: str
    forgotten: frozenset[str]
    rules: str


def index(opened: Opened, view: "View", found: Lineage, progress: Progress | None = None) -> Index:
    """The index of revisions, brought to the tip of `found`. Raises Unavailable, TryAgain.

    Under a lease of its own, so that nobody who writes waits for it: history does not change.
    """
    confirmed = view.confirmed
    wanted = Known(found.tip, confirmed.guarded | confirmed.forgotten, standing.rules(opened))
    kept = _open(opened) if _load(opened) == wanted else None
    if kept is not None:
        return kept
    from memcli.store import lease

    with lease.held(opened.place, opened.place.recording_file) as mine:
        if not mine:
            raise TryAgain("Another process is bringing the index of revisions along.", "Try again.")
        kept = _grown(opened, view, found, wanted) or _made(opened, found, view, progress)
        _save(opened, wanted)
    if opened.kept is not None:
        opened.kept.keep_revisions(kept)
    return kept


def _grown(opened: Opened, view: "View", found: Lineage, wanted: Known) -> Index | None:
    """The index that there is, brought along; None where it has to be made anew."""
    known = _load(opened)
    kept = _open(opened) if known is not None and known.rules == wanted.rules else None
    before = found.position(known.tip) if known is not None else None
    if kept is None or known is None or before is None or known == wanted:
        return kept if known == wanted else None
    if known.forgotten - wanted.forgotten:
        return None  # something that was removed is back, and what it withheld with it
    from memcli.engine.recorded import growing

    try:
        growing.grow(opened, view, kept, found, before=before, judged_by=known.forgotten)
    except (growing.Anew, Damaged):
        return None
    return kept


def _open(opened: Opened) -> Index | None:
    dimensions, fingerprint = indexed.embedding(opened)
    if opened.kept is not None and (kept := opened.kept.revisions(dimensions, fingerprint)) is not None:
        return kept
    folder = opened.place.revisions_folder
    return Index.open(folder, dimensions=dimensions, fingerprint=fingerprint, writable=True)


def _made(opened: Opened, found: Lineage, view: "View", progress: Progress | None) -> Index:
    """The whole record as an index, in use when this returns; the caller holds the lease."""
    from memcli.engine import filing
    from memcli.engine.recorded import echoes, gone, revisions

    record = revisions.of(opened, found)
    told = revisions.understood(opened, record.schemas, progress)
    every = [one for revision, schema in told for one in revisions.stretches(record, revision, schema)]
    judge = echoes.judging(opened, record, every, gone.now(opened, view))
    happened = echoes.happened(opened, every)
    dimensions, fingerprint = indexed.embedding(opened)

    def batches() -> "Iterator[tuple[list[IndexRow], list[np.ndarray | None]]]":
        for start in range(0, len(every), BATCH):
            parts = judge.rows(every[start : start + BATCH], happened)
            rows = [row for part in parts for row in part]
            yield rows, filing.vectors(opened, rows, workers=filing.WORKERS)
            if progress:
                progress(min(start + BATCH, len(every)), len(every))

    return Index.rebuild(
        opened.place.revisions_folder, dimensions=dimensions, fingerprint=fingerprint, batches=batches()
    )


def doubt(opened: Opened) -> None:
    """Have the index of revisions made anew by the next question about another time."""
    private.remove(opened.place, opened.place.revisions_file)


def _load(opened: Opened) -> Known | None:
    try:
        raw = json.loads(private.read(opened.place, opened.place.revisions_file) or b"")
        if raw["format"] != _FORMAT:
            return None
        return Known(str(raw["tip"]), frozenset(raw["forgotten"]), str(raw["rules"]))
    except UNREADABLE:
        return None


def _save(opened: Opened, known: Known) -> None:
    """Keep it. Not fsynced: what is torn is read as nothing, and the index is then made anew."""
    told = {"format": _FORMAT, "tip": known.tip, "forgotten": sorted(known.forgotten), "rules": known.rules}
    with suppress(OSError):
        private.put(opened.place.revisions_file, json.dumps(told).encode())
