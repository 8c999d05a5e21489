"""What this machine found out about model files, so that no command finds it out again.

Hashing 23 MB costs a quarter of a cold recall. A file counts as known while its stat is
the one seen when it was hashed: size, both times and inode, which no copy and no checkout
of somebody else's ledger reproduces. The ledger may vanish or be garbage at any time;
without it everything is measured again.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from memcli.errors import UNREADABLE
from memcli.index import folders

NAME: Final = "known.json"
BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Known:
    """Digests by path and signature, and the self-test's margin by fingerprint."""

    digests: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    margins: Mapping[str, float] = field(default_factory=dict)


class Ledger:
    """The ledger of a workspace folder; None forgets everything."""

    def __init__(self, workspace: Path | None) -> None:
        self._file = workspace / NAME if workspace else None
        self._known = _read(self._file)

    def digest(self, file: Path) -> str:
        """The sha256 of a file, in hex. Raises OSError."""
        seen = signature(file)
        known = self._known.digests.get(str(file))
        if known and known[0] == seen:
            return known[1]
        found = _hash(file)
        if signature(file) == seen:
            self._remember(replace(self._known, digests={**self._known.digests, str(file): (seen, found)}))
        return found

    def margin(self, fingerprint: str) -> float | None:
        """What the self-test of this encoder gave, if it ran here before."""
        return self._known.margins.get(fingerprint)

    def remember_margin(self, fingerprint: str, margin: float) -> None:
        """Keep what the self-test of this encoder gave."""
        self._remember(replace(self._known, margins={**self._known.margins, fingerprint: margin}))

    def _remember(self, known: Known) -> None:
        self._known = known
        if self._file is not None:
            with suppress(OSError):
                folders.make(self._file.parent)
                write(self._file, {"digests": known.digests, "margins": known.margins})


def signature(file: Path) -> str:
    """What changes whenever a file's bytes do. Raises OSError."""
    seen = file.stat()
    return f"{seen.st_size}:{seen.st_mtime_ns}:{seen.st_ctime_ns}:{seen.st_ino}"


def write(file: Path, content: Mapping[str, Any]) -> None:
    """The file with this content as JSON, whole or not at all. Raises OSError."""
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        folders.write(fresh, json.dumps(content))
        fresh.replace(file)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def _read(file: Path | None) -> Known:
    try:
        found = json.loads(file.read_bytes()) if file else {}
        return Known(
            {
                str(path): (str(seen), str(digest))
                for path, (seen, digest) in found.get("digests", {}).items()
            },
            {str(name): float(margin) for name, margin in found.get("margins", {}).items()},
        )
    except UNREADABLE:
        return Known()


def _hash(file: Path) -> str:
    running = sha256()
    with file.open("rb") as stream:
        while block := stream.read(BLOCK):
            running.update(block)
    return running.hexdigest()
