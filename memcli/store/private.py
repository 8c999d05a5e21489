"""Small files of this machine below `.mem/`: written whole, readable by their owner alone.

A received store may bring its own `.mem/`, so links in place of these files are not
followed and whoever reads one checks what it says. They are written under the store's lock
only: the temporary file has one name, so that a kill leaves at most one, until the next.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from memcli.errors import BadFile, Refused, TryAgain
from memcli.store import inside
from memcli.store.place import Place
from memcli.store.problem import shown

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OVER: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC

_TEMPORARY: Final = (".tmp", ".probe")  # how a file ends that is there for a moment (here and in `known`)


def read(place: Place, file: Path) -> bytes | None:
    """The bytes of `file`; None where there is no regular file of that name."""
    with suppress(TryAgain, BadFile), inside.parent(place, _path(place, file)) as (folder, name):
        opened = os.open(name, inside.READ, dir_fd=folder)
        if stat.S_ISREG(os.fstat(opened).st_mode):
            with os.fdopen(opened, "rb") as regular:
                return regular.read()
        os.close(opened)
    return None


def write(place: Place, file: Path, raw: bytes) -> None:
    """Write `file` whole, synced to the disk before this returns. Raises Unavailable, BadFile."""
    with inside.parent(place, _path(place, file), make=True) as (folder, name):
        temporary = f"{name}.tmp"
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=folder)
        try:
            with os.fdopen(inside.opened(temporary, _NEW, folder), "wb") as opened:
                opened.write(raw)
                opened.flush()
                inside.sync(opened.fileno())
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary, dir_fd=folder)
            raise
        inside.sync(folder)


def put(file: Path, raw: bytes) -> None:
    """Write `file` at once in place of what is there, for a reader that finds out what is torn: not synced.

    Raises OSError.
    """
    temporary = file.with_name(f"{file.name}.{os.getpid()}.tmp")
    try:
        with os.fdopen(inside.opened(temporary, _OVER), "wb") as opened:
            opened.write(raw)
        temporary.replace(file)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def remove(place: Place, file: Path) -> None:
    """Remove `file` where it is there. Raises Unavailable."""
    with suppress(TryAgain), inside.parent(place, _path(place, file)) as (folder, name):
        os.unlink(name, dir_fd=folder)


def exists(place: Place, file: Path) -> bool:
    """Whether there is something of that name."""
    with suppress(TryAgain, BadFile), inside.parent(place, _path(place, file)) as (folder, name):
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        return True
    return False


def refuse_links(place: Place) -> None:
    """Raise Refused where a folder below `.mem/` is a link: what is made or tidied there lies elsewhere."""
    try:
        with os.scandir(place.private) as entries:
            links = sorted(one.name for one in entries if one.is_symlink() and one.is_dir())
    except OSError:  # none there yet, or none that can be read
        return
    if links:
        link = shown(str(place.private / links[0]))
        raise Refused(
            f"{link} is a link, and no folder below .mem may be one.",
            "Look where it leads, then remove the link; what belongs there is made again.",
        )


def leftovers(place: Place) -> tuple[str, ...]:
    """Temporary files that a kill left, by their paths; while nobody holds the lock there are no others."""
    names = os.listdir(place.private) if place.private.is_dir() else ()  # noqa: PTH208 - names alone are needed
    return tuple(f"{place.private.name}/{name}" for name in sorted(names) if name.endswith(_TEMPORARY))


def _path(place: Place, file: Path) -> str:
    return file.relative_to(place.root).as_posix()
