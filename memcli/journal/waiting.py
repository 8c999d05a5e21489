"""How long git is waited for: as long as it works, within a bound, and no longer once it only waits itself.

A limit by the clock alone does harm both ways. On a store of a million files, or a disk that has much
else to do, an honest answer takes longer; and whoever waits for a password or a monitor will
never answer. The kernel tells them apart: what works uses the processor or reads from a disk.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

LONGEST_S: Final = 600.0  # asserted: twenty times the usual limit; no store may hang for ever
_PROCESSES: Final = Path("/proc")
_GROUP: Final = 2  # places in /proc/N/stat behind the name, from 0
_SPENT: Final = (11, 12, 13, 14, 39)  # in ticks: user, system, the same of ended children, waiting for a disk


class Patience:
    """How long one child is waited for: `limit_s`, and longer while it works, where it `works_alone`.

    A child that runs programs of others has its limit, whatever these do.
    """

    def __init__(self, limit_s: float, *, works_alone: bool) -> None:
        self.pause_s = limit_s / 2  # between two looks, so that what it spends of a limit is seen
        self._limit_s = limit_s
        self._longest_s = max(limit_s, LONGEST_S) if works_alone else limit_s
        self._begun = time.monotonic()
        self._spent: int | None = None

    def over(self, group: int) -> bool:
        """Whether it has waited itself since the last look, or is at the end of all patience."""
        before, self._spent = self._spent, ticks_of(group)
        took_s = time.monotonic() - self._begun
        waits = self._spent is None or self._spent == before
        return took_s >= self._limit_s and (waits or took_s >= self._longest_s)


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
