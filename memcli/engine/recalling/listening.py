"""Listening: turns become rows of their index, judged by what was taken out.

Heavy, and only loaded where something new was said, or taken out.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memcli.engine import arrivals, filing, indexed, removals
from memcli.engine.opened import Opened
from memcli.engine.recalling import turns
from memcli.engine.recalling.turns import News, Turn
from memcli.engine.view import View
from memcli.index.rows import IndexRow
from memcli.index.tables import Index
from memcli.memory.schema import Evidence, Schema, Status, Validity
from memcli.store import event

if TYPE_CHECKING:
    import numpy as np

    from memcli.engine.standing import Confirmed

Progress = Callable[[int, int], None]
CHUNK: Final = 256  # turns encoded between two reports of progress
BATCH: Final = 1000  # turns handed to the index at a time; bounds memory
LONG: Final = 8  # asserted: further pieces of a turn that the model cannot take at once
FEW: Final = 64  # asserted: turns from which two threads encode sooner than one


def encode_ahead(opened: Opened, said: Sequence[Turn], progress: Progress | None) -> None:
    """Encode many turns into the cache of vectors before the lock is taken, which others wait for."""
    if len(said) <= FEW:
        return
    for start in range(0, len(said), CHUNK):
        meanings(opened, said[start : start + CHUNK])
        if progress:
            progress(min(start + CHUNK, len(said)), len(said))


def made(opened: Opened, view: View, said: Sequence[Turn]) -> Index:
    """A new index of all these turns, in use when this returns; the caller holds the lock."""
    judge = _judge(opened, view)
    dimensions, fingerprint = indexed.embedding(opened)

    def batches() -> "Iterator[tuple[list[IndexRow], list[np.ndarray | None]]]":
        for start in range(0, len(said), BATCH):
            yield judge.rows(said[start : start + BATCH])

    return Index.rebuild(
        opened.place.turns_folder,
        dimensions=dimensions,
        fingerprint=fingerprint,
        batches=batches(),
    )


def grown(opened: Opened, view: View, index: Index, guarded: frozenset[str], news: News) -> None:
    """Bring `index`, judged by `guarded` so far, to the `news`; the caller holds the lock."""
    judge = _judge(opened, view)
    index.drop(news.gone)
    fresh = {one.row_path: one for one in news.turns}
    again = arrivals.concerned(index, judge.removed, guarded) - fresh.keys()
    fresh |= {one.row_path: one for one in turns.named(opened.place, again)}
    ordered = [fresh[path] for path in sorted(fresh)]
    for start in range(0, len(ordered), BATCH):
        index.upsert(*judge.rows(ordered[start : start + BATCH]))
    index.tidy()


def _judge(opened: Opened, view: View) -> "Judge":
    removed = removals.all_of(opened, (), view.confirmed, view.index)
    return Judge(opened, removed, view.confirmed)


@dataclass(frozen=True)
class Judge:
    """Turns as rows, with those withheld that say again what was removed."""

    opened: Opened
    removed: removals.Removals
    confirmed: "Confirmed"

    def rows(self, said: Sequence[Turn]) -> "tuple[list[IndexRow], list[np.ndarray | None]]":
        """The rows of these turns, and the vectors of each: its own, its window's, further pieces'."""
        rows = [as_row(one) for one in said]
        vectors = meanings(self.opened, said)
        # Judged by what was said alone: the name before it is no part of a claim.
        bare = [
            replace(row, schema=replace(row.schema, claim=one.event.text))
            for row, one in zip(rows, said, strict=True)
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


def as_row(turn: Turn) -> IndexRow:
    """The turn as the index holds it: a claim that rests on itself, true from when it was said."""
    said = turn.event
    schema = Schema(
        said.id,
        said.scope,
        event.said(said),
        validity=Validity(said.happened),
        evidence=(Evidence(said.id),),
        key=said.session,
    )
    start, end = turn.span
    return IndexRow(schema, turn.row_path, f"{start}-{end}", Status.ACTIVE, occurred_at=said.happened)


def meanings(opened: Opened, said: Sequence[Turn]) -> "list[np.ndarray | None]":
    """For each turn float32 [pieces, d]: itself, its window, then what of it is too long for one piece."""
    encoder = opened.encoder
    if encoder is None:
        return [None] * len(said)
    texts = []
    for one in said:
        own = encoder.chunks(event.said(one.event), LONG) or [event.said(one.event)]
        window = encoder.chunks(one.window, 1) or own[:1]
        texts.append([own[0], window[0], *own[1:]])
    return filing.embedded(opened, encoder, texts, workers=filing.WORKERS if len(said) > FEW else 1)
