"""The thin client: asks the resident before anything heavy is imported, and goes away if none answers.

It must cost a command nothing that it does not need: the modules imported here are built
into the interpreter, but for one small extension. It does not read the store's settings, nor look
for the store by the whole rule; the resident does, and declines what is not for it. A
resident that is dead, frozen, of another user or of another version is no reason to
fail: `ask` returns, and the command does the work itself. Only where an act may have been
done and its answer was lost is that said, since doing it twice would be worse.
"""

import posix
import sys

from memcli import __version__
from memcli.environment import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable, Iterator

KIN = b"mem " + __version__.encode()  # who understands each other: a command and a resident of one version
ANSWERED, DECLINED, READY = b"=", b"-", b"?"  # how a reply begins
GO = b"!"  # the client still waits: an act may begin
VERBS = ("recall", "show", "list", "remember", "gate")
ACTING = ("remember",)
PATIENCE_S = 2.0  # asserted: for a first byte; a cold recall takes a fraction of it
LONGEST_S = 120.0  # asserted: an act may wait for the store's lock, for hooks, for a signature
_VALUED = ("--store", "--scope", "--actor", "--session", "--color")
_LOST = "The resident ended before it answered, so it is not known whether this was kept.\n"
_LOOK = "Hint: Look with `mem log`; `mem watch --detach` starts a new resident.\n"
_KIND, _REGULAR, _SOCKET = 0o170000, 0o100000, 0o140000  # of what stat says of a file
_UNAVAILABLE = 6
_PIPE_CLOSED = 141


def ask() -> None:
    """Let the resident answer this process's command line and end the process; return where none does."""
    argv = sys.argv[1:]
    verb = _verb(argv)
    if verb not in VERBS or not _usual():
        return
    reply = _reply(argv, acting=verb in ACTING)
    if reply is not None:
        _end(reply)


def _verb(argv: "list[str]") -> str:
    """The first word that is no option; none where the resident is not to be asked."""
    at = 0
    while at < len(argv) and argv[at][:1] == "-":
        at += 2 if argv[at] in _VALUED else 1
    return "" if at >= len(argv) or "--no-daemon" in argv else argv[at]


def _usual() -> bool:
    """Whether the process stands as most do: three open streams, and words that are UTF-8."""
    try:
        for descriptor in (0, 1, 2):
            posix.fstat(descriptor)
    except OSError:
        return False
    return sys.getfilesystemencoding() == "utf-8" and b"_MEM_COMPLETE" not in posix.environ


def _reply(argv: "list[str]", *, acting: bool) -> "tuple[int, bytes, bytes] | None":
    """Exit code, stdout and stderr, as the resident has them; None where it did not answer."""
    try:
        here = posix.getcwdb()
    except OSError:
        return None
    words = [word.encode("utf-8", "surrogateescape") for word in argv]
    for door in _doors(words, here):
        line = knock(door)
        if line is not None:
            try:
                question = _question(words, here)
            except OSError:  # stdin cannot be read: that is for the command to say
                return None
            return _exchange(line, question, acting=acting)
    return None


def _doors(words: "list[bytes]", here: bytes) -> "Iterator[bytes]":
    """Where a resident of the store that is meant may listen, nearest first."""
    named = _named(words) or posix.environ.get(b"MEM_STORE", b"")
    if named:
        yield (named if named[:1] == b"/" else here + b"/" + named) + b"/.mem/resident"
        return
    folder = here
    while folder:
        yield folder + b"/.mem/resident"
        yield from _linked(folder)
        folder = folder.rpartition(b"/")[0]
    home = posix.environ.get(b"HOME", b"")
    shared = posix.environ.get(b"XDG_DATA_HOME", b"")
    own = shared if shared[:1] == b"/" else home + b"/.local/share"
    mac = home + b"/Library/Application Support"
    yield (mac if sys.platform == "darwin" else own) + b"/mem/.mem/resident"


def _named(words: "list[bytes]") -> bytes:
    for at, word in enumerate(words):
        if word == b"--store" and at + 1 < len(words):
            return words[at + 1]
        if word[:8] == b"--store=":
            return word[8:]
    return b""


def _linked(folder: bytes) -> "Iterator[bytes]":
    """Doors in the worktrees that the repository at `folder` has, one of which may be its store."""
    trees = folder + b"/.git/worktrees"
    try:
        names = posix.listdir(trees)
    except OSError:
        return
    for name in names:
        try:
            descriptor = posix.open(trees + b"/" + name + b"/gitdir", posix.O_RDONLY | posix.O_NONBLOCK)
        except OSError:
            continue
        try:
            pointer = posix.read(descriptor, 4096).strip(b"\n")
        except OSError:
            continue
        finally:
            posix.close(descriptor)
        if pointer[:1] == b"/":
            yield pointer.rpartition(b"/")[0] + b"/.mem/resident"


def knock(door: bytes) -> "socket | None":
    """A connection to the resident that listens at `door`, if it is one of this user's."""
    try:
        found = posix.lstat(door)
    except (OSError, ValueError):
        return None
    kind = found.st_mode & _KIND
    if found.st_uid != posix.geteuid() or kind not in (_REGULAR, _SOCKET):
        return None
    from _socket import socket

    try:
        if kind == _REGULAR:
            return _by_number(door, found.st_mode)
        from _socket import AF_UNIX

        return _kept(socket(AF_UNIX), lambda line: _connected(line, door))
    except (OSError, ImportError, ValueError, OverflowError):
        return None


