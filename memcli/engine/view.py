"""The store as it can be read now: what every verb that looks at more than one file goes by."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcli.engine.standing import Confirmed
from memcli.store.known import Known

if TYPE_CHECKING:
    from memcli.index.tables import Index


@dataclass(frozen=True, slots=True)
class View:
    """The store as it can be read now.

    `index` None means that files must be read instead; `stale` that the index is behind
    them. `dirty` are paths that HEAD holds otherwise; `rebuilt` says that the whole index
    was made anew, `busy` that another process was writing, so that soon it can be read better,
    `hidden` says what no look at the files could see (`Scan.hidden`).
    """

    index: "Index | None"
    known: Known
    confirmed: Confirmed
    stale: bool = False
    behind: int = 0
    rebuilt: bool = False
    busy: bool = False
    notices: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    @property
    def head(self) -> str | None:
        """The commit that the view was brought in line with."""
        return self.confirmed.head

    @property
    def dirty(self) -> frozenset[str]:
        """Paths whose file differs from HEAD."""
        return self.confirmed.dirty
