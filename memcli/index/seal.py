"""The seal on a generation: what its files were like when the index last wrote them.

LanceDB keeps no checksums: bytes that changed on the disk under it come back as other
vectors and other words, and as answers. Its files never change once they are written,
so their sizes and times are noted and compared at every opening, which costs a stat each;
where only the time differs (a copied store) the contents decide. A link among them is none of
ours: what is written or tidied behind it would lie outside of the store.
"""

import json
import os
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memcli.errors import UNREADABLE
from memcli.index import folders
from memcli.index.generations import TABLES

SEAL: Final = "seal.json"
_UNSEALED: Final = frozenset({"_versions", "_transactions"})  # read whole by every opening, or never
_PIECE_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Mark:
    """What one file was like."""

    size: int
    mtime_ns: int
    crc: int


Marks = dict[str, Mark]


def load(generation: Path) -> Marks | None:
    """The seal, or None where it cannot be read."""
    try:
        stated = json.loads(folders.read(generation / SEAL))
        return {name: Mark(*mark) for name, mark in stated.items()}
    except UNREADABLE:
        return None


def renew(generation: Path) -> None:
    """Seal the files as they are now; the contents of those that are sealed already are not read again."""
    before = load(generation) or {}
    marks = {}
    for name, entry in _files(generation):
        size, mtime_ns = entry.st_size, entry.st_mtime_ns
        known = before.get(name)
        if known is None or (known.size, known.mtime_ns) != (size, mtime_ns):
            known = Mark(size, mtime_ns, _crc(generation / name))
        marks[name] = [known.size, known.mtime_ns, known.crc]
    beside = generation / f".{SEAL}.{os.getpid()}"
    folders.write(beside, json.dumps(marks))
    beside.replace(generation / SEAL)


def broken(generation: Path, *, thorough: bool = False) -> list[str]:
    """What about the sealed files is not as it was, as `file: what`; a missing seal, or a link, is broken.

    Contents are read where the time of a file differs; all of them if `thorough`.
    """
    marks = load(generation)
    if marks is None:
        return [f"{SEAL}: it cannot be read"]
    links = [f"{name}: it is a link" for name in _links(generation)]
    if links:
        return links
    changed = ((name, _changed(generation / name, mark, thorough=thorough)) for name, mark in marks.items())
    return [f"{name}: {what}" for name, what in changed if what]


def _changed(file: Path, mark: Mark, *, thorough: bool) -> str:
    try:
        seen = file.stat()
        if seen.st_size != mark.size:
            return "its size changed"
        if (thorough or seen.st_mtime_ns != mark.mtime_ns) and _crc(file) != mark.crc:
            return "its contents changed"
    except OSError as error:
        return error.strerror or "it cannot be read"
    return ""


def _links(generation: Path) -> Iterator[str]:
    """The links in place of the generation, or of what lies in its tables."""
    tables = generation / TABLES
    yield from (one.name for one in (generation, tables) if one.is_symlink())
    left = [str(tables)]
    while left:
        with suppress(OSError), os.scandir(left.pop()) as entries:  # what is missing is told as such
            for one in entries:
                if one.is_symlink():
                    yield os.path.relpath(one.path, generation)
                elif one.is_dir():
                    left.append(one.path)


def _files(generation: Path) -> Iterator[tuple[str, os.stat_result]]:
    for folder, below, names in os.walk(generation / TABLES):
        below[:] = [name for name in below if name not in _UNSEALED]
        for name in names:
            file = Path(folder) / name
            yield str(file.relative_to(generation)), file.stat()


def _crc(file: Path) -> int:
    crc = 0
    with file.open("rb") as opened:
        while piece := opened.read(_PIECE_BYTES):
            crc = zlib.crc32(piece, crc)
    return crc
