"""Real processes that have their imports behind them: hundreds can be killed in a minute.

A nursery is a process that has loaded the program and the model and does nothing else. Each child is
a fork of it: a process of its own, which opens store, index and git for itself and ends by
itself or by SIGKILL like any other. What loading does is met in tests/cli.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from faults import kernel

ROOT = Path(__file__).parents[2]
COMMAND = "import memcli.__main__ as process; process.process()"
PATIENCE_S = 120


@dataclass
class Child:
    """One process: its number, where its calls are told (if they are); `told` is what it printed at its end."""

    number: int
    listener: int | None
    link: socket.socket
    out: object
    err: object
    code: int | None = None
    told: tuple = ()

    def ended(self):
        """Wait for its end: its exit code, negative where a signal ended it."""
        if self.code is None:
            self.link.settimeout(PATIENCE_S)
            self.code = int(self.link.recv(64))
            self.told = tuple(_closed(file) for file in (self.out, self.err))
            self.link.close()
            if self.listener is not None:
                os.close(self.listener)
        return self.code

    def kill(self):
        """SIGKILL, if it still lives; its exit code."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.number, signal.SIGKILL)
        return self.ended()


def _closed(file):
    """What stands in an open file, which is closed."""
    with file:
        file.seek(0)
        return file.read().decode("utf-8", "replace")


class Nursery:
    """Bears children; one at a time is asked for, many may live at once."""

    def __init__(self, environment):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._link = ours
        self._mother = subprocess.Popen(
            [sys.executable, "-m", "faults.nursery", str(theirs.fileno())],
            env=environment,
            pass_fds=[theirs.fileno()],
            cwd=ROOT / "tests",
        )
        theirs.close()
        assert ours.recv(64) == b"ready"

    def child(self, trial, argv, *, stdin="", program=COMMAND, calls=()):
        """A process that runs `program` with `argv` in the store; `calls` are told to a supervisor."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        given, out, err = (tempfile.TemporaryFile() for _ in range(3))  # noqa: SIM115 - closed at its end
        given.write(stdin.encode())
        given.seek(0)
        wanted = {"program": program, "argv": ["mem", *argv], "cwd": str(trial.root)}
        wanted |= {"environment": trial.process.environment, "calls": list(calls)}
        files = [theirs.fileno(), given.fileno(), out.fileno(), err.fileno()]
        socket.send_fds(self._link, [json.dumps(wanted).encode()], files)
        theirs.close()
        given.close()
        ours.settimeout(PATIENCE_S)
        number, listener, _, _ = socket.recv_fds(ours, 64, 1)
        return Child(int(number), listener[0] if listener else None, ours, out, err)

    def close(self):
        """No more children."""
        self._link.close()
        self._mother.wait(PATIENCE_S)


def mother(link):
    """Load everything, then fork for whoever asks."""
    kernel.die_with_parent()
    _load()
    link.send(b"ready")
    while True:
        raw, files, _, _ = socket.recv_fds(link, 1 << 20, 4)
        if not raw:
            return
        if os.fork() == 0:
            link.close()
            _bear(json.loads(raw), *files)
        for file in files:
            os.close(file)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _load():
    import importlib
    import pkgutil

    import memcli
    from memcli.index import encoder

    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for module in pkgutil.walk_packages(memcli.__path__, "memcli."):
        importlib.import_module(module.name)
    loaded = encoder.load(None)
    loaded.encode(["warm"])
    load = encoder.load
    encoder.load = lambda path=None, workspace=None: load(path, workspace) if path else loaded


def _bear(wanted, link, *streams):
    """In the middle: fork the child, wait for it, and tell how it ended; no orphan is left."""
    kernel.die_with_parent()
    told = socket.socket(fileno=link)
    number = os.fork()
    if number == 0:
        _live(wanted, told, streams)
    status = os.waitpid(number, 0)[1]
    with contextlib.suppress(OSError):
        told.send(str(os.waitstatus_to_exitcode(status)).encode())
    os._exit(0)


def _live(wanted, told, streams):
    kernel.die_with_parent()
    os.setsid()
    for at, stream in enumerate(streams):
        os.dup2(stream, at)
        os.close(stream)
    os.environ.clear()
    os.environ.update(wanted["environment"])
    os.chdir(wanted["cwd"])
    sys.argv[:] = wanted["argv"]
    number = str(os.getpid()).encode()
    if wanted["calls"]:
        listener = kernel.put_under(wanted["calls"])
        socket.send_fds(told, [number], [listener])
        os.close(listener)
    else:
        told.send(number)
    told.close()
    try:
        exec(compile(wanted["program"], "child", "exec"), {"__name__": "child"})
    except SystemExit as end:
        os._exit(end.code if isinstance(end.code, int) else 1)
    except BaseException:  # noqa: BLE001 - a fork must end here, whatever happened
        sys.excepthook(*sys.exc_info())
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT)]
    mother(socket.socket(fileno=int(sys.argv[1])))
