"""The index of claims as the engine opens it, and what is kept beside it of files and journal."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memcli.engine import standing
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.store import known as knowns
from memcli.store.known import Known, KnownFile

if TYPE_CHECKING:
    from memcli.engine.filing import Filed
    from memcli.index.tables import Index

FEW: Final = 64  # asserted: so many changed files are taken one by one, more by looking at all


def open_index(opened: Opened, *, writable: bool) -> "Index | None":
    """The index that fits this encoder, or None where it must be made anew."""
    from memcli.index.tables import Index

    dimensions, fingerprint = embedding(opened)
    if opened.kept is not None:
        kept = opened.kept.index(dimensions, fingerprint)
        return kept or Index.open(
            opened.place.index_folder, dimensions=dimensions, fingerprint=fingerprint, writable=True
        )
    return Index.open(
        opened.place.index_folder, dimensions=dimensions, fingerprint=fingerprint, writable=writable
    )


def embedding(opened: Opened) -> tuple[int, str]:
    """The dimensions and the fingerprint of the encoder; 0 and `words` without one."""
    encoder = opened.encoder
    return (encoder.dimensions, encoder.fingerprint) if encoder else (0, "words")


@contextmanager
def said(opened: Opened) -> Iterator[None]:
    """Say in a sentence what the file system refuses: a full disk is no bug of ours."""
    from memcli.index.turns import NotWritable

    try:
        yield
    except OSError as error:
        raise NotWritable(opened.place.private, error) from error


def known(filed: "Filed", signature: str) -> KnownFile:
    """What is kept of a file that was seen with this signature."""
    signature = signature if filed.digest else knowns.UNSETTLED  # what could not be read is tried again
    return KnownFile(signature, filed.digest, filed.schema.id if filed.schema else "", filed.problem)


def without(known: Known, gone: Iterable[str]) -> dict[str, KnownFile]:
    """What is known but of these paths, as a copy to go on with."""
    files = dict(known)  # copied whole: a hundred thousand entries one by one take longer than a question
    for path in gone:
        files.pop(path, None)
    return files


def judged_by(confirmed: Confirmed, guarded: frozenset[str], index: "Index") -> Confirmed:
    """`confirmed` with the marks of what was removed, and the paths that are withheld for its sake."""
    from memcli.index import around

    withheld = frozenset(around.withheld(index)) if guarded else frozenset()
    return replace(confirmed, guarded=guarded, withheld=withheld)


def keep(
    opened: Opened, files: Known, confirmed: Confirmed, present_ns: int, alone: Collection[str] | None = None
) -> None:
    """What was seen is written last: a crash before it only means looking again.

    `alone` are the only paths that changed since it was last written; None is all.
    """
    if alone is None or len(alone) > FEW:
        knowns.save(opened.place.known_file, knowns.settled(files, present_ns))
    else:
        few = {path: files[path] for path in alone if path in files}
        gone = [path for path in alone if path not in files]
        knowns.add(opened.place.known_file, knowns.settled(few, present_ns), gone, files)
    standing.save(opened, confirmed)
