"""Which files are schemas, found by names and `stat` alone: nothing is opened.

The dangers: a link that leads out of the store or round in a circle, a FIFO that never
answers, another repository inside this one, an editor's side files, and a folder that
cannot be listed and must not look like a mass deletion. Every folder is opened relative to
its parent without following links, so a folder swapped for a link is not entered.
"""

import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

from memcli.errors import Exhausted, Unavailable
from memcli.store import inside
from memcli.store.format import LIMIT_BYTES
from memcli.store.place import Place
from memcli.store.problem import Problem, shown

_SUFFIX: Final = ".md"
TEMPORARY: Final = ".mem-write-"  # how a file begins that is still being written; hidden, so never read
_DEPTH: Final = 24  # asserted: scope, kind, shard and what a person arranges below
# What merge tools and office programs put beside a file while it is open there.
_BESIDE: Final = re.compile(r"~\$.*|.*_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+\.md")
# What tools that sync folders make of a file that changed on two machines: Syncthing, Dropbox and the like.
_COPY: Final = re.compile(
    r".*\.sync-conflict-\d{8}-\d{6}(?:-\w+)?\.md|.*\([^()]*(?:conflicted copy|case conflict)[^()]*\)\.md",
    re.IGNORECASE,
)
_FOREIGN: Final = frozenset({"node_modules", "__pycache__"})
_OPEN: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Seen(NamedTuple):
    """One schema file: its path below the root and what changes whenever its content does."""

    path: str
    signature: str


class Scan(NamedTuple):
    """All schema files in order, and what a person should know.

    `set_aside` are files with a schema's name that cannot be one (too large, no regular
    file, a name that is not UTF-8), `notices` concern links, other repositories and names
    that collide elsewhere. `unlisted` are folders, ending in `/`, that could not be listed:
    nothing below them is verified absent. `leftovers` are temporary files of a killed write.
    `short` says what the process lacked where it lacked something to list one.
    """

    files: tuple[Seen, ...]
    notices: tuple[Problem, ...] = ()
    set_aside: tuple[Problem, ...] = ()
    unlisted: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    short: str = ""

    @property
    def hidden(self) -> tuple[str, ...]:
        """What a reader is told of folders that no answer takes into account; no name of another scope."""
        if not self.unlisted:
            return ()
        return ("A folder of schemas cannot be listed, and what it holds may be missing: see mem doctor.",)

    def refuse_short(self) -> None:
        """Raise Exhausted where the process lacked something to list a folder: what is here is not all."""
        if self.short:
            raise Exhausted(self.short, "Nothing is wrong with the folder: try again.")


def signature(found: os.stat_result) -> str:
    """What differs after every change of a file: size, both times in nanoseconds, inode."""
    return f"{found.st_size}:{found.st_mtime_ns}:{found.st_ctime_ns}:{found.st_ino}"


def scan(place: Place) -> Scan:
    """Every schema file of the store. Raises Unavailable where `schemas/` itself is not there.

    A store in which none was ever seen has not begun yet: there are no files.
    """
    try:
        folder = os.open(place.schemas, _OPEN)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and place.root.is_dir() and _never_seen(place):
            return Scan(())
        inside.refuse_exhausted(error, place.schemas.name)
        hint = "Is the disk mounted, and is this the right store? Nothing was taken as deleted."
        raise Unavailable(
            f"the store is not there: {shown(str(place.schemas))} cannot be opened", hint
        ) from error
    walk = _Walk()
    walk.folder(folder, place.schemas.name + "/", 0)
    return walk.result()


def _never_seen(place: Place) -> bool:
    from memcli.store import known

    return not known.load(place.known_file)


