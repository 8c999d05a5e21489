"""What the index last saw of every file, so that a scan alone says what changed.

The danger here is a file edited twice within one tick of the file system's clock: its
signature would stay the same. So an entry that was younger than its snapshot is kept
without its signature and counts as changed. The snapshot's moment comes from the file
system itself (`present`), never from the process's clock, which may be another machine's.
"""

import os
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from memcli.store import private
from memcli.store.scan import Scan

_VERSION: Final = b"mem known 2"
_FIELDS: Final = 5
_GROWN: Final = 1.5  # asserted: a file that additions made so much longer is written anew
_ROOM: Final = 1 << 16  # bytes of additions that a short file may take
_LONGEST_HEADER: Final = 100
_LONGEST_SIZE: Final = 12  # digits
_GONE: Final = "-"  # the signature of a path that is no longer there
UNSETTLED: Final = ""  # a signature that equals no file's


class KnownFile(NamedTuple):
    """One file as it was indexed: `problem` is why it is set aside, empty where it is not."""

    signature: str
    digest: str
    id: str
    problem: str = ""


Known = Mapping[str, KnownFile]


class Difference(NamedTuple):
    """Paths to read again, and paths that are gone; both in order."""

    changed: tuple[str, ...]
    vanished: tuple[str, ...]
    emptied: bool = False  # no file is left of those known: rather a missing disk than a mass deletion


def difference(scan: Scan, known: Known) -> Difference:
    """What `scan` shows that `known` does not hold, or holds otherwise.

    A path below a folder that could not be listed is not verified absent, so it is not
    vanished. An entry without a signature always counts as changed.
    """
    nothing = KnownFile(UNSETTLED, "", "")
    changed = tuple(path for path, signature in scan.files if known.get(path, nothing).signature != signature)
    gone = known.keys() - {path for path, _ in scan.files}
    vanished = tuple(sorted(path for path in gone if not path.startswith(scan.unlisted)))
    return Difference(changed, vanished, emptied=len(vanished) == len(known) > 0 and not scan.files)


def present(folder: Path) -> int:
    """The file system's own present in nanoseconds, read off a probe written in `folder`.

    Taken before a scan, it tells which entries of that scan may still change unseen.
    Raises OSError where the folder cannot be written.
    """
    probe = folder / f"known.{os.getpid()}.probe"
    try:
        with probe.open("wb") as file:
            file.write(b"now")
            file.flush()
            return os.fstat(file.fileno()).st_mtime_ns
    finally:
        probe.unlink(missing_ok=True)


def settled(known: Known, taken_ns: int) -> dict[str, KnownFile]:
    """`known` with the signatures removed of files that were not older than `taken_ns`."""
    return {
        path: file if _youngest(file.signature) < taken_ns else file._replace(signature=UNSETTLED)
        for path, file in known.items()
    }


def _youngest(signature: str) -> int:
    """The later of a signature's mtime and ctime; an empty signature is of no age."""
    if not signature:
        return 0
    _, changed, altered, _ = signature.split(":")
    return max(int(changed), int(altered))


def load(file: Path) -> Known | None:
    """What `save` and `add` wrote to `file`; None where it is missing, torn or of another version.

    Of additions the last may be torn: it is passed over, and its files count as changed.
    """
    try:
        parts = _parts(_raw(file))
        whole = next(parts, None)
        known = {} if whole is None else _entries(whole)
        for part in parts:
            known |= _entries(part)
    except (OSError, ValueError):  # gone, or sound by its sums and yet senseless: somebody made it up
        return None
    return None if whole is None else {path: one for path, one in known.items() if one.signature != _GONE}


def _raw(file: Path) -> bytes:
    """The bytes of a regular file; a pipe or a link in its place is none. Raises OSError."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as opened:
        return opened.read() if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""


def _parts(raw: bytes) -> Iterator[bytes]:
    """The whole, then each addition, as far as they are sound."""
    at = 0
    while (end := raw.find(b"\n", at)) > 0:
        header = raw[at:end]
        size = header.rpartition(b" ")[2]
        body = raw[end + 1 : end + 1 + int(size)] if size.isdigit() and len(size) < _LONGEST_SIZE else b""
        if header != _header(body):
            return
        yield body
        at = end + 1 + len(body)


def _entries(body: bytes) -> dict[str, KnownFile]:
    fields = body.decode("utf-8", "surrogatepass").split("\0")[:-1]
    rest = zip(*(fields[at::_FIELDS] for at in range(1, _FIELDS)), strict=True)
    return dict(zip(fields[::_FIELDS], map(KnownFile._make, rest), strict=True))


def add(file: Path, known: Known, gone: Iterable[str], whole: Known) -> None:
    """Add what changed to `file`: entries to take over, and paths to leave out.

    Where it has grown too long or is not there it is written anew as `whole`. The caller holds
    the store's lock. Raises OSError.
    """
    lines = [_line(path, *entry) for path, entry in known.items()]
    lines += [_line(path, _GONE, "", "", "") for path in gone]
    body = "".join(lines).encode("utf-8", "surrogatepass")
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "r+b") as opened:
            size = opened.seek(0, os.SEEK_END)
            opened.seek(0)
            first = opened.readline(_LONGEST_HEADER).strip().rpartition(b" ")[2]
            if first.isdigit() and size < _GROWN * int(first) + _ROOM:
                opened.seek(size)
                opened.write(_header(body) + b"\n" + body)
                return
    except OSError:
        pass  # none there, or what cannot be added to: a link, a pipe
    save(file, {**whole, **known})


def save(file: Path, known: Known) -> None:
    """Write `known` in place of `file` at once. Not fsynced: what is torn is found by its checksum.

    Raises OSError.
    """
    parts = (_line(path, *entry) for path, entry in known.items())
    body = "".join(parts).encode("utf-8", "surrogatepass")
    private.put(file, _header(body) + b"\n" + body)


def _line(path: str, signature: str, digest: str, identity: str, problem: str) -> str:
    return f"{path}\0{signature}\0{digest}\0{identity}\0{problem.replace(chr(0), ' ')}\0"


def _header(body: bytes) -> bytes:
    return b"%b %08x %d" % (_VERSION, zlib.crc32(body), len(body))
