"""Memories whose file is gone: the journal still says which file it was."""

from collections.abc import Iterator
from dataclasses import dataclass

from memcli.engine import filing, standing
from memcli.engine.opened import Opened
from memcli.engine.task import belonging
from memcli.errors import NoSuchMemory, Refused
from memcli.journal import history, tree
from memcli.journal.history import Entry
from memcli.memory.schema import PREFIX_LENGTH, Schema, Status
from memcli.store import scan
from memcli.surroundings import Kind


@dataclass(frozen=True, slots=True)
class Lost:
    """One memory without a file: where that lay when it was last seen."""

    id: str
    path: str


def find(opened: Opened, text: str) -> Lost | None:
    """The memory that `text` names by four or more characters of its id, None where the journal knows none.

    Raises NoSuchMemory where several have it, Refused where an agent asks for what was forgotten.
    """
    found = named(opened, text)
    if found is None:
        return None
    id_, entry = found
    _refuse_forgotten(opened, id_)
    for path, schema in _stated(opened, id_, entry):
        belonging.refuse_unseen(opened, schema)
        return Lost(id_, path)
    return None


def named(opened: Opened, text: str) -> tuple[str, Entry] | None:
    """The id in the journal that `text` is, or begins with four or more characters, and its last entry.

    Raises NoSuchMemory where several begin so.
    """
    if len(text) < PREFIX_LENGTH:
        return None
    last: dict[str, Entry] = {}
    for entry in history.entries(opened.journal):
        for change in entry.changes:
            if change.id.startswith(text):
                last.setdefault(change.id, entry)
    if text in last:
        return text, last[text]
    if len(last) > 1:
        raise NoSuchMemory(
            f"{len(last)} memories began with {text!r}.", "Give more of the id.", tuple(sorted(last))
        )
    return next(iter(last.items()), None)


def _stated(opened: Opened, id_: str, entry: Entry) -> Iterator[tuple[str, Schema]]:
    """The file that held it: as the commit has it, or where that removed it, the commit before."""
    paths = [path for path in entry.paths if scan.is_schema_path(path)]
    for commit in (entry.commit, *entry.parents):
        for path, raw in tree.read(opened.journal, commit, paths).items():
            schema = None if raw is None else filing.understand(opened, path, raw).schema
            if schema is not None and schema.id == id_:
                yield path, schema


def _refuse_forgotten(opened: Opened, id_: str) -> None:
    if opened.actor.kind is Kind.HUMAN:
        return
    if standing.current(opened).status_of(id_) is Status.FORGOTTEN:
        raise Refused(
            f"{id_} is forgotten; reading it is a person's choice.", "`mem log` says when it was forgotten."
        )
