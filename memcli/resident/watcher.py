"""The watcher: wakes when files change, lets the dust settle, and has the store looked at.

Only that something happened is taken from the events, never what: an editor that saves by
renaming, a pull of twenty thousand files and a dropped event all end in the same look. Where no
events come it polls, and it looks again now and then whatever it heard. A store that
vanished is waited for.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from memcli.resident import witness

DEBOUNCE_MS: Final = 50  # SPEED: 11.5 ms from save to event at 0.4 % of a core
STEP_MS: Final = 10
POLL_MS: Final = 1000
RESCAN_S: Final = 30.0  # asserted: how long a change that nobody reported may stay unseen
RETRY_S: Final = 2.0  # asserted: after a look that another process stood in the way of
WAKE_S: Final = 1.0  # asserted: how often to see whether it is time for a look, and the folder still there
RETURN_S: Final = 1.0  # asserted: how often a store that vanished is looked for


class Watcher:
    """A thread that calls `look` after every change below `folder`, and now and then, until `stop`.

    `look` is told whether a change was heard of, and says whether it could look. `polling` says
    why events are not relied on, empty where they are.
    """

    def __init__(self, folder: Path, look: Callable[[bool], bool], polling: str = "") -> None:
        self.polling = polling
        self._folder = folder
        self._look = look
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Watch no more."""
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.is_set():
            try:
                self._watch_one(self._stood())
            except (OSError, RuntimeError) as error:
                if self._folder.is_dir() and not self.polling:
                    self.polling = _why(error)
                    continue
            self._ended.wait(RETURN_S)  # it vanished, or polling failed as well

    def _watch_one(self, stood: tuple[int, int] | None) -> None:
        """Look after every change until another folder stands there, or none.

        The first silence is one to look in: what changed before the system was asked to
        report changes was reported to nobody.
        """
        quiet_s = RESCAN_S
        for changes in self._wakes():
            if self._ended.is_set():
                return
            gone = self._stood() != stood
            if changes or gone or quiet_s >= RESCAN_S:
                done = self._look(bool(changes))
                quiet_s = 0.0 if done else RESCAN_S - RETRY_S
            else:
                quiet_s += WAKE_S
            if gone:
                return

    def _stood(self) -> tuple[int, int] | None:
        try:
            found = self._folder.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _wakes(self) -> Iterator[object]:
        from watchfiles import watch  # 60 ms, paid while the first questions are answered already

        yield from watch(
            self._folder,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            stop_event=self._ended,
            rust_timeout=int(WAKE_S * 1000),
            yield_on_timeout=True,
            force_polling=bool(self.polling),
            poll_delay_ms=POLL_MS,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return witness.limit(error)
    said = str(error).lower()
    reached = "limit" in said or "no space" in said or "too many open files" in said
    return "a limit of the system on watched files is reached" if reached else f"no events: {error}"
