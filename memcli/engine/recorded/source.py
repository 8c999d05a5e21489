"""What an answer from the record asks of one point of it, whoever knows: an index, or the tree itself."""

from typing import Protocol

from memcli.engine.recalling.source import Source
from memcli.memory.pool import Candidate
from memcli.memory.schema import Schema
from memcli.memory.visibility import Viewer


class Recorded(Source, Protocol):
    """One point of the record. Paths are those that the files had then."""

    def dead(self, viewer: Viewer) -> frozenset[str]:
        """The events that only claims cite which no longer counted then, among the scopes that are seen."""

    def told(self, candidate: Candidate) -> Schema | None:
        """The schema whole, as it was recorded."""

    def believed(self, viewer: Viewer) -> tuple[Candidate, ...]:
        """All that `viewer` gets, by path."""
