"""What the tree of a commit holds, and how the files on disk differ from it.

Nothing here writes: not even the refreshed staging area that `git status` would leave.
Paths are the store's own (relative to its root), whatever the store's place in the
repository; names reach git after `--` and as they are, never as patterns.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memcli.journal.entries import entry
from memcli.journal.log import Logged, walk
from memcli.journal.objects import Objects
from memcli.journal.repository import Journal

_FEW: Final = 16  # asserted: paths read one by one in less time than a process takes to start
_LINK: Final = "120000"  # the mode of a symbolic link
SHA1: Final = 40  # characters of an id
_HASHES: Final = (SHA1, 64)  # by the kind of repository
_HEX: Final = frozenset("0123456789abcdef")
_MANY: Final = 200  # paths on one command line: asserted, far below the kernel's limit of 2 MiB


class Kind(StrEnum):
    """How a file on disk differs from the commit."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, order=True)
class Uncommitted:
    """A path of the store that HEAD holds otherwise."""

    path: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Version:
    """One committed state of a file; `blob` is empty where the commit removed it."""

    commit: str
    at: int
    blob: str
    path: str


def blobs(journal: Journal, rev: str, prefix: str = "schemas/") -> dict[str, str]:
    """Path → blob id of every file below `prefix` (empty: the whole store) in the tree of `rev`."""
    return dict(_listed(journal, journal.resolve(rev), (prefix,) if prefix else ()))


def regular(journal: Journal, commit: str, prefix: str) -> dict[str, str]:
    """As `blobs` of the full id `commit`, without links: what a look at the files would read."""
    return {path: blob for path, blob, mode in _stated(journal, commit, (prefix,)) if mode != _LINK}


def read(journal: Journal, rev: str, paths: Sequence[str]) -> dict[str, bytes | None]:
    """The committed bytes of each of `paths` at `rev`, None where that commit does not hold it."""
    wanted = dict.fromkeys(paths)
    if len(wanted) <= _FEW and len(rev) in _HASHES and not set(rev) - _HEX:
        objects = _objects(journal, rev)
        root = objects.read(rev, "commit")[len(b"tree ") :].partition(b"\n")[0].decode()
        return {path: _at(objects, root, journal.prefix + path) for path in wanted}
    commit = journal.resolve(rev)
    few = tuple(wanted) if len(wanted) <= _MANY else ()
    found = {path: blob for path, blob in _listed(journal, commit, few) if path in wanted} if wanted else {}
    contents = read_blobs(journal, found.values())
    return {path: contents[found[path]] if path in found else None for path in wanted}


def _at(objects: Objects, tree: str, path: str) -> bytes | None:
    """The file `path` below `tree`, read without a process; None where there is none."""
    blob = _blob(objects, tree, path)
    return None if blob is None else objects.read(blob, "blob")


def _blob(objects: Objects, tree: str, path: str) -> str | None:
    *folders, name = path.encode("utf-8", "surrogateescape").split(b"/")
    for folder in folders:
        mode, id_ = entry(objects, tree, folder)
        if mode.lstrip(b"0") != b"40000":
            return None
        tree = id_.hex()
    mode, id_ = entry(objects, tree, name)
    return id_.hex() if mode[:2] in (b"10", b"12") else None  # a file, a link


def named(journal: Journal, commit: str, paths: Iterable[str]) -> tuple[str, dict[str, str | None]]:
    """The tree of `commit` (a full id) and the blob of each of `paths` in it, None where it holds none.

    Read without a process; meant for as many paths as an answer has.
    """
    objects = _objects(journal, commit)
    root = objects.read(commit, "commit")[len(b"tree ") :].partition(b"\n")[0].decode()
    return root, {path: _blob(objects, root, journal.prefix + path) for path in paths}


def _objects(journal: Journal, commit: str) -> Objects:
    kind = "sha256" if len(commit) > min(_HASHES) else "sha1"
    return Objects(journal.found.common_dir / "objects", journal.git, kind)


def read_blobs(journal: Journal, names: Iterable[str]) -> Mapping[str, bytes]:
    """Blob id → bytes, by one git process."""
    return Objects(journal.found.common_dir / "objects", journal.git).read_all(names)


