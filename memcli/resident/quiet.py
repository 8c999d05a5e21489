"""A quiet moment: what is to be done once nothing happened for a while, and only once then."""

import threading
from collections.abc import Callable


class Quiet:
    """Waits, anew with every `wait`, and then acts in a thread of its own."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._act = act
        self._timer: threading.Timer | None = None

    def wait(self, quiet_s: float) -> None:
        """Act after so many seconds, unless told otherwise before."""
        self.stop()
        self._timer = threading.Timer(quiet_s, self._act)
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        """Wait no more; what runs already goes on to its end."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