class _Walk:
    """The walk's findings, gathered folder by folder."""

    def __init__(self) -> None:
        self._files: list[Seen] = []
        self._notices: list[Problem] = []
        self._set_aside: list[Problem] = []
        self._unlisted: list[str] = []
        self._leftovers: list[str] = []
        self._short = ""

    def result(self) -> Scan:
        self._files.sort()
        return Scan(
            tuple(self._files),
            tuple(sorted(self._notices)),
            tuple(sorted(self._set_aside)),
            tuple(sorted(self._unlisted)),
            tuple(sorted(self._leftovers)),
            self._short,
        )

    def folder(self, opened: int, prefix: str, depth: int) -> None:
        """Take in the folder open as `opened` (closed here) whose path is `prefix`."""
        try:
            with os.scandir(opened) as entries:
                self._entries(opened, list(entries), prefix, depth)
        except OSError as error:
            self._not_listed(prefix, error)
        finally:
            os.close(opened)

    def _entries(self, opened: int, entries: list[os.DirEntry[str]], prefix: str, depth: int) -> None:
        if any(entry.name == ".git" for entry in entries):
            self._notice(prefix, "is a git repository of its own and is not read")
            return
        names = []
        for entry in entries:
            if entry.name.startswith("."):
                self._hidden(prefix + entry.name, entry.name)
            elif entry.is_symlink():
                self._notice(prefix + entry.name, "is a link and is not followed")
            elif entry.is_dir(follow_symlinks=False):
                self._enter(opened, entry.name, prefix, depth + 1)
            elif _named_so(entry.name):
                names.append(entry.name)
                self._file(entry, prefix + entry.name)
        self._look_alikes(names, prefix)

    def _hidden(self, path: str, name: str) -> None:
        if name.startswith(TEMPORARY):
            self._leftovers.append(path)

    def _file(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            found = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return
        if not stat.S_ISREG(found.st_mode):
            self._aside(path, "is not a regular file")
        elif found.st_size > LIMIT_BYTES:
            self._aside(path, f"is larger than {LIMIT_BYTES // 1024} KiB, the limit of a file")
        elif not path.isascii() and not _is_text(path):
            self._aside(path, "has a name that is not UTF-8; rename it")
        elif _COPY.fullmatch(entry.name):
            self._aside(path, "is a copy that a sync tool made; take over what is needed and delete it")
        else:
            self._files.append(Seen(path, signature(found)))

    def _enter(self, parent: int, name: str, prefix: str, depth: int) -> None:
        path = f"{prefix}{name}/"
        if name in _FOREIGN:
            return
        if depth > _DEPTH or not _is_text(name):
            self._notice(
                path, "lies too deep" if depth > _DEPTH else "has a name that is not UTF-8; rename it"
            )
            return
        try:
            opened = os.open(name, _OPEN, dir_fd=parent)
        except OSError as error:
            self._not_listed(path, error)
            return
        self.folder(opened, path, depth)

    def _not_listed(self, prefix: str, error: OSError) -> None:
        """A folder that vanished meanwhile is gone; any other failure leaves its files unknown."""
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            self._unlisted.append(prefix)
            if error.errno in inside.OF_THE_PROCESS:
                self._short = f"{shown(prefix)} cannot be listed: {error.strerror}"
            self._notice(prefix, f"cannot be listed: {error.strerror}")

    def _look_alikes(self, names: list[str], prefix: str) -> None:
        """Names that are one on a disk without upper and lower case, or with composed accents only."""
        if len({_folded(name) for name in names}) == len(names):
            return
        first: dict[str, str] = {}
        for name in sorted(names):
            twin = first.setdefault(_folded(name), name)
            if twin != name:
                self._notice(
                    prefix + name, f"differs from {shown(twin)} only in case or accents: not portable"
                )

    def _notice(self, path: str, what: str) -> None:
        self._notices.append(Problem(path, 0, "", what))

    def _aside(self, path: str, what: str) -> None:
        self._set_aside.append(Problem(path, 0, "", what))


def signature_of(place: Place, path: str) -> str | None:
    """The signature of one schema file, None where there is none, empty where a scan would not take it."""
    try:
        found = os.lstat(place.at(path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ""
    plain = stat.S_ISREG(found.st_mode) and found.st_size <= LIMIT_BYTES and is_schema_path(path)
    return signature(found) if plain and _entered(place, path) else ""


def _entered(place: Place, path: str) -> bool:
    """Whether a scan enters every folder on the way to `path`: no links, no repositories of their own."""
    folder = place.root
    for name in path.split("/")[:-1]:
        folder /= name
        if folder.is_symlink() or os.path.lexists(folder / ".git"):
            return False
    return True


def is_schema_path(path: str) -> bool:
    """Whether a file that the store calls `path` would be read, by its name alone."""
    first, *inner = path.split("/")
    if first != "schemas" or not inner or len(inner) > _DEPTH + 1 or not _is_text(path):
        return False
    hidden = any(not part or part.startswith(".") for part in inner)
    named = _named_so(inner[-1]) and not _COPY.fullmatch(inner[-1])
    return named and not hidden and _FOREIGN.isdisjoint(inner[:-1])


def _named_so(name: str) -> bool:
    """Whether a file is a person's markdown, and not something that a program put beside it."""
    return name.endswith(_SUFFIX) and not _BESIDE.fullmatch(name)


def same_elsewhere(name: str, names: Iterable[str]) -> str:
    """The one of `names` that is `name` on a disk without case or with composed accents; empty if none."""
    wanted = _folded(name)
    return next((other for other in names if other != name and _folded(other) == wanted), "")


def _folded(name: str) -> str:
    return name.lower() if name.isascii() else unicodedata.normalize("NFC", name).casefold()


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
