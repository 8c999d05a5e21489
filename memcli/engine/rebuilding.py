"""Rebuilding: the index made anew from the files, beside the old one, which serves until the switch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memcli.engine import indexed, standing
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.engine.view import View
from memcli.store import known as knowns
from memcli.store import scan
from memcli.store.known import Known

if TYPE_CHECKING:
    import numpy as np

    from memcli.engine.removals import Removals
    from memcli.index.rows import IndexRow

BATCH: Final = 1000  # rows handed to the index at a time; bounds memory

Progress = Callable[[int, int], None]
Batch = tuple["Sequence[IndexRow]", "Sequence[np.ndarray | None]"]


def rebuild(opened: Opened, progress: Progress | None = None) -> View:
    """Make the index anew from the files beside the old one, then switch; the caller holds the lock."""
    with indexed.said(opened):
        return _rebuild(opened, progress)


def _rebuild(opened: Opened, progress: Progress | None) -> View:
    from memcli.engine import burial, counting, filing, removals
    from memcli.index.tables import Index

    present_ns = knowns.present(opened.place.private)
    seen = scan.scan(opened.place)
    seen.refuse_short()
    confirmed = standing.forward(opened.readable_journal, None).confirmed
    confirmed = replace(confirmed, dirty=counting.dirty(opened, confirmed))
    filed = [one for file in seen.files if (one := filing.read(opened, file.path)) is not None]
    signatures = {one.path: one.signature for one in seen.files}
    files = {one.path: indexed.known(one, signatures[one.path]) for one in filed}
    buried = () if seen.unlisted else _buried(opened, files, confirmed)
    buried += burial.bury_wordings(opened, filed, confirmed)
    rows = counting.rows_of(opened, filed, confirmed)
    removed = removals.all_of(opened, rows, confirmed)
    confirmed = replace(confirmed, guarded=removed.marks)
    dimensions, fingerprint = indexed.embedding(opened)
    index = Index.rebuild(
        opened.place.index_folder,
        dimensions=dimensions,
        fingerprint=fingerprint,
        batches=_batches(opened, rows, removed, confirmed, progress),
    )
    confirmed = indexed.judged_by(confirmed, confirmed.guarded, index)
    indexed.keep(opened, files, confirmed, present_ns)
    return View(index, files, confirmed, rebuilt=True, notices=buried, hidden=seen.hidden)


def _buried(opened: Opened, files: Known, confirmed: Confirmed) -> tuple[str, ...]:
    """Leave tombstones for what the journal removed, and for what HEAD holds and the disk has lost."""
    from memcli.engine import burial

    told = burial.bury(opened, files, confirmed) if confirmed.removed else ()
    lost = sorted(confirmed.dirty - files.keys())
    return told + burial.bury_files(opened, lost, confirmed.head, files) if lost and confirmed.head else told


def _batches(
    opened: Opened,
    rows: "list[IndexRow]",
    removed: "Removals",
    confirmed: Confirmed,
    progress: Progress | None,
) -> "Iterator[Batch]":
    from memcli.engine import arrivals, filing

    for start in range(0, len(rows), BATCH):
        part = rows[start : start + BATCH]
        before = start

        def told(done: int, of: int, before: int = before, size: int = len(part)) -> None:
            if progress:
                progress(before + done * size // max(of, 1), len(rows))

        vectors = filing.vectors(opened, part, told, filing.WORKERS)
        yield arrivals.withheld(opened, part, vectors, removed, confirmed), vectors
        if progress:
            progress(start + len(part), len(rows))
