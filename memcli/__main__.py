"""The process: words in, exit code out, and the one boundary where errors become sentences.

Whatever happens below, a person gets one sentence and a hint, a script gets a documented
code, and nobody gets a traceback: what we did not foresee is written to a log file without
any memory's text, and its path printed (exit 70).
"""

import gc
import os
import sys

TYPE_CHECKING = False  # importing typing and collections would double what `mem --version` takes
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from memcli.cli.grammar import Call
    from memcli.cli.streams import Streams

UNREAD = 6
BUG = 70
INTERRUPTED = 130
PIPE_CLOSED = 141

# Looking for cycles each 700 objects would be a fifteenth of a recall, which makes hardly any.
COLLECT_EVERY = 100_000


def process() -> "NoReturn":
    """Answer this process's command line and end it: by the resident where one lives, else by itself.

    The answer is with the system by then and every file closed, so the process leaves at once:
    taking down the interpreter and the native libraries would be a seventh of a recall.
    """
    from memcli.resident import client

    try:
        client.ask()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    _fill_closed_descriptors()
    _demand_utf8()
    _unwind_when_told_to_end()
    _leave_no_cut_bytecode()
    # One thread is all that a question needs; starting the others would cost more than they give.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(COLLECT_EVERY)
    os._exit(main(sys.argv[1:]))


def main(argv: "Sequence[str]") -> int:
    """Answer one command line (without the program's name). Never raises."""
    known: list[Streams] = []  # once the words are read, an error is told as they ask
    try:
        _speak_utf8()
        code = _answer(list(argv), known)
        sys.stdout.flush()
        sys.stderr.flush()
        if known and known[0].afterwards is not None:
            known[0].afterwards()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - the one boundary
        return _explain(error, argv, known)
    return code


def _answer(argv: list[str], known: "list[Streams]") -> int:
    if argv in (["--version"], ["-V"]):
        from memcli import __version__

        sys.stdout.write(f"mem {__version__}\n")
        return 0
    call = _read(argv)
    if isinstance(call, int):
        return call
    from memcli import surroundings
    from memcli.cli import streams

    known.append(streams.of_process(call, surroundings.read()))
    return streams.run(known[0])


def _read(argv: list[str]) -> "Call | int":
    """The call, or the exit code where typer has answered already. Raises Usage."""
    if "_MEM_COMPLETE" not in os.environ:
        from memcli.cli.parse import parse

        call = parse(argv)
        if call is not None:
            return call
    from memcli.cli import typer_app

    try:
        return typer_app.read(argv)
    except SystemExit as end:  # typer ends so after completion
        return end.code if isinstance(end.code, int) else 0


def _explain(error: Exception, argv: "Sequence[str]", known: "list[Streams]") -> int:
    """Tell what went wrong on stderr; the exit code."""
    _forget_unwritten()
    try:
        from memcli.cli import complaint
        from memcli.errors import MemError
    except OSError as unread:  # out of file descriptors, or the disk that holds the program is gone
        return _explain_alone(unread)
    error = complaint.refused(error) or error
    try:
        if isinstance(error, MemError):
            complaint.tell(sys.stderr, error, as_json="--json" in argv)
        else:
            complaint.tell_bug(sys.stderr, error, known[0] if known else None, as_json="--json" in argv)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody is left to tell
    return error.code if isinstance(error, MemError) else BUG


def _explain_alone(unread: OSError) -> int:
    """Tell that not even the program itself can be read, without reading any more of it."""
    hint = "Hint: Close what holds files open, then try again."
    try:
        sys.stderr.write(f"The program cannot be read: {unread.strerror}.\n{hint}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        pass  # nobody is left to tell
    return UNREAD


def _speak_utf8() -> None:
    """Write UTF-8 whatever the locale or PYTHONIOENCODING says."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _demand_utf8() -> None:
    """Start again in UTF-8 mode where the locale would misread arguments and paths (C, Latin-1)."""
    if sys.flags.utf8_mode or sys.getfilesystemencoding() == "utf-8":
        return
    try:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - ourselves
    except OSError:
        return  # better with escapes than not at all


def _unwind_when_told_to_end() -> None:
    """SIGTERM and SIGHUP end a command as an error does: files put back, git's children ended."""
    import signal

    def told(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, told)


def _leave_no_cut_bytecode() -> None:
    """Under a limit on file sizes Python would keep compiled modules cut short, and never start again."""
    import resource

    if resource.getrlimit(resource.RLIMIT_FSIZE)[0] != resource.RLIM_INFINITY:
        sys.dont_write_bytecode = True


def _fill_closed_descriptors() -> None:
    """Point closed standard streams nowhere, lest the next opened file becomes one of them."""
    for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - for the process's life


def _forget_stdout() -> None:
    """Let nothing be written any more, so that the interpreter does not complain when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return


def _forget_unwritten() -> None:
    """Write what the answer has so far, or give it up where that is what failed."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _forget_stdout()


if __name__ == "__main__":
    process()
