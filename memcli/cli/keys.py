"""Single keys from the controlling terminal, which is left as it was found whatever happens.

One key is one decision, so a key counts only if it was pressed after the question was there
to be read, and only if it is one of those asked for.
"""

import os
import select
import termios
import tty
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from memcli.cli.person import TERMINAL

END: Final = ""  # the terminal is gone, or its end was typed
_ESCAPE: Final = "\x1b"
_END_TYPED: Final = "\x04"
_INTRODUCERS: Final = (b"[", b"O")
_LAST_OF_SEQUENCE: Final = b"@"  # this or what sorts behind it ends one
_TOGETHER_S: Final = 0.05  # asserted: the characters of one key come together
_LONGEST: Final = 256


class Keys:
    """The keys of one terminal; Ctrl-C goes on interrupting."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._before = termios.tcgetattr(terminal)

    def key(self, wanted: Collection[str], ask: Callable[[], None]) -> str:
        """The first key after `ask` that is one of `wanted`, in lower case; END where no more will come."""
        tty.setcbreak(self._terminal, termios.TCSAFLUSH)
        try:
            ask()
            while True:
                pressed = self._pressed()
                if pressed in wanted or pressed == END:
                    return pressed
        finally:
            self.restore()

    def _pressed(self) -> str:
        try:
            piece = os.read(self._terminal, 1).decode("ascii", "replace").lower()
        except OSError:  # the terminal was closed
            return END
        if piece == _ESCAPE:
            self._pass_over_sequence()
        return END if piece == _END_TYPED else piece

    def _pass_over_sequence(self) -> None:
        """An arrow or a function key sends several characters: what follows belongs to it."""
        if not select.select([self._terminal], [], [], _TOGETHER_S)[0]:
            return
        if os.read(self._terminal, 1) in _INTRODUCERS:
            while select.select([self._terminal], [], [], _TOGETHER_S)[0]:
                if os.read(self._terminal, 1) >= _LAST_OF_SEQUENCE:
                    return

    def line(self, prompt: str) -> str:
        """One line typed after `prompt`, with the terminal's own editing; "" where nothing was."""
        termios.tcflush(self._terminal, termios.TCIFLUSH)  # an Enter that followed the key answers nothing
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
        with suppress(termios.error):  # one that was closed needs nothing
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
