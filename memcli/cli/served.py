"""A command of another process, answered in a resident: the same words, the same bytes, the same code.

What a person must confirm, what takes long and shows its progress, and whatever goes wrong
in a way that the process itself should meet is declined: the process then does it itself.
"""

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memcli import surroundings
from memcli.cli import complaint, streams
from memcli.cli.grammar import Call
from memcli.cli.parse import parse
from memcli.cli.streams import Streams
from memcli.engine.kept import Elsewhere, Kept
from memcli.environment import NAMES
from memcli.errors import MemError, NoStore, TryAgain, Usage
from memcli.resident.client import ACTING, VERBS
from memcli.resident.frames import Reply

if TYPE_CHECKING:
    from memcli.resident.frames import Question
    from memcli.surroundings import Surroundings

_OWN_WORK: Final = ("batch", "override", "allow_secret", "verbose")  # long, a person's, or about the process


def answer(kept: Kept, question: "Question", begin: Callable[[], bool]) -> Reply | None:
    """The reply to `question`, None where its process has to do the work itself.

    `begin` is asked before an act and says whether its client still waits for it.
    """
    call = _call(question)
    if call is None:
        return None
    acting = call.verb.name in ACTING
    if acting and not begin():
        return None
    out, err = _captured(), _captured()
    told = Streams(call, _surroundings(question), io.BytesIO(question.stdin), out, err, kept=kept)
    try:
        code = streams.run(told)
    except (Elsewhere, NoStore, TryAgain):
        return None
    except MemError as error:
        complaint.tell(err, error, as_json="--json" in question.argv)
        code = error.code
    except Exception as error:
        if not acting:
            raise  # the server declines; the process meets the same, and tells it
        complaint.tell_bug(err, error, told, as_json="--json" in question.argv)
        code = complaint.BUG_CODE
    return Reply(code, _bytes(out), _bytes(err))


def _call(question: "Question") -> Call | None:
    """The call, where it is one that a resident answers."""
    try:
        call = parse(question.argv)
    except Usage:
        return None
    if call is None or call.verb.name not in VERBS or call.text("scope") == "*":
        return None
    return None if any(call.values.get(name) for name in _OWN_WORK) else call


def _surroundings(question: "Question") -> "Surroundings":
    """What the process stands in; nobody can be asked from here."""
    environment = {name: value for name, value in question.environment.items() if name in NAMES}
    return surroundings.made(environment, Path(question.cwd), question.ttys, question.columns, terminal=False)


def _captured() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="\n")


def _bytes(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    raw = stream.buffer
    return raw.getvalue() if isinstance(raw, io.BytesIO) else b""
