"""Transcripts that coding agents leave: their files found, their lines told apart from what was said.

These files belong to other programs, which change them as they please: what is not understood is
counted and passed over, a last line that is still being written is left for the next time, and
nothing here is ever written.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

from memcli.engine.task import claude_code, codex
from memcli.errors import Usage
from memcli.memory.turn import Turn

_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_NAME: Final = 64
_END: Final = ".jsonl"
_FIRST_LINES: Final = 20  # asserted: summaries and snapshots stand before the first line that has a time

Lines = Iterator[tuple[int, Mapping[str, Any]]]
"""Number of a line, from 1, and its object."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One session as its client wrote it down; `passed_over` lines were no JSON objects."""

    path: Path
    session: str
    cwd: str
    turns: tuple[Turn, ...]
    passed_over: int


@dataclass
class _Tally:
    passed_over: int = 0
    about: dict[str, str] = field(default_factory=dict)


def found(client: str, path: Path) -> tuple[Path, ...]:
    """The transcripts of `client` at `path`: the file itself, or all below the folder, the oldest first.

    Raises Usage where there are none.
    """
    if path.is_file():
        return (path,)
    if not path.is_dir():
        raise Usage(f"{path} is neither a file nor a folder.", f"Name a transcript of {client}, or a folder.")
    inner = claude_code.INNER if client == "claude-code" else ()
    files = tuple(one for one in path.rglob(f"*{_END}") if one.is_file() and not one.name.startswith(inner))
    if not files:
        raise Usage(f"No transcript lies below {path}.", f"{client} writes files that end in {_END}.")
    return tuple(sorted(files, key=lambda one: (_began(one), one)))


def _began(path: Path) -> str:
    """When the session of a transcript began, as one of its first lines says: text that sorts by time."""
    try:
        lines = islice(_lines(path, _Tally()), _FIRST_LINES)
        return next((said for _, line in lines if isinstance(said := line.get("timestamp"), str)), "")
    except OSError:
        return ""


def read(client: str, path: Path) -> Transcript:
    """The transcript in `path`. Raises Usage where it cannot be read."""
    tally = _Tally()
    take: Callable[[Lines, dict[str, str]], Iterator[Turn]]
    take = claude_code.turns if client == "claude-code" else codex.turns
    try:
        turns = tuple(take(_lines(path, tally), tally.about))
    except OSError as error:
        raise Usage(f"{path} cannot be read: {error.strerror}.", "Name another file.") from error
    session = tally.about.get("session") or path.stem
    return Transcript(path, name_of(session), tally.about.get("cwd", ""), turns, tally.passed_over)


def name_of(session: str) -> str:
    """`session` as it can name a file of events."""
    name = _NOT_IN_A_NAME.sub("-", session)[:_LONGEST_NAME].lstrip("._-")
    return name or "session"


def _lines(path: Path, tally: _Tally) -> Lines:
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.strip():
                continue
            try:
                said = json.loads(raw)
            except (ValueError, RecursionError):
                said = None
            if isinstance(said, dict):
                yield number, said
            elif raw.endswith(b"\n"):  # else it is still being written
                tally.passed_over += 1
