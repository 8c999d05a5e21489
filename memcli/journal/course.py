"""What the commits of a lineage changed, one after the other: files of the store, and standings of ids."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memcli.journal.lineage import Lineage
from memcli.journal.log import Touched, walk
from memcli.journal.repository import Journal
from memcli.journal.standings import Standing, along, said

_REGULAR: Final = "100"  # how the mode of a file begins that is neither a link nor a repository


@dataclass(frozen=True, slots=True)
class Changed:
    """A regular file of the store as a commit left it; `blob` is empty where there is none any more."""

    path: str
    blob: str


def changed(
    journal: Journal, found: Lineage, paths: Sequence[str], after: int = -1
) -> Iterator[tuple[int, tuple[Changed, ...]]]:
    """What the commits of `found` behind the position `after` changed below `paths`, oldest first.

    Of a merge that is what it brought to its line. Those that changed nothing there are left out.
    """
    known = (f"^{found.commits[after]}",) if after >= 0 else ()
    shown = ("--first-parent", "--diff-merges=first-parent", "--raw", "--root", "--no-renames")
    places = {commit: at for at, commit in enumerate(found.commits)}
    revs = ("--end-of-options", found.tip, *known, "--", *paths)
    for one in walk(journal.git, "%H", "--reverse", "--full-history", *shown, *revs):
        inside = [each for each in one.touched if each.path.startswith(journal.prefix)]
        yield places[one.text.strip()], tuple(_changed(journal, each) for each in inside)


def _changed(journal: Journal, one: Touched) -> Changed:
    regular = one.mode.startswith(_REGULAR) and one.blob.strip("0")
    return Changed(one.path.removeprefix(journal.prefix), one.blob if regular else "")


def standings(journal: Journal, found: Lineage) -> dict[str, list[tuple[int, Standing]]]:
    """Id → (position, what the journal says of it from there on), wherever that changed on the line."""
    order = ("--date-order", "--reverse", "--end-of-options")
    logged = walk(journal.git, "%H %P%n%B", *order, found.tip)
    return along([said(one.text) for one in logged], found.commits)
