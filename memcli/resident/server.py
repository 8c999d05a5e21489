"""The server: commands of other processes, answered one at a time from what is kept warm.

Whoever asks may be slow, gone, or no client of ours, so each is read in a thread of its own
with a limit to its time and its size, and no more than a few at once. The answer itself
needs the index and the model, which take one thread at a time. What the runner declines,
the client does itself.
"""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from memcli import surroundings
from memcli.resident import client, door, frames
from memcli.resident.door import Door
from memcli.resident.frames import Question, Reply

# How a command is run: a question to its reply, None where the client has to do it itself.
# The second is asked just before an act, whose client may have given up waiting.
Runner = Callable[[Question, Callable[[], bool]], Reply | None]

AT_ONCE: Final = 64  # connections; asserted: more are declined, and do their work themselves
PATIENCE_S: Final = 5.0  # asserted: for a client to say what it wants, and to take its answer
GO_S: Final = 0.5  # asserted: for a client to say that it still waits, while all others do
STANDS_S: Final = 1.0  # asserted: how long a resident whose door was deleted may not know it
GONE_S: Final = (
    600.0  # asserted: a store that is away so long was deleted or moved, not unmounted for a while
)
LEAVE_S: Final = 5.0  # asserted: for the answers that are being given when it ends


@dataclass
class Tally:
    """What the server did so far."""

    since: int = field(default_factory=surroundings.now)
    answered: int = 0
    declined: int = 0


class Server:
    """One door and who answers there. `turn` is held by whoever uses what is kept."""

    def __init__(self, opened: Door, runner: Runner, turn: threading.Lock) -> None:
        self._door = opened
        self._runner = runner
        self._turn = turn
        self._room = threading.BoundedSemaphore(AT_ONCE)
        self._ended = threading.Event()
        self._silent: set[socket.socket] = set()  # who has not said yet what it wants
        self.tally = Tally()
        self.describe: Callable[[], bytes] = lambda: b"{}"

    def serve(self) -> bool:
        """Answer until `stop`; the commands that wait then are declined. False where the door is gone."""
        self._door.listening.settimeout(STANDS_S)
        away_s = 0.0
        while not self._ended.is_set():
            try:
                line, _ = self._door.listening.accept()
            except TimeoutError:
                if not self._door.stands():
                    return False
                away_s = 0.0 if self._door.there() else away_s + STANDS_S
                if away_s >= GONE_S:
                    return True
                continue
            except OSError:
                if not self._ended.is_set():
                    # No descriptors are left: those who ask are refused by the kernel meanwhile.
                    time.sleep(0.05)
                continue
            if not self._room.acquire(blocking=False):
                line.close()
                continue
            threading.Thread(target=self._meet, args=(line,), daemon=True).start()
        return True

    def stop(self) -> None:
        """Take no more questions."""
        self._ended.set()
        with suppress(OSError):
            self._door.listening.shutdown(socket.SHUT_RDWR)
        self._door.close()

    def leave(self) -> None:
        """Stop, and let those who have asked get their answers: an act is not to be cut short."""
        self.stop()
        for line in tuple(self._silent):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        ends = time.monotonic() + LEAVE_S
        for _ in range(AT_ONCE):
            if not self._room.acquire(timeout=max(0.0, ends - time.monotonic())):
                return

    def _meet(self, line: socket.socket) -> None:
        self._silent.add(line)
        try:
            with line, suppress(OSError, frames.Unreadable):
                line.settimeout(PATIENCE_S)
                if self._door.admitted(line):
                    line.sendall(self._answered(line))
        finally:
            self._silent.discard(line)
            self._room.release()

    def _answered(self, line: socket.socket) -> bytes:
        kind, parts = frames.read(door.request(line, PATIENCE_S))
        self._silent.discard(line)
        line.settimeout(PATIENCE_S)
        if kind == "status":
            return self.describe()
        if kind == "stop":
            threading.Thread(target=self.stop, daemon=True).start()
            return b"stopping"
        if kind != "run":
            raise frames.Unreadable(kind)
        try:
            question = frames.question(parts)
        except frames.Stranger:
            # Another version was installed: what is not imported yet would be that one's.
            threading.Thread(target=self.stop, daemon=True).start()
            return client.DECLINED
        return self._ran(question, line)

    def _ran(self, question: Question, line: socket.socket) -> bytes:
        with self._turn:
            reply = None if self._ended.is_set() else self._replied(question, line)
        if reply is None:
            self.tally.declined += 1
            return client.DECLINED
        self.tally.answered += 1
        return reply.framed()

    def _replied(self, question: Question, line: socket.socket) -> Reply | None:
        try:
            return self._runner(question, lambda: _waits_still(line))
        except Exception:  # noqa: BLE001 - the process does it itself, and tells what it meets
            return None


def _waits_still(line: socket.socket) -> bool:
    """Tell the client that its act would begin now, and whether it wants that still."""
    try:
        line.settimeout(GO_S)
        line.sendall(client.READY)
        return door.exactly(line, len(client.GO)) == client.GO
    except OSError:
        return False
    finally:
        line.settimeout(PATIENCE_S)
