"""One resident's life: the lock, the door, the warm parts, the watcher, and the end of them all.

It takes questions before it is warm, so that whoever starts it by asking waits least.
"""

import json
import os
import resource
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from memcli import __version__, surroundings
from memcli.engine import reconcile
from memcli.engine.kept import Kept
from memcli.engine.task import idle, said_lines
from memcli.errors import MemError
from memcli.resident import door, witness
from memcli.resident.digester import Digester
from memcli.resident.door import Door
from memcli.resident.saver import Saver
from memcli.resident.server import Runner, Server
from memcli.resident.watcher import Watcher
from memcli.store import known as knowns
from memcli.store import scan

if TYPE_CHECKING:
    from memcli.engine.opened import Opened
    from memcli.engine.view import View

Opening = Callable[[], "Opened"]  # the store as it is to be opened now


class Residence:
    """The resident of the store that `opening` opens; `answering` makes its runner of what is kept."""

    def __init__(
        self, opening: Opening, answering: Callable[[Kept], Runner], say: Callable[[str], None]
    ) -> None:
        self._opening = opening
        self._say = say
        opened = opening()
        self._place = opened.place
        self._settings = opened.settings
        self._witness = witness.witness(
            opened.place.root, opened.place.schemas.name, events=opened.settings.watch_events
        )
        self._kept = Kept(opened.place, self._witness)
        self._answering = answering
        self._turn = threading.Lock()
        self._seen: View | None = None
        self._looked = 0
        self._trouble = ""
        self._digester: Digester | None = None

    def live(self, ready: Callable[[], None]) -> None:
        """Answer and watch until told to stop; `ready` is called once questions are taken.

        Where `.mem/` was deleted meanwhile it begins anew. Raises TryAgain where another
        resident lives, Unavailable where nothing can listen.
        """
        while not self._lived(ready):
            ready = _nothing

    def _lived(self, ready: Callable[[], None]) -> bool:
        """Live once; False where its lock and door were deleted, and it has to begin anew."""
        with door.living(self._place):
            opened = Door.open(self._place, by_number=self._settings.watch_tcp)
            server = Server(opened, self._answering(self._kept), self._turn)
            server.describe = lambda: self._described(server)
            saver = Saver(self._opening, self._kept, self._turn, self._say)
            self._digester = Digester(self._opening, self._kept, self._turn, self._say)
            watcher = Watcher(
                self._place.schemas, lambda heard: self._look(saver, heard=heard), self._witness.why
            )
            try:
                ready()
                threading.Thread(target=self._begin, args=(watcher, saver), daemon=True).start()
                return server.serve()
            finally:
                watcher.stop()
                saver.stop()
                self._digester.stop()
                server.leave()

    def _begin(self, watcher: Watcher, saver: Saver) -> None:
        self._look(saver, heard=True)
        watcher.start()

    def _look(self, saver: Saver, *, heard: bool) -> bool:
        """Bring the index to what is on disk; False where something stood in the way, which is said."""
        doubtful = not heard and self._moved_on()
        with self._turn:
            if doubtful:
                self._kept.doubt()
            try:
                opened = self._opening()
                self._kept.serve(opened)
                view = reconcile.freshen(opened)
                if view.busy:
                    return False  # somebody writes, which is no trouble; who never ends shows in the lock
                self._seen, self._looked = view, surroundings.now()
                idle.close(opened)
                waiting = view.dirty | _said(opened)
                self._tell(opened.notices + list(view.notices))
                self._kept.tidy()
            except Exception as error:  # noqa: BLE001 - whatever it is, the next look may go better
                self._tell([_why(error)])
                return False
        saver.heard(waiting, opened.settings)
        if self._digester is not None:
            self._digester.heard(opened.settings)
        return True

    def _moved_on(self) -> bool:
        """Whether files differ from those last seen: such as nobody reports, written through another name."""
        view = self._seen
        try:
            change = knowns.difference(scan.scan(self._place), view.known) if view else None
        except MemError:
            return True
        return change is None or bool(change.changed or change.vanished)

    def _tell(self, notices: list[str]) -> None:
        said = " ".join(notices)
        if said and said != self._trouble:
            self._say(said)
        self._trouble = said

    def _described(self, server: Server) -> bytes:
        view, tally = self._seen, server.tally
        return json.dumps(
            {
                "process": os.getpid(),
                "version": __version__,
                "since": tally.since,
                "answered": tally.answered,
                "declined": tally.declined,
                "memories": len(view.known) if view else None,
                "looked": self._looked or None,
                "memory_bytes": _memory(),
                "events": self._witness.why or "kernel",
                "trouble": self._trouble or None,
            }
        ).encode()


def _said(opened: "Opened") -> frozenset[str]:
    """The events, where lines of them may wait for a commit."""
    return frozenset({said_lines.FOLDER}) if said_lines.marked(opened) else frozenset()


def _nothing() -> None:
    """Nobody is told twice that the resident is there."""


def _why(error: Exception) -> str:
    """What went wrong, without any memory's text."""
    if isinstance(error, (MemError, OSError)):
        return error.message if isinstance(error, MemError) else str(error)
    return f"The last look at the files failed ({type(error).__name__})."


def _memory() -> int:
    """Resident memory of this process now, in bytes; where the system does not say, its highest."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
