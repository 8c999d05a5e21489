"""What the index last saw of every file, so that a scan alone says what changed.

The danger here is a file edited twice within one tick of the file system's clock: its
signature would stay the same. So an entry that was younger than its snapshot is kept
without its signature and counts as changed. The snapshot's moment comes from the file
system itself (`present`), never from the process's clock, which may be another machine's.
"""

import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from memcli.store import private
from memcli.store.scan import Scan

_VERSION: Final = b"mem known 1"
_FIELDS: Final = 5
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
    """What `save` wrote to `file`; None where it is missing, torn or of another version."""
    try:
        raw = file.read_bytes()
    except OSError:
        return None
    header, _, body = raw.partition(b"\n")
    if header != _header(body):
        return None
    fields = body.decode("utf-8", "surrogatepass").split("\0")[:-1]
    rest = zip(*(fields[at::_FIELDS] for at in range(1, _FIELDS)), strict=True)
    return dict(zip(fields[::_FIELDS], map(KnownFile._make, rest), strict=True))


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
