"""Questions that must not be shown again, because they say what is forgotten now.

A receipt holds no text of a memory, but somebody may have asked in the very words of one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memcli.engine import resolve, standing
from memcli.engine.opened import Opened
from memcli.errors import MemError
from memcli.memory import wording
from memcli.memory.schema import Status
from memcli.store import tombstones

FORGOTTEN = "(forgotten)"  # stands where a text would


@dataclass(frozen=True, slots=True)
class Unsaid:
    """The claims that are forgotten, digests of those whose text is gone, too, and where the files lie."""

    claims: tuple[str, ...] = ()
    digests: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()

    def told(self, query: str) -> str:
        """The question, or what stands in its place."""
        if any(wording.contains(query, claim) for claim in self.claims):
            return FORGOTTEN
        return FORGOTTEN if self.digests and self.digests & wording.digests(query) else query

    def path(self, path: str) -> str:
        """The path of a file, whose name says what it is about, or what stands in its place."""
        return FORGOTTEN if path in self.paths else path


def read(opened: Opened) -> Unsaid:
    """What is forgotten now; costs one look where nothing ever was."""
    confirmed = standing.current(opened)
    graves = [
        one
        for one in tombstones.load(opened.place).tombstones
        if one.act == Status.FORGOTTEN and one.id not in confirmed.returned
    ]
    if not confirmed.forgotten and not graves:
        return Unsaid()
    files = {path for path, id_ in resolve.ids(opened).items() if id_ in confirmed.forgotten}
    claims = dict.fromkeys([*_claims(opened, files, confirmed), *(one.claim for one in graves if one.claim)])
    return Unsaid(tuple(claims), frozenset(one.digest for one in graves), frozenset(files))


def _claims(opened: Opened, files: Iterable[str], confirmed: standing.Confirmed) -> Iterator[str]:
    for path in sorted(files):
        try:
            yield resolve.at(opened, path, confirmed).schema.claim
        except MemError:
            continue
