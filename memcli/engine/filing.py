"""A file of the store as values: read, understood or set aside, and what the index is told about it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memcli.engine.opened import Opened
from memcli.errors import BadFile, Exhausted, MemError, TryAgain, Unavailable
from memcli.memory.schema import Schema
from memcli.store import atomic, edit, event, events, format, scan
from memcli.store.edit import Plain
from memcli.store.problem import Problem

if TYPE_CHECKING:
    import numpy as np

    from memcli.index.encoder import Encoder
    from memcli.index.rows import IndexRow


PIECES: Final = 64  # asserted: 16,000 tokens; a book in one file would take minutes to encode
WORKERS: Final = 2  # threads that encode a rebuild: measured twice as fast as one, where there are cores
FEW: Final = 4  # asserted: so many events are looked up one by one, more by reading their months


@dataclass(frozen=True, slots=True)
class Filed:
    """One file: `schema` None is set aside, for the reasons in `problems`.

    `failure` is why it could not be read at all, where that is no fault of the file's.
    """

    path: str
    digest: str
    schema: Schema | None
    problems: tuple[Problem, ...] = ()
    notices: tuple[Problem, ...] = ()
    derived: bool = False
    raw: bytes = field(default=b"", repr=False)
    failure: Unavailable | None = None

    @property
    def problem(self) -> str:
        """The first reason why it is set aside, as one line; empty when it is not."""
        return "" if self.schema or not self.problems else str(self.problems[0])


def understand(opened: Opened, path: str, raw: bytes) -> Filed:
    """What `raw` says as the file `path`."""
    parsed = format.parse(raw, path, opened.settings.timezone)
    return Filed(
        path, format.digest(raw), parsed.schema, parsed.problems, parsed.notices, parsed.derived, raw
    )


def changed(opened: Opened, path: str, raw: bytes, keys: Mapping[str, Plain | None]) -> bytes:
    """The file `path` with `keys` changed; from then on its id stands in it and hangs on no path."""
    filed = understand(opened, path, raw)
    id_ = {"id": filed.schema.id} if filed.schema and filed.derived else {}
    after = edit.set_keys(raw, {**id_, **keys})
    return sound(opened, path, after) if filed.schema else after


def sound(opened: Opened, path: str, raw: bytes) -> bytes:
    """`raw`, which will be read as a memory. Raises BadFile where it would be set aside."""
    wrong = understand(opened, path, raw).problems
    if wrong:
        what = f"{wrong[0].key}: {wrong[0].what}" if wrong[0].key else wrong[0].what
        raise BadFile(f"Nothing was written, for it could not be read back: {what}.", "Leave that out.")
    return raw


def read(opened: Opened, path: str) -> Filed | None:
    """The file `path`, or None where there is none any more; what cannot be read is set aside.

    Raises Exhausted where it is this process that can open no file: an answer without it would be wrong.
    """
    try:
        return understand(opened, path, atomic.read(opened.place, path))
    except TryAgain:
        return None
    except Exhausted:
        raise
    except MemError as error:
        failure = error if isinstance(error, Unavailable) else None
        return Filed(path, "", None, (Problem(path, 0, "", error.message),), failure=failure)


def every(opened: Opened) -> Iterator[Filed]:
    """Every file of a schema that stands in the store now, one after another. Raises Exhausted, as `read`."""
    seen = scan.scan(opened.place)
    seen.refuse_short()
    for file in seen.files:
        filed = read(opened, file.path)
        if filed is not None:
            yield filed


def vectors(
    opened: Opened,
    rows: "Sequence[IndexRow]",
    progress: Callable[[int, int], None] | None = None,
    workers: int = 1,
) -> "list[np.ndarray | None]":
    """The unit vectors of each row, float32 [pieces, d], the claim's first; None without an encoder."""
    encoder = opened.encoder
    if encoder is None:
        return [None] * len(rows)
    return embedded(opened, encoder, [pieces(encoder, row) for row in rows], progress, workers)


def embedded(
    opened: Opened,
    encoder: "Encoder",
    texts: Sequence[Sequence[str]],
    progress: Callable[[int, int], None] | None = None,
    workers: int = 1,
) -> "list[np.ndarray | None]":
    """The unit vectors of each group of texts, float32 [texts, d]; only what is new is encoded."""
    from memcli.index.cache import VectorCache

    flat = [text for found in texts for text in found]
    matrix = VectorCache(opened.place.vectors_folder).vectors(encoder, flat, progress, workers)
    cut: list[np.ndarray | None] = []
    start = 0
    for found in texts:
        cut.append(matrix[start : start + len(found)])
        start += len(found)
    return cut


def pieces(encoder: "Encoder", row: "IndexRow") -> list[str]:
    """The texts whose vectors stand for a row: its claim, then whatever the model cannot take at once.

    Beyond PIECES of them words alone find what a text says.
    """
    from memcli.index.rows import meaning

    found = encoder.chunks(meaning(row.schema), PIECES)
    if row.schema.detail and len(found) < PIECES:
        found = [*found, *encoder.chunks(row.schema.detail, PIECES - len(found))]
    return found


def occurred(opened: Opened, schemas: Iterable[Schema]) -> dict[str, int | None]:
    """When the founding event of each schema happened in the world, by id, where it was said."""
    founding = {schema.id: schema.evidence[0].event for schema in schemas if schema.evidence}
    known = happened(opened, set(founding.values()))
    return {id_: known[event] for id_, event in founding.items() if event in known}


def happened(opened: Opened, ids: Collection[str]) -> dict[str, int | None]:
    """When each of these events happened in the world, by its id; those that no file holds are left out."""
    if len(ids) <= FEW:
        found = {one: events.find(opened.place, one) for one in ids}
    else:
        months = {event.month_of(one) for one in ids} - {None}
        paths = [path for month in sorted(filter(None, months)) for path in events.files(opened.place, month)]
        every = {one.id: one for path in paths for one in events.read(opened.place, path).events}
        found = {id_: every.get(id_) for id_ in ids}
    return {id_: one.occurred_at for id_, one in found.items() if one is not None}
