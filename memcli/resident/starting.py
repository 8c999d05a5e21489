"""Starting a resident apart from the terminal, and ending one: by asking it, never by a number."""

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from memcli.errors import Unavailable
from memcli.resident import door
from memcli.store import inside
from memcli.store.place import Place

START_S: Final = 20.0  # asserted: a first start prepares the model, 2 s where this was measured
END_S: Final = 10.0
POLITE: Final = 10  # how much less urgent than a command that somebody waits for
_PAUSE_S: Final = 0.01
_APPENDED: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
LOG_LIMIT: Final = 1 << 20  # bytes; a longer log begins anew


def log_file(place: Place) -> Path:
    """What a resident without a terminal says."""
    return place.private / "log" / "watch.log"


def spawn(place: Place, *words: str) -> "subprocess.Popen[bytes]":
    """Start `mem watch` (or `words`) for the store in a session of its own; returns at once.

    Raises Unavailable.
    """
    descriptor = _log(place)
    try:
        return subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-m", "memcli", "--store", str(place.root), *(words or ("watch",))],
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            start_new_session=True,
        )
    finally:
        os.close(descriptor)


def ended(child: "subprocess.Popen[bytes]", longest_s: float) -> int:
    """Let `child` work behind whatever somebody waits for, and wait for its end; its exit code."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, child.pid, POLITE)
    try:
        return child.wait(longest_s)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def _log(place: Place) -> int:
    """The log, open for its end; what was made for it is its owner's alone. Raises Unavailable, BadFile."""
    with inside.parent(place, log_file(place).relative_to(place.root).as_posix(), make=True) as (
        folder,
        name,
    ):
        descriptor = inside.opened(name, _APPENDED, folder)
        if os.fstat(descriptor).st_size > LOG_LIMIT:
            os.ftruncate(descriptor, 0)
        return descriptor


def detach(place: Place) -> dict[str, Any]:
    """Start a resident, unless one lives, and wait until it answers; how it stands. Raises Unavailable."""
    if (standing := status(place)) is not None:
        return standing
    child = spawn(place)
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        if (standing := status(place)) is not None:
            return standing
        if child.poll() is not None and not door.lives(place):
            break
        time.sleep(_PAUSE_S)
    raise Unavailable("The resident did not start.", f"What it said is in {log_file(place)}.")


def status(place: Place) -> dict[str, Any] | None:
    """How the resident stands, as it says itself; None where none can be reached."""
    raw = door.asked(place, "status")
    try:
        told = json.loads(raw) if raw else None
    except ValueError:
        return None
    return told if isinstance(told, dict) else None


def stop(place: Place) -> bool:
    """End the resident and wait until it is gone; whether there was one. Raises Unavailable."""
    if not door.lives(place):
        return False
    until = time.monotonic() + END_S
    door.asked(place, "stop")
    while door.lives(place):
        if time.monotonic() > until:
            raise Unavailable(
                "A resident lives, but does not answer.",
                f"`fuser {place.resident_lock}` names its process; end that.",
            )
        time.sleep(_PAUSE_S)
    return True
