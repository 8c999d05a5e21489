"""A file on disk as git would keep it: mode, blob, and what `stat` said while it was read.

Git may convert on the way in: line endings, filters, `$Id$`, encodings. Where no attribute
and no setting can touch a file its bytes are the blob, and no process is needed; in any
doubt git itself is asked.

The danger here is a folder that is swapped for a link to somewhere private after it was
looked at: what lies there would stand in history for good. So every folder on the way is
opened relative to its parent without following links.
"""

import errno
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from memcli.errors import BadFile, TryAgain, Unavailable
from memcli.journal.configuration import Configuration
from memcli.journal.objects import Objects
from memcli.journal.repository import Journal

# Attributes under which the bytes may change though they hold no carriage return.
_CONVERTING: Final = re.compile(rb"filter|ident|working-tree-encoding|\[attr\]")
_SYSTEM: Final = Path("/etc/gitattributes")
_ROOT: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC  # may be a link: the person named it
_FOLDER: Final = _ROOT | os.O_NOFOLLOW
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_IN_THE_WAY: Final = frozenset({errno.ELOOP, errno.EMLINK, errno.ENOTDIR})  # a link, as systems say it
LIMIT_BYTES: Final = 64 * 2**20  # asserted: a session's events stay far below; schemas end at 1 MiB


@dataclass(frozen=True, slots=True)
class Content:
    """`path` (in the repository) as it is on disk: `blob` is stored; None where there is no such file."""

    path: str
    mode: bytes
    blob: str
    seen: os.stat_result


@dataclass(slots=True)
class Reader:
    """Reads files of one working tree; remembers which folders are plain and whether git converts there."""

    journal: Journal
    configuration: Configuration
    objects: Objects
    _folders: dict[Path, bool] = field(default_factory=dict)

    def content(self, path: str) -> Content | None:
        """The file at `path` of the repository, stored as a blob; None where there is none.

        Raises BadFile where a link is in the way, TryAgain where it changes while it is read.
        """
        top = self.journal.found.top
        self._converts((top / path).parent)
        try:
            raw, seen = _read(top, path)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        blob = self.objects.write("blob", raw) if self.keeps(path, raw) else self._converted(path, raw)
        return Content(path, self._mode(seen), blob, seen)

    def keeps(self, path: str, raw: bytes) -> bool:
        """Whether the blob of a file at `path` with the bytes `raw` is those bytes. Raises BadFile."""
        return not self._converts((self.journal.found.top / path).parent) and b"\r" not in raw

    def _mode(self, seen: os.stat_result) -> bytes:
        executable = seen.st_mode & stat.S_IXUSR and self.configuration.flag("core.filemode", default=True)
        return b"100755" if executable else b"100644"

    def _converted(self, path: str, raw: bytes) -> str:
        git = self.journal.git
        ran = git.act(
            "-C", str(self.journal.found.top), "hash-object", "-w", "--stdin", f"--path={path}", given=raw
        )
        if ran.code:
            raise Unavailable(
                f"git could not store {path}: {ran.complaint}", "Check the filters in .gitattributes."
            )
        return ran.out.decode().strip()

    def _converts(self, folder: Path) -> bool:
        """Whether attributes may change bytes in `folder`. Raises BadFile at a link and a repository."""
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = self._look(folder)
        return known

    def _look(self, folder: Path) -> bool:
        if folder == self.journal.found.top:
            return any(_converting(file) for file in (folder / ".gitattributes", *self._everywhere()))
        if folder.is_symlink():
            raise BadFile(
                f"{folder} is a link; what lies behind it is not the store's.", "Move the files here."
            )
        if (folder / ".git").exists():
            raise BadFile(
                f"{folder} is a repository of its own.", "Make it a store of its own, or move it away."
            )
        return self._converts(folder.parent) or _converting(folder / ".gitattributes")

    def _everywhere(self) -> Sequence[Path]:
        home = self.journal.home
        general = self.journal.git.environment.get("XDG_CONFIG_HOME") or f"{home}/.config"
        own = self.configuration.path("core.attributesfile", home) or Path(general) / "git" / "attributes"
        return (self.journal.found.common_dir / "info" / "attributes", own, _SYSTEM)


def _converting(attributes: Path) -> bool:
    try:
        return _CONVERTING.search(attributes.read_bytes()) is not None
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def _read(top: Path, path: str) -> tuple[bytes, os.stat_result]:
    place = top / path
    handle = _open(top, path)
    with os.fdopen(handle, "rb") as file:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise IsADirectoryError(place)
        if before.st_size > LIMIT_BYTES:
            raise BadFile(f"{place} is larger than {LIMIT_BYTES >> 20} MiB.", "Move it out of the store.")
        raw = file.read()
        after = os.fstat(handle)
    if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, after.st_size) or len(
        raw
    ) != after.st_size:
        raise _changed(place)
    return raw, after


def _open(top: Path, path: str) -> int:
    """The file, opened name by name and never through a link. Raises BadFile, TryAgain, OSError."""
    *folders, name = path.split("/")
    place = top
    opened = os.open(top, _ROOT)
    try:
        for folder in folders:
            place /= folder
            parent, opened = opened, _step(opened, folder, _FOLDER, place)
            os.close(parent)
        return _step(opened, name, _FILE, place / name)
    finally:
        os.close(opened)


def _step(parent: int, name: str, flags: int, place: Path) -> int:
    try:
        return os.open(name, flags, dir_fd=parent)
    except OSError as error:
        if error.errno not in _IN_THE_WAY:
            raise
        _refuse_link(parent, name, place)
        raise


def _refuse_link(parent: int, name: str, place: Path) -> None:
    """Say what kept `name` from being opened, unless it is a file where a folder should be."""
    try:
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError as error:  # a link a moment ago: that is no sign that anybody removed the file
        raise _changed(place) from error
    if stat.S_ISLNK(found.st_mode):
        raise BadFile(f"{place} is a link; the journal keeps files.", "Replace it by what it leads to.")
    if stat.S_ISDIR(found.st_mode):
        raise _changed(place)


def _changed(place: Path) -> TryAgain:
    return TryAgain(f"{place} changed while it was read.", "Try again when it is saved.")