def sizes(journal: Journal, names: Iterable[str]) -> dict[str, int]:
    """Blob id → how many bytes it holds, by one git process that reads none of them."""
    given = "".join(f"{one}\n" for one in dict.fromkeys(names)).encode()
    form = "--batch-check=%(objectname) %(objectsize)"
    lines = journal.git.read("cat-file", form, given=given).decode().splitlines() if given else ()
    return {name: int(size) for name, _, size in (line.partition(" ") for line in lines) if size.isdigit()}


def _listed(journal: Journal, commit: str, paths: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    return ((path, blob) for path, blob, _ in _stated(journal, commit, paths))


def _stated(journal: Journal, commit: str, paths: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """(path, blob, mode) of each file."""
    out = journal.git.read("ls-tree", "-r", "-z", "--end-of-options", commit, *paths)
    for line in out.decode("utf-8", "surrogateescape").split("\0"):
        stated, _, path = line.partition("\t")
        if path and " blob " in stated:
            yield path, stated.rpartition(" ")[2], stated.partition(" ")[0]


def uncommitted(journal: Journal, prefixes: Sequence[str] = ("schemas",)) -> tuple[Uncommitted, ...]:
    """How the files below `prefixes` differ from HEAD, ignored ones included, in order of path.

    Runs no filter of the repository: a file that only its filter makes equal shows as modified.
    """
    configuration = journal.configuration
    journal.refuse_unusable(configuration)
    out = journal.git.read(
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--ignored=traditional",
        "--ignore-submodules=all",
        "--no-renames",
        "--",
        *prefixes,
        neutral=configuration.no_filters,
    )
    codes: dict[str, str] = {}
    for line in out.decode("utf-8", "surrogateescape").split("\0"):
        code, path = _status(line)
        if path.startswith(journal.prefix) and path:
            codes[path.removeprefix(journal.prefix)] = codes.get(path.removeprefix(journal.prefix), "") + code
    kinds = ((path, _kind(code)) for path, code in codes.items())
    return tuple(sorted(Uncommitted(path, kind) for path, kind in kinds if kind))


def _status(line: str) -> tuple[str, str]:
    """The two letters and the path of one line of porcelain v2; `??` where git does not track it."""
    if line[:2] in ("? ", "! "):
        return "??", line[2:]
    if line[:2] == "1 ":
        return line[2:4], line.split(" ", 8)[8]
    if line[:2] == "u ":
        return "UU", line.split(" ", 10)[10]
    return "", ""


def _kind(code: str) -> Kind | None:
    """What the two letters of a path say of disk against HEAD; four: staged away and there again."""
    if "??" in code:
        return Kind.MODIFIED if len(code) > len("??") else Kind.ADDED
    staged, disk = code[0], code[1]
    if disk == "D":
        return None if staged == "A" else Kind.DELETED
    if staged in "AD":
        return Kind.ADDED if staged == "A" or disk == "A" else Kind.DELETED
    return Kind.MODIFIED


def versions(journal: Journal, path: str, rev: str = "HEAD") -> tuple[Version, ...]:
    """Every committed state up to `rev` of the file that is at `path` there (or was), newest first.

    Renames are followed where the content stayed alike, as `git log --follow` does; a merge has
    a state of its own where it holds what neither side did. Times are committer times;
    `history.entry` gives the record time.
    """
    if journal.head() is None:
        return ()
    logged = walk(journal.git, "%H %ct", "-c", "--raw", "--follow", "--end-of-options", rev, "--", path)
    return tuple(_version(journal, one) for one in logged if one.touched)


def stood(journal: Journal, paths: Sequence[str]) -> dict[str, frozenset[str]]:
    """The blobs that each of `paths` was in the history of HEAD."""
    words = ("--raw", "--no-renames", "-c", "--full-history", "--end-of-options", "HEAD", "--", *paths)
    found: dict[str, set[str]] = {path: set() for path in paths}
    for one in walk(journal.git, "%H", *words) if paths else ():
        for touched in one.touched:
            if touched.blob.strip("0"):
                found[touched.path.removeprefix(journal.prefix)].add(touched.blob)
    return {path: frozenset(blobs) for path, blobs in found.items()}


def _version(journal: Journal, logged: Logged) -> Version:
    commit, at = logged.text.split(" ")
    touched = logged.touched[0]
    blob = touched.blob if touched.blob.strip("0") else ""
    return Version(commit, int(at), blob, touched.path.removeprefix(journal.prefix))
