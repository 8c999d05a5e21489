"""Files that a person labelled for a measurement: those that are named, or else the store's own.

A person names what is theirs to read. The store's own may have come with somebody else's store, so
no link and no pipe among them is followed.
"""

from collections.abc import Sequence
from pathlib import Path

from memcli.engine.opened import Opened
from memcli.errors import Usage
from memcli.store import inside


def own(opened: Opened, *patterns: str) -> list[Path]:
    """The files of the store that fit one of `patterns`, in order."""
    root = opened.place.root
    return sorted(path for pattern in patterns for path in root.glob(pattern))


def contents(opened: Opened, named: Sequence[Path], own_files: Sequence[Path]) -> list[tuple[str, bytes]]:
    """Path (within the store where it lies there) and bytes of each that is named, else of its own.

    Raises Usage where one that is named cannot be read, BadFile and TryAgain for one of the store's own.
    """
    if named:
        return [(_within(opened, file), _read(opened, file)) for file in named]
    return [(path, inside.read(opened.place, path)) for path in (_within(opened, one) for one in own_files)]


def _within(opened: Opened, file: Path) -> str:
    root = opened.place.root
    return file.relative_to(root).as_posix() if file.is_relative_to(root) else str(file)


def _read(opened: Opened, file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        what = f"{_within(opened, file)} cannot be read: {error.strerror}."
        raise Usage(what, "Name a file of this measurement.") from error