def _kept(line: "socket", reach: "Callable[[socket], object]") -> "socket | None":
    """`line` where `reach` says that it leads somewhere; else it is closed."""
    reached = None
    try:
        line.settimeout(PATIENCE_S)
        reached = reach(line)
    finally:
        if not reached:
            line.close()
    return line if reached else None


def _connected(line: "socket", door: bytes) -> bool:
    """Connect to `door`, and whether it is this user who listens there."""
    _connect(line, door)
    return _of_this_user(line)


def _connect(line: "socket", door: bytes) -> None:
    """Connect by the last part of the name: a socket's whole path may be 100 bytes long at most."""
    folder, _, name = door.rpartition(b"/")
    if len(door) < 100:  # noqa: PLR2004 - less than the 104 bytes that the smallest system takes
        line.connect(door)
        return
    back = posix.open(".", posix.O_RDONLY)
    try:
        posix.chdir(folder)
        line.connect(name)
    finally:
        posix.fchdir(back)
        posix.close(back)


def _of_this_user(line: "socket") -> bool:
    """Whether who listens is of this user: a question must not be told to somebody else's process."""
    if sys.platform != "linux":
        return True  # the folder is this user's alone
    from _socket import SO_PEERCRED, SOL_SOCKET

    peer = line.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)
    return int.from_bytes(peer[4:8], sys.byteorder) == posix.geteuid()


def _by_number(door: bytes, mode: int) -> "socket | None":
    """Connect over the loopback, where the disk takes no sockets; the file says the port and the word."""
    if mode & 0o077 or not _held(door + b".lock"):
        return None  # others could have written it or read the word, or listen at that port by now
    from _socket import AF_INET, socket

    descriptor = posix.open(door, posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_NONBLOCK)
    port, _, word = posix.read(descriptor, 256).strip().partition(b" ")
    posix.close(descriptor)

    def reach(line: "socket") -> bool:
        line.connect(("127.0.0.1", int(port)))
        line.sendall(word)
        return True

    return _kept(socket(AF_INET), reach)


def _held(lock: bytes) -> bool:
    """Whether a resident holds its lock: one that was killed leaves its port to anybody."""
    from fcntl import LOCK_NB, LOCK_SH, flock

    descriptor = posix.open(lock, posix.O_RDWR | posix.O_NOFOLLOW)
    try:
        flock(descriptor, LOCK_SH | LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        posix.close(descriptor)
    return False


def _question(words: "list[bytes]", here: bytes) -> bytes:
    """The frame of a command: what is asked, and all that the process stands in."""
    ttys = b"".join(b"1" if posix.isatty(descriptor) else b"0" for descriptor in (0, 1, 2))
    given = _stdin() if b"-" in words or b"--stdin" in words else b""
    names = [name.encode() for name in NAMES]
    environment = [part for name in names if name in posix.environ for part in (name, posix.environ[name])]
    asked = (b"run", KIN, here, ttys, b"%d" % _columns(), given, b"%d" % len(words), *words, *environment)
    return framed(*asked)


def framed(*parts: bytes) -> bytes:
    """The frame of a request: its length, and the parts, each with its length."""
    whole = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return len(whole).to_bytes(4, "big") + whole


def _columns() -> int:
    for descriptor in (1, 2, 0):
        if posix.isatty(descriptor):
            return posix.get_terminal_size(descriptor).columns
    return 0


def _stdin() -> bytes:
    """All of stdin, which the command can read again if the resident declines."""
    import io  # there since the interpreter began

    pieces = []
    while piece := posix.read(0, 1 << 16):
        pieces.append(piece)
    whole = b"".join(pieces)
    sys.stdin = io.TextIOWrapper(io.BytesIO(whole), "utf-8")
    return whole


def _exchange(line: "socket", question: bytes, *, acting: bool) -> "tuple[int, bytes, bytes] | None":
    begun = False
    pieces = []
    try:
        line.sendall(question)
        first = line.recv(1)
        if acting and first == READY:
            line.settimeout(LONGEST_S)
            line.sendall(GO)
            begun = True
            first = line.recv(1)
        if first == DECLINED:
            return None
        while first and (piece := line.recv(1 << 16)):
            pieces.append(piece)
    except OSError:
        pieces = []
    finally:
        line.close()
    reply = _unframed(b"".join(pieces))
    return (_UNAVAILABLE, b"", (_LOST + _LOOK).encode()) if reply is None and begun else reply


def _unframed(raw: bytes) -> "tuple[int, bytes, bytes] | None":
    """Exit code, stdout, stderr; None where the reply was cut short."""
    out, err = int.from_bytes(raw[1:5], "big"), int.from_bytes(raw[5:9], "big")
    if len(raw) < 9 or len(raw) != 9 + out + err:  # noqa: PLR2004 - a code and two lengths
        return None
    return raw[0], raw[9 : 9 + out], raw[9 + out :]


def _end(reply: "tuple[int, bytes, bytes]") -> None:
    code, out, err = reply
    try:
        _write(1, out)
        _write(2, err)
    except BrokenPipeError:
        code = _PIPE_CLOSED
    except OSError as error:
        code = _UNAVAILABLE
        said = f"The answer could not be written: {error.strerror}.\nHint: Nothing was lost but the output.\n"
        try:  # noqa: SIM105 - contextlib would be imported for that
            _write(2, said.encode())
        except OSError:
            pass
    posix._exit(code)  # noqa: SLF001 - nothing is left to flush


def _write(descriptor: int, raw: bytes) -> None:
    while raw:
        raw = raw[posix.write(descriptor, raw) :]
