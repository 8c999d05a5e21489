"""The digester: consolidates when nobody asks and nobody edits, if enough was said meanwhile.

In a process of its own: it may encode a whole transcript, and a question that comes while it
does must not wait for it. Whatever it does it does under the store's locks like any command.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from memcli.engine.consolidation import consolidate
from memcli.engine.kept import Kept
from memcli.errors import MemError
from memcli.resident import starting
from memcli.resident.quiet import Quiet

if TYPE_CHECKING:
    from memcli.engine.opened import Opened
    from memcli.store.settings import Settings

LONGEST_S: Final = 3600.0  # asserted: a transcript of a year is encoded in less
_WORDS: Final = ("consolidate", "--if-due", "--quiet", "--no-daemon")


class Digester:
    """Waits for a quiet moment, and then has a consolidation run, if one is due and `auto` says so."""

    def __init__(
        self,
        opening: "Callable[[], Opened]",
        kept: Kept,
        turn: threading.Lock,
        say: Callable[[str], None],
    ) -> None:
        self._opening = opening
        self._kept = kept
        self._turn = turn
        self._say = say
        self._quiet = Quiet(self._run)
        self._running = threading.Lock()

    def heard(self, settings: "Settings") -> None:
        """Something was looked at: begin to wait, anew every time."""
        self.stop()
        if settings.consolidate_auto:
            self._quiet.wait(settings.watch_quiet_s)

    def stop(self) -> None:
        """Wait no more; a consolidation that runs goes on to its end."""
        self._quiet.stop()

    def _run(self) -> None:
        if not self._running.acquire(blocking=False):
            return
        try:
            with self._turn:
                opened = self._opening()
                self._kept.serve(opened)
                due = opened.settings.consolidate_auto and consolidate.due(opened)
            if due:
                self._say(_ended(starting.ended(starting.spawn(opened.place, *_WORDS), LONGEST_S)))
        except (MemError, OSError) as error:
            self._say(f"Not consolidated: {error.message if isinstance(error, MemError) else error}")
        finally:
            self._running.release()


def _ended(code: int) -> str:
    return "Consolidated what was said." if code == 0 else f"A consolidation ended with {code}."
