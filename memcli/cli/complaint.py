"""How an error is told: one sentence and a hint, or JSON, or for a bug the path of a log.

A traceback with its message can hold a memory's text, which belongs to nobody's bug report:
the log has the kind of the error, where in our code it happened, and the options' names.
"""

import errno
import os
import sys
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from memcli import __version__
from memcli.cli.render.text import visible
from memcli.errors import MemError, Unavailable, Usage

if TYPE_CHECKING:
    from memcli.cli.streams import Streams

BUG_CODE: Final = 70
_REFUSALS: Final = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM),
        *(errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.ESTALE),
    }
)
_OPENERS: Final = frozenset({"a", "an", "it", "its", "no", "the", "this"})  # of sentences, never names
_TOLD: Final = 2_000  # asserted: characters of a sentence, longer than any of ours
_NOT_OPENED: Final = "cannot open shared object file"
_ABOUT_CODE: Final = (ImportError, NameError, NotImplementedError)  # their messages name code, never a text


def tell(err: TextIO, error: MemError, *, as_json: bool) -> None:
    """Say what went wrong and what would work."""
    message, hint = _cut(_sentence(error.message)), _cut(error.hint)
    details = tuple(map(_cut, error.details))
    if as_json:
        err.write(_json(error.code, message, hint, details))
        return
    err.write(f"{_line(message)}\n")
    err.writelines(f"  {_line(detail)}\n" for detail in details)
    if hint:
        err.write(f"Hint: {_line(hint)}\n")


def _line(text: str) -> str:
    """`text` on one line: a name that holds a line break is no second sentence."""
    return visible(text).replace("\n", "\\n")


def _cut(text: str) -> str:
    """`text` without its middle where it is long: it may repeat a word of the command line, however long."""
    return text if len(text) <= _TOLD else f"{text[: _TOLD // 2]} … {text[-_TOLD // 2 :]}"


def refused(error: Exception) -> MemError | None:
    """What the system refuses (space, files, memory, permission) as the error that it is: no bug of ours."""
    if isinstance(error, MemoryError):
        return Unavailable("There is not enough memory.", "Nothing was half done; free some and repeat.")
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return Usage("A name that was given is longer than the system takes.", "Name a shorter path.")
    told = _unloaded(error) if isinstance(error, ImportError) else _refusal(error)
    hint = "Free what is missing and repeat; the files are unharmed."
    return Unavailable(f"{told}.", hint) if told else None


def _refusal(error: Exception) -> str:
    if not isinstance(error, OSError) or error.errno not in _REFUSALS:
        return ""
    name = f"{error.filename}: " if isinstance(error.filename, str) else ""
    return f"{name}{error.strerror}"


def _unloaded(error: ImportError) -> str:
    """Why the system let a library not be loaded; the loader tells it in words alone."""
    told = str(error)
    if (
        _NOT_OPENED in told
    ):  # gone from the installation, or kept from us; the loader names the last place it tried
        return told
    reasons = (os.strerror(number) for number in sorted(_REFUSALS))
    return next((f"{error.name or error.path}: {why}" for why in reasons if why in told), "")


def tell_bug(err: TextIO, error: Exception, streams: "Streams | None", *, as_json: bool) -> None:
    """Write the log and say where it is."""
    message = f"This is a bug in mem ({type(error).__name__}); your files are as they were."
    path = _written(_report(error, streams), streams.log_folder if streams else None)
    hint = f"Please report it with {path}" if path else "No log could be written."
    if as_json:
        err.write(_json(BUG_CODE, message, hint, ()))
        return
    err.write(f"{message}\nHint: {visible(hint)}\n")


def _sentence(message: str) -> str:
    """What a lower room said, with the capital and the full stop of a sentence.

    A command and whatever was named by the user (a file, a branch) keep their spelling.
    """
    ended = message if message.endswith((".", "?", "!")) else f"{message}."
    return ended[0].upper() + ended[1:] if ended.partition(" ")[0] in _OPENERS else ended


def _json(code: int, message: str, hint: str, details: tuple[str, ...]) -> str:
    from memcli.cli.render.strict_json import dumps

    told: dict[str, object] = {
        "format": "mem.error/1",
        "code": code,
        "message": message,
        "hint": hint or None,
    }
    if details:
        told["details"] = list(details)
    return dumps(told) + "\n"


def _report(error: Exception, streams: "Streams | None") -> str:
    """What happened, without the values that a memory's text could be among."""
    given = [name for name, value in streams.call.values.items() if value] if streams else []
    verb = streams.call.verb.name if streams else "none"
    chain: list[BaseException] = [error]
    while (earlier := chain[-1].__cause__ or chain[-1].__context__) is not None and earlier not in chain:
        chain.append(earlier)
    lines = [
        f"mem {__version__}, Python {sys.version.split()[0]}, {sys.platform}",
        f"verb {verb}, given: {', '.join(given)}",
    ]
    for one in reversed(chain):
        said = f": {one}" if isinstance(one, _ABOUT_CODE) else ""
        lines += [
            f"{type(one).__module__}.{type(one).__name__}{said}",
            *traceback.format_tb(one.__traceback__),
        ]
    return "\n".join(lines) + "\n"


def _written(report: str, folder: Path | None) -> str:
    """The path of the log: beside the store, else in the temporary folder, else nowhere."""
    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    for place in filter(None, (folder, Path(tempfile.gettempdir()))):
        path = place / f"mem-{moment}-{os.getpid()}.log"
        try:
            place.mkdir(mode=0o700, parents=False, exist_ok=True)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.fchmod(descriptor, 0o600)  # whatever the umask
        except OSError:
            continue
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(report)
        return str(path)
    return ""
