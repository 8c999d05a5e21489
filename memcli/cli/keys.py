"""Single keys from the controlling terminal, which is left as it was found whatever happens.

One key is one decision, so a key counts only if it was pressed after the question was there
to be read, and only if it is one of those asked for.
"""

import os
import termios
import tty
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from memcli.cli.person import TERMINAL

END: Final = ""  # the terminal is gone, or its end was typed
_ESCAPE: Final = "\x1b"
_END_TYPED: Final = "\x04"
_LONGEST: Final = 256


class Keys:
    """The keys of one terminal; Ctrl-C goes on interrupting."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._before = termios.tcgetattr(terminal)

    def key(self, wanted: Collection[str]) -> str:
        """The next key that is one of `wanted`, in lower case; END where no more will come."""
        tty.setcbreak(self._terminal, termios.TCSAFLUSH)
        try:
            while True:
                pressed = self._pressed()
                if pressed in wanted or pressed == END:
                    return pressed
        finally:
            self.restore()

    def _pressed(self) -> str:
        piece = os.read(self._terminal, 1).decode("ascii", "replace").lower()
        if piece in (END, _END_TYPED):
            return END
        if piece == _ESCAPE:  # an arrow or a function key: what follows belongs to it
            termios.tcflush(self._terminal, termios.TCIFLUSH)
        return piece

    def line(self, prompt: str) -> str:
        """One line typed after `prompt`, with the terminal's own editing; "" where nothing was."""
        os.write(self._terminal, prompt.encode("utf-8", "backslashreplace"))
        typed = b""
        while not typed.endswith(b"\n") and len(typed) < _LONGEST:
            piece = os.read(self._terminal, 1)
            if not piece:
                break
            typed += piece
        return typed.decode("utf-8", "replace").strip()

    def restore(self) -> None:
        """The terminal as it was found."""
        termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)


@contextmanager
def at_terminal() -> Iterator[Keys]:
    """The keys of the controlling terminal."""
    terminal = os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    keys = Keys(terminal)
    try:
        yield keys
    finally:
        keys.restore()
        os.close(terminal)
