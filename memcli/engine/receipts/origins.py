"""The files of a receipt's commit by their contents: it names no path, which would say half a claim."""

from functools import cached_property
from typing import Final

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.journal import tree
from memcli.memory.difference import State
from memcli.store import events, scan

_FOLDERS: Final = ("schemas/", "events/")  # where what an answer shows lies


class Held:
    """What one commit (a full id) holds. Raises Unavailable and Usage where git does not have it."""

    def __init__(self, opened: Opened, commit: str) -> None:
        self._opened = opened
        self._commit = commit
        self._paths: dict[str, list[str]] = {}
        for folder in _FOLDERS:
            for path, blob in tree.blobs(opened.journal, commit, folder).items():
                if scan.is_schema_path(path) or events.is_path(path):
                    self._paths.setdefault(blob, []).append(path)

    def state(self, id_: str, blob: str) -> State | None:
        """The memory `id_` as the file with this blob states it; None where none does."""
        for path in self._paths.get(blob, ()):
            raw = self._read(blob)
            schema = filing.understand(self._opened, path, raw).schema if scan.is_schema_path(path) else None
            if schema is not None and schema.id == id_:
                return State(schema, path, schema.status)
        return None

    def states(self, id_: str, blob: str) -> bool:
        """Whether the commit has a file with this blob that holds the memory or the event `id_`."""
        return self.state(id_, blob) is not None or self._said(id_, blob)

    def path(self, id_: str) -> str:
        """Where the memory `id_` lay; empty where no file states it."""
        return self._by_id.get(id_, "")

    def _said(self, id_: str, blob: str) -> bool:
        paths = [path for path in self._paths.get(blob, ()) if events.is_path(path)]
        return any(one.id == id_ for path in paths for one in events.of_bytes(path, self._read(blob)).events)

    def _read(self, blob: str) -> bytes:
        return tree.read_blobs(self._opened.journal, [blob])[blob]

    @cached_property
    def _by_id(self) -> dict[str, str]:
        from memcli.engine.recorded import committed

        filed = committed.filed_at(self._opened, self._commit)
        return {one.schema.id: path for path, one in filed.items() if one.schema is not None}
