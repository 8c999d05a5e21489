"""An editor on one memory: opened again with what does not fit, until it fits or is left alone.

The text is edited in a private copy, so that a half-written file is never in the store, and
nothing is lost when the editor fails or what was written cannot be kept: the copy stays and
its path is named.
"""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from memcli.errors import BadFile, MemError, Unavailable

NAMES: Final = ("MEM_EDITOR", "VISUAL", "EDITOR", "GIT_EDITOR")
LAST_RESORT: Final = "vi"
_MARK: Final = b"# mem: "  # begins the lines that we put at the top, and take away again
_BOM: Final = b"\xef\xbb\xbf"

Problems = Callable[[bytes], tuple[str, ...]]


def command(environment: Mapping[str, str], of_git: Callable[[], str], *, terminal: bool) -> str:
    """The user's editor, as a shell reads it; git is asked only where nothing else says.

    Raises Unavailable where nothing says and no terminal is there: an editor that nobody
    chose would wait for keys that never come.
    """
    said = next(filter(None, (environment.get(name, "").strip() for name in NAMES)), "") or of_git()
    if not said and not terminal:
        raise Unavailable(
            f"There is no terminal for {LAST_RESORT}, and no other editor is set.",
            "Set MEM_EDITOR, or run it in a terminal.",
        )
    return said or LAST_RESORT


def edited(run: str, name: str, before: bytes, problems: Problems, keep: Callable[[bytes], None]) -> bool:
    """Edit `before` under `name` with `run` until it has no problems, then `keep` it.

    False where it was closed unchanged. Raises Unavailable when the editor fails, BadFile when
    the last word does not fit, and whatever `keep` raises; then the copy stays where it is.
    """
    copy = Path(tempfile.mkdtemp(prefix="mem-")) / name
    try:
        after = _rounds(run, copy, before, problems)
        if after is not None:
            keep(after)
    except MemError as error:
        _leave(copy, before, error)
        raise
    shutil.rmtree(copy.parent, ignore_errors=True)
    return after is not None


def _rounds(run: str, copy: Path, before: bytes, problems: Problems) -> bytes | None:
    """What was written once it fits; None where nothing was changed."""
    given, wrong = before, tuple[str, ...]()
    while True:
        copy.write_bytes(_with_comments(given, wrong))
        _open(run, copy)
        after = _without_comments(_read(copy))
        if after == given:
            if wrong:
                shown = tuple(_shifted(problem, len(wrong) + 1) for problem in wrong)
                raise BadFile("What was written does not fit the format.", "", shown)
            return None
        given, wrong = after, problems(after)
        if not wrong:
            return after


def _open(run: str, copy: Path) -> None:
    with _interrupts_are_the_editors():
        ended = subprocess.run(["sh", "-c", f'{run} "$@"', run, str(copy)], check=False)  # noqa: S603, S607 - the user's own
    if ended.returncode:
        raise Unavailable(
            f"The editor {run!r} failed (exit code {ended.returncode}).", "Set MEM_EDITOR to another."
        )


def _read(copy: Path) -> bytes:
    try:
        return copy.read_bytes()
    except OSError as error:
        raise Unavailable("The editor left no file behind.", "Nothing was changed.") from error


def _leave(copy: Path, before: bytes, error: MemError) -> None:
    """Keep what was written and say where; a copy that says nothing new goes."""
    try:
        written = copy.read_bytes()
    except OSError:
        written = before
    if _without_comments(written) == before:
        shutil.rmtree(copy.parent, ignore_errors=True)
        error.hint = error.hint or "Nothing was changed."
    else:
        error.hint = f"{error.hint} What you wrote is in {copy}".strip()


def _with_comments(text: bytes, wrong: tuple[str, ...]) -> bytes:
    """`text` with a line at the top for everything that does not fit, numbered as the editor sees it."""
    if not wrong:
        return text
    head = [_MARK + _shifted(problem, len(wrong) + 1).encode() for problem in wrong]
    lines = b"\n".join([*head, _MARK + b"save again when it fits; leave it unchanged to give up", b""])
    return _BOM + lines + text[len(_BOM) :] if text.startswith(_BOM) else lines + text


def _shifted(problem: str, by: int) -> str:
    """`line 4: key: what` with the line as the editor numbers it."""
    line, colon, rest = problem.removeprefix("line ").partition(":")
    numbered = problem.startswith("line ") and line.isdigit()
    return f"line {int(line) + by}{colon}{rest}" if numbered else problem


def _without_comments(text: bytes) -> bytes:
    bom, rest = (_BOM, text[len(_BOM) :]) if text.startswith(_BOM) else (b"", text)
    while rest.startswith(_MARK.rstrip()):
        rest = rest.partition(b"\n")[2]
    return bom + rest


@contextmanager
def _interrupts_are_the_editors() -> Iterator[None]:
    """Ctrl-C inside the editor is for the editor; the child starts with its own handling."""

    def ignore(_signal: int, _frame: FrameType | None) -> None:
        return

    before = signal.signal(signal.SIGINT, ignore)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
