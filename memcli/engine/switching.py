"""The parts of a switch from one claim to another, for every verb that closes one where another begins."""

from dataclasses import replace

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.engine.resolve import Found
from memcli.engine.writer import FileChange, Writer
from memcli.errors import Usage
from memcli.journal import message as messages
from memcli.memory import lifecycle, times
from memcli.memory.schema import Schema
from memcli.store import atomic, format


def standing(found: Found) -> Schema:
    """The schema with the status that counts."""
    return replace(found.schema, status=found.effective)


def changed(opened: Opened, path: str, keys: lifecycle.Keys) -> FileChange:
    """The file `path` with `keys` changed and every other byte kept."""
    raw = atomic.read(opened.place, path)
    return FileChange(path, format.digest(raw), filing.changed(opened, path, raw, keys))


def change_of(change: lifecycle.Change) -> messages.Change:
    """An act's change as the journal states it."""
    return messages.Change(change.id, change.prior.value, change.status.value)


def moment(opened: Opened, text: str | None) -> int | None:
    """The moment that a person typed. Raises Usage."""
    if text is None:
        return None
    try:
        return times.parse(text, opened.settings.timezone)
    except times.NotATime as error:
        raise Usage(f"{error}.", f"Write {times.FORMS}.") from error


def spelled(opened: Opened) -> lifecycle.Spell:
    """How this store's files spell a moment."""
    return lambda seconds: format.moment(seconds, opened.settings.timezone)


def chain(writer: Writer) -> dict[str, str]:
    """Id → successor of every superseded schema of the store."""
    if writer.view.index is None:
        return {}
    rows = writer.view.index.all_rows(("id", "superseded_by"))
    return {row["id"]: row["superseded_by"] for row in rows if row["superseded_by"]}
