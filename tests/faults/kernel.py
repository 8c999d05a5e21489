"""Stands between a process and the disk, by the kernel's own notifications (seccomp; Linux on x86-64).

A process asks the kernel to tell its supervisor of each call of certain kinds and to wait for an
answer: of its own calls, those of its threads, and those of every program that it starts. The
supervisor lets the call be made, answers in the kernel's stead, or kills. It can tell a write to a
file from one that wakes a thread, which strace can not, and costs little.
"""

import ctypes
import errno
import fcntl
import os
import platform
import select
import signal
import struct
import sys
from pathlib import Path
from typing import NamedTuple

NUMBERS = {  # of asm/unistd_64.h
    "write": 1,
    "open": 2,
    "pwrite64": 18,
    "writev": 20,
    "fsync": 74,
    "fdatasync": 75,
    "truncate": 76,
    "ftruncate": 77,
    "rename": 82,
    "mkdir": 83,
    "rmdir": 84,
    "creat": 85,
    "link": 86,
    "unlink": 87,
    "symlink": 88,
    "openat": 257,
    "mkdirat": 258,
    "unlinkat": 263,
    "renameat": 264,
    "linkat": 265,
    "symlinkat": 266,
    "fallocate": 285,
    "pwritev": 296,
    "renameat2": 316,
    "copy_file_range": 326,
    "pwritev2": 328,
    "openat2": 437,
}
NAMES = {number: name for name, number in NUMBERS.items()}
# The argument that is the descriptor of the file, else (folder's descriptor or None, path).
DESCRIPTOR = dict.fromkeys(
    ("write", "pwrite64", "writev", "pwritev", "pwritev2", "fsync", "fdatasync", "ftruncate", "fallocate"), 0
) | {"copy_file_range": 2}
PATH = {
    **dict.fromkeys(("open", "creat", "truncate", "mkdir", "rmdir", "unlink"), (None, 0)),
    **dict.fromkeys(("rename", "link", "symlink"), (None, 1)),
    **dict.fromkeys(("openat", "openat2", "mkdirat", "unlinkat"), (0, 1)),
    **dict.fromkeys(("renameat", "renameat2", "linkat"), (2, 3)),
    "symlinkat": (1, 2),
}
OPENS = {"open": 1, "openat": 2}  # the argument that says what for
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_HERE = -100  # AT_FDCWD
_PAGE = 4096

_LIBC = ctypes.CDLL(None, use_errno=True)
_X86_64 = 0xC000003E
_SECCOMP, _PIDFD_OPEN, _PIDFD_GETFD = 317, 434, 438
_NO_NEW_PRIVILEGES, _AT_THE_PARENTS_DEATH = 38, 1
_SET_FILTER, _NEW_LISTENER = 1, 8
_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CALL, _ANSWER, _MADE = "=QIIiIQ6Q", "=QqiI", 1
POSSIBLE = sys.platform == "linux" and platform.machine() == "x86_64"


def put_under(calls):
    """Put this process and all that it starts under supervision; where its supervisor listens.

    `calls` are names of NUMBERS. Raises OSError where the kernel does not do it.
    """
    many = len(calls)
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, _X86_64), (_RETURN, 0, 0, _ALLOW), (_LOAD, 0, 0, 0)]
    steps += [(_EQUAL, many - nth, 0, NUMBERS[call]) for nth, call in enumerate(calls)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _NOTIFY)]
    kept = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("=H6xQ", len(steps), ctypes.addressof(kept)))
    _LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    found = _LIBC.syscall(_SECCOMP, _SET_FILTER, _NEW_LISTENER, ctypes.byref(program))
    if found < 0:
        raise OSError(ctypes.get_errno(), "The kernel does not tell of calls.")
    return found


def die_with_parent():
    """Have this process killed once the one that forked it is gone (Linux)."""
    if sys.platform == "linux":
        _LIBC.prctl(_AT_THE_PARENTS_DEATH, signal.SIGKILL, 0, 0, 0)


class Call(NamedTuple):
    """A call that waits: of which thread, its name and its six arguments."""

    id: int
    thread: int
    name: str
    arguments: tuple

    @property
    def process(self):
        """The process that the thread is of; the thread's own number where that is gone."""
        try:
            status = Path(f"/proc/{self.thread}/status").read_text()
        except OSError:
            return self.thread
        return int(status.partition("Tgid:")[2].split()[0])

    def changes(self):
        """Whether it may change anything: opening a file to read it does not."""
        return self.name not in OPENS or bool(self.arguments[OPENS[self.name]] & WRITING)

    def where(self):
        """The path of the file that it is about, empty where that cannot be known."""
        try:
            if self.name in DESCRIPTOR:
                return self._descriptor(self.arguments[DESCRIPTOR[self.name]])
            folder, path = PATH[self.name]
            named = self._text(self.arguments[path])
            under = self._descriptor(_HERE if folder is None else self.arguments[folder])
            return str(Path(under) / named)
        except OSError:
            return ""

    def half(self):
        """Make half of a write; how many bytes that were."""
        number, address, size = self.arguments[:3]
        with self._memory() as memory:
            raw = os.pread(memory.fileno(), max(1, size // 2), address)
        process = os.pidfd_open(self.process)
        file = _LIBC.syscall(_PIDFD_GETFD, process, ctypes.c_int(number), 0)
        if file < 0:
            raise OSError(ctypes.get_errno(), "pidfd_getfd")
        try:
            return os.write(file, raw) if self.name == "write" else os.pwrite(file, raw, self.arguments[3])
        finally:
            os.close(file)
            os.close(process)

    def _descriptor(self, number):
        number = ctypes.c_int(number & 0xFFFFFFFF).value
        return str(Path(f"/proc/{self.thread}", "cwd" if number == _HERE else f"fd/{number}").readlink())

    def _memory(self):
        return Path(f"/proc/{self.thread}/mem").open("rb", 0)

    def _text(self, address):
        with self._memory() as memory:
            raw = os.pread(memory.fileno(), _PAGE - address % _PAGE, address)
            if b"\0" not in raw:
                raw += os.pread(memory.fileno(), _PAGE, address + len(raw))
        return os.fsdecode(raw.partition(b"\0")[0])


class Answer(NamedTuple):
    """What the caller is told instead of the kernel's word: an error, or how much was done."""

    error: int = 0
    done: int = 0


def supervise(listener, decide):
    """Ask `decide(call)` about every call until no process is left; None lets the call be made."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    while True:
        said = poll.poll()[0][1]
        if not said & select.POLLIN:
            return
        if (call := _received(listener)) is None:
            continue
        answer = decide(call)
        raw = (
            struct.pack(_ANSWER, call.id, 0, 0, _MADE)
            if answer is None
            else struct.pack(_ANSWER, call.id, answer.done, -answer.error, 0)
        )
        try:
            fcntl.ioctl(listener, _SEND, raw)
        except OSError as gone:
            if gone.errno != errno.ENOENT:  # it was killed meanwhile
                raise


def _received(listener):
    raw = bytearray(struct.calcsize(_CALL))
    try:
        fcntl.ioctl(listener, _RECEIVE, raw, True)
    except OSError as gone:
        if gone.errno == errno.ENOENT:  # it was killed before we asked
            return None
        raise
    id_, thread, _, number, _, _, *arguments = struct.unpack(_CALL, raw)
    return Call(id_, thread, NAMES[number], tuple(arguments))
