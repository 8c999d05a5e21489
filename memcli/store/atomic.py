"""Files changed whole or not at all, and never through a link.

The dangers: a disk that fills up in the middle of a write, a crash between two of its
steps, an editor that saves at the same moment, and a folder that is swapped for a link
(see `inside`). So a new file is written beside the old one, synced and renamed over it, and
what is replaced is compared with what the caller had read.

New files get mode 0600 and new folders 0700; a file that is replaced keeps its mode, its
extended attributes, and its owner and group where the system allows it.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from memcli.errors import BadFile, TryAgain
from memcli.store import inside
from memcli.store.format import LIMIT_BYTES, digest
from memcli.store.inside import read
from memcli.store.place import Place
from memcli.store.problem import shown
from memcli.store.scan import TEMPORARY, same_elsewhere

__all__ = ["TEMPORARY", "create", "read", "remove", "replace", "sweep", "sweep_beside"]

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_MODE: Final = 0o600
_KEPT_BITS: Final = 0o777  # set-user-id and its kin are not carried to new content
Likeness = tuple[str, os.stat_result]  # the name of a file in the folder, and its state


def create(place: Place, path: str, raw: bytes) -> None:
    """Write the new file `path`, with the folders that it needs.

    Raises TryAgain where a file of this name exists, BadFile where its name differs from a
    neighbour's only in case or accents, Unavailable where the disk does not take it.
    """
    with inside.parent(place, path, make=True) as (folder, name):
        twin = same_elsewhere(name, os.listdir(folder))  # noqa: PTH208 - pathlib opens no descriptors
        if twin:
            raise BadFile(
                f"{shown(name)} differs from {shown(twin)} only in case or accents", "Choose another name."
            )
        with _beside(folder, raw, path, None) as temporary:
            _look_again(place, path, folder)
            _put(folder, temporary, name, path)
        inside.sync(folder)


def replace(place: Place, path: str, raw: bytes, expected: str) -> None:
    """Replace `path`, whose bytes have the digest `expected`.

    Raises TryAgain where it holds anything else by now, Unavailable where the disk fails.
    """
    with inside.parent(place, path) as (folder, name):
        found = _expected(folder, name, path, expected)
        with _beside(folder, raw, path, (name, found)) as temporary:
            _look_again(place, path, folder)
            _same(folder, name, path, found)
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        inside.sync(folder)


def remove(place: Place, path: str, expected: str) -> None:
    """Remove `path`, whose bytes have the digest `expected`. Raises as `replace`."""
    with inside.parent(place, path) as (folder, name):
        found = _expected(folder, name, path, expected)
        _look_again(place, path, folder)
        _same(folder, name, path, found)
        os.unlink(name, dir_fd=folder)
        inside.sync(folder)


def _expected(folder: int, name: str, path: str, expected: str) -> os.stat_result:
    try:
        raw, found = inside.content(folder, name, path)
    except BadFile as error:
        raise _changed(path) from error
    if digest(raw) != expected:
        raise _changed(path)
    return found


def _same(folder: int, name: str, path: str, found: os.stat_result) -> None:
    """The last look before the rename: the very file that was compared, untouched since."""
    now = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if _identity(now) != _identity(found):
        raise _changed(path)


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _look_again(place: Place, path: str, folder: int) -> None:
    """The path still leads to the folder that is open, not to one put in its place meanwhile."""
    again = inside.descend(place, inside.parts_of(path)[:-1])
    try:
        if not os.path.samestat(os.fstat(again), os.fstat(folder)):
            raise _changed(path)
    finally:
        os.close(again)


def _changed(path: str) -> TryAgain:
    return TryAgain(f"{shown(path)} was changed meanwhile", "Nothing was written. Run the command again.")


def sweep(place: Place, paths: Iterable[str]) -> None:
    """Remove temporary files that a killed process left (`Scan.leftovers`); only under the store's lock."""
    for path in paths:
        with suppress(BadFile, TryAgain), inside.parent(place, path) as (folder, name):
            if name.startswith(TEMPORARY):
                os.unlink(name, dir_fd=folder)


def sweep_beside(place: Place, paths: Iterable[str]) -> None:
    """Remove what a killed process left beside the files that it wrote; only under the store's lock."""
    for path in {path.rpartition("/")[0]: path for path in paths}.values():
        with suppress(BadFile, TryAgain), inside.parent(place, path) as (folder, _):
            for name in os.listdir(folder):  # noqa: PTH208 - pathlib opens no descriptors
                if name.startswith(TEMPORARY):
                    os.unlink(name, dir_fd=folder)


@contextmanager
def _beside(folder: int, raw: bytes, path: str, like: Likeness | None) -> Iterator[str]:
    """A synced temporary file in `folder` holding `raw`; gone afterwards unless it was renamed.

    `like` names the file whose mode and attributes it takes.
    """
    if len(raw) > LIMIT_BYTES:
        raise inside.too_large(path)
    name = f"{TEMPORARY}{os.urandom(8).hex()}.tmp"
    try:
        opened = os.open(name, _NEW, _FILE_MODE, dir_fd=folder)
        try:
            _write_all(opened, raw)
            _dress(opened, folder, like)
            inside.sync(opened)
        finally:
            os.close(opened)
        yield name
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def _write_all(opened: int, raw: bytes) -> None:
    """Write everything: one call may take less than it is given."""
    left = memoryview(raw)
    while left:
        left = left[os.write(opened, left) :]


def _dress(opened: int, folder: int, like: Likeness | None) -> None:
    """Mode, owner and extended attributes of the file that is replaced, or the private mode."""
    if like is None:
        os.fchmod(opened, _FILE_MODE)
        return
    name, found = like
    with suppress(OSError):  # only root gives files away; the new content then belongs to the writer
        os.fchown(opened, found.st_uid, found.st_gid)
    _copy_attributes(folder, name, opened)
    os.fchmod(opened, stat.S_IMODE(found.st_mode) & _KEPT_BITS)


def _copy_attributes(folder: int, name: str, target: int) -> None:
    if not hasattr(os, "listxattr"):  # not on every system
        return
    source = os.open(name, inside.READ, dir_fd=folder)
    try:
        for attribute in os.listxattr(source):
            with suppress(OSError):  # some belong to the system or to another file system
                os.setxattr(target, attribute, os.getxattr(source, attribute))
    except OSError:  # the file system has none
        return
    finally:
        os.close(source)


def _put(folder: int, temporary: str, name: str, path: str) -> None:
    """Give the temporary file its name without ever replacing another one."""
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError as error:
        raise TryAgain(
            f"{shown(path)} exists already", "Nothing was written. Run the command again."
        ) from error
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS):
            raise
        _put_without_links(folder, temporary, name, path)


def _put_without_links(folder: int, temporary: str, name: str, path: str) -> None:
    """For file systems that know no hard links: look, then rename."""
    if name in os.listdir(folder):
        raise TryAgain(f"{shown(path)} exists already", "Nothing was written. Run the command again.")
    os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
