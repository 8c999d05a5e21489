"""Ids, paths and queries as they are given: as words, or on stdin."""

import os.path
from pathlib import Path

from memcli.cli.streams import Streams
from memcli.engine.opened import Opened
from memcli.errors import Usage
from memcli.memory.tokens import blank


def refuse_blank(query: str, hint: str) -> None:
    """Raise Usage for a query in which a reader sees nothing."""
    if blank(query):
        raise Usage("There is nothing to look for: the query is blank.", hint)


def ids(streams: Streams) -> tuple[str, ...]:
    """The ids of this call, each once, in order. Raises Usage where stdin brings none."""
    call = streams.call
    if not call.flag("stdin"):
        return tuple(dict.fromkeys(call.texts("ids")))
    written = streams.read_text().split("\0" if call.flag("null") else "\n")
    found = tuple(dict.fromkeys(filter(None, (one.strip() for one in written))))
    if not found:
        raise Usage("There is no id on stdin.", "For example: mem recall --ids refund | mem show --stdin")
    return found


def paths(streams: Streams, opened: Opened) -> tuple[str, ...]:
    """The paths of this call as the store names them; what lies elsewhere stays as it was typed."""
    return tuple(_stored(streams, opened, path) for path in streams.call.texts("paths"))


def _stored(streams: Streams, opened: Opened, typed: str) -> str:
    """A path relative to the working directory, or to the store; the file may be gone."""
    root = opened.place.root.resolve()
    bases = [base for base in (streams.surroundings.cwd, root) if base is not None]
    named = [Path(os.path.normpath(base / typed)) for base in bases]
    inside = [path for path in named if path.parent.resolve().is_relative_to(root)]
    found = next((path for path in inside if os.path.lexists(path)), inside[0] if inside else None)
    return typed if found is None else (found.parent.resolve().relative_to(root) / found.name).as_posix()
