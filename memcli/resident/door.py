"""Where the one resident of a store listens, and how it is known to live.

It lives as long as it holds a lock, which the kernel lets go of with it: no number in a
file is believed, and nothing is ever signalled by one. A socket that a killed resident left
behind is replaced by the next, which holds the lock by then.
"""

import fcntl
import os
import secrets
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from memcli.errors import MemError, TryAgain, Unavailable
from memcli.resident import client, frames
from memcli.resident.frames import LENGTH
from memcli.store import inside, private
from memcli.store.place import Place

BACKLOG: Final = 128
_LOCK: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WORD_BYTES: Final = 32
_TRIES, _PAUSE_S = 5, 0.01


@contextmanager
def living(place: Place) -> Iterator[None]:
    """Be the resident of the store during a `with` block. Raises TryAgain where another one is."""
    with inside.parent(place, _name(place, "lock"), make=True) as (folder, name):
        descriptor = os.open(name, _LOCK, 0o600, dir_fd=folder)
    try:
        _take(descriptor)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> None:
    """Hold the lock. Who asks whether a resident lives holds it for a moment too, so one refusal is none."""
    for left in reversed(range(_TRIES)):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if not left:
                raise TryAgain(
                    "A resident watches this store already.", "`mem watch --status` says how it stands."
                ) from error
            time.sleep(_PAUSE_S)
        except OSError as error:
            raise Unavailable(
                f"The file system of this store keeps no locks: {error.strerror}.",
                "Move the store to a local disk; without a resident every command works as well.",
            ) from error
        else:
            return


def lives(place: Place) -> bool:
    """Whether a resident of the store lives now, reachable or not."""
    try:
        with inside.parent(place, _name(place, "lock")) as (folder, name):
            descriptor = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except Exception:  # noqa: BLE001 - no folder, no file, no right: then there is none of ours
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


class Door:
    """The listening socket of the resident, which holds the lock."""

    def __init__(self, place: Place, listening: socket.socket, word: bytes) -> None:
        self._place = place
        self._word = word
        self._own = _known(place)
        self.listening = listening

    @classmethod
    def open(cls, place: Place, *, by_number: bool = False) -> "Door":
        """Listen for this user's processes; over the loopback with `by_number`, or where no socket can lie.

        Raises Unavailable.
        """
        with suppress(OSError, MemError):
            private.remove(place, place.door)
        try:
            if not by_number:
                with suppress(OSError, MemError):
                    return cls(place, _socket(place), b"")
            return cls._numbered(place)
        except OSError as error:
            raise Unavailable(
                f"No socket can be made: {error.strerror}.", "Commands work without a resident."
            ) from error

    @classmethod
    def _numbered(cls, place: Place) -> "Door":
        listening = socket.socket(socket.AF_INET)
        listening.bind(("127.0.0.1", 0))
        listening.listen(BACKLOG)
        word = secrets.token_hex(_WORD_BYTES // 2).encode()
        private.write(place, place.door, b"%d %s\n" % (listening.getsockname()[1], word))
        return cls(place, listening, word)

    def admitted(self, line: socket.socket) -> bool:
        """Whether the process at the other end is this user's. Reads the word where there is one."""
        if self._word:
            return secrets.compare_digest(exactly(line, _WORD_BYTES), self._word)
        if not hasattr(socket, "SO_PEERCRED"):
            return True  # the folder is this user's alone
        _, user, _ = struct.unpack("iII", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return bool(user == os.geteuid())

    def stands(self) -> bool:
        """Whether who asks for the store still comes here; a store that is out of sight may come back."""
        return _known(self._place) == self._own or not self._place.root.is_dir()

    def there(self) -> bool:
        """Whether the store's folder is there at all."""
        return self._place.root.is_dir()

    def close(self) -> None:
        """Listen no more, and leave nothing of ours behind."""
        self.listening.close()
        if _known(self._place) == self._own:
            with suppress(OSError, MemError):
                private.remove(self._place, self._place.door)


def _socket(place: Place) -> socket.socket:
    """Bound by the last part of its name, since a socket's whole path may be 100 bytes long at most."""
    listening = socket.socket(socket.AF_UNIX)
    back = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with inside.parent(place, _name(place, ""), make=True) as (folder, name):
            os.fchmod(folder, inside.FOLDER_MODE)  # one that was made otherwise is this user's alone from now
            os.fchdir(folder)
            listening.bind(name)
            os.chmod(name, inside.FILE_MODE)  # noqa: PTH101 - by the name in that folder, whatever its path
        listening.listen(BACKLOG)
    except BaseException:
        listening.close()
        raise
    finally:
        os.fchdir(back)
        os.close(back)
    return listening


def _known(place: Place) -> tuple[int, int] | None:
    """Which file the door is; None where there is none."""
    try:
        found = place.door.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def exactly(line: socket.socket, size: int, ends: float | None = None) -> bytes:
    """`size` bytes, fewer where the other end closed. Raises OSError where they are not there by `ends`."""
    pieces, left = [], size
    while left:
        if ends is not None:
            line.settimeout(max(ends - time.monotonic(), _PAUSE_S))
        if not (piece := line.recv(min(left, 1 << 16))):
            break
        pieces.append(piece)
        left -= len(piece)
        if ends is not None and time.monotonic() > ends:
            raise TimeoutError
    return b"".join(pieces)


def asked(place: Place, kind: str) -> bytes | None:
    """What the resident answers to `status` or `stop`, None where none can be reached."""
    line = client.knock(os.fsencode(place.door))
    if line is None:
        return None
    try:
        line.sendall(client.framed(kind.encode()))
        answer = b""
        while piece := line.recv(1 << 16):
            answer += piece
    except OSError:
        return None
    finally:
        line.close()
    return answer or None


def request(line: socket.socket, wait_s: float) -> bytes:
    """The frame that a client sends in at most `wait_s`, without its length. Raises Unreadable, OSError."""
    ends = time.monotonic() + wait_s
    length = int.from_bytes(exactly(line, LENGTH, ends), "big")
    if not 0 < length <= frames.LIMIT:
        raise frames.Unreadable("no length")
    whole = exactly(line, length, ends)
    if len(whole) < length:
        raise frames.Unreadable("cut short")
    return whole


def _name(place: Place, kind: str) -> str:
    file = place.resident_lock if kind else place.door
    return file.relative_to(place.root).as_posix()
