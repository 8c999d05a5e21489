"""The resident as the doctor looks at it: whether it lives, is reached, looks, and hears of changes."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from memcli import __version__
from memcli.engine.health.examining import Finding, Named, fail, ok, warn
from memcli.engine.health.look import Look
from memcli.engine.health.mending import Mend
from memcli.engine.opened import Opened
from memcli.memory.numerals import counted
from memcli.resident import door, starting, watcher, witness
from memcli.store import private
from memcli.store.place import Place

LIMITS: Final = Path("/proc/sys/fs/inotify")
SILENT_S: Final = 4 * watcher.RESCAN_S  # asserted: so many looks in a row are not missed by chance
QUEUES: Final = 2  # of each resident: the witness's own, and the watcher's
_LIMIT: Final = "the limit "  # how witness.limit begins, where a limit of the system is what is in the way
_AGAIN: Final = "mem watch --stop; mem watch --detach"


def resident(look: Look) -> Iterator[Finding]:
    """Whether a resident lives, answers and keeps looking."""
    place = look.place
    if not door.lives(place):
        yield from _none(place)
        return
    told = starting.status(place)
    if told is None:
        yield fail("resident", "A resident lives, but does not answer.", "mem watch --stop")
        return
    yield _standing(told, look.opened.now)


def _none(place: Place) -> Iterator[Finding]:
    if private.exists(place, place.door):
        yield warn("socket", "A resident was killed and left its socket behind.", "mem doctor --fix")
    yield ok("resident", "None watches this store; every command does its own work.")


def _standing(told: Mapping[str, object], now: int) -> Finding:
    since, looked = told.get("since"), told.get("looked")
    last = looked if isinstance(looked, int) else since if isinstance(since, int) else now
    if told.get("trouble"):
        return warn("resident", f"The resident says: {told['trouble']}", _AGAIN)
    if told.get("version") != __version__:
        return warn("resident", f"The resident is of another version ({told.get('version')}).", _AGAIN)
    if now - last > SILENT_S:
        return warn("resident", f"The resident last looked at the files {now - last} seconds ago.", _AGAIN)
    return ok("resident", f"Process {told.get('process')} watches and answered {told.get('answered')} times.")


def events(look: Look) -> Iterator[Finding]:
    """Whether the system reports changes of files, and has room for watching every folder."""
    place = look.place
    kind = witness.kind_of_disk(place.root) or "unknown"
    folders = _folders(place.schemas)
    watches, queues = _limit("max_user_watches"), _limit("max_user_instances")
    if kind in witness.LOCAL and watches is not None and watches < QUEUES * folders:
        what = f"{counted(folders, 'folder')} need more watches than the system's limit of {watches}."
        yield warn("events", what, f"sudo sysctl fs.inotify.max_user_watches={_enough(folders)}")
    elif kind in witness.LOCAL and queues is not None and queues < QUEUES:
        what = f"The system's limit of {queues} watching queues is too low."
        yield warn("events", what, "sudo sysctl fs.inotify.max_user_instances=128")
    else:
        yield _heard(look, kind)


def _heard(look: Look, kind: str) -> Finding:
    """Whether changes are heard of now, by trying it; where they are not, files are looked at instead."""
    found = witness.witness(
        look.place.root, look.place.schemas.name, events=look.opened.settings.watch_events
    )
    if isinstance(found, witness.Inotify):
        found.close()
        return ok("events", f"The disk ({kind}) reports changes.")
    if found.why.startswith(_LIMIT):
        return warn("events", f"No changes are reported: {found.why}.", "sysctl fs.inotify; ulimit -n")
    return ok("events", f"A resident looks at the files itself: {found.why}.")


def _folders(folder: Path) -> int:
    return sum(1 for _ in os.walk(folder))


def _enough(folders: int) -> int:
    """A limit for that many folders, with room for other programs."""
    return max(1 << 19, 8 * QUEUES * folders)


def _limit(name: str) -> int | None:
    try:
        return int((LIMITS / name).read_text("ascii"))
    except (OSError, ValueError):
        return None


def _remove_socket(opened: Opened) -> str:
    """Remove the socket that nobody listens at; while its lock is ours no resident can live."""
    with door.living(opened.place):
        private.remove(opened.place, opened.place.door)
    return "Removed the socket that nobody listened at."


CHECKS: Final[tuple[Named[Look], ...]] = (("resident", resident), ("events", events))
MENDS: Final[tuple[Mend, ...]] = (("socket", _remove_socket),)
