"""How long git is waited for: as long as it works, within a bound, and no longer once it only waits itself.

A limit by the clock alone does harm both ways. On a store of a million files, or a disk that has much
else to do, an honest answer takes longer; and whoever waits for a password or a monitor will
never answer. The kernel tells them apart: what works uses the processor or reads from a disk.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import subprocess

LONGEST_S: Final = 600.0  # asserted: twenty times the usual limit; no store may hang for ever
_PROCESSES: Final = Path("/proc")
_GROUP: Final = 2  # places in /proc/N/stat behind the name, from 0
_SPENT: Final = (11, 12, 13, 14, 39)  # in ticks: user, system, the same of ended children, waiting for a disk


def answered(
    child: "subprocess.Popen[bytes]", given: bytes, limit_s: float, *, works_alone: bool
) -> tuple[bytes, bytes]:
    """Stdout and stderr of a child that leads a group of its own.

    Raises TimeoutExpired after `limit_s` where the second half of it was spent waiting; a child that
    runs no programs of others (`works_alone`) may go on while it works, for at most LONGEST_S.
    """
    import subprocess
    import time

    begun, spent = time.monotonic(), None
    asked: bytes | None = given
    while True:
        try:
            return child.communicate(asked, timeout=limit_s / 2)
        except subprocess.TimeoutExpired:
            took_s = time.monotonic() - begun
            asked, before, spent = None, spent, ticks_of(child.pid)
            waits = spent is None or spent == before
            if took_s >= limit_s and (waits or not works_alone or took_s >= max(limit_s, LONGEST_S)):
                raise


def ticks_of(group: int) -> int | None:
    """What the processes of a group have used so far; None where the system does not say."""
    found = None
    with suppress(OSError):
        for name in os.listdir(_PROCESSES):  # noqa: PTH208 - a thousand names, and only these are wanted
            with suppress(OSError, ValueError, IndexError):
                fields = (_PROCESSES / str(int(name)) / "stat").read_bytes().rpartition(b")")[2].split()
                if int(fields[_GROUP]) == group:
                    found = (found or 0) + sum(int(fields[place]) for place in _SPENT)
    return found
