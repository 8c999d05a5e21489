"""What may be said of a finding to whoever asks: a path has a memory's words in it."""

from dataclasses import dataclass, field, replace

from memcli.engine import standing
from memcli.engine.auditing.findings import Finding
from memcli.engine.opened import Opened
from memcli.memory.scope import Scope, of_folder
from memcli.surroundings import Kind


@dataclass(frozen=True)
class Looks:
    """What is shown to the actor of `opened`: other scopes' findings without their paths.

    An agent is not shown the path of what was forgotten either. `every`: a person asked for all.
    """

    opened: Opened
    every: bool = False
    _forgotten: frozenset[str] = field(init=False, default=frozenset())

    def __post_init__(self) -> None:
        if self.opened.actor.kind is not Kind.HUMAN:
            object.__setattr__(self, "_forgotten", standing.current(self.opened).forgotten)

    def of(self, finding: Finding) -> Finding:
        """The finding as it may be shown: no more of its path than the folder of its scope."""
        scope = _scope(finding.path)
        foreign = not self.every and scope is not None and scope not in self.opened.scope.seen
        if foreign or finding.id in self._forgotten:
            return replace(finding, path=_folder(finding.path))
        return finding


def _scope(path: str) -> Scope | None:
    return of_folder(tuple(path.split("/")[1:-1])) if path.startswith(("schemas/", "procedures/")) else None


def _folder(path: str) -> str:
    return path.rpartition("/")[0] + "/" if path else ""
